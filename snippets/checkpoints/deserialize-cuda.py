# ---
# wordings:
#   - text: "Attempting to deserialize object on a CUDA device but"
#     exception: RuntimeError
#   - text: "Attempting to deserialize object on CUDA device {device:int} but torch.cuda.device_count() is {count:int}"
#     exception: RuntimeError
#     sample: "RuntimeError: Attempting to deserialize object on CUDA device 1 but torch.cuda.device_count() is 1. Please use torch.load with map_location to map your storages to an existing device."
#   - text: "Attempting to deserialize object on {kind:ident} device {_:int} but torch."
#     exception: RuntimeError
#     sample: "RuntimeError: Attempting to deserialize object on XPU device 2 but torch.xpu.device_count() is 1."
#   - text: "Attempting to deserialize object on CUDA device"
#     exception: RuntimeError
#   - text: "Attempting to deserialize object on a {kind:ident} device but torch."
#     exception: RuntimeError
#     sample: "RuntimeError: Attempting to deserialize object on a XPU device but torch.xpu.is_available() is False."
#   - text: "don't know how to restore data location of {_:ident} (tagged with {tag:device})"
#     exception: RuntimeError
#     sample: "RuntimeError: don't know how to restore data location of torch.storage.UntypedStorage (tagged with mps)"
#   - text: "device module is not registered. If you are running on a CPU-only machine, please use torch.load with map_location"
#     exception: RuntimeError
# tags: [checkpoint, cuda, device, inference, multi-gpu]
# recover: fix
# cases:
#   fewer-gpus: {needs: [cuda]}
#   no-gpu:
#     wrong: {other-brackets: "https://github.com/wolverinn/HEVC-CU-depths-prediction-CNN/issues/8"}
# related: [devices/device-mismatch]
# rows: [S001-79]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.load.html"]
# causes:
#   no-gpu:
#     likely: (paste("CUDA device but", "is_available() is False") or count == 0) and not frames("from_pretrained", "custom_nodes")
#   cpu-build: {}
#   pickled:
#     if: paste("_load_from_bytes")
#   not-your-line:
#     if: frames("load_from_checkpoint", "load_state_dict_from_url", "torch/hub.py", "torch\\hub.py") and not read(count)
#     likely: frames("from_pretrained", "custom_nodes") and not read(count)
#     undecided: whose line calls `torch.load` cannot be seen where everything stands in one file
#     sample: |
#       Traceback (most recent call last):
#         File "predict.py", line 8, in <module>
#           model = Net.load_from_checkpoint("last.ckpt")
#         File "torch/serialization.py", line 258, in _cuda_deserialize
#       RuntimeError: Attempting to deserialize object on a CUDA device but torch.cuda.is_available() is False.
#   fewer-gpus:
#     if: device >= count and count > 0 and not paste("_load_from_bytes")
#     sample: "RuntimeError: Attempting to deserialize object on CUDA device 3 but torch.cuda.device_count() is 1. Please use torch.load with map_location to map your storages to an existing device."
#   other-device:
#     case: no-gpu
#     if: kind != "CUDA" or begins(tag, "npu", "xpu", "hpu", "mps", "mlu", "musa", "privateuse") or paste("device module is not registered")
#     sample: "RuntimeError: don't know how to restore data location of torch.storage.UntypedStorage (tagged with npu:0)"
# ---

# %%
import os
import pickle
import tempfile
import traceback

import torch
from torch import nn

torch.set_default_device(None)
torch.manual_seed(0)
os.chdir(tempfile.mkdtemp())
os.environ["CUDA_VISIBLE_DEVICES"] = ""  # a computer without a GPU
saved_on = "cuda:0"
# Label what is saved as a computer with that GPU does: each tensor in a checkpoint carries the name of its device.
torch.serialization.register_package(0, lambda storage: saved_on, lambda storage, location: None)
trained = nn.Linear(8, 2)
torch.save(trained.state_dict(), "checkpoint.pt")
model = nn.Linear(8, 2)

# %% break no-gpu
weights = torch.load("checkpoint.pt")
model.load_state_dict(weights)

# %% check no-gpu
places = set()
torch.load("checkpoint.pt", map_location=lambda data, at: places.add(at) or data)
here = torch.cuda.is_available(), torch.cuda.device_count(), torch.version.cuda
print("saved on", places, "- here:", *here)
assert places == {"cuda:0"} and not torch.cuda.is_available()

# %% fix no-gpu
import torch

weights = torch.load("checkpoint.pt", map_location="cpu")
model.load_state_dict(weights)

# %% proof no-gpu
assert torch.equal(model.weight, trained.weight) and torch.equal(model.bias, trained.bias)
assert weights["weight"].device.type == "cpu"

# %% use no-gpu
# >>>
weights = torch.load("checkpoint.pt")
model.load_state_dict(weights)
# <<<
x = torch.randn(3, 8)
assert torch.equal(model(x), trained(x))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
model(x).square().mean().backward()
optimizer.step()
assert model.weight.device.type == "cpu" and not torch.equal(model(x), trained(x))

# %% wrong other-brackets
# `map_location` in the brackets of `load_state_dict`: the file is read before, by `torch.load`, to
# which it belongs. The same error.
model.load_state_dict(torch.load("checkpoint.pt"), map_location="cpu")

# %%
def load_model(path, *arguments, **named):
    """In a library that you did not write."""
    model = nn.Linear(8, 2)
    model.load_state_dict(torch.load(path, *arguments, **named))
    return model


# %% break not-your-line
model = load_model("checkpoint.pt")

# %% check not-your-line
callers = []
try:
    load_model("checkpoint.pt")
except RuntimeError as error:
    callers = [frame.name for frame in traceback.extract_tb(error.__traceback__)]
print(callers[: callers.index("load")])  # the last name is the line to change
assert callers[: callers.index("load")] == ["<module>", "load_model"]

# %% fix not-your-line
import torch

original_load = torch.load


def load_on_cpu(f, map_location=None, *args, **kwargs):
    return original_load(f, "cpu", *args, **kwargs)  # whatever the library asks for


torch.load = load_on_cpu  # at the top of your program, before the library is used

# %% proof not-your-line
for arguments, named in (((), {}), ((None,), {}), (("cuda:0",), {}), ((), {"map_location": None}), ((None, None), {"weights_only": True})):
    assert torch.equal(load_model("checkpoint.pt", *arguments, **named).weight, trained.weight)
with open("checkpoint.pt", "rb") as opened:
    assert torch.load(f=opened)["weight"].device.type == "cpu"

# %%
with open("features.pkl", "wb") as opened:
    pickle.dump({"features": trained.weight.detach()}, opened)

# %% break pickled
with open("features.pkl", "rb") as opened:
    loaded = pickle.load(opened)  # has no map_location

# %% check pickled
with open("features.pkl", "rb") as opened:
    start = opened.read(4)
print(start)  # b"PK\x03\x04": by torch.save; else by pickle, or a torch before 1.6
assert start != b"PK\x03\x04"

# %% fix pickled
import io
import pickle

import torch


class ToCPU(pickle.Unpickler):
    """pickle.load with every tensor on the CPU. Only for files that you trust."""

    def find_class(self, module, name):
        if (module, name) == ("torch.storage", "_load_from_bytes"):
            return lambda data: torch.load(io.BytesIO(data), map_location="cpu")
        return super().find_class(module, name)


with open("features.pkl", "rb") as opened:
    loaded = ToCPU(opened).load()

# %% proof pickled
assert torch.equal(loaded["features"], trained.weight)
assert loaded["features"].device.type == "cpu"

# %%
os.environ["CUDA_VISIBLE_DEVICES"] = "0"  # one GPU here; the file was saved on the fourth of another computer
saved_on = "cuda:3"
torch.save(trained.state_dict(), "checkpoint.pt")

# %% break fewer-gpus
weights = torch.load("checkpoint.pt")

# %% check fewer-gpus
places = set()
torch.load("checkpoint.pt", map_location=lambda data, at: places.add(at) or data)
print("saved on", places, "- here:", torch.cuda.device_count())
assert places == {"cuda:3"} and torch.cuda.device_count() == 1

# %% fix fewer-gpus
import torch

# or "cpu", and .to(device) afterwards
weights = torch.load("checkpoint.pt", map_location="cuda:0")

# %% proof fewer-gpus
assert weights["weight"].device == torch.device("cuda:0")
assert torch.equal(weights["weight"].cpu(), trained.weight)
