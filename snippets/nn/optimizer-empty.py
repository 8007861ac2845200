# ---
# wordings:
#   - text: "optimizer got an empty parameter list"
#     exception: ValueError
# tags: [optimizer, fine-tuning]
# recover: fix
# related: [nn/module-assign, autograd/no-grad-fn]
# docs: ["https://docs.pytorch.org/docs/stable/optim.html#constructing-it"]
# cases:
#   nothing-to-train:
#     wrong: {as-list: "https://github.com/Lightning-AI/pytorch-lightning/issues/2282"}
# causes:
#   nothing-to-train:
#     if: live("model", "no parameters") and not live("holds layers in a list")
#     undecided: the class of the model is not printed
#   plain-list:
#     if: >-
#       live("model", "holds layers in a list")
#       or live("holds layers in a list")
#     undecided: where the layers are kept is not printed
#   all-frozen:
#     if: live("model", "frozen")
#     likely: paste("filter(", "requires_grad")
#   used-up:
#     if: live("left", "generator", "used up")
#     undecided: that a generator was used before is not printed
# ---

# %%
import torch
from torch import nn

torch.manual_seed(0)

# %% break nothing-to-train
class Net(nn.Module):
    def _init_(self):  # one underscore: Python does not call it
        super().__init__()
        self.layer = nn.Linear(4, 2)


model = Net()
optimizer = torch.optim.AdamW(model.parameters())


# %% check nothing-to-train
class Net(nn.Module):
    def _init_(self):
        super().__init__()
        self.layer = nn.Linear(4, 2)


model = Net()
print(list(model.children()))  # []: nothing was made
assert list(model.children()) == []

# %% fix nothing-to-train
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 2)

    def forward(self, x):
        return self.layer(x)


model = Net()
optimizer = torch.optim.AdamW(model.parameters())

# %% proof nothing-to-train
assert [id(p) for p in optimizer.param_groups[0]["params"]] == [id(model.layer.weight), id(model.layer.bias)]
before = model.layer.weight.detach().clone()
model(torch.ones(1, 4)).sum().backward()
optimizer.step()
assert not torch.equal(before, model.layer.weight)

# %% use nothing-to-train
# >>>
class Net(nn.Module):
    def _init_(self):
        super().__init__()
        self.layer = nn.Linear(4, 2)


model = Net()
optimizer = torch.optim.AdamW(model.parameters())
# <<<
x, labels = torch.randn(8, 4), torch.arange(8) % 2
losses = []
for _ in range(50):
    loss = nn.functional.cross_entropy(model(x), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
assert losses[-1] < losses[0]

# %% wrong as-list
# `list(model.parameters())`: a list of nothing is as empty. The same error.
class Net(nn.Module):
    def _init_(self):
        super().__init__()
        self.layer = nn.Linear(4, 2)


model = Net()
optimizer = torch.optim.AdamW(list(model.parameters()))

# %%
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = [nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2)]

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


# %% break plain-list
model = Net()
optimizer = torch.optim.AdamW(model.parameters())

# %% check plain-list
print(len(list(Net().parameters())))  # 0, although there are layers
assert len(list(Net().parameters())) == 0

# %% fix plain-list
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        layers = [nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2)]
        self.layers = nn.ModuleList(layers)  # a plain list is not looked into

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


model = Net()
optimizer = torch.optim.AdamW(model.parameters())

# %% proof plain-list
assert sum(parameter.numel() for group in optimizer.param_groups for parameter in group["params"]) == 4 * 8 + 8 + 8 * 2 + 2
before = [parameter.detach().clone() for parameter in model.parameters()]
model(torch.ones(1, 4)).sum().backward()
optimizer.step()
assert not torch.equal(before[-1], list(model.parameters())[-1])

# %%
model = nn.ModuleDict({"backbone": nn.Linear(4, 8), "head": nn.Linear(8, 2)})
for parameter in model.parameters():
    parameter.requires_grad = False

# %% break all-frozen
optimizer = torch.optim.AdamW(filter(lambda p: p.requires_grad, model.parameters()))

# %% check all-frozen
frozen = [not parameter.requires_grad for parameter in model.parameters()]
print(sum(frozen), "of", len(frozen))  # of yours: if all are frozen, that is it
assert sum(frozen) == 4 == len(frozen)

# %% fix all-frozen
import torch

for parameter in model["head"].parameters():
    parameter.requires_grad = True  # the new head is trained
optimizer = torch.optim.AdamW(filter(lambda p: p.requires_grad, model.parameters()))

# %% proof all-frozen
assert [id(p) for p in optimizer.param_groups[0]["params"]] == [id(p) for p in model["head"].parameters()]
assert not model["backbone"].weight.requires_grad and not model["backbone"].bias.requires_grad

# %%
model = nn.Linear(4, 2)

# %% break used-up
parameters = model.parameters()
count = sum(p.numel() for p in parameters)
optimizer = torch.optim.AdamW(parameters)

# %% check used-up
parameters = model.parameters()
print(len(list(parameters)), len(list(parameters)))  # 2 0: it can be read once
assert len(list(parameters)) == 0

# %% fix used-up
import torch

parameters = list(model.parameters())  # can be read as often as you like
count = sum(p.numel() for p in parameters)
optimizer = torch.optim.AdamW(parameters)

# %% proof used-up
assert count == 4 * 2 + 2
assert [id(p) for p in optimizer.param_groups[0]["params"]] == [id(p) for p in model.parameters()]
