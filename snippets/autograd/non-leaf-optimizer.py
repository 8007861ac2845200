# ---
# wordings:
#   - text: "can't optimize a non-leaf Tensor"
#     exception: ValueError
#   - text: "can't optimize a non-leaf Variable"
#     exception: ValueError
# tags: [autograd, embedding, fine-tuning, optimizer]
# recover: fix
# related: [autograd/grad-is-none]
# rows: [S001-109]
# cases:
#   lost-from-the-model: {silent: true}
#   converted-after: {wrong: {computed-once: "https://github.com/pytorch/pytorch/issues/140469"}}
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.Tensor.is_leaf.html"]
# causes:
#   converted-after:
#     if: >-
#       paste("grad_fn=<CopyBackwards", "grad_fn=<ToCopyBackward", "grad_fn=<CloneBackward",
#       "requires_grad=True).to(", "requires_grad=True).cuda(", "requires_grad=True).double(",
#       "requires_grad=True).float(", "requires_grad=True).half(", "requires_grad=True) * ",
#       "requires_grad=True) / ")
#       or begins(live.refused.grad_fn, "ToCopyBackward", "CloneBackward", "CopyBackwards")
#     likely: >-
#       paste("grad_fn=<MulBackward", "grad_fn=<DivBackward", "grad_fn=<AddBackward",
#       "grad_fn=<SubBackward", ".params()", ".cuda()]", ".to(device)]")
#       or begins(live.refused.grad_fn, "MulBackward", "DivBackward", "AddBackward", "SubBackward")
#     sample: |
#       tensor([0.5000], device='cuda:0', grad_fn=<ToCopyBackward0>)
#       Traceback (most recent call last):
#         File "train.py", line 31, in <module>
#           optimizer = torch.optim.Adam([scale], lr=0.1)
#       ValueError: can't optimize a non-leaf Tensor
#     undecided: the traceback names the optimizer, and not what was done to the tensor before
#   part-of-a-weight:
#     if: >-
#       paste("grad_fn=<SliceBackward", "grad_fn=<SelectBackward", "grad_fn=<TBackward",
#       "grad_fn=<TransposeBackward", "grad_fn=<AsStridedBackward")
#       or begins(live.refused.grad_fn, "SliceBackward", "SelectBackward", "TBackward",
#       "TransposeBackward", "AsStridedBackward")
#     likely: frames(".weight[") or paste("grad_fn=<ViewBackward", "grad_fn=<IndexBackward", "grad_fn=<UnbindBackward", "grad_fn=<SplitBackward")
#     sample: |
#       Traceback (most recent call last):
#         File "train.py", line 31, in <module>
#           optimizer = torch.optim.Adam([model.embedding.weight[50257:]], lr=1e-3)
#       ValueError: can't optimize a non-leaf Tensor
#     undecided: the traceback names the optimizer, and not what was done to the tensor before
#   computed-weight:
#     likely: frames(".weight,", ".weight]", ".weight}") or paste("weight_norm", "spectral_norm", "parametrizations")
#   lost-from-the-model:
# ---

# %%
import torch
from torch import nn

torch.manual_seed(0)

# %% break converted-after
# the same with .cuda(), .to(device), * 0.1, .reshape(...)
mask = nn.Parameter(torch.rand(3)).double()
optimizer = torch.optim.SGD([mask], lr=0.1)

# %% check converted-after
mask = nn.Parameter(torch.rand(3)).double()
# False <ToCopyBackward0 ...>: the line that made it names itself
print(mask.is_leaf, mask.grad_fn)
assert not mask.is_leaf

# %% fix converted-after
import torch
from torch import nn

# move, convert and scale first; Parameter or requires_grad last
mask = nn.Parameter(torch.rand(3).double())
optimizer = torch.optim.SGD([mask], lr=0.1)

# %% proof converted-after
assert mask.dtype == torch.float64
before = mask.detach().clone()
(mask**2).sum().backward()
optimizer.step()
assert torch.allclose(mask, before - 0.1 * 2 * before)

# %% use converted-after
x = torch.rand(20, 3).double()
# >>>
mask = nn.Parameter(torch.rand(3)).double()
optimizer = torch.optim.SGD([mask], lr=0.1)
# <<<
losses = []
for _ in range(100):
    loss = (x * mask - 2 * x).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
assert losses[-1] < 0.5 * losses[0] and mask.dtype == torch.float64

# %% wrong computed-once
# The leaf goes to the optimizer, and what is computed from it stands above the loop: the second
# step fails.
leaf = torch.rand(3, requires_grad=True)
mask = leaf * 0.01
optimizer = torch.optim.SGD([leaf], lr=0.1)
for _ in range(2):
    optimizer.zero_grad()
    (mask**2).sum().backward()
    optimizer.step()

# %% break part-of-a-weight
embedding = nn.Embedding(10, 4)
new_rows = embedding.weight[8:]  # only the tokens that were added are to be trained
optimizer = torch.optim.SGD([new_rows], lr=0.1)

# %% check part-of-a-weight
embedding = nn.Embedding(10, 4)
new_rows = embedding.weight[8:]
# <SliceBackward0 ...> True: a view of a weight
print(new_rows.grad_fn, new_rows._base is embedding.weight)
assert new_rows._base is embedding.weight

# %% fix part-of-a-weight
import torch
from torch import nn

embedding = nn.Embedding(10, 4)
keep = torch.zeros(10, 1)
keep[8:] = 1
embedding.weight.register_hook(lambda gradient: gradient * keep)  # 0 for other rows
# no weight decay: it would move them all the same
optimizer = torch.optim.SGD([embedding.weight], lr=0.1)

# %% proof part-of-a-weight
before = embedding.weight.detach().clone()
embedding(torch.arange(10)).sum().backward()
optimizer.step()
assert torch.equal(embedding.weight[:8], before[:8])
assert torch.allclose(embedding.weight[8:], before[8:] - 0.1)

# %% break computed-weight
layer = nn.utils.parametrizations.weight_norm(nn.Linear(4, 2))
# weight is now computed from two others
optimizer = torch.optim.SGD([layer.weight, layer.bias], lr=0.1)

# %% check computed-weight
layer = nn.utils.parametrizations.weight_norm(nn.Linear(4, 2))
print([name for name, _ in layer.named_parameters()])  # no "weight" among them
assert "weight" not in dict(layer.named_parameters())

# %% fix computed-weight
import torch
from torch import nn

layer = nn.utils.parametrizations.weight_norm(nn.Linear(4, 2))
optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)  # what weight is made of

# %% proof computed-weight
before = {name: parameter.detach().clone() for name, parameter in layer.named_parameters()}
(layer(torch.ones(1, 4)) ** 2).sum().backward()
optimizer.step()
assert len(before) == 3  # the bias, and the two that the weight is computed from
assert all(torch.allclose(new, before[name] - 0.1 * new.grad) and not torch.equal(new, before[name]) for name, new in layer.named_parameters())


# %% break lost-from-the-model
class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 1)
        self.scale = nn.Parameter(torch.ones(1)).double()  # no error, no parameter


model = Scaled()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
print([name for name, _ in model.named_parameters()])  # without scale
assert "scale" not in dict(model.named_parameters())

# %% check lost-from-the-model
scale = nn.Parameter(torch.ones(1)).double()
print(type(scale).__name__)  # Tensor, not Parameter: so not in named_parameters()
assert not isinstance(scale, nn.Parameter)

# %% fix lost-from-the-model
import torch
from torch import nn


class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 1)
        self.scale = nn.Parameter(torch.ones(1))


model = Scaled().double()  # the whole model, once made: parameters stay parameters
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

# %% proof lost-from-the-model
assert {name: parameter.dtype for name, parameter in model.named_parameters()} == dict.fromkeys(["scale", "linear.weight", "linear.bias"], torch.float64)
output = model.linear(torch.ones(1, 4).double())
(model.scale * output).sum().backward()
optimizer.step()
assert torch.allclose(model.scale, 1 - 0.1 * output.flatten())
