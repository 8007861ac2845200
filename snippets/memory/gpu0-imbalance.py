# ---
# tags: [checkpoint, cuda, ddp, multi-gpu, oom]
# recover: process
# cases:
#   no-set-device: {needs: [multi-gpu]}
#   checkpoint: {wrong: {empty-cache: "https://github.com/rosinality/stylegan2-pytorch/pull/31"}}
# related: [checkpoints/deserialize-cuda, memory/cuda-oom]
# rows: [S001-105, S003-09]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.load.html", "https://docs.pytorch.org/docs/stable/generated/torch.nn.parallel.DistributedDataParallel.html"]
# causes:
#   gathered-outputs:
#   no-set-device:
#   checkpoint:
#   device-map:
# ---

# %%
import os
import tempfile
from collections import Counter

import torch
from torch import nn

torch.set_default_device(None)
torch.manual_seed(0)
os.chdir(tempfile.mkdtemp())
trained = nn.Linear(1024, 256)  # 1 MiB of weights
placed = Counter()


def place(storage, location):
    """Called by torch.load for each tensor: what would go to a GPU is counted, and stays on the CPU."""
    if location.startswith("cuda"):
        placed[location] += storage.nbytes()
        return storage
    return None


# Label what is saved as the first process of a training run does.
torch.serialization.register_package(0, lambda storage: "cuda:0", place)
torch.save(trained.state_dict(), "checkpoint.pt")
model = nn.Linear(1024, 256)

# %% break checkpoint
for rank in range(4):  # four processes, one for each GPU: each runs this line
    weights = torch.load("checkpoint.pt")

one_copy = sum(value.nbytes for value in trained.state_dict().values())
assert placed == {"cuda:0": 4 * one_copy}  # all four copies on the first GPU

# %% check checkpoint
places = set()
torch.load("checkpoint.pt", map_location=lambda data, at: places.add(at) or data)
print(places)  # where torch.load puts the tensors, in every process
assert places == {"cuda:0"}

# %% fix checkpoint
import torch

weights = torch.load("checkpoint.pt", map_location="cpu")
model.load_state_dict(weights)  # then model.to(...) the GPU of this process

# %% proof checkpoint
assert not placed  # nothing went to a GPU
assert torch.equal(model.weight, trained.weight) and torch.equal(model.bias, trained.bias)
for rank in range(4):
    torch.load("checkpoint.pt", map_location=f"cuda:{rank}")  # or at once to the GPU of this process
assert len(placed) == 4 and len(set(placed.values())) == 1

# %% use checkpoint
model = nn.Linear(1024, 256)
# >>>
weights = torch.load("checkpoint.pt")
model.load_state_dict(weights)
# <<<
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for x in torch.randn(2, 4, 1024):
    optimizer.zero_grad()
    model(x).square().mean().backward()
    optimizer.step()
assert not placed and not torch.equal(model.weight, trained.weight)
torch.testing.assert_close(model.weight, trained.weight, rtol=0, atol=0.1)

# %% wrong empty-cache
# `del` and `torch.cuda.empty_cache()` behind `torch.load`: each process has put its copy on the
# first GPU before. At that moment all of them are there.
weights = torch.load("checkpoint.pt")
model.load_state_dict(weights)
del weights
torch.cuda.empty_cache()

# %%
os.environ["LOCAL_RANK"] = "1"  # torchrun sets it: this is the second process

# %% break no-set-device
model = model.cuda()  # the current device is still the first GPU
assert torch.cuda.memory_allocated(0) > 2**20
assert torch.cuda.memory_allocated(1) == 0

# %% check no-set-device
# must agree before anything else touches CUDA
print(torch.cuda.current_device(), os.environ["LOCAL_RANK"])
assert torch.cuda.current_device() != int(os.environ["LOCAL_RANK"])

# %% fix no-set-device
import os

import torch

torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))  # first of all
model = model.cuda()

# %% proof no-set-device
assert torch.cuda.memory_allocated(0) == 0
assert torch.cuda.memory_allocated(1) > 2**20
assert model.weight.device == torch.device("cuda", 1)

# %%
device = "cuda" if torch.cuda.is_available() else "cpu"
x, y = torch.randint(8000, (2, 32, 64), device=device)  # 32 texts of 64 tokens
language_model = nn.Sequential(nn.Embedding(8000, 32), nn.Linear(32, 8000)).to(device)
model, loss_fn = language_model, nn.CrossEntropyLoss()


class FourGPUs(nn.DataParallel):
    """As on four GPUs: a part of the batch for each, and what they return in one tensor."""

    def forward(self, *inputs):
        parts = [self.module(*part) for part in zip(*(tensor.chunk(4) for tensor in inputs), strict=True)]
        return torch.cat(parts) if parts[0].dim() else torch.stack(parts)


nn.DataParallel = FourGPUs

# %% break gathered-outputs
parts = [model(part) for part in x.chunk(4)]  # DataParallel: a quarter for each ...
outputs = torch.cat(parts)  # ... and all outputs are copied to the first one
loss = loss_fn(outputs.flatten(0, 1), y.flatten())  # it computes the loss for all

assert outputs.nbytes == 4 * parts[0].nbytes  # what the first GPU holds in addition
assert outputs.nbytes > 1_000_000 * loss.nbytes

# %% check gathered-outputs
outputs = model(x)
print(outputs.nbytes // 2**20, "MiB")  # for the whole batch; backward needs as much
assert outputs.nbytes > 50 * 2**20

# %% fix gathered-outputs
from torch import nn


class WithLoss(nn.Module):
    """What DataParallel should wrap: returns one number for each GPU."""

    def __init__(self, model, loss_fn):
        super().__init__()
        self.model = model
        self.loss_fn = loss_fn

    def forward(self, x, y):
        return self.loss_fn(self.model(x).flatten(0, 1), y.flatten())


model = nn.DataParallel(WithLoss(model, loss_fn))
loss = model(x, y).mean()

# %% proof gathered-outputs
right = loss_fn(language_model(x).flatten(0, 1), y.flatten())
torch.testing.assert_close(loss, right, rtol=1e-4, atol=1e-5)
parts = torch.stack([model.module(few_x, few_y) for few_x, few_y in zip(x.chunk(4), y.chunk(4), strict=True)])  # as on four GPUs
assert parts.nbytes == 16
torch.testing.assert_close(parts.mean(), right, rtol=1e-4, atol=1e-5)
loss.backward()
assert language_model[0].weight.grad.any()
