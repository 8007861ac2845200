# ---
# wordings:
#   - text: "Error 803: system has unsupported display driver / cuda driver combination"
#   - text: "CUDA error: system has unsupported display driver / cuda driver combination"
#     unless: [gpu-programs]
#   - text: "cuda runtime error (803) : system has unsupported display driver / cuda driver combination"
#   - text: "error=803 : system has unsupported display driver / cuda driver combination"
#     near: [THC]
#   - text: "system has unsupported display driver / cuda driver combination"
#     near: [torch, cudaGetDeviceCount]
#   - text: "Failed to initialize NVML: Driver/library version mismatch"
#     role: symptom
#     near: [model-code, is_available]
#     unless: [gpu-programs, tensorflow]
#     sample: ">>> torch.cuda.is_available()\nFalse\n$ nvidia-smi\nFailed to initialize NVML: Driver/library version mismatch"
# tags: [container, cuda, driver]
# recover: machine
# needs: [compiler, "package:nvidia", "fault:a stub libcuda.so.1 of another version than the kernel module"]
# cases:
#   not-restarted:
#     commands:
#       linux: |
#         cat /proc/driver/nvidia/version              # the kernel module that runs
#         ls -l /usr/lib/x86_64-linux-gnu/libcuda.so.* # the library that was installed: another number?
#         sudo reboot                                  # save all work first; loads the module that belongs to the library
#       docker: |
#         # in the container: a libcuda.so of the image itself? It must come from the host alone
#         find / -name 'libcuda.so.*' -not -path '/proc/*' 2>/dev/null
# related: [install-env/error-804, install-env/driver-too-old]
# docs: ["https://docs.nvidia.com/deploy/cuda-compatibility/"]
# causes:
#   container:
#     likely: paste("docker", "/workspace/", "apptainer", "singularity")
#     sample: "File \"/workspace/train.py\", line 3\nRuntimeError: Unexpected error from cudaGetDeviceCount(). Error 803: system has unsupported display driver / cuda driver combination"
#   not-restarted:
#     likely: paste("Driver/library version mismatch")
#     undecided: neither of the two versions is printed
#     sample: "Failed to initialize NVML: Driver/library version mismatch\nError 803: system has unsupported display driver / cuda driver combination"
#   two-drivers:
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

# Stands for the driver's part that programs load, and answers with 803 if the kernel module has another version.
LIBCUDA = r"""
#include <stdio.h>
#include <string.h>
int cuInit(unsigned flags) {
    char module[99] = "";
    FILE *loaded = fopen("module-version", "r");  // stands for /proc/driver/nvidia/version
    if (loaded && fgets(module, sizeof module, loaded)) fclose(loaded);
    return strcmp(module, "580.95.05") ? 803 : 100;  // 100: the truth where there is no GPU
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
(folder / "module-version").write_text("570.195.03")  # the module of before the update: it runs until the restart

# %% break not-restarted
said = start()
print(said)
assert "unsupported display driver / cuda driver combination" in said

# %% check not-restarted
COMMAND = """
cat /proc/driver/nvidia/version
ls /usr/lib/x86_64-linux-gnu/libcuda.so.*
"""
here = COMMAND.replace("/proc/driver/nvidia/version", "module-version")
here = here.replace("/usr/lib/x86_64-linux-gnu/", "")
(folder / "libcuda.so.580.95.05").touch()
# the same number in both?
printed = subprocess.run(
    here, shell=True, cwd=folder, capture_output=True, text=True
)
print(printed.stdout)
assert "570.195.03" in printed.stdout and "libcuda.so.580.95.05" in printed.stdout

# %% proof not-restarted
assert "unsupported display driver" in start()
(folder / "module-version").write_text("580.95.05")  # the restart loads the module that was installed with the library
said = start()
print(said)
assert any(words in said for words in PAST_IT)
