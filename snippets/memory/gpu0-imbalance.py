# ---
# tags: [checkpoint, cuda, ddp, multi-gpu, oom]
# cases:
#   no-set-device: {needs: [multi-gpu]}
# related: [checkpoints/deserialize-cuda, memory/cuda-oom]
# rows: [S001-105, S003-09]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.load.html", "https://docs.pytorch.org/docs/stable/generated/torch.nn.parallel.DistributedDataParallel.html"]
# ---

# %%
import os
import tempfile
from collections import Counter

import torch
from torch import nn

torch.set_default_device(None)
torch.manual_seed(0)
file = os.path.join(tempfile.mkdtemp(), "checkpoint.pt")
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
torch.save(trained.state_dict(), file)

# %% break checkpoint
for rank in range(4):  # four processes, one for each GPU: each of them runs this line
    weights = torch.load(file)

assert list(placed) == ["cuda:0"]  # all four copies on the first GPU
assert placed["cuda:0"] == 4 * sum(value.nbytes for value in trained.state_dict().values())

# %% check checkpoint
places = set()
torch.load(file, map_location=lambda storage, place: places.add(place) or storage)
print(places)  # where torch.load puts the tensors, in every process, if nobody says otherwise
assert places == {"cuda:0"}

# %% fix checkpoint
for rank in range(4):
    weights = torch.load(file, map_location="cpu")
    # then model.load_state_dict(weights), and model.to(f"cuda:{rank}")

assert not placed  # nothing went to a GPU
assert torch.equal(weights["weight"], trained.weight)

for rank in range(4):
    torch.load(file, map_location=f"cuda:{rank}")  # or at once to the GPU of this process
assert len(placed) == 4 and len(set(placed.values())) == 1

# %% break no-set-device
rank = 1  # int(os.environ["LOCAL_RANK"]) in the second process that torchrun starts
model = trained.cuda()  # the current device is still the first GPU
assert torch.cuda.memory_allocated(0) > 2**20
assert torch.cuda.memory_allocated(rank) == 0

# %% check no-set-device
rank = 1  # this process's LOCAL_RANK
print(torch.cuda.current_device())  # must be the process's own GPU before anything else touches CUDA
assert torch.cuda.current_device() != rank

# %% fix no-set-device
rank = 1  # int(os.environ["LOCAL_RANK"])
torch.cuda.set_device(rank)  # first of all
model = trained.cuda()

assert torch.cuda.memory_allocated(0) == 0
assert torch.cuda.memory_allocated(rank) > 2**20
assert model.weight.device == torch.device("cuda", rank)

# %%
tokens, targets = torch.randint(8000, (2, 32, 64))  # 32 texts of 64 tokens
language_model = nn.Sequential(nn.Embedding(8000, 32), nn.Linear(32, 8000))
cross_entropy = nn.CrossEntropyLoss()

# %% break gathered-outputs
parts = [language_model(part) for part in tokens.chunk(4)]  # DataParallel: a quarter of the batch on each GPU ...
outputs = torch.cat(parts)  # ... and all outputs are copied to the first one
loss = cross_entropy(outputs.flatten(0, 1), targets.flatten())  # where the loss is computed, for everybody

assert outputs.nbytes == 4 * parts[0].nbytes  # so the first GPU holds these in addition to its own quarter
assert outputs.nbytes > 1_000_000 * loss.nbytes

# %% check gathered-outputs
outputs = language_model(tokens)
print(outputs.nbytes // 2**20, "MiB")  # what forward() returns for the whole batch; the backward pass needs as much again
assert outputs.nbytes > 50 * 2**20


# %% fix gathered-outputs
class WithLoss(nn.Module):
    """What DataParallel should wrap: returns one number for each GPU."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, tokens, targets):
        return cross_entropy(self.model(tokens).flatten(0, 1), targets.flatten())


model = WithLoss(language_model)
parts = torch.stack([model(few_tokens, few_targets) for few_tokens, few_targets in zip(tokens.chunk(4), targets.chunk(4), strict=True)])
loss = parts.mean()  # the parts are equally large

assert parts.nbytes == 16
torch.testing.assert_close(loss, cross_entropy(language_model(tokens).flatten(0, 1), targets.flatten()), rtol=1e-4, atol=1e-5)
