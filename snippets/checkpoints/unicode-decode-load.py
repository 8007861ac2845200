# ---
# wordings:
#   - text: "'{codec:path}' codec can't decode byte {byte:ident} in position {at:int}"
#     exception: UnicodeDecodeError
#     near: [torch.load, serialization.py, unpickler.load()]
#     sample: |
#       Traceback (most recent call last):
#         File "torch/serialization.py", line 1896, in _legacy_load
#           result = unpickler.load()
#         File "torch/_weights_only_unpickler.py", line 524, in load
#           strdata = strdata.decode(self.encoding, "strict")
#       UnicodeDecodeError: 'utf-8' codec can't decode byte 0xb0 in position 2: invalid start byte
# tags: [checkpoint, numpy]
# recover: fix
# related: [checkpoints/deserialize-cuda]
# rows: [S001-124]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.load.html"]
# cases:
#   text:
#     wrong: {patched-pickle: "https://github.com/594422814/UDT_pytorch/issues/2"}
# causes:
#   text:
#     undecided: before PyTorch 2.6 both print the same where the text is short
#     if: >-
#       frames("_weights_only_unpickler") or at >= 64 and codec == "ascii" and not paste("magic_number")
#       and byte in ["0xc2", "0xc3", "0xe2", "0xe3", "0xe4", "0xe5", "0xe6", "0xe7", "0xe8", "0xe9"]
#     likely: at >= 64 or codec == "ascii" and byte in ["0xc2", "0xc3", "0xe2", "0xe3", "0xe4", "0xe5", "0xe6", "0xe7", "0xe8", "0xe9"]
#   arrays:
#     likely: at < 64 and paste("unpickler.load()")
#   plain-pickle:
#     if: paste("magic_number")
# ---

# %%
import os
import pickle
import tempfile
import types

import numpy as np
import torch
from torch import nn

torch.manual_seed(0)
os.chdir(tempfile.mkdtemp())
trained = nn.Linear(8, 2, device="cpu")


class Pickler(pickle._Pickler):
    """Writes text and data as Python 2 did: as bytes that do not say which they are, nor in which encoding."""

    def save_bytes(self, value):
        data = value.encode("latin1") if isinstance(value, str) else value
        self.write(pickle.SHORT_BINSTRING + bytes([len(data)]) + data)
        self.memoize(value)

    dispatch = {**pickle._Pickler.dispatch, str: save_bytes, bytes: save_bytes}


def dump(thing, opened, protocol=2):
    Pickler(opened, protocol).dump(thing)


python2 = types.SimpleNamespace(__name__="pickle", Pickler=Pickler, dump=dump)


def save_with_python2(thing):
    """The file that torch.save made under Python 2."""
    torch.save(thing, "old.pth", pickle_module=python2, _use_new_zipfile_serialization=False)


save_with_python2({"state_dict": trained.state_dict(), "note": "30°C, lr 0.1"})
model = nn.Linear(8, 2, device="cpu")

# %% break text
checkpoint = torch.load("old.pth")
model.load_state_dict(checkpoint["state_dict"])

# %% check text
checkpoint = torch.load("old.pth", encoding="bytes")  # decodes nothing
undecoded = {key: x for key, x in checkpoint.items() if isinstance(x, bytes)}
print(list(checkpoint), undecoded)  # all texts are bytes: Python 2 wrote them
assert undecoded == {b"note": b"30\xb0C, lr 0.1"}

# %% fix text
import torch

checkpoint = torch.load("old.pth", encoding="latin1")
model.load_state_dict(checkpoint["state_dict"])
torch.save(checkpoint["state_dict"], "new.pth")  # from now on load this one

# %% proof text
assert torch.equal(model.weight, trained.weight) and torch.equal(model.bias, trained.bias)
assert checkpoint["note"] == "30°C, lr 0.1"
again = torch.load("new.pth")  # without an encoding
assert list(again) == list(trained.state_dict()) and torch.equal(again["weight"], trained.weight)

# %% use text
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(5, 8), torch.randint(2, (5,))
# >>>
checkpoint = torch.load("old.pth")
model.load_state_dict(checkpoint["state_dict"])
# <<<
assert torch.equal(model(x), trained(x))
nn.functional.cross_entropy(model(x), y).backward()
optimizer.step()
torch.save({"state_dict": model.state_dict(), "note": checkpoint["note"]}, "old.pth")
again = torch.load("old.pth")
assert not torch.equal(again["state_dict"]["weight"], trained.weight)
assert again["note"].startswith("30°C")

# %% wrong patched-pickle
# Python's pickle patched, so that it always has `encoding="latin1"`: `torch.load` passes an encoding
# of its own.
from functools import partial

pickle.load = partial(pickle.load, encoding="latin1")
pickle.Unpickler = partial(pickle.Unpickler, encoding="latin1")
checkpoint = torch.load("old.pth")

# %%
save_with_python2({"state_dict": trained.state_dict(), "mean": np.array([0.485, 0.456, 0.406])})

# %% break arrays
checkpoint = torch.load("old.pth", weights_only=False)

# %% check arrays
with open("old.pth", "rb") as opened:
    found = b"multiarray" in opened.read()
print(found)  # True: there are NumPy arrays in the file
assert found

# %% fix arrays
import torch

# only for a file that you trust
checkpoint = torch.load("old.pth", encoding="latin1", weights_only=False)

# %% proof arrays
assert checkpoint["mean"].tolist() == [0.485, 0.456, 0.406]
assert torch.equal(checkpoint["state_dict"]["weight"], trained.weight)

# %%
with open("old.pkl", "wb") as opened:
    dump({"fc.weight": trained.weight.detach().numpy()}, opened)  # of another framework

# %% break plain-pickle
weights = torch.load("old.pkl", weights_only=False)

# %% check plain-pickle
torch_starts = pickle.dumps(0x1950A86A20F9469CFC6C, 2)[:8]  # old torch.save files
with open("old.pkl", "rb") as opened:
    start = opened.read(8)
print(start.startswith((b"PK", torch_starts)))  # False: not written by torch.save
assert not start.startswith((b"PK", torch_starts))

# %% fix plain-pickle
import pickle

import torch

with open("old.pkl", "rb") as opened:
    arrays = pickle.load(opened, encoding="latin1")  # only a file that you trust
weights = {name: torch.from_numpy(array) for name, array in arrays.items()}

# %% proof plain-pickle
assert isinstance(weights["fc.weight"], torch.Tensor) and torch.equal(weights["fc.weight"], trained.weight)
