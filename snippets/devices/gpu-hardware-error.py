# ---
# wordings:
#   - text: "CUDA error: uncorrectable ECC error encountered"
#     unless: [gpu-programs]
#   - text: "cuda runtime error ({_:int}) : uncorrectable ECC error encountered"
#     sample: "RuntimeError: cuda runtime error (39) : uncorrectable ECC error encountered at /pytorch/aten/src/THC/THCCachingHostAllocator.cpp:265"
#   - text: "uncorrectable ECC error encountered"
#     near: [torch, Error 214]
#   - text: "CUDA error: uncorrectable NVLink error detected during the execution"
#     unless: [gpu-programs]
#   - text: "uncorrectable NVLink error detected during the execution"
#     near: [torch, NCCL]
#   - text: "CUDA error: Invalid access of peer GPU memory over nvlink or a hardware error"
#     unless: [gpu-programs]
# tags: [crash, cuda, driver, multi-gpu]
# recover: hardware
# needs: [compiler, "package:nvidia", "fault:a stub libcuda.so.1 whose GPU 0 answers error 214"]
# cases:
#   bad-gpu:
#     commands:
#       linux: |
#         nvidia-smi -q -d ECC,ROW_REMAPPER | grep -E "^GPU|Uncorrectable|Pending|Failure"
#         sudo dmesg | grep -i xid          # names the card: PCI:0000:3b:00
#         sudo nvidia-smi --gpu-reset -i 0  # with no program on it; or restart the machine
#         CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES=1,2,3 python train.py  # until then without card 0
#       powershell: |
#         nvidia-smi -q -d ECC
#         $env:CUDA_DEVICE_ORDER = "PCI_BUS_ID"; $env:CUDA_VISIBLE_DEVICES = "1"; python train.py  # without card 0
#       slurm: |
#         scontrol show job $SLURM_JOB_ID | grep NodeList   # for the administrators
#         sbatch --exclude=NODE job.sh
# outranks: [nccl-error, cublas-error, cudnn-not-initialized]
# timeout: 120
# related: [install-env/cuda-unknown-error, devices/illegal-memory-access]
# docs: ["https://docs.nvidia.com/deploy/a100-gpu-mem-error-mgmt/index.html", "https://docs.nvidia.com/deploy/xid-errors/index.html"]
# causes:
#   bad-gpu:
#     if: paste("ECC error")
#   nvlink:
#     if: paste("NVLink error")
#     sample: "RuntimeError: CUDA error: uncorrectable NVLink error detected during the execution"
#   peer:
#     if: paste("over nvlink or a hardware error")
#     sample: "RuntimeError: CUDA error: Invalid access of peer GPU memory over nvlink or a hardware error"
#   machine-restarts: {}
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

# Stands for the driver's part that programs load, on a machine whose GPU 0 has a fault in its memory: a program that may see
# this GPU gets 214, until the GPU is reset. 100 is the truth where there is no GPU.
LIBCUDA = r"""
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int cuInit(unsigned flags) {
    const char *visible = getenv("CUDA_VISIBLE_DEVICES");
    int sees_gpu0 = !visible || strchr(visible, '0');
    return sees_gpu0 && !access("gpu0-has-a-fault", F_OK) ? 214 : 100;
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
(folder / "gpu0-has-a-fault").touch()
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


def start(CUDA_VISIBLE_DEVICES=None):
    """What a new process says whose CUDA starts on this driver. A machine without a GPU says so at best."""
    environment = {name: value for name, value in os.environ.items() if name != "CUDA_VISIBLE_DEVICES"}
    environment["LD_LIBRARY_PATH"] = str(folder)
    if CUDA_VISIBLE_DEVICES is not None:
        environment["CUDA_VISIBLE_DEVICES"] = CUDA_VISIBLE_DEVICES
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", START], env=environment, cwd=folder, capture_output=True, text=True)
    return done.stderr.strip().splitlines()[-1]


FAULT = "uncorrectable ECC error encountered"
Path("product.py").write_text(f"import os\nos.chdir({str(folder)!r})\n{START}")
os.environ["LD_LIBRARY_PATH"] = str(folder)
PAST_IT = ("No CUDA GPUs are available", "no CUDA-capable device is detected")

# %% break bad-gpu
said = start()
print(said)
assert FAULT in said

# %% check bad-gpu
# product.py: import torch; x = torch.rand(4096, 4096, device="cuda"); print(x @ x)
import os
import subprocess
import sys

said = []
for gpu in ("0", "1"):  # each in a process of its own
    where = {**os.environ, "CUDA_VISIBLE_DEVICES": gpu}
    run = [sys.executable, "-W", "ignore", "product.py"]
    done = subprocess.run(run, env=where, capture_output=True, text=True)
    said.append((done.stdout + done.stderr).splitlines()[-1])
    print("GPU", gpu, "-", said[-1])
assert "ECC error" in said[0] and "ECC error" not in said[1]

# %% proof bad-gpu
assert FAULT in start() and FAULT in start()  # starting the program again does not help while the GPU has its fault
assert any(words in start(CUDA_VISIBLE_DEVICES="1,2,3") for words in PAST_IT)  # without that GPU it starts
(folder / "gpu0-has-a-fault").unlink()  # a reset, a restart, another card
said = start()
print(said)
assert any(words in said for words in PAST_IT)
