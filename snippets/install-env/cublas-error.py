# ---
# wordings:
#   - text: "CUDA error: CUBLAS_STATUS_{status:ident} when calling `{call:ident}"
#     exception: RuntimeError
#     unless: [gpu-programs]
#     sample: "RuntimeError: CUDA error: CUBLAS_STATUS_INVALID_VALUE when calling `cublasSgemm( handle, opa, opb, m, n, k, &alpha, a, lda, b, ldb, &beta, c, ldc)`"
#   - text: "CUDA error: CUBLAS_STATUS_{status:ident}"
#     exception: RuntimeError
#     unless: [gpu-programs]
#     sample: "RuntimeError: CUDA error: CUBLAS_STATUS_NOT_INITIALIZED"
#   - text: "CUDA error: HIPBLAS_STATUS_{status:ident} when calling `{call:ident}"
#     exception: RuntimeError
#     unless: [gpu-programs]
#     sample: "RuntimeError: CUDA error: HIPBLAS_STATUS_ALLOC_FAILED when calling `hipblasCreate(handle)`"
#   - text: "RuntimeError: CUBLAS_STATUS_{status:ident}"
#     exception: RuntimeError
#     sample: "RuntimeError: CUBLAS_STATUS_ALLOC_FAILED when calling cublasCreate(handle)"
#   - text: "CUBLAS_STATUS_{status:ident} when calling `{call:ident}"
#     sample: "CUBLAS_STATUS_EXECUTION_FAILED when calling `cublasSgemm( handle, opa, opb, m, n, k, &alpha, a, lda, b, ldb, &beta, c, ldc)`"
#   - text: "cublas runtime error : {status:line}"
#     exception: RuntimeError
#     sample: "RuntimeError: cublas runtime error : the GPU program failed to execute at /pytorch/aten/src/THC/THCBlas.cu:249"
# tags: [cuda, linear, matmul, oom]
# recover: process
# cases:
#   cannot-start:
#     silent: true
#     needs: ["package:nvidia.cublas", "package:nvidia.cuda_runtime", "fault:a process that may use no GPU"]
#     commands:
#       linux: |
#         nvidia-smi                                              # memory nearly full? end the process that holds it, or take less
#         python -c "import torch; a = torch.ones(64, 64, device='cuda'); print((a @ a).sum())"
#         CUDA_LAUNCH_BLOCKING=1 python train.py                  # names the operation that failed first
#       powershell: |
#         nvidia-smi
#         python -c "import torch; a = torch.ones(64, 64, device='cuda'); print((a @ a).sum())"
#         $env:CUDA_LAUNCH_BLOCKING = "1"; python train.py
#   dtype:
#     wrong: {emulation-counted: "https://github.com/XLabs-AI/x-flux-comfyui/pull/87"}
#     silent: true
#     needs: ["torch:2.13", "fault:a GPU without arithmetic in bfloat16"]
# related: [memory/cuda-oom, devices/device-side-assert, install-env/cudnn-not-initialized, install-env/no-kernel-image]
# docs: ["https://docs.nvidia.com/cuda/cublas/index.html#cublasstatus-t"]
# causes:
#   two-cublas:
#     likely: status == "INVALID_VALUE"
#     sample: "RuntimeError: CUDA error: CUBLAS_STATUS_INVALID_VALUE when calling `cublasSgemm( handle, opa, opb, m, n, k, &alpha, a, lda, b, ldb, &beta, c, ldc)`"
#   memory:
#     case: cannot-start
#     if: >-
#       status == "ALLOC_FAILED" and not paste("device-side assert", "Assertion `", "srcIndex <
#       srcSelectDimSize", "index out of bounds")
#     likely: status == "NOT_INITIALIZED" and begins(call, "cublasCreate")
#     sample: "RuntimeError: CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`"
#   earlier-operation:
#     if: paste("device-side assert", "Assertion `", "srcIndex < srcSelectDimSize", "index out of bounds")
#     likely: status == "EXECUTION_FAILED" and frames("embedding", "embeddings")
#     sample: "Indexing.cu:1146: block: [336,0,0], thread: [0,0,0] Assertion `index out of bounds` failed.\nRuntimeError: CUDA error: CUBLAS_STATUS_EXECUTION_FAILED when calling `cublasSgemm( handle, opa)`"
#   dtype:
#     if: status == "ARCH_MISMATCH"
#     likely: status == "NOT_SUPPORTED"
#     sample: "RuntimeError: CUDA error: CUBLAS_STATUS_NOT_SUPPORTED when calling `cublasGemmEx( handle, opa, opb, m, n, k, &falpha, a, CUDA_R_16BF, lda)`"
#   new-gpu:
#     likely: paste("the GPU program failed to execute", "an absent device architectural feature is required")
#     sample: "RuntimeError: cublas runtime error : the GPU program failed to execute at /pytorch/aten/src/THC/THCBlas.cu:249"
#   cannot-start:
#   hardware:
# ---

# %%
import os
import subprocess
import sys
import types
from pathlib import Path

import torch
from torch import nn

# What PyTorch does before the first product of matrices: it asks cuBLAS for a handle. NVIDIA's own wheels.
START_CUBLAS = r"""
import ctypes, nvidia
from pathlib import Path
def library(name):
    return next(str(file) for root in nvidia.__path__ for file in sorted(Path(root).glob(f"*/lib/{name}.so.*")))
ctypes.CDLL(library("libcudart"), mode=ctypes.RTLD_GLOBAL)
cublas = ctypes.CDLL(library("libcublas"))
cublas.cublasGetStatusName.restype = ctypes.c_char_p
print("cublasCreate:", cublas.cublasGetStatusName(cublas.cublasCreate_v2(ctypes.byref(ctypes.c_void_p()))).decode())
"""


def python(program, **environment):
    """Run a program in a new process, and return what it prints; of an error the last line."""
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", program], env={**os.environ, **environment}, capture_output=True, text=True)
    return done.stdout.strip() or done.stderr.strip().splitlines()[-1]


# %% break cannot-start
output = python(START_CUBLAS, CUDA_VISIBLE_DEVICES="-1")  # no GPU may be used
print(output)
assert output == "cublasCreate: CUBLAS_STATUS_NOT_INITIALIZED"

# %% check cannot-start
PROGRAM = """
import torch
print("CUDA starts:", torch.cuda.is_available())
if torch.cuda.is_available():
    free, total = torch.cuda.mem_get_info()
    print(f"free memory of the GPU: {free / 2**30:.1f} of {total / 2**30:.1f} GiB")
maps = open("/proc/self/maps")
files = {line.split()[-1] for line in maps if "libcublas" in line}
folders = {file.rpartition("/")[0] for file in files}
print("folders that cuBLAS is loaded from:", folders)
"""
output = python(PROGRAM, CUDA_VISIBLE_DEVICES="-1")
print(output)
assert "CUDA starts: False" in output

# %% proof cannot-start
# The second command fails in the same process, and says more than cuBLAS does.
said = python("import torch; a = torch.ones(64, 64, device='cuda'); print((a @ a).sum())", CUDA_VISIBLE_DEVICES="-1")
print(said)
assert "CUBLAS" not in said
assert any(words in said for words in ("No CUDA GPUs are available", "Torch not compiled with CUDA enabled", "no NVIDIA driver"))
if torch.cuda.is_available():  # with the GPU it starts
    assert python(START_CUBLAS) == "cublasCreate: CUBLAS_STATUS_SUCCESS"

# %%
gpu = types.SimpleNamespace(name="Tesla V100", major=7, minor=0)
torch.cuda.is_available = lambda: True
torch.cuda.current_device = lambda: 0
torch.cuda.get_device_properties = lambda device=0: gpu
torch.cuda._check_bf16_tensor_supported = lambda device: True  # such a GPU can hold a bfloat16 tensor
model, x = nn.Linear(8, 2), torch.randn(4, 8)

# %% break dtype
print(gpu.name, torch.cuda.is_bf16_supported())
# True, although the GPU has no arithmetic for it: PyTorch counts emulation
assert torch.cuda.is_bf16_supported()

# %% check dtype
print(gpu.name, torch.cuda.is_bf16_supported(including_emulation=False))
assert not torch.cuda.is_bf16_supported(including_emulation=False)

# %% fix dtype
import torch

bf16 = torch.cuda.is_bf16_supported(including_emulation=False)
# and with float16 a GradScaler in training
dtype = torch.bfloat16 if bf16 else torch.float16

# %% proof dtype
assert dtype == torch.float16
gpu.major = 8  # A100 and newer
assert torch.cuda.is_bf16_supported(including_emulation=False)
assert torch.ones(2, dtype=dtype).to(torch.float32).sum() == 2

# %% wrong emulation-counted
# `is_bf16_supported()` without an argument: it counts emulation, and says True for this GPU as well.
dtype = torch.bfloat16 if torch.cuda.is_bf16_supported() else torch.float16
print(gpu.name, dtype)
