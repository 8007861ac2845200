# ---
# wordings:
#   - text: "iteration over a 0-d tensor"
#     exception: TypeError
#     unless: [paddle, tensorflow]
#   - text: "len() of a 0-d tensor"
#     exception: TypeError
#   - text: "slice() cannot be applied to a 0-dim tensor"
#     exception: IndexError
#   - text: "expects at least a 1-dimensional tensor"
#     exception: RuntimeError
#     sample: "RuntimeError: split expects at least a 1-dimensional tensor"
#   - text: "iteration over a 0-d array"
#     exception: TypeError
#     near: [torch]
#     sample: "    for i in torch.argmax(scores).numpy():\nTypeError: iteration over a 0-d array"
#   - text: "len() of unsized object"
#     exception: TypeError
#     near: [torch]
#     sample: "    n = len(torch.argmax(scores).numpy())\nTypeError: len() of unsized object"
# tags: [shape, loss, rnn, batch-size, numpy]
# recover: fix
# related: [shapes/too-many-indices, shapes/scalar-conversion, shapes/bool-ambiguous]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.Tensor.item.html", "https://docs.pytorch.org/docs/stable/generated/torch.atleast_1d.html"]
# causes:
#   squeezed:
#     if: frames(".squeeze():", ".squeeze()]") or live("left", "by squeeze")
#     likely: live("via squeeze") or frames(".squeeze()")
#     sample: |
#       Traceback (most recent call last):
#         File "/home/a/train.py", line 352, in <module>
#           for i in torch.max(scores, 1)[1].data.squeeze():
#         File "/env/lib/python3.7/site-packages/torch/tensor.py", line 451, in __iter__
#           raise TypeError('iteration over a 0-d tensor')
#       TypeError: iteration over a 0-d tensor
#   number:
#     likely: >-
#       frames("(loss)", "in loss:", "(*loss)") or live("run", "goes into backward") and not
#       live("left", "by squeeze") and not live("via squeeze")
#   builtin:
#     likely: frames("any(", "all(", "max(", "min(", "sum(") and not paste("len() of")
#   old-rnn:
#     if: frames("in repackage_hidden")
# ---

# %%
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(3, 1)
dataset = torch.rand(5, 3)
loader = dataset.split(2)  # the last batch holds one

# %% break squeezed
scores = []
for x in loader:
    scores.extend(model(x).squeeze())

# %% check squeezed
x = loader[-1]
print(model(x).shape, model(x).squeeze().shape)  # [1, 1] becomes []
assert model(x).squeeze().dim() == 0

# %% fix squeezed
scores = []
for x in loader:
    scores.extend(model(x).squeeze(1))  # [1, 1] becomes [1]

# %% proof squeezed
torch.testing.assert_close(torch.stack(scores), model(dataset)[:, 0])

# %% use squeezed
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for loader in (torch.rand(4, 3).split(3), torch.rand(1, 3).split(2)):
    # >>>
    scores = []
    for x in loader:
        scores.extend(model(x).squeeze())
    # <<<
    optimizer.zero_grad()
    torch.stack(scores).square().mean().backward()
    optimizer.step()
assert len(scores) == 1 and model.weight.grad.any()

# %%
y = torch.rand(5, 1)
loss_fn = nn.MSELoss()

# %% break number
loss = loss_fn(model(dataset), y)
average = sum(loss) / len(loss)

# %% check number
loss = loss_fn(model(dataset), y)
print(loss.shape)  # []: the mean of the batch already
assert loss.dim() == 0

# %% fix number
loss = loss_fn(model(dataset), y)
average = loss.item()

# %% proof number
assert type(average) is float and abs(average - (model(dataset) - y).square().mean().item()) < 1e-6

# %%
x = -dataset.sum()  # one number

# %% break builtin
if any(x <= 0):
    x = x.abs() + 1e-6

# %% fix builtin
if (x <= 0).any():  # for every shape
    x = x.abs() + 1e-6

# %% proof builtin
assert torch.equal(x, dataset.sum() + 1e-6)

# %%
x = dataset

# %% break old-rnn
from torch.autograd import Variable


def repackage_hidden(h):
    if type(h) == Variable:
        return Variable(h.data)
    return tuple(repackage_hidden(v) for v in h)


state = repackage_hidden(model(x))

# %% fix old-rnn
import torch


def repackage_hidden(h):
    if isinstance(h, torch.Tensor):
        return h.detach()
    return tuple(repackage_hidden(v) for v in h)


state = repackage_hidden(model(x))

# %% proof old-rnn
assert torch.equal(state, model(x)) and not state.requires_grad
h, (c, d) = repackage_hidden((model(x), (model(x), state)))
assert torch.equal(h, state) and torch.equal(c, d) and not (h.requires_grad or c.requires_grad)
