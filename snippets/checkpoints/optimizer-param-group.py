# ---
# wordings:
#   - text: "loaded state dict contains a parameter group that doesn't match the size of optimizer's group"
#     exception: ValueError
#   - text: "loaded state dict has a different number of parameter groups"
#     exception: ValueError
# tags: [optimizer, checkpoint, fine-tuning]
# recover: fix
# related: [checkpoints/state-dict-keys]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.optim.Optimizer.load_state_dict.html"]
# causes:
#   changed-model:
#     likely: >-
#       live("model", "trained") and not live("model", "partly frozen") and not live("run", "has the
#       saved names")
#     undecided: a changed model and other frozen layers print the same
#   other-frozen:
#     likely: live("model", "partly frozen") or live("run", "has the saved names")
#     undecided: a changed model and other frozen layers print the same
#   other-groups:
#     if: paste("different number of parameter groups")
#   other-optimizer:
#     case: other-groups
# ---

# %%
import os
import tempfile

os.chdir(tempfile.mkdtemp())
import torch
from torch import nn

torch.manual_seed(0)


def make(classes=10, depth=1):
    layers = [nn.Linear(4, 4) for _ in range(depth)]
    return nn.ModuleDict({"backbone": nn.Sequential(*layers), "head": nn.Linear(4, classes)})


def train(model, optimizer):
    for _ in range(3):
        optimizer.zero_grad()
        model["head"](model["backbone"](torch.ones(2, 4))).square().sum().backward()
        optimizer.step()


trained = make()
optimizer = torch.optim.AdamW(trained.parameters(), lr=0.02)
train(trained, optimizer)
saved = {"model": trained.state_dict(), "optimizer": optimizer.state_dict()}
torch.save(saved, "checkpoint.pt")
model = make(depth=2)

# %% break changed-model
optimizer = torch.optim.AdamW(model.parameters())
optimizer.load_state_dict(torch.load("checkpoint.pt")["optimizer"])

# %% check changed-model
saved = torch.load("checkpoint.pt")["optimizer"]["param_groups"]
print([len(group["params"]) for group in saved])  # [4] parameters in the file
print(len(list(model.parameters())))  # 6 in the model
assert len(saved[0]["params"]) == 4 and len(list(model.parameters())) == 6

# %% fix changed-model
import torch

saved = torch.load("checkpoint.pt")["optimizer"]["param_groups"][0]
# another model: a new optimizer, with the old learning rate
optimizer = torch.optim.AdamW(model.parameters(), lr=saved["lr"])

# %% proof changed-model
assert optimizer.param_groups[0]["lr"] == 0.02 and len(optimizer.param_groups[0]["params"]) == 6
before = model["head"].weight.detach().clone()
train(model, optimizer)
assert not torch.equal(model["head"].weight, before)

# %%
trained = make()
trained["backbone"].requires_grad_(False)
optimizer = torch.optim.AdamW([p for p in trained.parameters() if p.requires_grad])
train(trained, optimizer)
torch.save({"model": trained.state_dict(), "optimizer": optimizer.state_dict()}, "checkpoint.pt")
model = make()
model.load_state_dict(trained.state_dict())
optimizer = None

# %% break other-frozen
optimizer = torch.optim.AdamW(model.parameters())
optimizer.load_state_dict(torch.load("checkpoint.pt")["optimizer"])

# %% fix other-frozen
import torch

# frozen as when the file was saved
for parameter in model["backbone"].parameters():
    parameter.requires_grad = False
trained = [p for p in model.parameters() if p.requires_grad]
optimizer = torch.optim.AdamW(trained)
optimizer.load_state_dict(torch.load("checkpoint.pt")["optimizer"])

# %% proof other-frozen
state = optimizer.state_dict()["state"]
expected = torch.load("checkpoint.pt")["optimizer"]["state"]
assert state.keys() == expected.keys() and len(state) == 2
assert all(torch.equal(state[number]["exp_avg"], expected[number]["exp_avg"]) for number in state)
assert state[0]["exp_avg"].shape == model["head"].weight.shape and not model["backbone"][0].weight.requires_grad

# %%
trained = make()
optimizer = torch.optim.AdamW([{"params": trained["backbone"].parameters(), "lr": 1e-4}, {"params": trained["head"].parameters()}])
train(trained, optimizer)
torch.save({"model": trained.state_dict(), "optimizer": optimizer.state_dict()}, "checkpoint.pt")
model = make()
model.load_state_dict(trained.state_dict())

# %% break other-groups
optimizer = torch.optim.AdamW(model.parameters())
optimizer.load_state_dict(torch.load("checkpoint.pt")["optimizer"])

# %% check other-groups
saved = torch.load("checkpoint.pt")["optimizer"]["param_groups"]
print([len(group["params"]) for group in saved])  # [2, 2]: two groups
assert [len(group["params"]) for group in saved] == [2, 2]

# %% fix other-groups
import torch

groups = [
    {"params": model["backbone"].parameters()},
    {"params": model["head"].parameters()},
]
optimizer = torch.optim.AdamW(groups)  # the same groups in the same order
optimizer.load_state_dict(torch.load("checkpoint.pt")["optimizer"])

# %% proof other-groups
assert [group["lr"] for group in optimizer.param_groups] == [1e-4, 1e-3]
expected = torch.load("checkpoint.pt")["optimizer"]["state"]
assert torch.equal(optimizer.state[model["head"].weight]["exp_avg"], expected[2]["exp_avg"])
assert torch.equal(optimizer.state[model["backbone"][0].weight]["exp_avg"], expected[0]["exp_avg"])
