# ---
# wordings:
#   - text: "a leaf Variable that requires grad is being used in an in-place operation"
#     exception: RuntimeError
#   - text: "a view of a leaf Variable that requires grad is being used in an in-place operation"
#     exception: RuntimeError
#   - text: "a leaf Variable that requires grad has been used in an in-place operation"
#     exception: RuntimeError
#   - text: "leaf variable has been moved into the graph interior"
#     exception: RuntimeError
# tags: [autograd, in-place, fine-tuning, embedding]
# recover: fix
# related: [autograd/modified-by-inplace, autograd/non-leaf-optimizer]
# docs: ["https://docs.pytorch.org/docs/stable/notes/autograd.html#in-place-operations-with-autograd"]
# cases: {weights-set: {wrong: {written-out: "https://github.com/DataXujing/YOLO-v5/issues/23"}}}
# causes:
#   weights-set:
#     if: >-
#       frames("initialize_biases", "weight.copy_(", "bias.copy_(", "weight.fill_(",
#       "bias.fill_(") and not frames(".grad")
#       or live("left", "parameter") and not frames(".grad", "0::2", "1::2")
#     likely: frames(".weight[", ".bias[") and not frames(".grad")
#     sample: |
#       Traceback (most recent call last):
#         File "models/yolo.py", line 80, in __init__
#           self._initialize_biases()
#         File "models/yolo.py", line 149, in _initialize_biases
#           b[:, 4] += math.log(8 / (640 / s) ** 2)
#       RuntimeError: a view of a leaf Variable that requires grad is being used in an in-place operation.
#   manual-update:
#     if: live("left", "grad") and frames(".grad")
#     likely: frames(".grad")
#   input-changed:
#     if: >-
#       live("left", "grad") and live("model") and not live("left", "parameter") and not
#       frames(".grad", "0::2", "1::2")
#     likely: live("left", "grad") and not live("left", "parameter") and not frames("0::2", "1::2")
#     undecided: a tensor of data and a weight print the same
#   sine-table:
#     likely: frames("0::2", "1::2")
# ---

# %%
import math

import torch
from torch import nn

torch.manual_seed(0)
x, y = torch.randn(8, 4), torch.randn(8, 6)
images = torch.rand(2, 4)
model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 6))
loss_fn = nn.MSELoss()
before = [parameter.detach().clone() for parameter in model.parameters()]

# %% break weights-set
model[-1].weight[0] = 0
rows = model[-1].bias.view(3, 2)
rows[:, 0] += math.log(0.01)

# %% check weights-set
bias = model[-1].bias
print(bias.is_leaf, bias.requires_grad)  # True True: a parameter
assert bias.is_leaf and model[-1].bias.requires_grad

# %% fix weights-set
import math

import torch

with torch.no_grad():  # what is done in here is no part of the graph
    model[-1].weight[0] = 0
    rows = model[-1].bias.view(3, 2)
    rows[:, 0] += math.log(0.01)

# %% proof weights-set
expected = before[3].clone()
expected[0::2] += math.log(0.01)
assert torch.allclose(model[-1].bias, expected) and model[-1].weight[0].abs().sum() == 0
assert torch.equal(model[-1].weight[1:], before[2][1:])
assert torch.is_grad_enabled() and model[-1].bias.requires_grad
loss_fn(model(x), y).backward()
assert model[-1].bias.grad.abs().sum() > 0 and model[-1].weight.grad[0].abs().sum() > 0  # they are still trained

# %% use weights-set
model = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 6))
# >>>
model[-1].weight[0] = 0
rows = model[-1].bias.view(3, 2)
rows[:, 0] += math.log(0.01)
# <<<
assert (model[-1].bias[::2] < -4).all()
optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
losses = []
for _ in range(30):
    optimizer.zero_grad()
    loss = loss_fn(model(x), y)
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
assert losses[-1] < 0.5 * losses[0] and model[-1].weight[0].any()

# %% wrong written-out
# `b[:, 0] = b[:, 0] + …` in place of `+=`: an assignment into a part of a tensor is in place, too.
rows = model[-1].bias.view(3, 2)
rows[:, 0] = rows[:, 0] + math.log(0.01)

# %% break manual-update
loss_fn(model(x), y).backward()
for parameter in model.parameters():
    parameter -= 0.1 * parameter.grad

# %% check manual-update
loss_fn(model(x), y).backward()
print(model[0].weight.is_leaf, model[0].weight.grad is not None)  # True True
assert model[0].weight.is_leaf and model[0].weight.grad is not None

# %% fix manual-update
import torch

loss_fn(model(x), y).backward()
with torch.no_grad():
    for parameter in model.parameters():
        parameter -= 0.1 * parameter.grad  # the step of plain SGD
        parameter.grad = None  # or the next backward() adds to it

# %% proof manual-update
other = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 6))
other.load_state_dict(dict(zip(other.state_dict(), before, strict=True)))
optimizer = torch.optim.SGD(other.parameters(), lr=0.1)
loss_fn(other(x), y).backward()
optimizer.step()
assert all(torch.allclose(one, two) for one, two in zip(model.parameters(), other.parameters(), strict=True))
assert all(parameter.grad is None and parameter.requires_grad for parameter in model.parameters())

# %% break input-changed
images.requires_grad_()  # for a saliency map, or an adversarial example
images -= images.mean()
model(images).sum().backward()

# %% check input-changed
images.requires_grad_()
# True True: data that you made a leaf yourself
print(images.is_leaf, images.requires_grad)
assert images.is_leaf and images.requires_grad

# %% fix input-changed
images.requires_grad_()
inputs = images - images.mean()  # a new tensor; images stays what it was
model(inputs).sum().backward()

# %% proof input-changed
pixels = images.detach().clone().requires_grad_()
(expected,) = torch.autograd.grad(model(pixels - pixels.mean()).sum(), pixels)
assert torch.allclose(images.grad, expected) and expected.abs().sum() > 0
assert images.min() >= 0 and inputs.mean().abs() < 1e-6

# %% break sine-table
angles = torch.arange(50.0)[:, None] / 10000 ** (torch.arange(0, 8, 2) / 8)
table = nn.Embedding(50, 8).weight
table[:, 0::2] = torch.sin(angles)
table[:, 1::2] = torch.cos(angles)

# %% check sine-table
table = nn.Embedding(50, 8).weight
# <class '...Parameter'>: a table that is not trained need not be one
print(type(table))
assert isinstance(table, nn.Parameter)

# %% fix sine-table
import torch
from torch import nn

angles = torch.arange(50.0)[:, None] / 10000 ** (torch.arange(0, 8, 2) / 8)
table = torch.empty(50, 8)  # a plain tensor is filled first
table[:, 0::2] = torch.sin(angles)
table[:, 1::2] = torch.cos(angles)
positions = nn.Embedding.from_pretrained(table)  # frozen: it is not trained

# %% proof sine-table
found = positions(torch.tensor([0, 3]))
assert torch.equal(found[0], torch.tensor([0.0, 1.0] * 4)) and not positions.weight.requires_grad
assert math.isclose(found[1, 2].item(), math.sin(0.3), abs_tol=1e-6) and math.isclose(found[1, 3].item(), math.cos(0.3), abs_tol=1e-6)
assert abs(found[1, 6].item() - math.sin(0.003)) < 1e-6
