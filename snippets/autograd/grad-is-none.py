# ---
# wordings:
#   - text: "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed"
#     exception: UserWarning
#   - text: "'NoneType' object has no attribute 'data'"
#     exception: AttributeError
#     near: [".grad.data"]
#   - text: "'NoneType' object has no attribute 'zero_'"
#     exception: AttributeError
#   - text: "'NoneType' object has no attribute 'detach'"
#     exception: AttributeError
#     near: [".grad.detach"]
#   - text: "'NoneType' object has no attribute 'clone'"
#     exception: AttributeError
#     near: [".grad.clone"]
#   - text: "'NoneType' object has no attribute 'norm'"
#     exception: AttributeError
#     near: [".grad.norm"]
#   - text: "'NoneType' object has no attribute 'abs'"
#     exception: AttributeError
#     near: [".grad.abs"]
#   - text: "'NoneType' object has no attribute 'mul_'"
#     exception: AttributeError
#     near: [".grad.mul_"]
#   - text: "'NoneType' object has no attribute 'cpu'"
#     exception: AttributeError
#     near: [".grad.cpu"]
#   - text: "'NoneType' object has no attribute 'numpy'"
#     exception: AttributeError
#     near: [".grad.numpy"]
#   - text: "'NoneType' object has no attribute 'shape'"
#     exception: AttributeError
#     near: [".grad.shape"]
#   - text: "unsupported operand type(s) for *: 'float' and 'NoneType'"
#     exception: TypeError
#     near: [".grad\n", ".grad)"]
#   - text: "'NoneType' object is not subscriptable"
#     exception: TypeError
#     near: [".grad["]
# tags: [autograd, backward, optimizer]
# recover: fix
# related: [autograd/no-grad-fn, autograd/non-leaf-optimizer]
# rows: [S000-10, S004-01]
# cases:
#   not-in-the-optimizer: {silent: true}
#   computed-tensor: {wrong: {only-if-there: "https://github.com/learnables/learn2learn/issues/428"}}
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.Tensor.retain_grad.html"]
# causes:
#   computed-tensor:
#     if: >-
#       paste("requires_grad=True).to(", "requires_grad=True).cuda(", "requires_grad=True).double(", "requires_grad=True).float(", "requires_grad=True).half(",
#       "requires_grad=True).view(", "requires_grad=True).reshape(", "requires_grad=True) * ", "requires_grad=True) / ")
#       or paste("'NoneType'") and not live("left", "adds to itself") and not live("left",
#       "grad_fn=SubBackward0") and (live("left", "computed", "carried through the loop") or
#       live("left", "computed", "set above the loop"))
#     likely: paste("'NoneType'") and paste(" -= ") and live("right", "computed")
#     sample: |
#       train.py:12: UserWarning: The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad attribute won't be populated during autograd.backward().
#         return x.grad
#
#       x = torch.zeros(4, requires_grad=True).to(device)
#     undecided: the warning does not say whether the tensor was meant to be a leaf
#   unused-layer:
#     likely: paste("'NoneType'") and (frames("parameters()") or paste("has no attribute 'norm'"))
#   asked-too-early:
#     likely: paste(".grad.zero_(", ".grad.data.zero_(", ".grad.detach_(") and not paste("is not a leaf Tensor")
#   activation-wanted:
#     likely: paste("GradCAM", "GradCam", "gradcam", "grad_cam", "Grad-CAM", "grad-cam")
#     sample: |
#       grad_cam.py:41: UserWarning: The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad attribute won't be populated during autograd.backward().
#         weights = features.grad.mean(dim=(2, 3))
#     undecided: the warning does not say whether the tensor was meant to be a leaf
#   library-looks:
#     if: >-
#       paste("is not a leaf Tensor is being accessed") and paste(".grad is not None", ".grad is None") and paste("site-packages", "dist-packages")
#       and not paste("Traceback", "'NoneType'")
#     likely: paste("is not a leaf Tensor is being accessed") and paste(".grad is not None", ".grad is None") and not paste("'NoneType'")
#   updated-by-assignment:
#     if: >-
#       paste("'NoneType'") and (live("left", "adds to itself", "made in no_grad") or live("left",
#       "grad_fn=SubBackward0", "carried through the loop"))
#     likely: >-
#       paste("'NoneType'") and (frames(" - 0.", " - 1e-")
#       or paste(" - lr * ", " - self.lr * ", " - learning_rate * ", " - alpha * ", " - eta * ", " - step_size * "))
#   cut-off-before:
#     undecided: a layer before the cut and a layer that is not used print the same
#   hook-not-reached:
#     undecided: which layer the hook was put on is not printed
#   not-in-the-optimizer:
# ---

# %%
import torch
from torch import nn

torch.manual_seed(0)
x, y = torch.randn(8, 4), torch.randn(8, 1)
loss_fn = nn.MSELoss()

# %% break computed-tensor
# the product is a new tensor; the one with the gradient has no name
weight = torch.randn(4, 1, requires_grad=True) * 0.1
loss_fn(x @ weight, y).backward()
print(weight.grad)  # None, and a warning

# %% check computed-tensor
weight = torch.randn(4, 1, requires_grad=True) * 0.1
print(weight.is_leaf, weight.grad_fn)  # False <MulBackward0 ...>: computed
assert not weight.is_leaf

# %% fix computed-tensor
import torch

# scale, move and convert first, requires_grad last
weight = (torch.randn(4, 1) * 0.1).requires_grad_()

# %% proof computed-tensor
loss_fn(x @ weight, y).backward()
assert weight.is_leaf and 0.01 < weight.abs().max() < 0.5
assert torch.allclose(weight.grad, 2 * x.T @ (x @ weight.detach() - y) / 8, atol=1e-6)

# %% use computed-tensor
data, truth = torch.randn(64, 4), torch.tensor([[1.0], [-2.0], [0.5], [3.0]])
# >>>
weight = torch.randn(4, 1, requires_grad=True) * 0.1
# <<<
for _ in range(100):
    loss = loss_fn(data @ weight, data @ truth)
    loss.backward()
    with torch.no_grad():
        weight -= 0.1 * weight.grad
    weight.grad = None
assert torch.allclose(weight, truth, atol=0.1)

# %% wrong only-if-there
# `if weight.grad is not None` around the update: no error, and the weight is never updated.
weight = torch.randn(4, 1, requires_grad=True) * 0.1
before = weight.detach().clone()
for _ in range(100):
    loss_fn(x @ weight, y).backward(retain_graph=True)
    if weight.grad is not None:
        weight = weight - 0.1 * weight.grad
print(torch.equal(weight, before))  # True
assert torch.equal(weight, before)

# %%
model = nn.Linear(4, 4)

# %% break activation-wanted
hidden = model(x)
(hidden.relu() ** 2).sum().backward()
print(hidden.grad)  # None, and a warning

# %% check activation-wanted
hidden = model(x)
print(hidden.is_leaf, hidden.retains_grad)  # False False: used, but not kept
assert not hidden.is_leaf and not hidden.retains_grad

# %% fix activation-wanted
hidden = model(x)
hidden.retain_grad()  # before backward
loss = (hidden.relu() ** 2).sum()
loss.backward()

# %% proof activation-wanted
assert torch.allclose(hidden.grad, 2 * hidden.relu())
assert torch.allclose(model.bias.grad, hidden.grad.sum(0), atol=1e-5)  # the layer still learns


# %%
def size(tensors):
    """Stands for a library that looks at all tensors, as compilers and debuggers do."""
    return sum(t.nbytes + (t.grad.nbytes if t.grad is not None else 0) for t in tensors)


hidden = model(x)

# %% break library-looks
print(size([x, hidden]))  # a warning, and the right answer

# %% check library-looks
hidden.sum().backward()
# [False, False]: your own gradients are there
print([p.grad is None for p in model.parameters()])
assert all(p.grad is not None for p in model.parameters())

# %% fix library-looks
import warnings

message = "The .grad attribute of a Tensor that is not a leaf"
warnings.filterwarnings("ignore", message=message)

# %% proof library-looks
with warnings.catch_warnings(record=True) as found:
    assert size([x, hidden]) == x.nbytes + hidden.nbytes
    warnings.warn("another one", stacklevel=1)
assert [str(warning.message) for warning in found] == ["another one"]

# %% break updated-by-assignment
weight = torch.zeros(4, 1, requires_grad=True)
for _ in range(2):
    loss_fn(x @ weight, y).backward()
    # a new, computed tensor takes the name: it has no gradient in the next round
    weight = weight - 0.1 * weight.grad

# %% check updated-by-assignment
weight = torch.zeros(4, 1, requires_grad=True)
loss_fn(x @ weight, y).backward()
print(weight.is_leaf)  # True
weight = weight - 0.1 * weight.grad
print(weight.is_leaf)  # False after the update
assert not weight.is_leaf

# %% fix updated-by-assignment
import torch

weight = torch.zeros(4, 1, requires_grad=True)
for _ in range(20):
    loss = loss_fn(x @ weight, y)
    loss.backward()
    with torch.no_grad():
        weight -= 0.1 * weight.grad  # in place: still the same leaf
    weight.grad = None

# %% proof updated-by-assignment
exact = torch.zeros(4, 1)
for _ in range(20):
    exact = exact - 0.1 * 2 * x.T @ (x @ exact - y) / 8
assert weight.is_leaf and torch.allclose(weight, exact, atol=1e-5)

# %%
model = nn.Sequential(nn.Linear(4, 1))

# %% break asked-too-early
for _ in range(2):
    model[0].weight.grad.zero_()  # in the first step there is nothing to clear yet
    loss_fn(model(x), y).backward()

# %% check asked-too-early
print(model[0].weight.grad)  # None before the first backward
model(x).sum().backward()
model.zero_grad()
print(model[0].weight.grad)  # None again after zero_grad()
assert model[0].weight.grad is None

# %% fix asked-too-early
for _ in range(2):
    model.zero_grad()  # does not mind a gradient that is not there
    loss_fn(model(x), y).backward()
    gradient = model.get_submodule("0").weight.grad  # before the next zero_grad

# %% proof asked-too-early
assert torch.allclose(gradient, 2 * (model(x) - y).T @ x / 8, atol=1e-6)

# %%
model = nn.ModuleDict({"encoder": nn.Linear(4, 4), "old_head": nn.Linear(4, 9), "head": nn.Linear(4, 1)})

# %% break unused-layer
model["head"](model["encoder"](x)).sum().backward()
total = sum(parameter.grad.norm() for parameter in model.parameters())

# %% check unused-layer
model["head"](model["encoder"](x)).sum().backward()
# one layer, off the path
print([name for name, p in model.named_parameters() if p.grad is None])
assert model["old_head"].weight.grad is None
assert model["encoder"].weight.grad is not None

# %%
model["head"](model["encoder"](x)).sum().backward()

# %% fix unused-layer
total = sum(p.grad.norm() for p in model.parameters() if p.grad is not None)

# %% proof unused-layer
expected = sum(p.grad.norm() for name in ("encoder", "head") for p in model[name].parameters())
assert torch.allclose(total, expected) and expected > 1

# %%
model.zero_grad()

# %% break cut-off-before
features = torch.tensor(model["encoder"](x).tolist())  # to Python numbers and back
model["head"](features).sum().backward()  # no error: the head alone can be trained
print(model["encoder"].weight.grad.abs().mean())

# %% check cut-off-before
features = torch.tensor(model["encoder"](x).tolist())
model["head"](features).sum().backward()
head, encoder = model["head"].weight, model["encoder"].weight
print(head.grad is None, encoder.grad is None)  # False True: all before the cut
print(features.requires_grad)  # False: here it is
assert model["encoder"].weight.grad is None and not features.requires_grad

# %% fix cut-off-before
features = model["encoder"](x)  # a tensor all the way
loss = model["head"](features).sum()
loss.backward()

# %% proof cut-off-before
assert torch.allclose(model["encoder"].bias.grad, 8 * model["head"].weight[0], atol=1e-5)
assert torch.allclose(model["head"].weight.grad[0], model["encoder"](x).sum(0), atol=1e-5)


# %% break not-in-the-optimizer
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = [nn.Linear(4, 4), nn.Linear(4, 4)]  # a list registers nothing
        self.head = nn.Linear(4, 1)

    def forward(self, x):
        for layer in self.layers:
            x = layer(x).tanh()
        return self.head(x)


model = Model()
before = model.layers[0].weight.clone()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loss_fn(model(x), y).backward()
optimizer.step()
print(model.layers[0].weight.grad is None)  # False: it is there, but nobody uses it
assert model.layers[0].weight.grad is not None
assert torch.equal(model.layers[0].weight, before)

# %% check not-in-the-optimizer
head, layers = nn.Linear(4, 1), [nn.Linear(4, 4)]
optimizer = torch.optim.SGD(head.parameters(), lr=0.1)
held = {id(p) for group in optimizer.param_groups for p in group["params"]}
# True False: look for the weight that does not move
print(id(head.weight) in held, id(layers[0].weight) in held)
assert id(layers[0].weight) not in held


# %% fix not-in-the-optimizer
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(4, 4), nn.Linear(4, 4)])
        self.head = nn.Linear(4, 1)

    def forward(self, x):
        for layer in self.layers:
            x = layer(x).tanh()
        return self.head(x)


# %% proof not-in-the-optimizer
model = Model()
assert len(list(model.parameters())) == 6
first, second = model.layers
expected = ((x @ first.weight.T + first.bias).tanh() @ second.weight.T + second.bias).tanh() @ model.head.weight.T + model.head.bias
assert torch.allclose(model(x), expected, atol=1e-6)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loss_fn(model(x), y).backward()
before = [parameter.detach().clone() for parameter in model.parameters()]
optimizer.step()
assert all(torch.allclose(new, old - 0.1 * new.grad) and not torch.equal(new, old) for old, new in zip(before, model.parameters(), strict=True))
