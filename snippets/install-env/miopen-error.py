# ---
# wordings:
#   - text: "RuntimeError: miopenStatus{status:ident}"
#     exception: RuntimeError
#     sample: "RuntimeError: miopenStatusUnknownError"
#   - text: "MIOpen Error: {what:line}"
#     near: [torch]
#     sample: "MIOpen Error: /MIOpen/src/hipoc/hipoc_program.cpp:286: Code object build failed. Source: MIOpenIm2d2Col.cl"
#     role: symptom
#   - text: "open memvfs: unable to open database file"
#     near: [MIOpen]
#     sample: "MIOpen(HIP): Warning [FindWinogradSolutions] /MIOpen/src/sqlite_db.cpp:109: open memvfs: unable to open database file"
#     role: symptom
#   - text: "Internal error while accessing SQLite database: {why:line}"
#     near: [MIOpen]
#     sample: "MIOpen Error: projects/miopen/src/sqlite_db.cpp:227: Internal error while accessing SQLite database: disk I/O error"
# tags: [build, cnn, cudnn, driver]
# recover: process
# needs: ["fault:SQLite on a folder that cannot hold a data base, in place of MIOpen's cache"]
# related: [install-env/hip-invalid-device-function, install-env/cudnn-not-initialized, memory/cuda-oom]
# docs: ["https://rocm.docs.amd.com/projects/MIOpen/en/latest/conceptual/cache.html", "https://rocm.docs.amd.com/projects/MIOpen/en/latest/conceptual/perfdb.html"]
# cases:
#   cache:
#     silent: true
#     survives: {"without: -p (linux)": "the folder is new here"}
#     commands:
#       linux: |
#         export MIOPEN_USER_DB_PATH=/tmp/miopen-$USER      # a local disk, not NFS or Lustre
#         export MIOPEN_CUSTOM_CACHE_DIR=/tmp/miopen-$USER
#         mkdir -p $MIOPEN_USER_DB_PATH
#   no-miopen: {silent: true}
# causes:
#   cache:
#     if: paste("sqlite_db.cpp", "unable to open database file", "disk I/O error", "database is locked")
#     sample: "MIOpen Error: projects/miopen/src/sqlite_db.cpp:227: Internal error while accessing SQLite database: disk I/O error\nRuntimeError: miopenStatusInternalError"
#   other-gfx:
#     if: paste("Code object build failed", "SetIsaName", "comgr", "hipErrorNoBinaryForGpu")
#     sample: "MIOpen(HIP): Error [SetIsaName] 'amd_comgr_action_info_set_isa_name(handle, isa.c_str())' amdgcn-amd-amdhsa--gfx900\nMIOpen Error: Code object build failed. Source: MIOpenIm2d2Col.cl\nRuntimeError: miopenStatusUnknownError"
#   memory:
#     likely: paste("AllocFailed", "out of memory", "hipMalloc", "workspace")
#     sample: "RuntimeError: miopenStatusAllocFailed"
#   no-miopen:
#     undecided: why MIOpen has no solution for this convolution is not printed
# ---

# %%
import os
import sqlite3
import subprocess
from pathlib import Path

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8)).eval()
images = torch.rand(2, 3, 16, 16)


def find_database(folder):
    """What MIOpen does before a convolution: it opens the data base in this folder."""
    try:
        sqlite3.connect(Path(folder, "gfx90a.ukdb")).execute("create table if not exists t (k)")
    except sqlite3.Error as error:
        return str(error)
    return "opened"


# %% break cache
said = find_database("/proc/no/such/home")  # a home that this machine cannot write
print(said)
assert said == "unable to open database file"

# %% check cache
import os
from pathlib import Path

home = Path("~/.config/miopen").expanduser()
print(home.exists(), os.environ.get("MIOPEN_USER_DB_PATH"))  # where: `df -T ~`
assert not os.environ.get("MIOPEN_USER_DB_PATH")

# %% proof cache
shell = commands["linux"].replace("/tmp", os.getcwd()) + '\necho "$MIOPEN_USER_DB_PATH $MIOPEN_CUSTOM_CACHE_DIR"'
done = subprocess.run(["bash", "-c", shell], env={**os.environ, "USER": "me"}, capture_output=True, text=True, check=True)
first, second = done.stdout.split()
assert first == second and find_database(first) == "opened"

# %% break no-miopen
print(torch.backends.cudnn.enabled)  # with ROCm this switch is MIOpen's
assert torch.backends.cudnn.enabled

# %% fix no-miopen
import torch

torch.backends.cudnn.enabled = False  # with ROCm: no MIOpen

# %% proof no-miopen
assert not torch.backends.cudnn.enabled
with torch.backends.cudnn.flags(enabled=True):
    expected = model(images)
torch.testing.assert_close(model(images), expected)
