# ---
# wordings:
#   - text: "CUDA error: invalid device ordinal"
#     unless: [gpu-programs]
#   - text: "cuda runtime error ({_:int}) : invalid device ordinal"
#     exception: RuntimeError
#     sample: "RuntimeError: cuda runtime error (10) : invalid device ordinal at torch/csrc/cuda/Module.cpp:32"
#   - text: "error={_:int} : invalid device ordinal"
#     near: [THC]
#     sample: "THCudaCheck FAIL file=torch/csrc/cuda/Module.cpp line=32 error=10 : invalid device ordinal"
#   - text: "HIP error: invalid device ordinal"
#     unless: [gpu-programs]
#   - text: "Invalid device id"
#     exception: AssertionError
#     near: [torch/cuda/, "torch\\cuda\\", get_device_properties, get_device_capability, device_ids]
#   - text: "AssertionError: Invalid device id"
#   - text: "device < num_gpus INTERNAL ASSERT FAILED"
#     exception: RuntimeError
#   - text: "But your machine only has: ["
#     exception: MisconfigurationException
#     sample: "MisconfigurationException: You requested gpu: [1]\n But your machine only has: [0]"
#   - text: "Invalid CUDA 'device={_:ident}' requested"
#     exception: ValueError
#     near: ["torch.cuda.is_available(): True"]
#     sample: "ValueError: Invalid CUDA 'device=1' requested.\ntorch.cuda.is_available(): True"
#   - text: "assert {_:line}<= torch.cuda.device_count()"
#     exception: AssertionError
#     sample: "AssertionError: assert num_gpus <= torch.cuda.device_count()"
#   - text: "assert torch.cuda.device_count()"
#     exception: AssertionError
#     sample: "AssertionError: assert torch.cuda.device_count() >= args.gpus"
#   - text: "assert {_:line}<= get_num_devices()"
#     exception: AssertionError
#     sample: "AssertionError: assert num_gpu <= get_num_devices()"
#   - text: "Not enough CUDA devices to support"
#     exception: AssertionError
#     sample: "AssertionError: Not enough CUDA devices to support n_devices 2"
# tags: [cuda, multi-gpu]
# recover: process
# needs: ["torch:2.13", "fault:a machine with a single GPU"]
# related: [checkpoints/deserialize-cuda, devices/device-mismatch]
# docs: ["https://docs.pytorch.org/docs/stable/notes/cuda.html"]
# cases:
#   fixed-number: {wrong: {number-kept: "https://github.com/OpenNMT/OpenNMT-py/issues/609"}}
#   too-many-processes:
#     unbroken: "more processes than GPUs, which needs a GPU"
#     commands:
#       torchrun: "torchrun --standalone --nproc_per_node=gpu train.py  # one process for each GPU"
#       trainer: "accelerate launch --num_processes 2 train.py  # as many as there are GPUs"
# causes:
#   too-many-processes:
#     likely: paste("torch.distributed.run", "torchrun", "torch/distributed/launch", "AcceleratorState", "accelerate/", "deepspeed/launcher", "local_rank")
#     sample: |
#       Traceback (most recent call last):
#         File "train.py", line 140, in main
#           torch.cuda.set_device(local_rank)
#       RuntimeError: CUDA error: invalid device ordinal
#   renumbered:
#     likely: paste("CUDA_VISIBLE_DEVICES")
#     sample: "os.environ['CUDA_VISIBLE_DEVICES'] = '1'\nRuntimeError: CUDA error: invalid device ordinal"
#   asserted:
#     if: >-
#       paste("<= torch.cuda.device_count()", "assert torch.cuda.device_count()",
#       "<= get_num_devices()", "Not enough CUDA devices") and not
#       paste("invalid device ordinal", "Invalid device id")
#     sample: "AssertionError: assert num_gpus <= torch.cuda.device_count()"
#   fixed-number:
#     undecided: the message names no number
# ---

# %%
import torch
from torch import nn

torch.cuda._lazy_init = lambda: None  # a machine with one GPU, which takes everything that is asked of it
torch.cuda.is_available = lambda: True
torch.cuda.device_count = lambda: 1
torch.cuda._get_device_properties = lambda device: f"GPU {device}"

# %% break fixed-number
print(torch.cuda.get_device_properties("cuda:1"))  # the number stands in the script

# %% check fixed-number
print(torch.cuda.device_count())  # 1: there is only cuda:0
assert torch.cuda.device_count() == 1

# %% fix fixed-number
import torch

wanted = 1
device = torch.device("cuda", wanted if wanted < torch.cuda.device_count() else 0)

# %% proof fixed-number
assert device == torch.device("cuda:0")
assert torch.cuda.get_device_properties(device) == "GPU 0"

# %% use fixed-number
seen = []
# >>>
device = torch.device("cuda:1")
# <<<
model = nn.Linear(4, 2)
for x in torch.randn(3, 8, 4):
    seen.append(torch.cuda.get_device_properties(device))
    model(x).sum().backward()
assert seen == ["GPU 0"] * 3 and model.bias.grad.tolist() == [24, 24]

# %% wrong number-kept
# `CUDA_VISIBLE_DEVICES=1` and the number 1 in the script: the one GPU that the program then sees is
# `cuda:0`. The same error.
import os

os.environ["CUDA_VISIBLE_DEVICES"] = "1"
device = torch.device("cuda", 1)
print(torch.cuda.get_device_properties(device))
