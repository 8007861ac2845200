# ---
# tags: [optimizer, checkpoint, device]
# recover: fix
# related: [devices/device-mismatch, nn/optimizer-empty, checkpoints/state-dict-keys]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.nn.ModuleList.html", "https://docs.pytorch.org/docs/stable/generated/torch.nn.parameter.Parameter.html"]
# causes:
#   plain-list:
#   plain-dict: {case: plain-list}
#   plain-tensor:
# ---

# %%
import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(4, 8)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = [nn.Linear(8, 8) for _ in range(3)]  # a plain list
        self.head = nn.Linear(8, 1)

    def forward(self, x):
        for layer in self.layers:
            x = torch.relu(layer(x))
        return self.head(x)


model = Net()

# %% break plain-list
names = [name for name, _ in model.named_parameters()]
print(names)
assert names == ["head.weight", "head.bias"]  # nothing of the three layers
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
before = model.layers[0].weight.clone()
model(x).sum().backward()
optimizer.step()
assert torch.equal(model.layers[0].weight, before)
assert list(model.state_dict()) == names  # nor are they saved

# %% check plain-list
from torchclinic import checks

print(checks.registered(model))
assert "layers holds" in str(checks.registered(model))

# %% fix plain-list
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(8, 8) for _ in range(3))
        self.head = nn.Linear(8, 1)

    def forward(self, x):
        for layer in self.layers:
            x = torch.relu(layer(x))
        return self.head(x)


model = Net()

# %% proof plain-list
from torchclinic import checks

assert not checks.registered(model)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
before = [parameter.detach().clone() for parameter in model.parameters()]
first = model(x).sum()
right = torch.relu(x @ model.layers[0].weight.T + model.layers[0].bias)
for layer in model.layers[1:]:
    right = torch.relu(right @ layer.weight.T + layer.bias)
torch.testing.assert_close(first, (right @ model.head.weight.T + model.head.bias).sum())
first.backward()
optimizer.step()
assert len(before) == 8 and not any(torch.equal(old, new) for old, new in zip(before, model.parameters(), strict=True))
assert len(model.state_dict()) == 8
assert model.double().layers[0].weight.dtype == torch.float64  # moved along

# %%
class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = torch.ones(8, requires_grad=True)  # a tensor, no parameter
        self.head = nn.Linear(8, 1)

    def forward(self, x):
        return self.head(x * self.scale)


model = Scaled()

# %% break plain-tensor
names = [name for name, _ in model.named_parameters()]
print(names)
assert "scale" not in names and "scale" not in model.state_dict()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
model(x).sum().backward()
optimizer.step()
assert torch.equal(model.scale, torch.ones(8))  # it has a gradient, and stays

# %% check plain-tensor
from torchclinic import checks

print(checks.registered(model))
assert "scale holds" in str(checks.registered(model))

# %% fix plain-tensor
import torch
from torch import nn


class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(8))
        self.register_buffer("mean", torch.zeros(8))  # moved, saved, not trained
        self.head = nn.Linear(8, 1)

    def forward(self, x):
        return self.head((x - self.mean) * self.scale)


model = Scaled()

# %% proof plain-tensor
from torchclinic import checks

assert not checks.registered(model)
assert list(model.state_dict()) == ["scale", "mean", "head.weight", "head.bias"]
assert [name for name, _ in model.named_parameters()] == ["scale", "head.weight", "head.bias"]
model.mean += 1.0
torch.testing.assert_close(model(x), (x - 1.0) @ model.head.weight.T + model.head.bias)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
model(x).sum().backward()
optimizer.step()
assert not (model.scale == 1).any()
assert model.double().mean.dtype == model.scale.dtype == torch.float64
for again in (nn.Parameter(torch.ones(8)) * 0.02, nn.Parameter(torch.ones(8)).double()):
    model.again = again
    assert "again" not in dict(model.named_parameters()) and not checks.registered(model)
