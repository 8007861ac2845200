# ---
# wordings:
#   - text: "source code of class '{class:ident}' has changed"
#     exception: SourceChangeWarning
#     near: [torch, dump_patches, SourceChangeWarning]
#     sample: "torch/serialization.py:657: SourceChangeWarning: source code of class 'models.yolo.Detect' has changed. you can retrieve the original source code by accessing the object's source attribute or set `torch.nn.Module.dump_patches = True` and use the patch tool to revert the changes."
#   - text: "Couldn't retrieve source code for container of type {class:ident}"
#     exception: UserWarning
#     sample: "UserWarning: Couldn't retrieve source code for container of type Net. It won't be checked for correctness upon loading."
# tags: [checkpoint, warning]
# recover: fix
# related: [checkpoints/module-moved, checkpoints/weights-only]
# docs: ["https://docs.pytorch.org/tutorials/beginner/saving_loading_models.html"]
# ---

# %%
import os
import sys
import tempfile
import warnings

os.chdir(tempfile.mkdtemp())
sys.path.insert(0, "")
import torch

torch.manual_seed(0)
with open("nets.py", "w") as file:
    file.write("from torch import nn\n\n\nclass Net(nn.Linear):\n    pass\n")
from nets import Net

trained = Net(4, 2)
torch.save(trained, "model.pt", _use_new_zipfile_serialization=False)  # the format of old releases
with open("nets.py", "w") as file:  # the code is developed further
    file.write("from torch import nn\n\n\nclass Net(nn.Linear):\n    def forward(self, x):\n        return super().forward(x)\n")
import linecache

linecache.clearcache()

# %% break whole-model
warnings.simplefilter("error")
model = torch.load("model.pt", weights_only=False)

# %% check whole-model
warnings.simplefilter("ignore")
loaded = torch.load("model.pt", weights_only=False)
print(type(loaded).__name__)  # Net: the file holds a whole model, not weights
assert isinstance(loaded, torch.nn.Module)

# %%
warnings.resetwarnings()

# %% fix whole-model
import warnings

import torch
from nets import Net  # your class, as it is now

warnings.simplefilter("ignore", torch.serialization.SourceChangeWarning)
old = torch.load("model.pt", weights_only=False)  # runs code: only files you trust
torch.save(old.state_dict(), "weights.pt")  # once

model = Net(4, 2)  # built as for the training
model.load_state_dict(torch.load("weights.pt"))
model.eval()

# %% proof whole-model
warnings.simplefilter("error")
assert torch.equal(model(torch.ones(1, 4)), trained(torch.ones(1, 4))) and not model.training
weights = torch.load("weights.pt")
assert list(weights) == ["weight", "bias"] and torch.equal(weights["weight"], trained.weight)
