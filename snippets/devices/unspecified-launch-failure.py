# ---
# wordings:
#   - text: "CUDA error: unspecified launch failure"
#     unless: [gpu-programs]
#   - text: "cuda runtime error ({_:int}) : unspecified launch failure"
#     sample: "RuntimeError: cuda runtime error (4) : unspecified launch failure at /pytorch/aten/src/THC/generic/THCTensorCopy.cpp:20"
#   - text: "error={_:int} : unspecified launch failure"
#     near: [THC]
#     sample: "THCudaCheck FAIL file=/pytorch/aten/src/THC/THCCachingHostAllocator.cpp line=271 error=4 : unspecified launch failure"
#   - text: "HIP error: unspecified launch failure"
#     unless: [gpu-programs]
#   - text: "Triton Error [CUDA]: unspecified launch failure"
#     exception: RuntimeError
#   - text: "CUDA error: misaligned address"
#     unless: [gpu-programs]
#   - text: "cuda runtime error ({_:int}) : misaligned address"
#     sample: "RuntimeError: cuda runtime error (74) : misaligned address at /pytorch/aten/src/THC/generic/THCTensorMath.cu:26"
#   - text: "Triton Error [CUDA]: misaligned address"
#     exception: RuntimeError
#   - text: "CUDA error: the launch timed out and was terminated"
#     unless: [gpu-programs]
#   - text: "cuda runtime error ({_:int}) : the launch timed out and was terminated"
#     sample: "RuntimeError: cuda runtime error (6) : the launch timed out and was terminated at /pytorch/aten/src/THC/generic/THCStorage.cu:36"
#   - text: "error={_:int} : the launch timed out and was terminated"
#     near: [THC]
#     sample: "THCudaCheck FAIL file=/pytorch/aten/src/THC/generic/THCStorage.cu line=36 error=6 : the launch timed out and was terminated"
#   - text: "CUDA error: an illegal instruction was encountered"
#     unless: [gpu-programs]
#   - text: "CUDA error: invalid program counter"
#     unless: [gpu-programs]
#   - text: "CUDA error: hardware stack error"
#     unless: [gpu-programs]
#   - text: "cuda runtime error (4)"
#     exception: RuntimeError
#   - text: "cuda runtime error (719)"
#     exception: RuntimeError
#   - text: "HIP error: hipErrorLaunchFailure"
#     unless: [gpu-programs]
#   - text: "Search for `hipErrorLaunchFailure'"
#     unless: [gpu-programs]
#   - text: "Search for `cudaErrorLaunchFailure'"
#     near: [torch, CUDA error]
#     unless: [gpu-programs]
# tags: [cpp-extension, crash, cuda, driver]
# recover: process
# needs: ["fault:a kernel that reads 16 bytes at once, its addresses carried out by the CPU"]
# cases:
#   too-long: {silent: true}
#   misaligned: {silent: true}
# outranks: [cublas-error, cudnn-not-initialized]
# related: [devices/illegal-memory-access, devices/device-side-assert]
# docs: ["https://docs.pytorch.org/docs/stable/notes/cuda.html#asynchronous-execution"]
# causes:
#   gpu-or-driver:
#     if: paste("has fallen off the bus") and not paste("misaligned address", "launch timed out")
#     likely: paste("Xid 79", "Xid 62", "Xid 48", "Xid 64", "Xid 95") and not paste("misaligned address", "launch timed out")
#     sample: "NVRM: Xid (PCI:0000:01:00): 79, GPU has fallen off the bus.\nRuntimeError: CUDA error: unspecified launch failure"
#   extension:
#     likely: >-
#       (paste("Triton Error") or frames("diff_gaussian", "gsplat", "spconv/", "torch_scatter", "torch_sparse", "mmcv/ops", "mmdet/ops", "pytorch3d",
#       "pointnet2", "MinkowskiEngine", "tinycudann", "nvdiffrast", "selective_scan", "causal_conv1d", "flash_attn", "flashinfer", "bitsandbytes/"))
#       and not paste("misaligned address", "launch timed out")
#     sample: "RuntimeError: Triton Error [CUDA]: unspecified launch failure"
#   ctc:
#     likely: frames("ctc_loss") and not paste("misaligned address", "launch timed out")
#     sample: |
#       Traceback (most recent call last):
#         File "torch/nn/functional.py", line 1732, in ctc_loss
#           return torch.ctc_loss(log_probs, targets, input_lengths, target_lengths, blank)
#       RuntimeError: CUDA error: unspecified launch failure
#   too-long:
#     if: paste("launch timed out")
#     sample: "RuntimeError: CUDA error: the launch timed out and was terminated"
#   misaligned:
#     if: paste("misaligned address")
#     sample: "RuntimeError: CUDA error: misaligned address"
# ---

# %%
import sys
import types

import torch
from torch.utils._python_dispatch import TorchDispatchMode

launched = []  # how many results each operation had to compute


class Launches(TorchDispatchMode):
    def __torch_dispatch__(self, operation, types, arguments=(), names=None):
        made = operation(*arguments, **(names or {}))
        if isinstance(made, torch.Tensor):
            launched.append(made.numel())
        return made


x = torch.randn(1000, 8, generator=torch.Generator().manual_seed(0))

# %% break too-long
with Launches():
    distances = torch.cdist(x, x)
print(max(launched))
# the whole table in one launch: while it runs, the GPU can draw no picture
assert max(launched) == 1000 * 1000

# %% fix too-long
import torch

# the nearest other row of x, for a hundred rows at a time
nearest = []
for part in x.split(100):
    distances = torch.cdist(part, x)
    nearest.append(distances.topk(2, largest=False).indices[:, 1])
nearest = torch.cat(nearest)

# %% proof too-long
expected = torch.cdist(x, x).topk(2, largest=False).indices[:, 1]
assert (nearest == expected).float().mean() > 0.99  # equal but for ties
with Launches():
    torch.cdist(x[:100], x)
assert len(part) == 100 and max(launched) == 100 * 1000

# %% use too-long
x, labels = torch.randn(450, 4), torch.arange(450) % 3
with Launches():
    # >>>
    nearest = torch.cdist(x, x).topk(2, largest=False).indices[:, 1]
    # <<<
    same = (labels[nearest] == labels).float().mean().item()
assert max(launched) <= 100 * 450 and len(nearest) == 450
assert not (nearest == torch.arange(450)).any() and 0.2 < same < 0.5

# %%
my_kernels = sys.modules["my_kernels"] = types.ModuleType("my_kernels")
read = []


def double(x):
    """As a kernel: it reads four floats at once, and such a read must begin at a multiple of 16 bytes."""
    read.append(x.data_ptr())
    return 2 * x


my_kernels.double = double
x = torch.arange(9.0)

# %% break misaligned
import my_kernels

part = x[1:].contiguous()  # is contiguous already, so nothing is copied
my_kernels.double(part)
print(read[-1] % 16)
# 4: it begins in the middle of what is read at once
assert read[-1] % 16 == 4

# %% check misaligned
part = x[1:]
print(part.is_contiguous(), part.storage_offset(), part.data_ptr() % 16)
assert part.is_contiguous() and part.data_ptr() % 16

# %% fix misaligned
import my_kernels

part = x[1:].clone()  # memory of its own, which begins at a multiple of 64 bytes
result = my_kernels.double(part)

# %% proof misaligned
assert read[-1] % 16 == 0
assert torch.equal(result, 2 * torch.arange(1.0, 9.0))
