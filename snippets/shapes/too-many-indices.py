# ---
# wordings:
#   - text: "too many indices for tensor of dimension {n:int}"
#     exception: IndexError
#     sample: "IndexError: too many indices for tensor of dimension 1"
#   - text: "invalid index of a 0-dim tensor"
#     exception: IndexError
#   - text: "trying to index {used:int} dimensions of a {n2:int} dimensional tensor"
#     exception: IndexError
#     sample: "IndexError: trying to index 2 dimensions of a 1 dimensional tensor"
#   - text: "the number of subscripts in the equation ({subscripts:int}) does not match the number of dimensions ({dims:int}) for operand {i:int}"
#     exception: RuntimeError
#     sample: "RuntimeError: einsum(): the number of subscripts in the equation (2) does not match the number of dimensions (1) for operand 1 and no ellipsis was given"
# tags: [shape, batch-size]
# recover: fix
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.squeeze.html", "https://docs.pytorch.org/docs/stable/generated/torch.einsum.html"]
# causes:
#   one-sample:
#     likely: >-
#       n > 0 and len(live.left.shape) == n and not live("left", "by squeeze") and
#       not live("via squeeze")
#     undecided: what the tensor holds is not printed
#   loss-index:
#     if: paste("invalid index of a 0-dim tensor") and frames("loss.data[0]", "loss[0]")
#     likely: >-
#       paste("invalid index of a 0-dim tensor") or n == 0 and frames("loss", "losses")
#   squeezed:
#     if: live("left", "by squeeze")
#     likely: live("via squeeze") or frames(".squeeze()") or subscripts - dims == 1
# ---

# %%
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(3, 2)
dataset = torch.rand(5, 3)
x = dataset[0]  # one sample: [3]

# %% break one-sample
scores = model(x)[:, 1]

# %% check one-sample
print(x.shape, model(x).shape)  # no batch in front
assert x.dim() == 1

# %% fix one-sample
scores = model(x[None])[:, 1]  # [1, 3]: a batch of one

# %% proof one-sample
torch.testing.assert_close(scores, model(dataset)[:1, 1])

# %%
images, x = torch.rand(1, 4, 6, 6), torch.rand(1, 4, 1, 1)  # a batch of one

# %% break squeezed
weighted = torch.einsum("bchw,bc->bchw", images, x.squeeze())

# %% check squeezed
print(x.squeeze().shape)  # [4]: the batch was taken out, too, because it is 1
assert x.squeeze().dim() == 1

# %% fix squeezed
import torch

# instead of x.flatten(1) also x.squeeze(3).squeeze(2)
weighted = torch.einsum("bchw,bc->bchw", images, x.flatten(1))

# %% proof squeezed
torch.testing.assert_close(weighted, images * x)

# %%
loss = model(dataset).mean()

# %% break loss-index
number = loss.data[0]

# %% check loss-index
print(loss.shape)  # []: a single number, which has no place 0
assert loss.dim() == 0

# %% fix loss-index
number = loss.item()

# %% proof loss-index
assert type(number) is float and abs(number - model(dataset).mean().item()) < 1e-6
