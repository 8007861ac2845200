# ---
# wordings:
#   - text: "CUDA error: all CUDA-capable devices are busy or unavailable"
#     unless: [gpu-programs]
#   - text: "CUDA error: CUDA-capable device(s) is/are busy or unavailable"
#     unless: [gpu-programs]
#   - text: "cuda runtime error ({_:int}) : all CUDA-capable devices are busy or unavailable"
#     sample: "RuntimeError: cuda runtime error (46) : all CUDA-capable devices are busy or unavailable at /pytorch/aten/src/THC/THCGeneral.cpp:50"
#   - text: "error={_:int} : all CUDA-capable devices are busy or unavailable"
#     near: [THC]
#     sample: "THCudaCheck FAIL file=/pytorch/aten/src/THC/THCGeneral.cpp line=50 error=46 : all CUDA-capable devices are busy or unavailable"
#   - text: "all CUDA-capable devices are busy or unavailable"
#     near: [torch]
#   - text: "CUDA-capable device(s) is/are busy or unavailable"
#     near: [torch, cudaGetDeviceCount]
# tags: [cuda, driver, multi-gpu, multiprocessing]
# recover: process
# needs: [compiler, "package:nvidia", "fault:a stub libcuda.so.1 that gives the GPU to one process at a time"]
# cases:
#   exclusive:
#     wrong: {variable-set: "https://github.com/cBio/cbio-cluster/issues/144"}
#     commands:
#       linux: |
#         nvidia-smi --query-gpu=index,compute_mode,mig.mode.current --format=csv
#         nvidia-smi --query-compute-apps=pid,name,used_memory --format=csv   # who holds it
#         kill PID                         # if it is an old process of yours
#         sudo nvidia-smi -i 0 -c DEFAULT  # or let several processes use the GPU
# related: [install-env/cuda-unknown-error, memory/cuda-oom]
# docs: ["https://docs.nvidia.com/deploy/mps/index.html"]
# causes:
#   exclusive:
#     undecided: neither the compute mode nor the other process is printed
#   mig:
#     likely: paste("MIG-", "MIG 1g", "MIG 2g", "MIG 3g")
#     sample: "CUDA_VISIBLE_DEVICES=MIG-0b9e\nRuntimeError: CUDA error: CUDA-capable device(s) is/are busy or unavailable"
#   two-processes:
#   driver-state:
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

# Stands for the driver's part that programs load, and answers with 46 while the GPU is set to one process and another has it.
LIBCUDA = r"""
#include <stdio.h>
#include <string.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>
int cuInit(unsigned flags) {
    static int answer;
    if (!answer && access("EXCLUSIVE_PROCESS", F_OK)) answer = 100;  // the truth where there is no GPU
    if (!answer) answer = flock(open("gpu0", O_RDWR | O_CREAT, 0600), LOCK_EX | LOCK_NB) ? 46 : 100;
    return answer;
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
import fcntl

(folder / "EXCLUSIVE_PROCESS").touch()  # the compute mode of the GPU
other = open(folder / "gpu0", "w")
fcntl.flock(other, fcntl.LOCK_EX)  # another process has the GPU: an old notebook, a second worker

# %% break exclusive
said = start()
print(said)
assert "busy or unavailable" in said

# %% proof exclusive
assert "busy or unavailable" in start()
other.close()  # the other process ends ...
said = start()
print(said)
assert any(words in said for words in PAST_IT)
other = open(folder / "gpu0", "w")
fcntl.flock(other, fcntl.LOCK_EX)
assert "busy or unavailable" in start()
(folder / "EXCLUSIVE_PROCESS").unlink()  # ... or the mode is DEFAULT
assert any(words in start() for words in PAST_IT)

# %% wrong variable-set
# `CUDA_VISIBLE_DEVICES` set to the GPU: it chooses one, and frees none that another process has.
os.environ["CUDA_VISIBLE_DEVICES"] = "0"
said = start()
print(said)
assert "busy or unavailable" in said
