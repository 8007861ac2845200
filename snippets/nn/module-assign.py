# ---
# wordings:
#   - text: "cannot assign '{got:ident}' as parameter '{name:ident}'"
#     exception: TypeError
#     sample: "TypeError: cannot assign 'torch.FloatTensor' as parameter 'weight' (torch.nn.Parameter or None expected)"
#   - text: "cannot assign '{got:ident}' object to parameter '{name:ident}'"
#     exception: TypeError
#     sample: "TypeError: cannot assign 'torch.FloatTensor' object to parameter 'q' (torch.nn.Parameter or None required)"
#   - text: "(torch.nn.Parameter or None expected)"
#     exception: TypeError
#   - text: "cannot assign '{got_buffer:ident}' as buffer '{name:ident}'"
#     exception: TypeError
#     sample: "TypeError: cannot assign 'int' as buffer 'running_mean' (torch.nn.Buffer, torch.Tensor or None expected)"
#   - text: "cannot assign '{got_module:ident}' as child module '{name:ident}'"
#     exception: TypeError
#     sample: "TypeError: cannot assign 'torch.FloatTensor' as child module 'fc' (torch.nn.Module or None expected)"
#   - text: "Cannot assign non-leaf Tensor to parameter '{name:ident}'"
#     exception: ValueError
#     sample: "ValueError: Cannot assign non-leaf Tensor to parameter 'weight'. Model parameters must be created explicitly."
#   - text: "cannot assign module before Module.__init__() call"
#     exception: AttributeError
#   - text: "cannot assign parameters before Module.__init__() call"
#     exception: AttributeError
#   - text: "cannot assign parameter before Module.__init__() call"
#     exception: AttributeError
#   - text: "cannot assign buffer before Module.__init__() call"
#     exception: AttributeError
# tags: [fine-tuning]
# recover: fix
# related: [nn/module-attr]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.nn.parameter.Parameter.html", "https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html"]
# causes:
#   copy-values:
#     likely: read(got) and not frames("in forward")
#   in-forward:
#     if: read(got) and frames("in forward")
#   child-module:
#     if: read(got_module)
#   init-order:
#     if: paste("before Module.__init__() call")
#   buffer:
#     if: read(got_buffer)
# ---

# %%
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(3, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x = torch.rand(2, 3)

# %% break copy-values
model.weight = torch.eye(3)

# %% check copy-values
values = torch.eye(3)
print(type(model.weight).__name__, type(values).__name__)  # Parameter Tensor
assert isinstance(model.weight, nn.Parameter) and type(values) is torch.Tensor

# %% fix copy-values
import torch

values = torch.eye(3)  # the new values of the weight
with torch.no_grad():
    model.weight.copy_(values)

# %% proof copy-values
assert torch.equal(model.weight, torch.eye(3)) and isinstance(model.weight, nn.Parameter)
model(x).sum().backward()
optimizer.step()
assert not torch.equal(model.weight, torch.eye(3))  # still the one that the optimizer trains


# %%
class Mix(nn.Module):
    def __init__(self):
        super().__init__()
        self.weights = nn.Parameter(torch.zeros(3))

    def forward(self, x):
        self.weights = self.weights.sigmoid()
        return x @ self.weights


# %% break in-forward
model = Mix()
y = model(x)

# %% fix in-forward
import torch
from torch import nn


class Mix(nn.Module):
    def __init__(self):
        super().__init__()
        self.weights = nn.Parameter(torch.zeros(3))

    def forward(self, x):
        weights = self.weights.sigmoid()  # a name of its own, without self.
        return x @ weights


model = Mix()
y = model(x)

# %% proof in-forward
assert torch.allclose(y, x.sum(1) / 2)
y[0].backward()
assert model.weights.grad.abs().sum() > 0 and torch.equal(model(x), y)


# %%
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 2)

    def forward(self, x):
        self.fc = self.fc(x)
        return self.fc


# %% break child-module
model = Net()
y = model(x)

# %% fix child-module
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 2)

    def forward(self, x):
        return self.fc(x)  # the layer keeps its name, the result has none of self


model = Net()
y = model(x)

# %% proof child-module
assert y.shape == (2, 2) and torch.equal(model(x), x @ model.fc.weight.T + model.fc.bias)


# %%
class Net(nn.Module):
    def __init__(self, width):
        self.fc = nn.Linear(3, width)

    def forward(self, x):
        return self.fc(x)


# %% break init-order
model = Net(2)
y = model(x)

# %% fix init-order
from torch import nn


class Net(nn.Module):
    def __init__(self, width):
        super().__init__()  # first of all
        self.fc = nn.Linear(3, width)

    def forward(self, x):
        return self.fc(x)


model = Net(2)
y = model(x)

# %% proof init-order
assert y.shape == (2, 2) and list(model.state_dict()) == ["fc.weight", "fc.bias"]

# %%
model = nn.BatchNorm1d(3)
model(x)

# %% break buffer
model.running_mean = 0

# %% fix buffer
model.running_mean.zero_()  # or: model.running_mean = torch.zeros(3)

# %% proof buffer
assert torch.equal(model.running_mean, torch.zeros(3)) and "running_mean" in model.state_dict()
