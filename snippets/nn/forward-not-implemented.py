# ---
# wordings:
#   - text: "Module [{module:ident}] is missing the required \"forward\" function"
#     exception: NotImplementedError
#     sample: "NotImplementedError: Module [Net] is missing the required \"forward\" function"
#   - text: "is missing the required \"forward\" function"
#     exception: NotImplementedError
#   - text: "NotImplementedError"
#     near: [in _forward_unimplemented, "in forward\n    raise NotImplementedError\n", "in forward(self, *input)\n"]
# recover: fix
# tags: [inference]
# related: [nn/module-attr, nn/module-assign]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.forward", "https://docs.pytorch.org/docs/stable/generated/torch.nn.ModuleList.html"]
# causes:
#   indented:
#     if: live("object", "forward() in another method")
#     undecided: a wrong indentation and a wrong name print the same
#   container:
#     if: module in ["ModuleList", "ModuleDict", "ParameterList", "ParameterDict", "Module"]
#   misspelt:
#     if: live("object", "forward() misspelt")
#     undecided: a wrong indentation and a wrong name print the same
#   other-class:
#     case: misspelt
#     likely: module in ["BaseModel", "BaseModule", "Base"]
#     sample: "NotImplementedError: Module [BaseModel] is missing the required \"forward\" function"
# ---

# %%
import torch
from torch import nn

torch.manual_seed(0)
x = torch.rand(2, 3)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 2)

        def forward(self, x):
            return self.fc(x)


# %% break indented
model = Net()
y = model(x)

# %% check indented
print("forward" in vars(Net))  # False: the class itself has no such method
assert "forward" not in vars(Net)

# %% fix indented
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 2)

    def forward(self, x):  # as far to the left as __init__
        return self.fc(x)


model = Net()
y = model(x)

# %% proof indented
assert torch.equal(y, x @ model.fc.weight.T + model.fc.bias)


# %%
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 2)

    def foward(self, x):
        return self.fc(x)


# %% break misspelt
model = Net()
y = model(x)

# %% check misspelt
print([name for name in vars(Net) if not name.startswith("__")])  # ['foward']
assert [name for name in vars(Net) if not name.startswith("__")] == ["foward"]

# %% fix misspelt
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 2)

    def forward(self, x):
        return self.fc(x)


model = Net()
y = model(x)

# %% proof misspelt
assert torch.equal(y, x @ model.fc.weight.T + model.fc.bias)

# %%
parts = [nn.Linear(3, 3), nn.Linear(3, 2)]

# %% break container
model = nn.ModuleList(parts)
y = model(x)

# %% check container
model = nn.ModuleList(parts)
print(type(model).__name__)  # ModuleList, ModuleDict: they only hold modules
assert isinstance(model, nn.ModuleList) and "forward" not in vars(nn.ModuleList)

# %% fix container
from torch import nn

layers = [nn.Linear(3, 3), nn.Linear(3, 2)]
model = nn.Sequential(*layers)  # calls one after the other
y = model(x)

# %% proof container
assert torch.equal(y, layers[1](layers[0](x)))
