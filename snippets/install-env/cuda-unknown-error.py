# ---
# wordings:
#   - text: "CUDA initialization: CUDA unknown error - this may be due to an incorrectly set up environment"
#     exception: UserWarning
#   - text: "CUDA unknown error - this may be due to an incorrectly set up environment"
#     exception: RuntimeError
#   - text: "CUDA unknown error - this may be due to"
#   - text: "CUDA error: unknown error"
#     unless: [gpu-programs]
#   - text: "cuda runtime error (30) : unknown error"
#     exception: RuntimeError
#   - text: "cuda runtime error (999) : unknown error"
#     exception: RuntimeError
#   - text: "error=30 : unknown error"
#     near: [THCudaCheck, THC]
#   - text: "error=999 : unknown error"
#     near: [THCudaCheck, THC]
#   - text: "cuda runtime error (30)"
#     exception: RuntimeError
#   - text: "cuda runtime error (999)"
#     exception: RuntimeError
#   - text: "HIP error: hipErrorUnknown"
#     unless: [gpu-programs]
# tags: [container, cuda, driver]
# recover: machine
# needs: [compiler, "package:nvidia", "fault:a stub libcuda.so.1 that answers error 999"]
# cases:
#   driver-fails:
#     wrong: {variable-set: "https://github.com/replicate/cog-svd/issues/11"}
#     silent: true
#     commands:
#       linux: |
#         sudo fuser -v /dev/nvidia*    # end these programs first
#         sudo rmmod nvidia_uvm
#         sudo modprobe nvidia_uvm
#         sudo nvidia-modprobe -u -c=0  # makes the files under /dev, where they are missing
#       docker: docker run --gpus all --device /dev/nvidia-uvm IMAGE python train.py
#   container:
#     unbroken: "a container with a GPU"
#     commands:
#       docker: docker run --gpus all --device=/dev/nvidia-uvm -it IMAGE
#   dead-program:
#     unbroken: "a GPU that a dead program holds"
#     commands:
#       linux: |
#         nvidia-smi --query-compute-apps=pid,process_name --format=csv
#         kill PID  # one of yours, from the list
#         kill -9 PID  # if it is still there
#   display-driver:
#     unbroken: "Windows with a GPU"
#     commands:
#       powershell: |
#         reg add "HKLM\SYSTEM\CurrentControlSet\Control\GraphicsDrivers" /v TdrDelay /t REG_DWORD /d 60 /f
#         Restart-Computer  # both as administrator
#   only-this-program:
#     unbroken: "a machine with a GPU"
#     commands:
#       linux: |
#         echo "$CUDA_VISIBLE_DEVICES"  # of a GPU that is there, or nothing
#         unset CUDA_VISIBLE_DEVICES
#       powershell: |
#         $env:CUDA_VISIBLE_DEVICES  # of a GPU that is there, or nothing
#         Remove-Item Env:CUDA_VISIBLE_DEVICES
# timeout: 180
# related: [install-env/error-804, install-env/no-nvidia-driver]
# rows: [S001-129]
# docs: ["https://docs.pytorch.org/docs/stable/notes/cuda.html"]
# causes:
#   driver-fails:
#     likely: >-
#       paste("incorrectly set up environment", "THCGeneral", "_cuda_init") and not paste("fallen off the bus", "NVRM: Xid", "docker", "Docker", "in a container", "kubernetes", "容器")
#     sample: "RuntimeError: CUDA unknown error - this may be due to an incorrectly set up environment, e.g. changing env variable CUDA_VISIBLE_DEVICES after program start."
#   driver-updated:
#   container:
#     likely: paste("docker", "Docker", "in a container", "kubernetes", "容器") and paste("incorrectly set up environment", "THCGeneral", "_cuda_init")
#     sample: "docker exec -it train python -c 'import torch; torch.cuda.init()'\nRuntimeError: CUDA unknown error - this may be due to an incorrectly set up environment"
#   dead-program:
#   bad-card:
#     if: paste("fallen off the bus")
#     likely: >-
#       paste("NVRM: Xid")
#     sample: "RuntimeError: CUDA error: unknown error\nNVRM: Xid (PCI:0000:01:00): 79, GPU has fallen off the bus."
#   only-this-program:
#   same-line:
#   operator:
#   display-driver:
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

folder = Path(tempfile.mkdtemp())
RUNTIME = next(str(file) for root in nvidia.__path__ for file in sorted(Path(root).glob("*/lib/libcudart.so.*")))

if torch.version.cuda:
    START = "import torch; torch.cuda.init(); print('CUDA starts')"
    COMPLAINT = "CUDA unknown error - this may be due to an incorrectly set up environment"
else:  # a CPU build has no CUDA to start: ask NVIDIA's runtime what torch asks it first
    START = f"""
import ctypes
runtime = ctypes.CDLL({RUNTIME!r})
runtime.cudaGetErrorString.restype = ctypes.c_char_p
code = runtime.cudaGetDeviceCount(ctypes.byref(ctypes.c_int()))
print(f"cudaGetDeviceCount answers {{code}}: {{runtime.cudaGetErrorString(code).decode()}}")
"""
    COMPLAINT = "answers 999: unknown error"  # to which torch adds its advice

ASK_DRIVER = "import ctypes; print('cuInit answers', ctypes.CDLL('libcuda.so.1').cuInit(0))"


def python(program, LD_LIBRARY_PATH=""):
    """Run a program in a new process; the last line that it prints."""
    search = ":".join(filter(None, [LD_LIBRARY_PATH, os.environ.get("LD_LIBRARY_PATH")]))
    environment = {**os.environ, "LD_LIBRARY_PATH": search}
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", program], env=environment, cwd=folder, capture_output=True, text=True)
    return (done.stdout + done.stderr).replace(f"{folder}/", "").strip().splitlines()[-1]


# Stands for the driver's libcuda.so.1: it gives one answer to everything that it is asked.
LIBCUDA = r"""
#include <string.h>
int cuInit(unsigned flags) { return ANSWER; }
int cuDriverGetVersion(int *version) { *version = 99000; return 0; }
int cuGetProcAddress_v2(const char *name, void **found, int version, unsigned long flags, int *status) {
    *found = cuInit;
    if (!strcmp(name, "cuDriverGetVersion")) *found = cuDriverGetVersion;
    if (!strncmp(name, "cuGetProcAddress", 16)) *found = cuGetProcAddress_v2;
    return 0;
}
"""
compiler = next(name for name in ("cc", "gcc", "clang") if shutil.which(name))
for name, answer in {"failing": 999, "healthy": 100}.items():  # 100: the truth where there is no GPU
    (folder / name).mkdir()
    build = [compiler, f"-DANSWER={answer}", "-shared", "-fPIC", "-Wl,-soname,libcuda.so.1", "-x", "c", "-", "-o", f"{folder}/{name}/libcuda.so.1"]
    subprocess.run(build, input=LIBCUDA, text=True, check=True)
healthy = "" if python(ASK_DRIVER) == "cuInit answers 0" else "healthy"  # "": the machine's own driver works

# %% break driver-fails
output = python(START, LD_LIBRARY_PATH="failing")
print(output)
assert COMPLAINT in output

# %% check driver-fails
PROGRAM = """
import ctypes
import os

for file in ("/dev/nvidiactl", "/dev/nvidia0", "/dev/nvidia-uvm"):
    print(file, "exists" if os.path.exists(file) else "is missing")
driver = ctypes.CDLL("libcuda.so.1")
print("cuInit answers", driver.cuInit(0))
"""
output = python(PROGRAM, LD_LIBRARY_PATH="failing")
print(output)  # 0 is what a working driver answers
assert output == "cuInit answers 999"

# %% proof driver-fails
# The repairs change what the driver answers, and that alone decides: the same program, over a driver that works.
assert COMPLAINT in python(START, LD_LIBRARY_PATH="failing")
output = python(START, LD_LIBRARY_PATH=healthy)
print(output)
assert any(answer in output for answer in ("CUDA starts", "No CUDA GPUs are available", "answers 0: no error", "answers 100: no CUDA-capable device is detected"))
assert python(ASK_DRIVER, LD_LIBRARY_PATH=healthy) in ("cuInit answers 0", "cuInit answers 100")

# %% wrong variable-set
# `export CUDA_VISIBLE_DEVICES=0`, because the message names the variable: the driver fails before it
# looks at any GPU.
os.environ["CUDA_VISIBLE_DEVICES"] = "0"  # the next process has it from its start
output = python(START, LD_LIBRARY_PATH="failing")
print(output)
assert COMPLAINT in output
