# ---
# wordings:
#   - text: "cuDNN error: CUDNN_STATUS_NOT_INITIALIZED"
#   - text: "cuDNN error: CUDNN_STATUS_INTERNAL_ERROR"
#   - text: "cuDNN error: CUDNN_STATUS_EXECUTION_FAILED"
#   - text: "cuDNN error: CUDNN_STATUS_ALLOC_FAILED"
#   - text: "cuDNN error: CUDNN_STATUS_MAPPING_ERROR"
#   - text: "cuDNN error: CUDNN_STATUS_INTERNAL_ERROR_{_:ident}"
#     sample: "RuntimeError: cuDNN error: CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED"
#   - text: "cuDNN error: CUDNN_STATUS_EXECUTION_FAILED_{_:ident}"
#     sample: "RuntimeError: cuDNN error: CUDNN_STATUS_EXECUTION_FAILED_CUDART"
#   - text: "cuDNN error: CUDNN_STATUS_SUBLIBRARY_{mixed:ident}"
#     sample: "RuntimeError: cuDNN error: CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH"
#   - text: "cudnn_status: CUDNN_STATUS_SUBLIBRARY_{mixed:ident}"
#     exception: RuntimeError
#     unless: [jax, tensorflow, xla, onnxruntime, paddle]
#     sample: "RuntimeError: CUDNN_BACKEND_TENSOR_DESCRIPTOR cudnnFinalize failedptrDesc->finalize() cudnn_status: CUDNN_STATUS_SUBLIBRARY_LOADING_FAILED"
#   - text: "cuDNN error: CUDNN_STATUS_VERSION_{mixed:ident}"
#     sample: "RuntimeError: cuDNN error: CUDNN_STATUS_VERSION_MISMATCH"
#   - text: "cuDNN error: CUDNN_STATUS_ARCH_MISMATCH"
#   - text: "cuDNN version incompatibility: PyTorch was compiled against ({built:shape}) but found runtime version ({found:shape})"
#     exception: RuntimeError
#     sample: "RuntimeError: cuDNN version incompatibility: PyTorch was compiled  against (9, 1, 0) but found runtime version (8, 9, 7). PyTorch already comes bundled with cuDNN."
#   - text: "cuDNN version {cudnn:int} is not compatible with devices with SM < {sm:num}"
#     exception: RuntimeError
#     sample: "RuntimeError: cuDNN version 91300 is not compatible with devices with SM < 7.5. Please install a version of PyTorch with a compatible cuDNN version."
#   - text: "cuDNN version incompatibility: PyTorch was compiled"
#     exception: RuntimeError
#   - text: "RuntimeError: CUDNN_STATUS_NOT_INITIALIZED"
#   - text: "RuntimeError: CUDNN_STATUS_INTERNAL_ERROR"
#   - text: "RuntimeError: CUDNN_STATUS_EXECUTION_FAILED"
#   - text: "RuntimeError: CUDNN_STATUS_MAPPING_ERROR"
#   - text: "CUDNN_STATUS_NOT_INITIALIZED"
#     near: [torch.backends.cudnn, torch/nn/, 'torch\nn\', at::native]
#   - text: "CUDNN_STATUS_INTERNAL_ERROR"
#     near: [torch.backends.cudnn, torch/nn/, 'torch\nn\', at::native]
#   - text: "CUDNN_STATUS_EXECUTION_FAILED"
#     near: [torch.backends.cudnn, torch/nn/, 'torch\nn\', at::native]
# tags: [cnn, cuda, cudnn, oom]
# recover: process
# needs: ["package:nvidia.cudnn", "fault:a process that may use no GPU"]
# cases:
#   cuda-cannot-start:
#     wrong: {cudnn-off: "https://github.com/yukkyo/PyTorch-FilterResponseNormalizationLayer/issues/4"}
#     silent: true
#     commands:
#       linux: |
#         nvidia-smi                                              # memory nearly full? then that is the cause
#         python -c "import torch; torch.zeros(1, device='cuda')" # fails as well? then its message names the cause
#         echo "$CUDA_VISIBLE_DEVICES"                            # -1, or a number that this machine has not?
#         unset CUDA_VISIBLE_DEVICES                              # then all GPUs may be used again
#       powershell: |
#         nvidia-smi
#         python -c "import torch; torch.zeros(1, device='cuda')"
#         $env:CUDA_VISIBLE_DEVICES
#         Remove-Item Env:CUDA_VISIBLE_DEVICES
#   old-gpu:
#     unbroken: "a GPU that this cuDNN no longer supports"
#     commands:
#       shell: |
#         python -m pip uninstall -y torch torchvision torchaudio
#         python -m pip install torch torchvision --index-url https://download.pytorch.org/whl/cu126
# timeout: 180
# related: [install-env/undefined-symbol, memory/cuda-oom]
# rows: [S001-92]
# docs: ["https://docs.pytorch.org/docs/stable/backends.html"]
# causes:
#   gpu-full:
#     if: paste("CUDNN_STATUS_ALLOC_FAILED", "DEVICE_ALLOCATION_FAILED")
#     sample: "RuntimeError: cuDNN error: CUDNN_STATUS_ALLOC_FAILED"
#   earlier-operation:
#     if: paste("device-side assert", "illegal memory access", "misaligned address", "Assertion `")
#     sample: "RuntimeError: cuDNN error: CUDNN_STATUS_EXECUTION_FAILED\nan illegal memory access was encountered"
#   two-cudnn:
#     if: paste("CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH", "CUDNN_STATUS_VERSION_MISMATCH", "cuDNN version incompatibility")
#     likely: paste("CUDNN_STATUS_SUBLIBRARY")
#     sample: "RuntimeError: cuDNN error: CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH"
#   new-gpu:
#     likely: >-
#       (paste("2060", "2070", "2080") and paste("cuda9", "cuda 9", "CUDA9", "CUDA 9", "cu90", "cu92"))
#       or (paste("3060", "3070", "3080", "3090", "A100") and paste("cuda9", "cuda10", "cuda 10", "CUDA10", "CUDA 10", "cu100", "cu101", "cu102"))
#     sample: "RuntimeError: cuDNN error: CUDNN_STATUS_EXECUTION_FAILED\nRTX 3090, torch 1.6.0, CUDA 10.2"
#   old-gpu:
#     if: paste("CUDNN_STATUS_ARCH_MISMATCH") or (read(cudnn) and read(sm))
#     sample: "RuntimeError: cuDNN error: CUDNN_STATUS_ARCH_MISMATCH"
#   some-shapes:
#   cuda-cannot-start:
# ---

# %%
import os
import subprocess
import sys
from pathlib import Path

import nvidia.cudnn  # NVIDIA's wheels: the real cuDNN and the real CUDA runtime
import torch

RUNTIME = next(str(file) for root in nvidia.__path__ for file in sorted(Path(root).glob("*/lib/libcudart.so.*")))
CUDNN = next(str(file) for file in Path(nvidia.cudnn.__path__[0]).glob("lib/libcudnn.so.*"))

# What PyTorch does before the first convolution: it asks cuDNN for a handle.
START_CUDNN = f"""
import ctypes
ctypes.CDLL({RUNTIME!r}, mode=ctypes.RTLD_GLOBAL)
cudnn = ctypes.CDLL({CUDNN!r})
cudnn.cudnnGetErrorString.restype = ctypes.c_char_p
status = cudnn.cudnnCreate(ctypes.byref(ctypes.c_void_p()))
print("cudnnCreate:", cudnn.cudnnGetErrorString(status).decode())
"""


def python(program, **environment):
    """Run a program in a new process, and return what it prints."""
    return subprocess.run([sys.executable, "-W", "ignore", "-c", program], env={**os.environ, **environment}, capture_output=True, text=True).stdout.strip()


# %% break cuda-cannot-start
output = python(START_CUDNN, CUDA_VISIBLE_DEVICES="-1")  # no GPU may be used
print(output)
assert output == "cudnnCreate: CUDNN_STATUS_NOT_INITIALIZED"

# %% check cuda-cannot-start
PROGRAM = """
import torch
print("CUDA starts:", torch.cuda.is_available())
if torch.cuda.is_available():
    free, total = torch.cuda.mem_get_info()
    print(f"free memory of the GPU: {free / 2**30:.1f} of {total / 2**30:.1f} GiB")
print("cuDNN:", torch.backends.cudnn.version())
files = {line.split()[-1] for line in open("/proc/self/maps") if "libcudnn" in line}
folders = {file.rpartition("/")[0] for file in files}
print("folders that cuDNN is loaded from:", len(folders))
"""
output = python(PROGRAM, CUDA_VISIBLE_DEVICES="-1")
print(output)
assert "CUDA starts: False" in output

# %% proof cuda-cannot-start
# The second command fails in the same process, and says more than cuDNN does.
done = subprocess.run(
    [sys.executable, "-c", "import torch; torch.zeros(1, device='cuda')"], env={**os.environ, "CUDA_VISIBLE_DEVICES": "-1"}, capture_output=True, text=True
)
said = done.stderr.strip().splitlines()[-1]
print(said)
assert done.returncode == 1 and "CUDNN" not in said
assert any(words in said for words in ("No CUDA GPUs are available", "Torch not compiled with CUDA enabled", "no NVIDIA driver"))
if torch.cuda.is_available():  # without the variable, cuDNN starts
    assert python(START_CUDNN) == "cudnnCreate: CUDNN_STATUS_SUCCESS"

# %% wrong cudnn-off
# `torch.backends.cudnn.enabled = False`: the message goes, and where CUDA itself cannot start, the same
# line fails with another one.
PROGRAM = """
import torch
torch.backends.cudnn.enabled = False
torch.nn.Conv2d(3, 4, 3).cuda()(torch.ones(1, 3, 8, 8).cuda())
"""
environment = {**os.environ, "CUDA_VISIBLE_DEVICES": "-1"}
command = [sys.executable, "-c", PROGRAM]
done = subprocess.run(command, env=environment, capture_output=True, text=True)
print(done.stderr.strip().splitlines()[-1])
assert done.returncode == 1 and "CUDNN" not in done.stderr
