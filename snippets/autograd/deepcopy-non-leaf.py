# ---
# wordings:
#   - text: "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol"
#     exception: RuntimeError
#   - text: "(graph leaves) support the deepcopy protocol"
#     exception: RuntimeError
# tags: [autograd, normalization]
# recover: fix
# related: [autograd/non-leaf-optimizer]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.parametrizations.weight_norm.html", "https://docs.pytorch.org/docs/stable/notes/autograd.html"]
# cases: {stored-result: {wrong: {penalty-detached: "https://github.com/sktime/sktime/issues/10928"}}}
# causes:
#   stored-result:
#     if: frames("in _reconstruct") and live("holds computed tensors") and not live("weight_norm")
#     undecided: which attribute holds the tensor is not printed
#   weight-norm:
#     likely: >-
#       paste("weight_norm` is deprecated") or frames("weight_norm", "weightnorm",
#       "spectral_norm")
#       or live("weight_norm")
#     undecided: the warning that names it is printed when the layer is made, not with the traceback
#     sample: |
#       /opt/conda/lib/python3.10/site-packages/torch/nn/utils/weight_norm.py:143: FutureWarning: `torch.nn.utils.weight_norm` is deprecated in favor of `torch.nn.utils.parametrizations.weight_norm`.
#         WeightNorm.apply(module, name, dim)
#       RuntimeError: Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the moment.  If you were attempting to deepcopy a module, this may be because of a torch.nn.utils.weight_norm usage, see https://github.com/pytorch/pytorch/pull/103001
#   one-tensor:
#     likely: frames("in __deepcopy__") and not frames("in _reconstruct")
# ---

# %%
import copy

import torch
from torch import nn

torch.manual_seed(0)
x, y = torch.randn(8, 4), torch.randn(8, 3)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 8)
        self.head = nn.Linear(8, 3)

    def forward(self, x):
        self.features = torch.relu(self.body(x))  # kept for a picture
        return self.head(self.features)


model = Net()

# %% break stored-result
model(x)
average = copy.deepcopy(model)  # as ModelEMA and AveragedModel do

# %% check stored-result
model(x)
for name, module in model.named_modules():
    for key, value in vars(module).items():
        if isinstance(value, torch.Tensor) and not value.is_leaf:
            print(name or "model", key)  # model features
assert not model.features.is_leaf

# %% fix stored-result
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 8)
        self.head = nn.Linear(8, 3)

    def forward(self, x):
        features = torch.relu(self.body(x))
        self.features = features.detach()  # the values, without the graph
        return self.head(features)


# %% proof stored-result
model = Net()
output = model(x)
average = copy.deepcopy(model)
assert torch.equal(average.head(model.features), output) and average.body.weight is not model.body.weight
nn.functional.mse_loss(output, y).backward()
assert model.body.weight.grad.abs().sum() > 0  # what was stored cut nothing off
assert average(x).equal(output)

# %% wrong penalty-detached
# `detach()` for a stored term of the loss as well: the copy works, and the term trains nothing any
# more. Return such a term beside the output.
class Penalised(Net):
    def forward(self, x):
        features = torch.relu(self.body(x))
        self.penalty = features.square().mean().detach()
        return self.head(features)


model = Penalised()
loss = nn.functional.mse_loss(model(x), y)
average = copy.deepcopy(model)
without = torch.autograd.grad(loss, model.body.weight, retain_graph=True)
with_it = torch.autograd.grad(loss + model.penalty, model.body.weight)
print(model.penalty, torch.equal(without[0], with_it[0]))
assert torch.equal(without[0], with_it[0])

# %% use stored-result
# >>>
# <<<
model = Net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
average, pictures = copy.deepcopy(model), []
for x, y in [(torch.randn(5, 4), torch.randn(5, 3)) for _ in range(3)]:
    loss = nn.functional.mse_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    average = copy.deepcopy(model)  # the best one so far
    pictures.append(model.features)
assert torch.equal(average.body.weight, model.body.weight) and model.body.weight.grad.any()
assert [tuple(picture.shape) for picture in pictures] == 3 * [(5, 8)]

# %% break weight-norm
layer = nn.utils.weight_norm(nn.Linear(4, 3))
average = copy.deepcopy(layer)

# %% check weight-norm
layer = nn.utils.weight_norm(nn.Linear(4, 3))
print(layer.weight.is_leaf)  # False: computed from weight_g and weight_v
assert not layer.weight.is_leaf

# %% fix weight-norm
import copy

from torch import nn
from torch.nn.utils.parametrizations import weight_norm

layer = weight_norm(nn.Linear(4, 3))  # also: parametrizations.spectral_norm
average = copy.deepcopy(layer)

# %% proof weight-norm
assert torch.equal(average(x), layer(x))
old = nn.utils.weight_norm(nn.Linear(4, 3))
layer.load_state_dict(old.state_dict())  # an old checkpoint still fits
assert torch.allclose(layer(x), old(x), atol=1e-6)
assert not torch.equal(average(x), layer(x))  # and the copy is one of its own
layer(x).sum().backward()
assert len(list(layer.parameters())) == 3 and all(p.grad is not None for p in layer.parameters())

# %% break one-tensor
output = model(x)
best = copy.deepcopy(output)

# %% check one-tensor
output = model(x)
print(output.is_leaf)  # False: computed
assert not output.is_leaf

# %% fix one-tensor
output = model(x)
best = output.detach().clone()  # values of its own; .clone() alone keeps the graph

# %% proof one-tensor
assert torch.equal(best, output) and not best.requires_grad
with torch.no_grad():
    output.zero_()
assert best.abs().sum() > 0
