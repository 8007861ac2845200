# ---
# wordings:
#   - text: "One of the differentiated Tensors appears to not have been used in the graph"
#     exception: RuntimeError
#   - text: "The differentiated Tensor at index {i:int} appears to not have been used in the graph"
#     exception: RuntimeError
#     sample: "RuntimeError: The differentiated Tensor at index 0 appears to not have been used in the graph. Set allow_unused=True if this is the desired behavior."
#   - text: "One of the differentiated Variables appears to not have been used in the graph"
#     exception: RuntimeError
#   - text: "appears to not have been used in the graph"
#     exception: RuntimeError
# tags: [autograd, backward, reinforcement-learning]
# recover: fix
# related: [autograd/no-grad-fn, autograd/grad-is-none, autograd/grad-scalar-only]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.autograd.grad.html", "https://docs.pytorch.org/docs/stable/generated/torch.func.functional_call.html"]
# causes:
#   another-tensor:
#     if: live("right", "computed", "made after the left")
#     likely: frames(".clone()", ".detach()", "[:, ", "[:,0", "[:,1", "[..., ")
#   not-in-this-loss:
#     likely: i > 0 or frames("parameters()")
#   step-in-between:
#     likely: live("right", "step before")
#     undecided: the step was taken above the line that fails
#   constant-derivative:
#     likely: live("left", "by grad")
#     undecided: what the network computes is not printed
# ---

# %%
import torch
from torch import nn
from torch.nn.functional import mse_loss

torch.manual_seed(0)
x, y = torch.randn(8, 2), torch.randn(8, 1)
model = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1))

# %% break another-tensor
x.requires_grad_()
u = model(x)
# this slice was made after the forward pass
(du,) = torch.autograd.grad(u.sum(), x[:, 0])

# %% check another-tensor
x.requires_grad_()
u = model(x)
# x itself is in the graph; each slice or copy of it is a new tensor
print(x.is_leaf, x[:, 0].is_leaf)  # True False
assert x.is_leaf and not x[:, 0].is_leaf
assert x[:, 0] is not x[:, 0]

# %% fix another-tensor
import torch

x.requires_grad_()
u = model(x)
(gradient,) = torch.autograd.grad(u.sum(), x)  # the tensor that the model was given
du = gradient[:, 0]  # slice the gradient instead

# %% proof another-tensor
hidden = torch.tanh(model[0](x))
by_hand = (1 - hidden**2) * model[2].weight @ model[0].weight
assert torch.allclose(du, by_hand[:, 0], atol=1e-6) and du.abs().sum() > 0

# %%
model = nn.ModuleDict({"body": nn.Linear(2, 8), "value": nn.Linear(8, 1), "policy": nn.Linear(8, 3)})
loss = mse_loss(model["value"](model["body"](x)), y)

# %% break not-in-this-loss
gradients = torch.autograd.grad(loss, list(model.parameters()))

# %% check not-in-this-loss
parameters = list(model.parameters())
gradients = torch.autograd.grad(loss, parameters, allow_unused=True)
names = [name for name, _ in model.named_parameters()]
unused = [name for name, one in zip(names, gradients) if one is None]
print(unused)  # ['policy.weight', 'policy.bias']
assert unused == ["policy.weight", "policy.bias"]

# %%
loss = mse_loss(model["value"](model["body"](x)), y)

# %% fix not-in-this-loss
import torch

parameters = list(model.parameters())
# zeros for what the loss does not depend on
gradients = torch.autograd.grad(loss, parameters, materialize_grads=True)

# %% proof not-in-this-loss
assert [one.abs().sum().item() > 0 for one in gradients] == [True, True, True, True, False, False]
assert [one.shape for one in gradients] == [one.shape for one in parameters]
mse_loss(model["value"](model["body"](x)), y).backward()
assert all(torch.allclose(one, parameter.grad) for one, parameter in zip(gradients[:4], parameters[:4], strict=True))

# %%
x = x.detach()
model = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

# %% break step-in-between
weights = torch.ones(4, 1, requires_grad=True)  # of four training samples
(weights * (model(x[:4]) - y[:4]) ** 2).mean().backward()
optimizer.step()  # writes numbers into the parameters; nothing is recorded
validation_loss = mse_loss(model(x[4:]), y[4:])
(wanted,) = torch.autograd.grad(validation_loss, weights)

# %% check step-in-between
weights = torch.ones(4, 1, requires_grad=True)
(weights * (model(x[:4]) - y[:4]) ** 2).mean().backward()
optimizer.step()
print(model[0].weight.grad_fn)  # None: a step leaves no trace
assert model[0].weight.grad_fn is None

# %% fix step-in-between
import torch
from torch.func import functional_call
from torch.nn.functional import mse_loss

weights = torch.ones(4, 1, requires_grad=True)
loss = (weights * (model(x[:4]) - y[:4]) ** 2).mean()
names, old = zip(*model.named_parameters())
gradients = torch.autograd.grad(loss, old, create_graph=True)
new = [p - 0.1 * g for p, g in zip(old, gradients)]  # the step, recorded
outputs = functional_call(model, dict(zip(names, new)), (x[4:],))
(wanted,) = torch.autograd.grad(mse_loss(outputs, y[4:]), weights)

# %% proof step-in-between
start = {name: value.clone() for name, value in model.double().state_dict().items()}
x, y = x.double(), y.double()


def validation_loss(weights):
    model.load_state_dict(start)
    optimizer.zero_grad()
    (weights * (model(x[:4]) - y[:4]) ** 2).mean().backward()
    optimizer.step()
    return mse_loss(model(x[4:]), y[4:]).item()


for sample in range(4):
    step = torch.zeros(4, 1).double()
    step[sample] = 1e-4
    slope = (validation_loss(1 + step) - validation_loss(1 - step)) / 2e-4
    assert abs(slope - wanted[sample].item()) < 1e-4 * (1 + abs(slope))
assert wanted.abs().sum() > 1e-3

# %%
model = nn.Sequential(nn.Linear(1, 8), nn.Linear(8, 1))
x = torch.linspace(0, 1, 5)[:, None]

# %% break constant-derivative
x.requires_grad_()
(du,) = torch.autograd.grad(model(x).sum(), x, create_graph=True)
(ddu,) = torch.autograd.grad(du.sum(), x)  # du is the same for every x

# %% check constant-derivative
x.requires_grad_()
(du,) = torch.autograd.grad(model(x).sum(), x, create_graph=True)
print((du - du[0]).abs().max() < 1e-6)  # True: it is linear in x
assert (du - du[0]).abs().max() < 1e-6

# %% fix constant-derivative
import torch

x.requires_grad_()
(du,) = torch.autograd.grad(model(x).sum(), x, create_graph=True)
# a derivative of 0
(ddu,) = torch.autograd.grad(du.sum(), x, materialize_grads=True)

# %% proof constant-derivative
assert torch.equal(ddu, torch.zeros(5, 1))
assert torch.allclose(du, (model[1].weight @ model[0].weight).expand(5, 1), atol=1e-6)
