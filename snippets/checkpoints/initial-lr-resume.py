# ---
# wordings:
#   - text: "param 'initial_lr' is not specified in param_groups[{_:int}] when resuming"
#     exception: KeyError
#     sample: "KeyError: \"param 'initial_lr' is not specified in param_groups[0] when resuming an optimizer\""
#   - text: "param 'initial_lr' is not specified"
#     exception: KeyError
# tags: [learning-rate, optimizer, checkpoint]
# recover: fix
# related: [checkpoints/optimizer-param-group, nn/scheduler-order]
# docs: ["https://docs.pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate"]
# cases:
#   resume:
#     wrong: {initial-lr-by-hand: "https://github.com/pytorch/pytorch/issues/160626"}
#     survives: {"without: lr= in torch.optim.SGD(model.parameters(), lr=1.0)": "the saved state brings the learning rate; older releases want the argument all the same"}
#   weights-only-file:
#     survives: {"without: optimizer.step()": "it only keeps the warning about the order of the two away"}
# causes:
#   resume:
#     if: live("holds the state of an optimizer")
#     undecided: whether there is a saved state is not printed
#   weights-only-file:
#     if: live("right", "by load") and not live("holds the state of an optimizer")
#     undecided: what the file holds is not printed
#   fresh-start:
#     likely: live("optimizer") and not live("by load") and not live("via load")
#     undecided: whether it is a new training is not printed
# ---

# %%
import os
import tempfile

os.chdir(tempfile.mkdtemp())
import torch
from torch import nn

torch.manual_seed(0)
CosineAnnealingLR = torch.optim.lr_scheduler.CosineAnnealingLR
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
scheduler = CosineAnnealingLR(optimizer, T_max=10)
for epoch in range(4):
    optimizer.step()
    scheduler.step()
expected = scheduler.get_last_lr()[0]  # 0.65: of the fifth epoch
saved = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "scheduler": scheduler.state_dict(), "epoch": 3}
torch.save(saved, "checkpoint.pt")
weight = model.weight.detach().clone()
nn.init.zeros_(model.weight)  # a new process
optimizer = scheduler = None

# %% break resume
checkpoint = torch.load("checkpoint.pt")
optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
scheduler = CosineAnnealingLR(optimizer, T_max=10, last_epoch=checkpoint["epoch"])

# %% check resume
checkpoint = torch.load("checkpoint.pt")
print(list(checkpoint))  # the file has the states of optimizer and scheduler
assert {"optimizer", "scheduler"} < set(checkpoint)

# %% fix resume
import torch

checkpoint = torch.load("checkpoint.pt")
model.load_state_dict(checkpoint["model"])
optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=10)
optimizer.load_state_dict(checkpoint["optimizer"])
scheduler.load_state_dict(checkpoint["scheduler"])  # no last_epoch anywhere

# %% proof resume
assert optimizer.param_groups[0]["lr"] == expected and scheduler.last_epoch == 4
for epoch in range(6):
    optimizer.step()
    scheduler.step()
assert abs(optimizer.param_groups[0]["lr"]) < 1e-6
assert torch.equal(model.weight, weight)
late = torch.optim.SGD(model.parameters(), lr=1.0)
late.load_state_dict(checkpoint["optimizer"])
torch.optim.lr_scheduler.LambdaLR(late, lambda epoch: 1 / (1 + epoch))
assert late.param_groups[0]["lr"] == 1.0  # built after loading: the rate of the start

# %% use resume
import math

# >>>
checkpoint = torch.load("checkpoint.pt")
optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
scheduler = CosineAnnealingLR(optimizer, T_max=10, last_epoch=checkpoint["epoch"])
# <<<
rates = []
for epoch in range(checkpoint["epoch"] + 1, 10):
    rates.append(optimizer.param_groups[0]["lr"])
    optimizer.zero_grad()
    model(torch.randn(8, 4)).square().mean().backward()
    optimizer.step()
    scheduler.step()
curve = [(1 + math.cos(math.pi * epoch / 10)) / 2 for epoch in range(4, 10)]
assert all(abs(rate - wanted) < 1e-6 for rate, wanted in zip(rates, curve, strict=True))

# %% wrong initial-lr-by-hand
# `initial_lr` written into the groups by hand: no error any more, but the rate starts from the
# beginning of the curve, 1.0 in place of 0.65.
checkpoint = torch.load("checkpoint.pt")
model.load_state_dict(checkpoint["model"])
optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
for group in optimizer.param_groups:
    group.setdefault("initial_lr", group["lr"])
scheduler = CosineAnnealingLR(optimizer, T_max=10, last_epoch=checkpoint["epoch"])
print(scheduler.get_last_lr())

# %%
torch.save({"model": model.state_dict(), "epoch": 3}, "checkpoint.pt")

# %% break weights-only-file
checkpoint = torch.load("checkpoint.pt")
optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
scheduler = CosineAnnealingLR(optimizer, T_max=10, last_epoch=checkpoint["epoch"])

# %% check weights-only-file
print(list(torch.load("checkpoint.pt")))  # no state of an optimizer
groups = [{"params": model.parameters(), "initial_lr": 1.0}]
optimizer = torch.optim.SGD(groups, lr=1.0)
CosineAnnealingLR(optimizer, T_max=10, last_epoch=3)
print(optimizer.param_groups[0]["lr"])  # 1.0 instead of 0.65: not a cure
assert optimizer.param_groups[0]["lr"] == 1.0 and round(expected, 2) == 0.65

# %% fix weights-only-file
import torch

# calls of scheduler.step() behind you: here one an epoch; or times len(loader)
done = torch.load("checkpoint.pt")["epoch"] + 1
optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=10)
for epoch in range(done):
    optimizer.step()  # there are no gradients yet: changes nothing
    scheduler.step()

# %% proof weights-only-file
assert abs(optimizer.param_groups[0]["lr"] - expected) < 1e-6 and scheduler.last_epoch == 4
assert torch.equal(model.weight, torch.load("checkpoint.pt")["model"]["weight"])
for epoch in range(6):
    optimizer.step()
    scheduler.step()
assert abs(optimizer.param_groups[0]["lr"]) < 1e-6

# %% break fresh-start
optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
scheduler = CosineAnnealingLR(optimizer, T_max=10, last_epoch=0)

# %% fix fresh-start
import torch

optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
# a new training: no last_epoch, which is -1 then
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=10)

# %% proof fresh-start
assert optimizer.param_groups[0]["lr"] == 1.0 and scheduler.last_epoch == 0
for epoch in range(10):
    optimizer.step()
    scheduler.step()
assert abs(optimizer.param_groups[0]["lr"]) < 1e-6
