# ---
# wordings:
#   - text: "CUDA error: invalid argument"
#     unless: [gpu-programs]
#   - text: "CUDA driver error: invalid argument"
#     exception: RuntimeError
#     unless: [gpu-programs]
#   - text: "cuda runtime error ({_:int}) : invalid argument"
#     sample: "RuntimeError: cuda runtime error (11) : invalid argument at /pytorch/aten/src/THC/THCGeneral.cpp:405"
#   - text: "error={_:int} : invalid argument"
#     near: [THC, StorageSharing, torch]
#     sample: "THCudaCheck FAIL file=/pytorch/aten/src/THC/THCGeneral.cpp line=405 error=11 : invalid argument"
#   - text: "HIP error: invalid argument"
#     unless: [gpu-programs]
#   - text: "Triton Error [CUDA]: invalid argument"
#     exception: RuntimeError
#   - text: "Search for `cudaErrorInvalidValue' in https://docs.nvidia.com"
#     near: [torch, CUDA error]
#   - text: "cuda runtime error (11)"
#     exception: RuntimeError
#   - text: "HIP error: hipErrorInvalidValue"
#     unless: [gpu-programs]
#   - text: "Search for `hipErrorInvalidValue'"
#     unless: [gpu-programs]
# tags: [comfyui, cuda, driver, fsdp]
# recover: process
# needs: ["fault:no GPU; one process with gloo instead"]
# cases:
#   offload: {silent: true}
#   comfyui:
#     unbroken: "ComfyUI on a GPU"
#     commands:
#       comfyui: |
#         python main.py --disable-pinned-memory
#         # if that does not help
#         python main.py --disable-pinned-memory --disable-cuda-malloc
#   full-memory:
#     unbroken: "an error of a GPU's driver"
#     commands:
#       linux: |
#         unset PYTORCH_CUDA_ALLOC_CONF PYTORCH_ALLOC_CONF
#         rm -rf ~/.cache/torch/kernels
#         python train.py
# related: [devices/pin-memory-fails, install-env/no-kernel-image, memory/cuda-oom]
# docs: ["https://docs.pytorch.org/docs/stable/notes/cuda.html#use-pinned-memory-buffers"]
# causes:
#   old-build:
#     likely: paste("THCGeneral.cpp") and not paste("_share_cuda_", "reduce_tensor", "rebuild_cuda_tensor")
#     sample: "THCudaCheck FAIL file=/pytorch/aten/src/THC/THCGeneral.cpp line=405 error=11 : invalid argument"
#   comfyui:
#     if: paste("omfyUI", "comfy/", "comfy\\") and paste("pin_memory", "cudaHostRegister", "pinned")
#     likely: paste("omfyUI", "comfy/", "comfy\\") and not paste("Triton Error", "CUDA driver error")
#     sample: |
#       File "/home/user/ComfyUI/comfy/model_management.py", line 1161, in pin_memory
#         if torch.cuda.cudart().cudaHostRegister(ptr, size, 1) == 0:
#       torch.AcceleratorError: CUDA error: invalid argument
#   offload:
#     if: paste("in pin_memory", ".pin_memory(", "_fsdp_param", "_pin_memory_loop") and not paste("omfyUI", "comfy/", "comfy\\")
#     likely: paste("torch/distributed/fsdp", "fully_sharded_data_parallel")
#     sample: |
#       Traceback (most recent call last):
#         File "torch/distributed/fsdp/_fully_shard/_fsdp_param.py", line 380, in _init_sharded_param
#           sharded_param = sharded_param.pin_memory()
#       RuntimeError: CUDA error: invalid argument
#   full-memory:
#     likely: paste("CUDA driver error") and paste("expandable_segments", "xpandableSegment")
#     sample: "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True\nRuntimeError: CUDA driver error: invalid argument"
#   between-processes:
#     if: paste("_share_cuda_", "reduce_tensor", "rebuild_cuda_tensor", "_new_shared_cuda", "StorageSharing.cpp")
#     sample: "RuntimeError: cuda runtime error (11) : invalid argument at /pytorch/torch/csrc/generic/StorageSharing.cpp:248"
#   kernel:
#     if: paste("Triton Error")
#     sample: "RuntimeError: Triton Error [CUDA]: invalid argument"
# ---

# %%
import os

os.environ["CUDA_VISIBLE_DEVICES"] = ""  # a machine without a GPU

import torch
import torch.distributed as dist
from torch import nn

# One process on the CPU. Device "cpu" stands for the GPU; pinning is what a machine without a GPU cannot do at all.
dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
x = torch.randn(3, 4)
expected = model(x).detach()

# %% break offload
from torch.distributed.fsdp import CPUOffloadPolicy, fully_shard

policy = CPUOffloadPolicy()
try:
    fully_shard(model, offload_policy=policy)
    model(x)
except RuntimeError as error:
    print(error)
    words = ("accelerator", "pin_memory", "driver")
    pinned = any(word in str(error) for word in words)
# every parameter goes into pinned memory, unless you say otherwise
assert policy.pin_memory and pinned

# %% check offload
from torch.distributed.fsdp import CPUOffloadPolicy

print(CPUOffloadPolicy())
assert CPUOffloadPolicy().pin_memory

# %% fix offload
from torch.distributed.fsdp import CPUOffloadPolicy, fully_shard

policy = CPUOffloadPolicy(pin_memory=False)
fully_shard(model, offload_policy=policy)

# %% proof offload
assert all(not parameter.to_local().is_pinned() for parameter in model.parameters())
assert torch.equal(model(x), expected)
assert type(model).__name__.startswith("FSDP")
assert model._get_fsdp_state()._fsdp_param_group.offload_policy is policy
dist.destroy_process_group()

# %% proof full-memory
import os
import subprocess
import sys
from pathlib import Path

for folder in ("kernels", "hub"):
    Path(".cache/torch", folder).mkdir(parents=True)
Path("train.py").write_text("import os\nprint([name for name in os.environ if name.endswith('ALLOC_CONF')])\n")
where = {"HOME": os.getcwd(), "PATH": f"{os.path.dirname(sys.executable)}:{os.environ['PATH']}"}
settings = {"PYTORCH_CUDA_ALLOC_CONF": "expandable_segments:True", "PYTORCH_ALLOC_CONF": "expandable_segments:True"}
done = subprocess.run(commands["linux"], shell=True, env={**os.environ, **where, **settings}, capture_output=True, text=True)
assert done.stdout == "[]\n" and os.listdir(".cache/torch") == ["hub"]
