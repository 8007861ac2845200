# ---
# wordings:
#   - text: "module must have its parameters and buffers on device {wanted:device} (device_ids[0]) but found one of them on device: {found:device}"
#     exception: RuntimeError
#     sample: "RuntimeError: module must have its parameters and buffers on device cuda:0 (device_ids[0]) but found one of them on device: cpu"
#   - text: "module must have its parameters and buffers on device"
#     exception: RuntimeError
#   - text: "all tensors must be on devices[0]"
#     exception: RuntimeError
#   - text: "All tensors must be on devices[0]"
#     exception: RuntimeError
# tags: [multi-gpu, device, inference]
# recover: fix
# needs: ["fault:DataParallel is told of three GPUs that are not there"]
# cases:
#   other-gpu: {silent: true, wrong: {current-device: "https://github.com/replicate/cog/issues/971"}}
#   nested:
#     unbroken: "DDP around DataParallel, on GPUs"
#     commands:
#       linux: "grep -rnw DataParallel --include=\"*.py\" ."
#       powershell: "Get-ChildItem -Recurse -Filter *.py | Select-String \"\\bDataParallel\\b\""
# related: [devices/device-mismatch, distributed/dataparallel-argument-order, memory/gpu0-imbalance]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.nn.DataParallel.html"]
# causes:
#   not-moved:
#     if: found == "cpu" and not frames("parallel/distributed.py", "parallel\\distributed.py")
#   other-gpu:
#     if: begins(found, "cuda:") and not frames("parallel/distributed.py", "parallel\\distributed.py", "transformers/trainer.py", "transformers\\trainer.py")
#     sample: "RuntimeError: module must have its parameters and buffers on device cuda:0 (device_ids[0]) but found one of them on device: cuda:1"
#   nested:
#     if: frames("parallel/distributed.py", "parallel\\distributed.py")
#     sample: |
#       File "/opt/conda/lib/python3.8/site-packages/torch/nn/parallel/distributed.py", line 447, in forward
#         output = self.module(*inputs[0], **kwargs[0])
#       File "/opt/conda/lib/python3.8/site-packages/torch/nn/parallel/data_parallel.py", line 146, in forward
#       RuntimeError: module must have its parameters and buffers on device cuda:0 (device_ids[0]) but found one of them on device: cuda:2
#   trainer:
#     if: frames("transformers/trainer.py", "transformers\\trainer.py") and begins(found, "cuda:")
#     sample: |
#       File "/opt/conda/lib/python3.10/site-packages/transformers/trainer.py", line 2654, in compute_loss
#         outputs = model(**inputs)
#       File "/opt/conda/lib/python3.10/site-packages/torch/nn/parallel/data_parallel.py", line 157, in forward
#       RuntimeError: module must have its parameters and buffers on device cuda:0 (device_ids[0]) but found one of them on device: cuda:1
# ---

# %%
import sys

import torch
from torch import nn

# Without GPUs DataParallel does nothing: tell it of three. Its own code then checks where the model is.
parallel = sys.modules["torch.nn.parallel.data_parallel"]
parallel._get_available_device_type = lambda: "cuda"
parallel._get_all_device_indices = lambda: [0, 1, 2]
parallel._get_device_index = lambda device, optional=False: device if isinstance(device, int) else torch.device(device).index
parallel._check_balance = lambda device_ids: None
torch.cuda.set_device = lambda device: None  # which GPU is the current one
x = torch.randn(4, 8)


class Model(nn.Linear):
    """Notes to which GPU it is moved, in place of going there."""

    at = torch.device("cpu")

    def to(self, device):
        self.at = torch.device(device)
        return self


model = Model(8, 2)

# %% break other-gpu
model = model.to("cuda:1")
model = nn.DataParallel(model)  # all GPUs, from 0 on
assert model.src_device_obj != model.module.at  # this is what forward compares

# %% check other-gpu
model = nn.DataParallel(model.to("cuda:1"))
print(model.module.at, "is not", model.src_device_obj)  # of a parameter: p.device
assert model.module.at != model.src_device_obj

# %% fix other-gpu
from torch import nn

gpus = [1, 2]  # those to use
model = model.to(f"cuda:{gpus[0]}")  # the model starts on the first of them
model = nn.DataParallel(model, device_ids=gpus)

# %% proof other-gpu
assert model.src_device_obj == model.module.at == torch.device("cuda:1")
assert model.device_ids == [1, 2] and model.output_device == 1

# %% use other-gpu
layers = [Model(8, 2) for _ in range(2)]
wrapped = []
for model in layers:
    # >>>
    model = nn.DataParallel(model.to("cuda:1"))
    # <<<
    wrapped.append(model)
assert [model.module for model in wrapped] == layers
assert all(model.src_device_obj == model.module.at for model in wrapped)
assert all(model.module.at == torch.device("cuda:1") for model in wrapped)

# %% wrong current-device
# `torch.cuda.set_device("cuda:1")`: it chooses where new tensors go. `nn.DataParallel` still takes
# all GPUs, from 0 on.
torch.cuda.set_device("cuda:1")
model = nn.DataParallel(model.to("cuda:1"))

# %% break not-moved
model = nn.DataParallel(model)  # never moved; or moved before a part was added
y = model(x)

# %% check not-moved
tensors = [*model.named_parameters(), *model.named_buffers()]
left = [name for name, tensor in tensors if tensor.device.type == "cpu"]
print(left)
assert left == ["weight", "bias"]

# %% fix not-moved
from torch import nn

model = model.to("cuda:0")  # after the last part of it was made
model = nn.DataParallel(model)

# %% proof not-moved
assert model.src_device_obj == model.module.at == torch.device("cuda:0")
try:  # and on the CPU the module within is called
    model(x)
except RuntimeError as error:
    assert "found one of them on device: cpu" in str(error)  # its tensors are here all the same
    assert torch.equal(model.module(x), nn.functional.linear(x, model.module.weight, model.module.bias))
else:
    raise AssertionError("DataParallel has not checked")

# %% proof nested
import subprocess
from pathlib import Path

Path("models").mkdir()
Path("models/net.py").write_text("net = nn.DataParallel(net)\n")
Path("models/other.py").write_text("net = DistributedDataParallel(net)\n")
Path("notes.txt").write_text("DataParallel\n")
found = subprocess.run(commands["linux"], shell=True, capture_output=True, text=True).stdout
named = [line for line in found.splitlines() if line.startswith(("./models", "./notes"))]
assert named == ["./models/net.py:1:net = nn.DataParallel(net)"], found
