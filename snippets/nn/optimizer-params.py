# ---
# wordings:
#   - text: "'<=' not supported between instances of 'float' and 'str'"
#     exception: TypeError
#     near: ["torch/optim", "torch\\optim"]
#     sample: |
#       Traceback (most recent call last):
#         File "torch/optim/adam.py", line 58, in __init__
#           if not 0.0 <= lr:
#       TypeError: '<=' not supported between instances of 'float' and 'str'
#   - text: "params argument given to the optimizer should be an iterable of Tensors or dicts, but got {got:line}"
#     exception: TypeError
#     sample: "TypeError: params argument given to the optimizer should be an iterable of Tensors or dicts, but got torch.FloatTensor"
#   - text: "optimizer can only optimize Tensors, but one of the params is {one:line}"
#     exception: TypeError
#     sample: "TypeError: optimizer can only optimize Tensors, but one of the params is list"
#   - text: "optimizer can only optimize Variables, but one of the params is {one:line}"
#     exception: TypeError
#     sample: "TypeError: optimizer can only optimize Variables, but one of the params is list"
#   - text: "some parameters appear in more than one parameter group"
#     exception: ValueError
#   - text: "'method' object is not iterable"
#     exception: TypeError
#     near: ["torch/optim", "torch\\optim"]
#   - text: "'{cls:ident}' object is not iterable"
#     exception: TypeError
#     near: ["torch/optim/optimizer.py", "torch\\optim\\optimizer.py"]
#     sample: "TypeError: 'Linear' object is not iterable"
#   - text: "'<' not supported between instances of 'str' and 'float'"
#     exception: TypeError
#     near: ["torch/optim", "torch\\optim"]
# tags: [optimizer, fine-tuning]
# recover: fix
# related: [nn/optimizer-empty, autograd/non-leaf-optimizer, nn/scheduler-arguments]
# docs: ["https://docs.pytorch.org/docs/stable/optim.html#constructing-it"]
# causes:
#   rate-is-text:
#     if: paste("'<=' not supported", "'<' not supported")
#   not-called:
#     if: paste("'method' object is not iterable") or one == "torch.nn.modules.module.Module.parameters"
#   nested-list:
#     if: one in ["list", "Module.parameters"]
#   module-itself:
#     sample: "TypeError: optimizer can only optimize Tensors, but one of the params is torch.nn.modules.linear.Linear"
#     if: (read(cls) and cls != "NoneType") or (begins(one, "torch.nn.modules") and one != "torch.nn.modules.module.Module.parameters")
#   one-tensor:
#     if: read(got)
#   twice:
#     if: paste("appear in more than one parameter group")
# ---

# %%
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(3, 2)
x = torch.rand(4, 3)

# %% break rate-is-text
settings = {"lr": "3e-4"}  # what YAML makes of `lr: 3e-4`
optimizer = torch.optim.Adam(model.parameters(), lr=settings["lr"])

# %% check rate-is-text
settings = {"lr": "3e-4"}
print(repr(settings["lr"]))  # '3e-4': in quotes, so a text
assert isinstance(settings["lr"], str)

# %% fix rate-is-text
import torch

settings = {"lr": "3e-4"}
optimizer = torch.optim.Adam(model.parameters(), lr=float(settings["lr"]))

# %% proof rate-is-text
assert optimizer.param_groups[0]["lr"] == 0.0003

# %% break not-called
optimizer = torch.optim.SGD(model.parameters, lr=0.1)

# %% fix not-called
import torch

optimizer = torch.optim.SGD(model.parameters(), lr=0.1)  # with brackets

# %% proof not-called
assert len(optimizer.param_groups[0]["params"]) == 2 and optimizer.param_groups[0]["lr"] == 0.1

# %% break nested-list
other = nn.Linear(2, 1)
parameters = [list(model.parameters()), list(other.parameters())]
optimizer = torch.optim.SGD(parameters, lr=0.1)

# %% fix nested-list
import itertools

import torch
from torch import nn

other = nn.Linear(2, 1)
parameters = itertools.chain(model.parameters(), other.parameters())
optimizer = torch.optim.SGD(parameters, lr=0.1)

# %% proof nested-list
assert len(optimizer.param_groups[0]["params"]) == 4 and optimizer.param_groups[0]["lr"] == 0.1

# %% break one-tensor
optimizer = torch.optim.SGD(x.requires_grad_(), lr=0.1)

# %% fix one-tensor
import torch

optimizer = torch.optim.SGD([x.requires_grad_()], lr=0.1)  # a list of one

# %% proof one-tensor
assert optimizer.param_groups[0]["params"][0] is x and x.requires_grad
x.sum().backward()
before = x.detach().clone()
optimizer.step()
assert torch.allclose(before - 0.1, x.detach())

# %%
model = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 2))

# %% break twice
head = model[-1]
groups = [{"params": model.parameters()}, {"params": head.parameters(), "lr": 1.0}]
optimizer = torch.optim.SGD(groups, lr=0.1)

# %% fix twice
import torch

head = list(model[-1].parameters())
rest = [p for p in model.parameters() if all(p is not q for q in head)]
groups = [{"params": rest}, {"params": head, "lr": 1.0}]
optimizer = torch.optim.SGD(groups, lr=0.1)

# %% proof twice
assert [len(group["params"]) for group in optimizer.param_groups] == [2, 2]
assert [group["lr"] for group in optimizer.param_groups] == [0.1, 1.0]

# %%
model = nn.Linear(4, 3)

# %% break module-itself
optimizer = torch.optim.Adam([model], lr=1e-3)

# %% fix module-itself
import torch

optimizer = torch.optim.Adam(model.parameters(), lr=3e-4)

# %% proof module-itself
assert optimizer.param_groups[0]["lr"] == 3e-4
before = model.weight.detach().clone()
model(torch.rand(2, 4)).sum().backward()
optimizer.step()
assert not torch.equal(model.weight, before)
assert sum(map(len, (group["params"] for group in optimizer.param_groups))) == 2
