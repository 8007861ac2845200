# ---
# wordings:
#   - text: "Implicit dimension choice for {name:ident} has been deprecated"
#     exception: UserWarning
#     role: remark
#     sample: "UserWarning: Implicit dimension choice for softmax has been deprecated. Change the call to include dim=X as an argument."
# tags: [classification, warning, loss, transformer]
# recover: fix
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.nn.Softmax.html"]
# causes:
#   class-scores:
#     undecided: the shape is not printed
#   three-dims:
#     undecided: the shape is not printed
# ---

# %%
import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(8, 10)  # one row of scores for each sample

# %% break class-scores
probabilities = nn.Softmax()(x)

# %% check class-scores
print(x.shape)  # torch.Size([8, 10]): the classes are in the last dimension
assert x.shape[-1] == 10

# %% fix class-scores
import torch

probabilities = torch.softmax(x, dim=-1)  # also: nn.Softmax(dim=-1)

# %% proof class-scores
assert torch.allclose(probabilities.sum(1), torch.ones(8))
assert torch.allclose(probabilities, x.exp() / x.exp().sum(1, keepdim=True))

# %%
x = torch.randn(4, 5, 10)  # batch, time, classes

# %% break three-dims
probabilities = nn.Softmax()(x)

# %% check three-dims
probabilities = nn.Softmax()(x)
print(probabilities.sum(0)[0, 0])  # 1: over the samples of the batch
print(probabilities[0, 0].sum())  # not 1: no probabilities of classes
assert torch.allclose(probabilities.sum(0), torch.ones(5, 10))
assert (probabilities.sum(-1) - 1).abs().max() > 0.01

# %% fix three-dims
import torch

probabilities = torch.softmax(x, dim=-1)

# %% proof three-dims
assert torch.allclose(probabilities.sum(-1), torch.ones(4, 5))
assert torch.allclose(probabilities[:1], torch.softmax(x[:1], dim=-1))  # each sample by itself
