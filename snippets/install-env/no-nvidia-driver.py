# ---
# wordings:
#   - text: "CUDA initialization: Found no NVIDIA driver on your system"
#     exception: UserWarning
#   - text: "Found no NVIDIA driver on your system"
#   - text: "No CUDA GPUs are available"
#     exception: RuntimeError
#     unless: [gpu-programs]
#   - text: "CUDA error: no CUDA-capable device is detected"
#     unless: [gpu-programs]
#   - text: "cuda runtime error ({_:int}) : no CUDA-capable device is detected"
#     sample: "RuntimeError: cuda runtime error (100) : no CUDA-capable device is detected at /pytorch/aten/src/THC/THCGeneral.cpp:50"
#   - text: "error={_:int} : no CUDA-capable device is detected"
#     near: [THC, torch]
#     sample: "THCudaCheck FAIL file=/pytorch/aten/src/THC/THCGeneral.cpp line=50 error=38 : no CUDA-capable device is detected"
#   - text: "Error {_:int}: no CUDA-capable device is detected"
#     near: [torch, cudaGetDeviceCount]
#     sample: "UserWarning: CUDA initialization: Unexpected error from cudaGetDeviceCount(). Error 100: no CUDA-capable device is detected"
#   - text: "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver"
#     role: symptom
#     near: [model-code, is_available]
#     unless: [gpu-programs, tensorflow, darknet, keras]
#     sample: ">>> torch.cuda.is_available()\nFalse\n$ nvidia-smi\nNVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver."
# tags: [container, cuda, driver]
# recover: process
# needs: [compiler, "package:nvidia", "fault:an empty libcuda.so.1 in place of the driver's"]
# cases:
#   library-not-found:
#     wrong: {toolkit-installed: "https://github.com/pytorch/pytorch/issues/3989"}
#     silent: true
#     commands:
#       docker: docker run --gpus all IMAGE python train.py
#       linux: |
#         nvidia-smi                                             # fails? then install the driver, and restart
#         python -c "import ctypes; ctypes.CDLL('libcuda.so.1')" # fails? then the message says which file is wrong
#         echo "$LD_LIBRARY_PATH"                                # a folder with an empty or a stub libcuda.so.1?
#         unset LD_LIBRARY_PATH
#   no-gpu: {silent: true}
#   driver-not-loaded:
#     unbroken: "a machine with an NVIDIA GPU and no driver"
#     commands:
#       linux: |
#         sudo ubuntu-drivers install
#         sudo reboot
#   notebook:
#     unbroken: "Colab or Kaggle"
#     commands:
#       notebook: "!nvidia-smi  # after the switch it must list a GPU"
# timeout: 180
# related: [install-env/error-804, install-env/no-hip-gpus, install-env/no-xpu-device]
# rows: [S001-99]
# docs: ["https://docs.pytorch.org/docs/stable/notes/cuda.html"]
# causes:
#   library-not-found:
#   hidden:
#     likely: >-
#       paste("no CUDA-capable device", "No CUDA GPUs are available") and not
#       paste("/kaggle/working", "google.colab", "/content/", "docker", "Docker", "in a container",
#       "kubernetes", "容器", "/workspace/", "/.singularity", "apptainer", "Radeon", "UHD Graphics",
#       "Iris(R) Xe", "autodl")
#     sample: "RuntimeError: No CUDA GPUs are available"
#   started-without:
#     likely: paste("autodl")
#     sample: |
#       File "/root/autodl-tmp/project/train.py", line 40, in <module>
#       RuntimeError: No CUDA GPUs are available
#   notebook:
#     likely: paste("/kaggle/working", "google.colab", "/content/") or (paste("dist-packages") and paste("<ipython-input"))
#     sample: |
#       <ipython-input-7-2b9f4d0e> in <module>()
#       ----> 1 model.cuda()
#       /usr/local/lib/python3.7/dist-packages/torch/cuda/__init__.py in _lazy_init()
#       RuntimeError: Found no NVIDIA driver on your system.
#   docker-build:
#     if: >-
#       paste("failed to solve: ", "The command '/bin/sh -c", "=> ERROR [")
#     sample: |
#       RuntimeError: Found no NVIDIA driver on your system.
#       The command '/bin/sh -c python setup.py install' returned a non-zero code: 1
#   container:
#     case: library-not-found
#     likely: paste("docker", "Docker", "in a container", "kubernetes", "容器", "/workspace/", "/.singularity", "apptainer")
#     sample: |
#       Traceback (most recent call last):
#         File "/workspace/demo/predictor.py", line 35, in __init__
#       RuntimeError: Found no NVIDIA driver on your system.
#   driver-not-loaded:
#     if: paste("NVIDIA-SMI has failed")
#     sample: |
#       NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.
#       RuntimeError: Found no NVIDIA driver on your system.
#   no-gpu:
#     likely: paste("Radeon", "UHD Graphics", "Iris(R) Xe", "Apple M1", "Apple M2")
#     sample: "RuntimeError: Found no NVIDIA driver on your system.\nGPU: AMD Radeon RX 6700 XT"
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
    START = "import torch; torch.cuda.current_device()"
    COMPLAINT = "Found no NVIDIA driver on your system"
else:  # a CPU build has no CUDA to start: ask NVIDIA's runtime the two things that torch asks it
    START = f"""
import ctypes
runtime, count, version = ctypes.CDLL({RUNTIME!r}), ctypes.c_int(), ctypes.c_int()
code = runtime.cudaGetDeviceCount(ctypes.byref(count))
runtime.cudaDriverGetVersion(ctypes.byref(version))
print(f"cudaGetDeviceCount answers {{code}}, version of the driver: {{version.value}}")
"""
    COMPLAINT = "version of the driver: 0"  # which torch prints as "Found no NVIDIA driver on your system"


def python(program, LD_LIBRARY_PATH=""):
    """Run a program in a new process; the last line that it prints."""
    search = ":".join(filter(None, [LD_LIBRARY_PATH, os.environ.get("LD_LIBRARY_PATH")]))
    environment = {**os.environ, "LD_LIBRARY_PATH": search}
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", program], env=environment, cwd=folder, capture_output=True, text=True)
    return (done.stdout + done.stderr).replace(f"{folder}/", "").strip().splitlines()[-1]


# A file that is no library: what is left in images that were built on a machine with a GPU and run without one.
(folder / "empty").mkdir()
(folder / "empty/libcuda.so.1").touch()

# %%
# The machine's own libcuda.so.1, or a stand-in that says the truth where there is no GPU.
LIBCUDA = r"""
#include <string.h>
int cuInit(unsigned flags) { return 100; }  // no CUDA-capable device is detected
int cuDriverGetVersion(int *version) { *version = 99000; return 0; }
int cuGetProcAddress_v2(const char *name, void **found, int version, unsigned long flags, int *status) {
    *found = cuInit;
    if (!strcmp(name, "cuDriverGetVersion")) *found = cuDriverGetVersion;
    if (!strncmp(name, "cuGetProcAddress", 16)) *found = cuGetProcAddress_v2;
    return 0;
}
"""
FIND = "import ctypes; ctypes.CDLL('libcuda.so.1'); print('libcuda.so.1 is found')"
driver = ""
if python(FIND) != "libcuda.so.1 is found":
    driver = "driver"
    (folder / driver).mkdir()
    compiler = next(name for name in ("cc", "gcc", "clang") if shutil.which(name))
    build = [compiler, "-shared", "-fPIC", "-Wl,-soname,libcuda.so.1", "-x", "c", "-", "-o", str(folder / "driver/libcuda.so.1")]
    subprocess.run(build, input=LIBCUDA, text=True, check=True)

# %% break library-not-found
output = python(START, LD_LIBRARY_PATH="empty")
print(output)
assert COMPLAINT in output

# %% check library-not-found
PROGRAM = "import ctypes; ctypes.CDLL('libcuda.so.1')"
output = python(PROGRAM, LD_LIBRARY_PATH="empty")
print(output)
assert output.startswith("OSError: ") and "libcuda.so.1" in output

# %% proof library-not-found
# `--gpus all`, the driver's package and the cleared variable all do this: the loader finds a libcuda.so.1 that is one.
assert python(FIND, LD_LIBRARY_PATH="empty") != "libcuda.so.1 is found"
assert python(FIND, LD_LIBRARY_PATH=driver) == "libcuda.so.1 is found"
output = python(START, LD_LIBRARY_PATH=driver)
print(output)
if torch.version.cuda:
    assert COMPLAINT not in output
else:
    assert output.startswith("cudaGetDeviceCount answers") and "version of the driver: 0" not in output

# %% wrong toolkit-installed
# The CUDA toolkit as well, from NVIDIA, apt or conda: it has the runtime and the compiler, but
# `libcuda.so.1` comes with the driver.
toolkit = os.path.dirname(RUNTIME)  # a folder with CUDA's libraries
output = python(START, LD_LIBRARY_PATH=f"{toolkit}:empty")
print(output)
assert COMPLAINT in output and not list(Path(toolkit).glob("libcuda.so*"))

# %%
TRAIN = """
import torch
device = "cuda"
print(torch.nn.Linear(3, 1).to(device)(torch.ones(2, 3, device=device)).shape)
"""

# %% break no-gpu
output = python(TRAIN, LD_LIBRARY_PATH="empty")
print(output)
# the second is what a CPU build says
assert COMPLAINT in output or "Torch not compiled with CUDA enabled" in output

# %% check no-gpu
PROGRAM = "import torch; print(torch.cuda.is_available())"
output = python(PROGRAM, LD_LIBRARY_PATH="empty")
print(output)
assert output == "False"

# %% fix no-gpu
import torch

device = "cuda" if torch.cuda.is_available() else "cpu"

# %% proof no-gpu
model, x = torch.nn.Linear(3, 1).to(device), torch.ones(2, 3).to(device)
assert model(x).shape == (2, 1)
assert (device == "cuda") == (torch.cuda.device_count() > 0)
program = TRAIN.replace('"cuda"', '"cuda" if torch.cuda.is_available() else "cpu"')
assert python(program, LD_LIBRARY_PATH="empty") == "torch.Size([2, 1])"  # where the break failed
