# ---
# wordings:
#   - text: "CUDA error: initialization error"
#     unless: [gpu-programs]
#   - text: "cuda runtime error ({_:int}) : initialization error"
#     sample: "RuntimeError: cuda runtime error (3) : initialization error at /pytorch/aten/src/THC/THCGeneral.cpp:50"
#   - text: "CUDA error ({_:int}): initialization error"
#     sample: "RuntimeError: CUDA error (3): initialization error"
#   - text: "error={_:int} : initialization error"
#     near: [THC, torch]
#     sample: "THCudaCheck FAIL file=/pytorch/aten/src/THC/THCGeneral.cpp line=50 error=3 : initialization error"
#   - text: "Error 3: initialization error"
#     near: [torch, cudaGetDeviceCount]
#   - text: "CUDA initialization: CUDA driver initialization failed, you might not have a CUDA gpu"
#     exception: UserWarning
#   - text: "CUDA driver initialization failed, you might not have a CUDA gpu"
#   - text: "CUDA driver initialization failed"
#     near: [torch]
#   - text: "HIP error: initialization error"
#     unless: [gpu-programs]
# tags: [cuda, dataloader, driver, multiprocessing]
# recover: process
# needs: [compiler, fork, "package:nvidia", "fault:a stub libcuda.so.1 that, as the driver, answers 3 in a forked process"]
# cases:
#   forked: {silent: true}
#   driver-fails:
#     commands:
#       linux: |
#         nvidia-smi                     # fails? then the driver, not PyTorch
#         ls -l /dev/nvidia*             # nvidiactl, nvidia0 and nvidia-uvm must be there, and yours to read and write
#         echo "$CUDA_VISIBLE_DEVICES"   # only GPUs that nvidia-smi lists
#         sudo nvidia-modprobe -u -c=0   # makes missing files; or restart the machine
#       docker: docker run --gpus all IMAGE python train.py
# timeout: 120
# related: [devices/fork-cuda-init, install-env/cuda-unknown-error, install-env/no-nvidia-driver]
# docs: ["https://docs.pytorch.org/docs/stable/notes/multiprocessing.html#cuda-in-multiprocessing"]
# causes:
#   worker:
#   forked:
#     likely: paste("Process Process-", "popen_fork", "billiard", "gunicorn", "celery", "ForkProcess", "ForkPoolWorker")
#     sample: |
#       File "/srv/app/venv/lib/python3.10/site-packages/gunicorn/workers/sync.py", line 136, in handle
#       RuntimeError: CUDA error: initialization error
#   driver-fails:
#     likely: >-
#       paste("might not have a CUDA gpu", "cudaGetDeviceCount") and not paste("Process Process-", "popen_fork", "gunicorn", "celery")
# ---

# %%
import ctypes
import multiprocessing
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import nvidia  # NVIDIA's wheels: the real CUDA runtime
import torch

multiprocessing.set_start_method("fork", force=True)

# Stands for the driver's part that programs load. As the driver's own, it can be used only in the process that has started it.
# 100 is the truth where there is no GPU.
LIBCUDA = r"""
#include <string.h>
#include <unistd.h>
static int started_by;
int cuInit(unsigned flags) {
    if (!access(DEAD, F_OK)) return 3;
    if (!started_by) started_by = getpid();
    return started_by == getpid() ? 100 : 3;
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
build = [compiler, f'-DDEAD="{folder}/dead"', "-shared", "-fPIC", "-Wl,-soname,libcuda.so.1", "-x", "c", "-", "-o", str(folder / "libcuda.so.1")]
subprocess.run(build, input=LIBCUDA, text=True, check=True)
driver = ctypes.CDLL(str(folder / "libcuda.so.1"), mode=ctypes.RTLD_GLOBAL)  # whoever asks for libcuda.so.1 from now on gets this one
RUNTIME = next(str(file) for root in nvidia.__path__ for file in sorted(Path(root).glob("*/lib/libcudart.so.*")))


def start_cuda():
    """What this process is told when its CUDA starts. A machine without a GPU is told so at best."""
    if torch.version.cuda:
        try:
            torch.cuda.init()
        except RuntimeError as error:
            return str(error)
    runtime = ctypes.CDLL(RUNTIME)  # a CPU build has no CUDA to start: ask NVIDIA's runtime what torch asks it first
    runtime.cudaGetErrorString.restype = ctypes.c_char_p
    code = runtime.cudaGetDeviceCount(ctypes.byref(ctypes.c_int()))
    return f"cudaGetDeviceCount(): Error {code}: {runtime.cudaGetErrorString(code).decode()}"


def work(sending):
    sending.send(start_cuda())


THREE = ("Error 3: initialization error", "CUDA driver initialization failed")
PAST_IT = ("No CUDA GPUs are available", "no CUDA-capable device is detected")

# %% break forked
driver.cuInit(0)  # some library uses the GPU before the processes are started
receiving, sending = multiprocessing.Pipe(duplex=False)
process = multiprocessing.Process(target=work, args=(sending,))
process.start()  # a copy of this process, with a driver that it did not start
said = receiving.recv()
print(said)
assert any(words in said for words in THREE)

# %% check forked
import multiprocessing

print(multiprocessing.get_start_method())
assert multiprocessing.get_start_method() == "fork"

# %% fix forked
import torch.multiprocessing as mp

if __name__ == "__main__":  # a spawned process imports this file, too
    mp.set_start_method("spawn", force=True)

# %% proof forked
if __name__ == "__main__":
    driver.cuInit(0)
    receiving, sending = mp.Pipe(duplex=False)
    process = mp.Process(target=work, args=(sending,))
    process.start()
    said = receiving.recv()
    process.join()
    print(said)
    assert any(words in said for words in PAST_IT)

# %%
START = f"""
import ctypes, sys
ctypes.CDLL({str(folder / "libcuda.so.1")!r}, mode=ctypes.RTLD_GLOBAL)
import torch
if torch.version.cuda: torch.cuda.init()
runtime = ctypes.CDLL({RUNTIME!r})
runtime.cudaGetErrorString.restype = ctypes.c_char_p
code = runtime.cudaGetDeviceCount(ctypes.byref(ctypes.c_int()))
sys.exit(f"cudaGetDeviceCount(): Error {{code}}: {{runtime.cudaGetErrorString(code).decode()}}")
"""


def start():
    """The same in a new process, which no other has started."""
    return subprocess.run([sys.executable, "-W", "ignore", "-c", START], capture_output=True, text=True).stderr.strip().splitlines()[-1]


# %% break driver-fails
# files under /dev are missing, the driver hangs, a GPU is gone
(folder / "dead").touch()
said = start()
print(said)
assert any(words in said for words in THREE)

# %% check driver-fails
PROGRAM = """
import ctypes

driver = ctypes.CDLL("libcuda.so.1")
print("cuInit answers", driver.cuInit(0))
"""
(folder / "dead").touch()
exec(PROGRAM)  # 0 is what a working driver answers
assert driver.cuInit(0) == 3

# %% proof driver-fails
(folder / "dead").touch()
assert any(words in start() for words in THREE)
(folder / "dead").unlink()  # what the commands repair changes the driver's answer, and that decides
said = start()
print(said)
assert any(words in said for words in PAST_IT)
