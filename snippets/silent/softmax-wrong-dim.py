# ---
# tags: [classification, segmentation, transformer]
# recover: fix
# related: [nn/implicit-softmax-dim]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.softmax.html"]
# causes:
#   over-the-batch:
#   over-the-width:
#   over-the-queries:
# ---

# %%
import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(4, 8)
model = nn.Sequential(nn.Linear(8, 3), nn.Softmax(dim=0))  # (4, 3): over the batch

# %% break over-the-batch
alone = model(x[:1])
print(alone, model(x)[:1])  # the same sample, alone and beside three others
assert torch.equal(alone, torch.ones(1, 3))  # sure of all classes at once

# %% check over-the-batch
from torchclinic import checks

print(checks.probabilities(model(x)))
assert "softmax(dim=0)" not in str(checks.probabilities(model(x)))
assert "over dimension 0 they do" in str(checks.probabilities(model(x)))

# %% fix over-the-batch
from torch import nn

model[1] = nn.Softmax(dim=-1)  # over the classes, in the last dimension

# %% proof over-the-batch
from torchclinic import checks

assert not checks.probabilities(model(x))
torch.testing.assert_close(model(x)[:1], model(x[:1]))
torch.testing.assert_close(model(x[None])[0], model(x))  # with a dimension more, still the last
scores = model[0](x).exp()
torch.testing.assert_close(model(x), scores / scores.sum(dim=1, keepdim=True))

# %%
x = torch.randn(2, 3, 8, 8)
model = nn.Conv2d(3, 5, 1)  # 5 classes for each pixel: (2, 5, 8, 8)

# %% break over-the-width
probabilities = model(x).softmax(dim=-1)  # the last one is the width here
pixel = probabilities[0, :, 0, 0]
print(f"the classes of a pixel sum to {pixel.sum():.2f}")
assert abs(pixel.sum() - 1) > 0.1

# %% check over-the-width
from torchclinic import checks

probabilities = model(x).softmax(dim=-1)
print(checks.probabilities(probabilities, dim=1))  # where the classes stand
assert "over dimension 3 they do" in str(checks.probabilities(probabilities, dim=1))

# %% fix over-the-width
probabilities = model(x).softmax(dim=1)  # (batch, classes, height, width)

# %% proof over-the-width
from torchclinic import checks

assert not checks.probabilities(probabilities, dim=1)
scores = model(x)[0, :, 2, 3].exp()
torch.testing.assert_close(probabilities[0, :, 2, 3], scores / scores.sum())

# %%
query, key, value = torch.randn(3, 2, 6, 8)  # each (batch, places, features)

# %% break over-the-queries
weights = (query @ key.mT / 8**0.5).softmax(dim=-2)  # (batch, queries, keys)
print([round(total, 2) for total in weights[0].sum(dim=-1).tolist()])
assert (weights.sum(dim=-1) - 1).abs().max() > 0.5

# %% check over-the-queries
from torchclinic import checks

weights = (query @ key.mT / 8**0.5).softmax(dim=-2)
print(checks.probabilities(weights))
assert "not 1" in str(checks.probabilities(weights))

# %% fix over-the-queries
import torch

query = key = value = x  # (batch, places, features)
scores = query @ key.mT / key.shape[-1] ** 0.5
weights = scores.softmax(dim=-1)  # each query shares itself out over the keys
output = weights @ value

# %% proof over-the-queries
from torchclinic import checks

assert not checks.probabilities(weights)
torch.testing.assert_close(output, torch.nn.functional.scaled_dot_product_attention(x, x, x))
