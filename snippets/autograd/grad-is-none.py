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
# related: [autograd/no-grad-fn, autograd/non-leaf-optimizer]
# rows: [S000-10, S004-01]
# cases:
#   not-in-the-optimizer: {silent: true}
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.Tensor.retain_grad.html"]
# ---

# %%
import torch
from torch import nn

torch.manual_seed(0)
x, y = torch.randn(8, 4), torch.randn(8, 1)

# %% break computed-tensor
weight = torch.randn(4, 1, requires_grad=True) * 0.1  # the product is a new tensor; the one with the gradient has no name
((x @ weight - y) ** 2).mean().backward()
print(weight.grad)  # None, and a warning

# %% check computed-tensor
weight = torch.randn(4, 1, requires_grad=True) * 0.1
print(weight.is_leaf, weight.grad_fn)  # False <MulBackward0 ...>: computed, so it keeps no gradient
assert not weight.is_leaf

# %% fix computed-tensor
weight = (torch.randn(4, 1) * 0.1).requires_grad_()  # scale, move and convert first, requires_grad last
((x @ weight - y) ** 2).mean().backward()

assert torch.allclose(weight.grad, 2 * x.T @ (x @ weight.detach() - y) / 8, atol=1e-6)

# %% break activation-wanted
hidden = nn.Linear(4, 4)(x)
(hidden.relu() ** 2).sum().backward()
print(hidden.grad)  # None, and a warning

# %% check activation-wanted
hidden = nn.Linear(4, 4)(x)
print(hidden.is_leaf, hidden.retains_grad)  # False False: used for backward, but not kept
assert not hidden.is_leaf and not hidden.retains_grad

# %% fix activation-wanted
hidden = nn.Linear(4, 4)(x)
hidden.retain_grad()  # before backward
(hidden.relu() ** 2).sum().backward()

assert torch.allclose(hidden.grad, 2 * hidden.relu())

# %% break updated-by-assignment
weight = torch.zeros(4, 1, requires_grad=True)
for _ in range(2):
    ((x @ weight - y) ** 2).mean().backward()
    # a new, computed tensor takes the name: it has no gradient in the next round
    weight = weight - 0.1 * weight.grad

# %% check updated-by-assignment
weight = torch.zeros(4, 1, requires_grad=True)
((x @ weight - y) ** 2).mean().backward()
print(weight.is_leaf)  # True
weight = weight - 0.1 * weight.grad
print(weight.is_leaf)  # False after the update
assert not weight.is_leaf

# %% fix updated-by-assignment
weight = torch.zeros(4, 1, requires_grad=True)
losses = []
for _ in range(20):
    loss = ((x @ weight - y) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        weight -= 0.1 * weight.grad  # in place: still the same leaf
    weight.grad = None
    losses.append(loss.item())

assert weight.is_leaf and losses[-1] < 0.9 * losses[0]

# %% break asked-too-early
model = nn.Sequential(nn.Linear(4, 1))
for _ in range(2):
    model[0].weight.grad.zero_()  # in the first step there is nothing to clear yet
    ((model(x) - y) ** 2).mean().backward()

# %% check asked-too-early
model = nn.Sequential(nn.Linear(4, 1))
print(model[0].weight.grad)  # None before the first backward
model(x).sum().backward()
model.zero_grad()
print(model[0].weight.grad)  # None again after zero_grad()
assert model[0].weight.grad is None

# %% fix asked-too-early
model = nn.Sequential(nn.Linear(4, 1))
for _ in range(2):
    model.zero_grad()  # does not mind a gradient that is not there
    ((model(x) - y) ** 2).mean().backward()
    gradient = model.get_submodule("0").weight.grad  # read it between backward and the next zero_grad

expected = 2 * (model(x) - y).T @ x / 8
assert torch.allclose(gradient, expected, atol=1e-6)

# %% break unused-layer
model = nn.ModuleDict({"encoder": nn.Linear(4, 4), "old_head": nn.Linear(4, 9), "head": nn.Linear(4, 1)})
model["head"](model["encoder"](x)).sum().backward()
total = sum(parameter.grad.norm() for parameter in model.parameters())

# %% check unused-layer
model = nn.ModuleDict({"encoder": nn.Linear(4, 4), "old_head": nn.Linear(4, 9), "head": nn.Linear(4, 1)})
model["head"](model["encoder"](x)).sum().backward()
print([name for name, parameter in model.named_parameters() if parameter.grad is None])  # one layer, off the path
assert model["old_head"].weight.grad is None and model["encoder"].weight.grad is not None

# %% fix unused-layer
model = nn.ModuleDict({"encoder": nn.Linear(4, 4), "old_head": nn.Linear(4, 9), "head": nn.Linear(4, 1)})
model["head"](model["encoder"](x)).sum().backward()
total = sum(parameter.grad.norm() for parameter in model.parameters() if parameter.grad is not None)

expected = sum(p.grad.norm() for name in ("encoder", "head") for p in model[name].parameters())
assert torch.allclose(total, expected)

# %% break cut-off-before
encoder, head = nn.Linear(4, 4), nn.Linear(4, 1)
features = torch.tensor(encoder(x).tolist())  # through Python numbers and back
head(features).sum().backward()  # no error: the head alone can be trained
print(encoder.weight.grad.abs().mean())

# %% check cut-off-before
encoder, head = nn.Linear(4, 4), nn.Linear(4, 1)
features = torch.tensor(encoder(x).tolist())
head(features).sum().backward()
print(head.weight.grad is None, encoder.weight.grad is None)  # False True: everything before the cut
print(features.requires_grad)  # False: here it is
assert encoder.weight.grad is None and not features.requires_grad

# %% fix cut-off-before
encoder, head = nn.Linear(4, 4), nn.Linear(4, 1)
head(encoder(x)).sum().backward()  # tensors all the way

assert torch.allclose(encoder.bias.grad, 8 * head.weight[0], atol=1e-5)

# %% break not-in-the-optimizer
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = [nn.Linear(4, 4), nn.Linear(4, 4)]  # a plain list: its layers are not registered
        self.head = nn.Linear(4, 1)

    def forward(self, x):
        for layer in self.layers:
            x = layer(x).tanh()
        return self.head(x)


model = Model()
before = model.layers[0].weight.clone()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
((model(x) - y) ** 2).mean().backward()
optimizer.step()
print(model.layers[0].weight.grad is None)  # False: there is a gradient, but nobody uses it
assert model.layers[0].weight.grad is not None and torch.equal(model.layers[0].weight, before)

# %% check not-in-the-optimizer
head, layers = nn.Linear(4, 1), [nn.Linear(4, 4)]
optimizer = torch.optim.SGD(head.parameters(), lr=0.1)
held = {id(parameter) for group in optimizer.param_groups for parameter in group["params"]}
print(id(head.weight) in held, id(layers[0].weight) in held)  # True False: ask this of the weight that does not move
assert id(layers[0].weight) not in held

# %% fix not-in-the-optimizer
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(4, 4), nn.Linear(4, 4)])
        self.head = nn.Linear(4, 1)

    def forward(self, x):
        for layer in self.layers:
            x = layer(x).tanh()
        return self.head(x)


model = Model()
before = model.layers[0].weight.clone()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
((model(x) - y) ** 2).mean().backward()
optimizer.step()

assert len(list(model.parameters())) == 6
assert not torch.equal(model.layers[0].weight, before)
