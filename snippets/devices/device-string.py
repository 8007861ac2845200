# ---
# wordings:
#   - text: "device type at start of device string: {name:ident}"
#     exception: RuntimeError
#     sample: "RuntimeError: Expected one of cpu, cuda, ipu, xpu, mkldnn, opengl, opencl, ideep, hip, ve, fpga, ort, xla, lazy, vulkan, mps, meta, hpu, mtia, privateuseone device type at start of device string: gpu"
#   - text: "Invalid device string: '{given:line}'"
#     exception: RuntimeError
#     sample: "RuntimeError: Invalid device string: 'cuda:'"
#   - text: "Device string must not be empty"
#     exception: RuntimeError
#   - text: "Device index must not be negative"
#     exception: RuntimeError
#   - text: "Device index must be -1 or non-negative, got"
#     exception: RuntimeError
#     sample: "RuntimeError: Device index must be -1 or non-negative, got -2"
#   - text: "type (string) must not include an index because index was passed explicitly: {_:device}"
#     exception: RuntimeError
#     sample: "RuntimeError: type (string) must not include an index because index was passed explicitly: cuda:0"
#   - text: "argument 'device' must be torch.device, not {kind:ident}"
#     exception: TypeError
#     sample: "TypeError: zeros(): argument 'device' must be torch.device, not list"
#   - text: "Expected a cuda device, but got: {other:device}"
#     exception: ValueError
#     sample: "ValueError: Expected a cuda device, but got: cpu"
#   - text: ": did you call init?"
#     exception: RuntimeError
#     near: [Invalid device argument, Allocator not initialized for device]
#     sample: "RuntimeError: Invalid device argument : did you call init?"
# tags: [device, cuda, multi-gpu]
# recover: fix
# related: [devices/invalid-device-ordinal, install-env/not-compiled-with-cuda, install-env/no-xpu-device, checkpoints/deserialize-cuda]
# docs: ["https://docs.pytorch.org/docs/stable/tensor_attributes.html#torch-device"]
# cases:
#   several: {wrong: {variable-as-name: "https://github.com/leggedrobotics/delora/issues/18"}}
# causes:
#   wrong-name:
#     if: >-
#       read(name) and name not in ["mps", "xpu", "meta", "mtia", "vulkan"] and not begins(name,
#       "npu", "hpu", "dml", "privateuseone", "mlu", "musa", "sdaa", "gcu", "tpu") and name not in
#       ["0", "1", "2", "3", "4", "5", "6", "7"]
#   accelerator:
#     if: begins(name, "npu", "hpu", "dml", "privateuseone", "mlu", "musa", "sdaa", "gcu", "tpu")
#     sample: "RuntimeError: Expected one of cpu, cuda, ipu, xpu, mkldnn, opengl, opencl, ideep, hip, ve, fpga, ort, xla, lazy, vulkan, mps, meta, hpu, mtia, privateuseone device type at start of device string: npu"
#   old-release:
#     if: name in ["mps", "xpu", "meta", "mtia", "vulkan"]
#     sample: "RuntimeError: Expected one of cpu, cuda, xpu, mkldnn, opengl, opencl, ideep, hip, msnpu, xla, vulkan device type at start of device string: mps"
#   negative:
#     if: begins(given, "cuda:-", "cpu:-", "mps:-", "xpu:-") or paste("Device index must")
#   several:
#     if: >-
#       paste("string: 'cuda:0,", "string: 'cuda:1,", "string: 'cuda:2,", "string: 'cuda:3,", "string: 'cuda:4,", "string: '0,", "string: '1,", "string: '2,", "string: '[")
#       or begins(kind, "list", "tuple") or paste("index was passed explicitly")
#     sample: "RuntimeError: Invalid device string: 'cuda:0,1'"
#   no-number:
#     if: >-
#       (read(given) and not begins(given, "cuda:cuda")) or paste("Device string must not be empty")
#       or name in ["0", "1", "2", "3", "4", "5", "6", "7"]
#   not-cuda:
#     if: read(other)
#   not-started:
#     if: paste("did you call init?")
#     sample: "RuntimeError: Invalid device argument : did you call init?"
# ---

# %%
import os

import torch
from torch import nn

os.environ.pop("LOCAL_RANK", None)
moved = []


class Model(nn.Linear):
    def to(self, device):
        moved.append(device)
        return super().to(device)


model = Model(3, 1)

# %% break wrong-name
model.to("gpu")

# %% fix wrong-name
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model.to(device)

# %% proof wrong-name
assert moved == [device] and device.type == ("cuda" if torch.cuda.is_available() else "cpu")

# %% use wrong-name
model = Model(4, 2)
device = model.weight.device
# >>>
model.to("gpu")
# <<<
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for x in torch.randn(3, 8, 4):
    optimizer.zero_grad()
    model(x.to(device)).square().mean().backward()
    optimizer.step()
assert moved == [device] and model.weight.device.type == device.type

# %% break no-number
gpu = ""  # of an option or a variable that was not set
device = torch.device(f"cuda:{gpu}")

# %% check no-number
gpu = ""
print(repr(f"cuda:{gpu}"))  # what PyTorch gets: no number behind the colon
assert f"cuda:{gpu}" == "cuda:"

# %% fix no-number
import torch

gpu = ""
device = torch.device(f"cuda:{int(gpu)}" if gpu else "cuda")

# %% proof no-number
assert device == torch.device("cuda") and gpu == ""

# %% break several
gpu = "0,1"
device = torch.device(f"cuda:{gpu}")

# %% fix several
import torch

gpu = "0,1"
numbers = [int(number) for number in gpu.split(",")]  # for device_ids=
device = torch.device("cuda", numbers[0])

# %% proof several
assert device == torch.device("cuda:0") and numbers == [0, 1]

# %% wrong variable-as-name
# The environment variable as the name of the device: it belongs before the command, and says which
# GPUs the program sees. `torch.device` takes one device.
device = torch.device("CUDA_VISIBLE_DEVICES=0,1")

# %% break negative
local_rank = int(os.environ.get("LOCAL_RANK", -1))  # no launcher started this
device = torch.device("cuda", local_rank)

# %% fix negative
import os

import torch

local_rank = int(os.environ.get("LOCAL_RANK", 0))
device = torch.device("cuda", local_rank)

# %% proof negative
assert device == torch.device("cuda:0") and local_rank == 0

# %%
chosen, real = [], torch.cuda.set_device
torch.cuda.is_available = lambda: True  # as with a GPU, which takes what it is given
torch.cuda.set_device = lambda device: chosen.append(device) if device != "cpu" else real(device)

# %% break not-cuda
torch.cuda.set_device("cpu")

# %% fix not-cuda
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
if device.type == "cuda":
    torch.cuda.set_device(device)

# %% proof not-cuda
assert chosen == [torch.device("cuda")]
