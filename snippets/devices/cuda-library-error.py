# ---
# wordings:
#   - text: "cuFFT error: CUFFT_{fft:ident}"
#     exception: RuntimeError
#     sample: "RuntimeError: cuFFT error: CUFFT_INTERNAL_ERROR"
#   - text: "cusolver error: CUSOLVER_STATUS_{solver:ident}, when calling `{call:ident}"
#     exception: [RuntimeError, LinAlgError]
#     sample: "RuntimeError: cusolver error: CUSOLVER_STATUS_INTERNAL_ERROR, when calling `cusolverDnCreate(handle)`"
#   - text: "cusolver error: CUSOLVER_STATUS_{solver:ident}, when calling {call:ident}"
#     exception: [RuntimeError, LinAlgError]
#     sample: "RuntimeError: cusolver error: CUSOLVER_STATUS_INTERNAL_ERROR, when calling cusolverDnCreate(handle)"
#   - text: "cusolver error: CUSOLVER_STATUS_{solver:ident}"
#     exception: [RuntimeError, LinAlgError]
#     sample: "RuntimeError: cusolver error: CUSOLVER_STATUS_EXECUTION_FAILED"
#   - text: "nvrtc: error: invalid value for --gpu-architecture"
#     exception: RuntimeError
#     unless: &others [cupy, numba, tensorflow, jaxlib, paddle]
#     sample: "RuntimeError: nvrtc: error: invalid value for --gpu-architecture (-arch)"
#   - text: "nvrtc: error: failed to open {file:path}"
#     exception: RuntimeError
#     unless: *others
#     sample: "RuntimeError: nvrtc: error: failed to open libnvrtc-builtins.so.11.1.\n  Make sure that libnvrtc-builtins.so.11.1 is installed correctly."
#   - text: "Make sure that {file:path} is installed correctly"
#     unless: *others
#     near: [nvrtc]
#     sample: "Make sure that nvrtc-builtins64_110.dll is installed correctly."
#   - text: "nvrtc compilation failed"
#     unless: *others
# tags: [cuda, linear-algebra, oom, shared-library]
# recover: process
# needs: ["package:nvidia.cuda_nvrtc", "fault:NVIDIA's compiler without a GPU"]
# related: [dtypes/not-implemented-half, install-env/no-kernel-image, install-env/cublas-error, memory/cuda-oom, numerics/svd-not-converge]
# docs: ["https://docs.nvidia.com/cuda/nvrtc/index.html", "https://docs.pytorch.org/docs/stable/backends.html#torch.backends.cuda.preferred_linalg_library"]
# causes:
#   old-build:
#     case: new-gpu
#     likely: fft == "INTERNAL_ERROR" and paste("cu117", "cu116", "cu113", "cu111", "RTX 40", "RTX 50", "4090", "5090")
#     sample: "torch 1.13.1+cu117, NVIDIA GeForce RTX 4090\nRuntimeError: cuFFT error: CUFFT_INTERNAL_ERROR"
#   new-gpu:
#     likely: paste("invalid value for --gpu-architecture")
#   builtins:
#     if: read(file)
#   memory:
#     if: fft == "ALLOC_FAILED" or solver == "ALLOC_FAILED"
#     likely: begins(call, "cusolverDnCreate")
#     sample: "RuntimeError: cuFFT error: CUFFT_ALLOC_FAILED"
#   nan:
#     likely: paste("if the input matrix contains NaN")
#     sample: "torch._C._LinAlgError: cusolver error: CUSOLVER_STATUS_EXECUTION_FAILED, when calling `cusolverDnXsyevd( handle, params)`. This error may appear if the input matrix contains NaN."
#   earlier:
# cases:
#   new-gpu:
#     commands:
#       shell: |
#         python -m pip uninstall -y torch torchvision torchaudio
#         python -m pip install torch torchvision torchaudio --index-url https://download.pytorch.org/whl/cu128
#         # code that needs torch 2.0, on an RTX 40 or H100:
#         python -m pip install "torch==2.0.1" torchvision torchaudio --index-url https://download.pytorch.org/whl/cu118
#   builtins:
#     commands:
#       linux: |
#         python -m pip install --force-reinstall --no-deps "nvidia-cuda-nvrtc-cu12==12.6.*"  # the CUDA of your torch
#         export LD_LIBRARY_PATH=$(python -c "import nvidia.cuda_nvrtc as n; print(list(n.__path__)[0])")/lib:$LD_LIBRARY_PATH
# ---

# %%
import os
import shutil
import subprocess
import sys
from pathlib import Path

import nvidia.cuda_nvrtc

FOLDER = Path(list(nvidia.cuda_nvrtc.__path__)[0], "lib")
COMPILER = next(file for file in FOLDER.iterdir() if file.name.startswith("libnvrtc.so."))
# NVIDIA's own compiler: what PyTorch asks it when a kernel is made while the program runs.
PROGRAM = r"""
import ctypes, sys
nvrtc = ctypes.CDLL(sys.argv[1])
number = ctypes.c_int()
nvrtc.nvrtcGetNumSupportedArchs(ctypes.byref(number))
known = (ctypes.c_int * number.value)()
nvrtc.nvrtcGetSupportedArchs(known)
if len(sys.argv) == 2:
    sys.exit(print(*known))
program, size = ctypes.c_void_p(), ctypes.c_size_t()
code = b'extern "C" __global__ void fill(float *x) { x[0] = 1; }'
nvrtc.nvrtcCreateProgram(ctypes.byref(program), code, b"fill.cu", 0, None, None)
option = f"--gpu-architecture=compute_{sys.argv[2]}".encode()
result = nvrtc.nvrtcCompileProgram(program, 1, (ctypes.c_char_p * 1)(option))
nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
log = ctypes.create_string_buffer(size.value)
nvrtc.nvrtcGetProgramLog(program, log)
print(log.value.decode() if result else "compiled")
"""


def nvrtc(library, *architecture, LD_LIBRARY_PATH=""):
    """What NVIDIA's compiler prints, in a new process: the architectures that it has, or what it says to one."""
    environment = {**os.environ, "LD_LIBRARY_PATH": str(LD_LIBRARY_PATH)}
    done = subprocess.run([sys.executable, "-c", PROGRAM, str(library), *architecture], capture_output=True, text=True, env=environment)
    return (done.stdout + done.stderr).strip()


known = nvrtc(COMPILER).split()

# %% break new-gpu
print(nvrtc(COMPILER, "999"))  # a GPU of 99.9: newer than this compiler

# %% check new-gpu
import torch

print(torch.__version__, torch.version.cuda)
if torch.cuda.is_available():
    print(torch.cuda.get_device_name(), torch.cuda.get_device_capability())
    print(torch.cuda.get_arch_list())  # is the GPU's number among them?
assert "sm_999" not in torch.cuda.get_arch_list()

# %% proof new-gpu
# What the command changes: a compiler that has the GPU's number among its own.
assert nvrtc(COMPILER, known[-1]) == "compiled"

# %%
# The compiler without the file that lies beside it.
Path("torch/lib").mkdir(parents=True)
Path("nvidia").mkdir()
os.symlink(FOLDER.parent, "nvidia/cuda_nvrtc")
shutil.copy(COMPILER, "torch/lib")
lonely = Path("torch/lib", COMPILER.name)

# %% break builtins
print(nvrtc(lonely, known[-1]))

# %% check builtins
import os

# True: both files are in one folder
for folder in ("torch/lib", "nvidia/cuda_nvrtc/lib"):  # in site-packages
    names = os.listdir(folder)
    print(any(name.startswith("libnvrtc-builtins.so") for name in names))
assert len(os.listdir("torch/lib")) == 1

# %% proof builtins
assert "failed to open libnvrtc-builtins" in nvrtc(lonely, known[-1])
assert nvrtc(lonely, known[-1], LD_LIBRARY_PATH=FOLDER) == "compiled"
builtins = next(file for file in FOLDER.iterdir() if file.name.startswith("libnvrtc-builtins.so."))
shutil.copy(builtins, "torch/lib/libnvrtc-builtins-4730a239.so." + builtins.name.rpartition(".so.")[2])
assert "failed to open libnvrtc-builtins" in nvrtc(lonely, known[-1], LD_LIBRARY_PATH="torch/lib")
os.symlink(next(Path("torch/lib").glob("libnvrtc-builtins-*")).name, f"torch/lib/{builtins.name}")
assert nvrtc(lonely, known[-1], LD_LIBRARY_PATH="torch/lib") == "compiled"
