# ---
# wordings:
#   - text: "Error #15: Initializing {new:path}, but found {old:path} already initialized"
#     sample: "OMP: Error #15: Initializing libiomp5md.dll, but found libiomp5md.dll already initialized."
#   - text: "OMP: Error #15: Initializing"
#   - text: "multiple copies of the OpenMP runtime have been linked into the program"
# tags: [shared-library, crash, import-error, notebook]
# recover: process
# needs: [compiler, "fault:a small library in place of OpenMP's runtime"]
# related: [install-env/dll-load-failed, install-env/process-dies-silently, install-env/numpy-abi]
# docs: ["https://docs.pytorch.org/docs/stable/notes/windows.html"]
# causes:
#   mac:
#     case: two-copies
#     if: paste(".dylib")
#     sample: "OMP: Error #15: Initializing libomp.dylib, but found libiomp5.dylib already initialized."
#   two-copies:
#     likely: 'paste(".dll", ".so")'
#   workaround:
#     undecided: whether the environment may be changed is not in the text
# cases:
#   two-copies:
#     commands:
#       shell: |
#         conda create -y -n clean python=3.12
#         conda activate clean
#         python -m pip install torch numpy matplotlib  # all that you need, from pip alone
# ---

# %%
import os
import shutil
import subprocess
import sys
from pathlib import Path

compiler = next(name for name in ("cc", "gcc", "clang") if shutil.which(name))
# What LLVM's and Intel's runtimes do at their first use: leave a mark for this process, and stop if another copy has left one.
RUNTIME = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char mine;

int omp_get_max_threads(void) {
    char name[64], mark[64], *allowed = getenv("KMP_DUPLICATE_LIB_OK");
    snprintf(name, sizeof name, "__KMP_REGISTERED_LIB_%d", (int)getpid());
    snprintf(mark, sizeof mark, "%p-libiomp5.so", (void *)&mine);
    char *found = getenv(name);
    if (found && strcmp(found, mark) && !(allowed && !strcmp(allowed, "TRUE"))) {
        fprintf(stderr, "OMP: Error #15: Initializing libiomp5.so, but found %s already initialized.\n", strchr(found, '-') + 1);
        fprintf(stderr, "OMP: Hint This means that multiple copies of the OpenMP runtime have been linked into the program.\n");
        abort();
    }
    setenv(name, mark, 1);
    return 4;
}
"""
# An environment in which conda's NumPy has brought a copy, and pip's torch another one.
CONDA, PIP = Path("env/lib/libiomp5.so"), Path("env/lib/site-packages/torch/lib/libiomp5.so")
for path in (CONDA, PIP):
    path.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run([compiler, "-shared", "-fPIC", "-x", "c", "-", "-o", path], input=RUNTIME, text=True, check=True)
Path("train.py").write_text(
    """
import ctypes
import os

for copy in ("env/lib/libiomp5.so", "env/lib/site-packages/torch/lib/libiomp5.so"):  # import numpy, import torch
    if os.path.exists(copy):
        print("threads:", ctypes.CDLL("./" + copy).omp_get_max_threads())
"""
)
sys.prefix = "env"  # stands for the folder of your environment


def run(*command):
    """Start a program; its exit code and what it printed."""
    done = subprocess.run(command, capture_output=True, text=True)
    return done.returncode, done.stderr + done.stdout


# %% break two-copies
status, printed = run(sys.executable, "train.py")
print(printed)

# %% check two-copies
import sys
from pathlib import Path

ends = (".dll", ".so", ".dylib")
for path in Path(sys.prefix).rglob("lib*omp*"):
    if path.suffix in ends and "gomp" not in path.name:
        print(path)  # each is a copy of the runtime
assert len(list(Path(sys.prefix).rglob("libiomp5.so"))) == 2

# %% proof two-copies
CONDA.unlink()  # an environment of pip alone has only torch's
status, printed = run(sys.executable, "train.py")
assert status == 0 and printed.count("threads: 4") == 1

# %% break workaround
status, printed = run(sys.executable, "train.py")
print(printed)

# %% fix workaround
import os

os.environ["KMP_DUPLICATE_LIB_OK"] = "TRUE"  # above all other imports

# %% proof workaround
status, printed = run(sys.executable, "train.py")
assert status == 0 and printed.count("threads: 4") == 2
