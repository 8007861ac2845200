# ---
# wordings:
#   - text: "Attempting to deserialize object on a CUDA device but"
#     exception: RuntimeError
#   - text: "Attempting to deserialize object on CUDA device {device:int} but torch.cuda.device_count() is {count:int}"
#     exception: RuntimeError
#     sample: "RuntimeError: Attempting to deserialize object on CUDA device 1 but torch.cuda.device_count() is 1. Please use torch.load with map_location to map your storages to an existing device."
#   - text: "Attempting to deserialize object on CUDA device"
#     exception: RuntimeError
#   - text: "Attempting to deserialize object on a {_:ident} device but torch."
#     exception: RuntimeError
#     sample: "RuntimeError: Attempting to deserialize object on a XPU device but torch.xpu.is_available() is False."
#   - text: "don't know how to restore data location of {_:ident} (tagged with {_:device})"
#     exception: RuntimeError
#     sample: "RuntimeError: don't know how to restore data location of torch.storage.UntypedStorage (tagged with mps)"
#   - text: "device module is not registered. If you are running on a CPU-only machine, please use torch.load with map_location"
#     exception: RuntimeError
# tags: [checkpoint, cuda, inference, multi-gpu]
# cases:
#   fewer-gpus: {needs: [cuda]}
# related: [devices/device-mismatch]
# rows: [S001-79]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.load.html"]
# ---

# %%
import functools
import io
import os
import pickle
import tempfile
import traceback

import torch
from torch import nn

torch.set_default_device(None)
torch.manual_seed(0)
file = os.path.join(tempfile.mkdtemp(), "checkpoint.pt")
saved_on = "cuda:0"
# Label what is saved as a computer with that GPU does: each tensor in a checkpoint carries the name of its device.
torch.serialization.register_package(0, lambda storage: saved_on, lambda storage, location: None)
trained = nn.Linear(8, 2)

# %% break no-gpu
os.environ["CUDA_VISIBLE_DEVICES"] = ""  # a computer without a GPU
torch.save(trained.state_dict(), file)
weights = torch.load(file)

# %% check no-gpu
os.environ["CUDA_VISIBLE_DEVICES"] = ""
torch.save(trained.state_dict(), file)
places = set()
torch.load(file, map_location=lambda storage, place: places.add(place) or storage)
print("saved on", places, "- here:", torch.cuda.is_available(), torch.cuda.device_count(), torch.version.cuda)
assert places == {"cuda:0"} and not torch.cuda.is_available()

# %% fix no-gpu
os.environ["CUDA_VISIBLE_DEVICES"] = ""
torch.save(trained.state_dict(), file)
weights = torch.load(file, map_location="cpu")

model = nn.Linear(8, 2)
model.load_state_dict(weights)
model.to("cuda" if torch.cuda.is_available() else "cpu")  # the model decides where it lives, not the file
assert torch.equal(model.weight, trained.weight) and torch.equal(model.bias, trained.bias)


# %%
def load_model(path):
    """In a library that you did not write."""
    model = nn.Linear(8, 2)
    model.load_state_dict(torch.load(path))
    return model


# %% break not-your-line
os.environ["CUDA_VISIBLE_DEVICES"] = ""
torch.save(trained.state_dict(), file)
model = load_model(file)

# %% check not-your-line
os.environ["CUDA_VISIBLE_DEVICES"] = ""
torch.save(trained.state_dict(), file)
callers = []
try:
    load_model(file)
except RuntimeError as error:
    callers = [frame.name for frame in traceback.extract_tb(error.__traceback__)]
print(callers[: callers.index("load")])  # who called torch.load: the last name is the line to change
assert callers[: callers.index("load")] == ["<module>", "load_model"]

# %% fix not-your-line
torch.load = functools.partial(torch.load, map_location="cpu")  # at the top of your program, before the library is used
os.environ["CUDA_VISIBLE_DEVICES"] = ""
torch.save(trained.state_dict(), file)
model = load_model(file)

assert torch.equal(model.weight, trained.weight)

# %% break pickled
os.environ["CUDA_VISIBLE_DEVICES"] = ""
with open(file, "wb") as features:
    pickle.dump({"features": trained.weight.detach()}, features)
with open(file, "rb") as features:
    loaded = pickle.load(features)  # has no map_location

# %% check pickled
os.environ["CUDA_VISIBLE_DEVICES"] = ""
with open(file, "wb") as features:
    pickle.dump({"features": trained.weight.detach()}, features)
with open(file, "rb") as features:
    start = features.read(4)
print(start)  # b"PK\x03\x04": written by torch.save; anything else: by pickle, or by a torch older than 1.6
assert start != b"PK\x03\x04"

# %% fix pickled
os.environ["CUDA_VISIBLE_DEVICES"] = ""
with open(file, "wb") as features:
    pickle.dump({"features": trained.weight.detach()}, features)


class ToCPU(pickle.Unpickler):
    """Like pickle.load, but every tensor goes to the CPU. Only for files that you trust."""

    def find_class(self, module, name):
        if (module, name) == ("torch.storage", "_load_from_bytes"):
            return lambda data: torch.load(io.BytesIO(data), map_location="cpu", weights_only=False)
        return super().find_class(module, name)


with open(file, "rb") as features:
    loaded = ToCPU(features).load()

assert torch.equal(loaded["features"], trained.weight)
assert loaded["features"].device.type == "cpu"

# %% break fewer-gpus
os.environ["CUDA_VISIBLE_DEVICES"] = "0"  # one GPU here; the file was saved on the fourth of another computer
saved_on = "cuda:3"
torch.save(trained.state_dict(), file)
weights = torch.load(file)

# %% check fewer-gpus
os.environ["CUDA_VISIBLE_DEVICES"] = "0"
saved_on = "cuda:3"
torch.save(trained.state_dict(), file)
places = set()
torch.load(file, map_location=lambda storage, place: places.add(place) or storage)
print("saved on", places, "- here:", torch.cuda.device_count())
assert places == {"cuda:3"} and torch.cuda.device_count() == 1

# %% fix fewer-gpus
os.environ["CUDA_VISIBLE_DEVICES"] = "0"
saved_on = "cuda:3"
torch.save(trained.state_dict(), file)
weights = torch.load(file, map_location="cuda:0")  # or "cpu", and .to(device) afterwards

assert weights["weight"].device == torch.device("cuda:0")
assert torch.equal(weights["weight"].cpu(), trained.weight)
