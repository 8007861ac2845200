# ---
# wordings:
#   - text: "Error 802: system not yet initialized"
#   - text: "CUDA error: system not yet initialized"
#     unless: [gpu-programs]
#   - text: "cuda runtime error (802) : system not yet initialized"
#   - text: "error=802 : system not yet initialized"
#     near: [THC]
#   - text: "system not yet initialized"
#     near: [torch, cudaGetDeviceCount]
# tags: [container, cuda, driver, multi-gpu]
# recover: process
# needs: [compiler, "package:nvidia", "fault:a stub libcuda.so.1 that answers 802 until a service has run"]
# cases:
#   fabric-manager:
#     wrong: {tried-again: "https://github.com/huggingface/huggingface_hub/issues/4134"}
#     commands:
#       linux: |
#         nvidia-smi --query-gpu=driver_version --format=csv,noheader   # 580.95.05: then the package ends in 580
#         sudo apt-get install nvidia-fabricmanager-580                 # Ubuntu; other systems: see NVIDIA's guide
#         sudo systemctl enable --now nvidia-fabricmanager
#         systemctl status nvidia-fabricmanager                         # must say: active (running)
# related: [install-env/error-804, install-env/cuda-unknown-error]
# docs: ["https://docs.nvidia.com/datacenter/tesla/fabric-manager-user-guide/index.html"]
# causes:
#   fabric-manager:
#     undecided: the state of the service is not printed
#   other-version:
#   container:
# ---

# %%
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import nvidia  # NVIDIA's wheels: the real CUDA runtime
import torch

# Stands for the driver's part that programs load, and answers with 802 while nothing has made the links between the GPUs ready.
LIBCUDA = r"""
#include <stdio.h>
#include <string.h>
int cuInit(unsigned flags) {
    FILE *ready = fopen("fabric-is-ready", "r");
    if (!ready) return 802;  // system not yet initialized
    fclose(ready);
    return 100;  // the truth where there is no GPU
}
int cuDriverGetVersion(int *version) { *version = 99000; return 0; }
int cuGetProcAddress_v2(const char *name, void **found, int version, unsigned long flags, int *status) {
    *found = cuInit;
    if (!strcmp(name, "cuDriverGetVersion")) *found = cuDriverGetVersion;
    if (!strncmp(name, "cuGetProcAddress", 16)) *found = cuGetProcAddress_v2;
    return 0;
}
"""
folder = Path(tempfile.mkdtemp())
compiler = next(name for name in ("cc", "gcc", "clang") if shutil.which(name))
build = [compiler, "-shared", "-fPIC", "-Wl,-soname,libcuda.so.1", "-x", "c", "-", "-o", str(folder / "libcuda.so.1")]
subprocess.run(build, input=LIBCUDA, text=True, check=True)
RUNTIME = next(str(file) for root in nvidia.__path__ for file in sorted(Path(root).glob("*/lib/libcudart.so.*")))

if torch.version.cuda:
    START = "import torch; torch.cuda.init()"
else:  # a CPU build has no CUDA to start: ask NVIDIA's runtime what torch asks it first
    START = f"""
import ctypes, sys
runtime = ctypes.CDLL({RUNTIME!r})
runtime.cudaGetErrorString.restype = ctypes.c_char_p
code = runtime.cudaGetDeviceCount(ctypes.byref(ctypes.c_int()))
sys.exit(f"cudaGetDeviceCount(): Error {{code}}: {{runtime.cudaGetErrorString(code).decode()}}")
"""


def start():
    """What a new process says whose CUDA starts on this driver. A machine without a GPU says so at best."""
    environment = {**os.environ, "LD_LIBRARY_PATH": str(folder)}
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", START], env=environment, cwd=folder, capture_output=True, text=True)
    return done.stderr.strip().splitlines()[-1]


PAST_IT = ("No CUDA GPUs are available", "no CUDA-capable device is detected")

# %% break fabric-manager
said = start()
print(said)
assert "system not yet initialized" in said

# %% proof fabric-manager
# What the service changes is the driver's answer. The same program, in a new process, then gets past it.
assert "system not yet initialized" in start()
programs = {  # stand for the system's own
    "sudo": 'exec "$@"',
    "nvidia-smi": '[ "$*" = "--query-gpu=driver_version --format=csv,noheader" ] && echo 580.95.05',
    "apt-get": '[ "$*" = "install nvidia-fabricmanager-580" ] && touch installed',
    "systemctl": """
        case "$*" in
            "enable --now nvidia-fabricmanager") [ -e installed ] && touch fabric-is-ready ;;
            "status nvidia-fabricmanager") [ -e fabric-is-ready ] && echo "active (running)" ;;
        esac
    """,
}
for name, lines in programs.items():
    (folder / name).write_text(f"#!/bin/sh\n{lines}\n")
    (folder / name).chmod(0o755)
where = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}
done = subprocess.run(commands["linux"], shell=True, cwd=folder, env=where, capture_output=True, text=True)
assert done.stdout.splitlines() == ["580.95.05", "active (running)"], done
said = start()
print(said)
assert any(words in said for words in PAST_IT)

# %% wrong tried-again
# Waiting, and trying again: while the service is not there, the answer stays the same.
for attempt in range(3):
    said = start()
    print(said)
    assert "system not yet initialized" in said
