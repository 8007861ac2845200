# ---
# wordings:
#   - text: "'collections.OrderedDict' object has no attribute '{attr:ident}'"
#     exception: AttributeError
#     near: [torch, .pt, .pth, .ckpt, model, "'eval'", "'cuda'", "'to'", "'parameters'", "'state_dict'", "'train'"]
#     unless: ["attribute 'iter", "attribute 'has_key'", "attribute 'append'", "attribute 'sort'", "attribute '_metadata'", "attribute 'shape'", keras, tensorflow]
#     sample: "AttributeError: 'collections.OrderedDict' object has no attribute 'eval'"
#   - text: "'collections.OrderedDict' object is not callable"
#     exception: TypeError
#     near: [torch, .pt, .pth, .ckpt, model]
#     sample: "outputs = model(images) TypeError: 'collections.OrderedDict' object is not callable"
#   - text: "'dict' object has no attribute 'eval'"
#     exception: AttributeError
#     near: [model-code]
# tags: [checkpoint, inference]
# recover: fix
# related: [checkpoints/state-dict-keys, checkpoints/module-moved]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.load.html"]
# cases:
#   weights:
#     wrong: {kept-the-answer: "https://github.com/piergiaj/super-events-cvpr18/issues/2"}
# causes:
#   weights:
#     if: paste("OrderedDict")
#   checkpoint:
#     if: paste("'dict' object")
# ---

# %%
import os
import tempfile

os.chdir(tempfile.mkdtemp())
import torch
from torch import nn

torch.manual_seed(0)
trained = nn.Sequential(nn.Linear(4, 2))
torch.save(trained.state_dict(), "weights.pt")

# %% break weights
model = torch.load("weights.pt")
model.eval()

# %% check weights
loaded = torch.load("weights.pt")
print(type(loaded).__name__, list(loaded))  # names and tensors, no model
assert list(loaded) == ["0.weight", "0.bias"]

# %% fix weights
import torch
from torch import nn

model = nn.Sequential(nn.Linear(4, 2))  # your class, built as in the training
model.load_state_dict(torch.load("weights.pt"))
model.eval()

# %% proof weights
assert torch.equal(model(torch.ones(1, 4)), trained(torch.ones(1, 4))) and not model.training

# %% use weights
photos = torch.randn(6, 4)
expected = trained(photos).argmax(1)
# >>>
model = torch.load("weights.pt")
# <<<
model.eval()
with torch.no_grad():
    found = torch.cat([model(batch).argmax(1) for batch in photos.split(4)])
assert torch.equal(found, expected)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)  # and it can be trained further
model(photos).square().mean().backward()
optimizer.step()
assert not torch.equal(model[0].weight, trained[0].weight)

# %% wrong kept-the-answer
# `model = model.load_state_dict(…)`: it fills the model that it is called on, and returns a report of
# names. Now `model` is that report.
model = nn.Sequential(nn.Linear(4, 2))
model = model.load_state_dict(torch.load("weights.pt"))
model.eval()

# %%
torch.save({"epoch": 3, "model": trained.state_dict()}, "checkpoint.pt")

# %% break checkpoint
model = torch.load("checkpoint.pt")
model.eval()

# %% check checkpoint
print(list(torch.load("checkpoint.pt")))  # one of these holds the weights
assert list(torch.load("checkpoint.pt")) == ["epoch", "model"]

# %% fix checkpoint
import torch
from torch import nn

model = nn.Sequential(nn.Linear(4, 2))  # your class, built as in the training
model.load_state_dict(torch.load("checkpoint.pt")["model"])
model.eval()

# %% proof checkpoint
assert torch.equal(model(torch.ones(1, 4)), trained(torch.ones(1, 4))) and not model.training
