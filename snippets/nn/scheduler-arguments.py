# ---
# wordings:
#   - text: "__init__() got an unexpected keyword argument 'verbose'"
#     exception: TypeError
#     near: ["LR(", "lr_scheduler", "LR.__init__", "ReduceLROnPlateau", "LRScheduler", "CosineAnnealingWarmRestarts"]
#     sample: "TypeError: ReduceLROnPlateau.__init__() got an unexpected keyword argument 'verbose'"
#   - text: "step() missing 1 required positional argument: 'metrics'"
#     exception: TypeError
#     sample: "TypeError: ReduceLROnPlateau.step() missing 1 required positional argument: 'metrics'"
#   - text: "Tried to step {tried:int} times. The specified number of total steps is {total:int}"
#     exception: ValueError
#     sample: "ValueError: Tried to step 3 times. The specified number of total steps is 2"
#   - text: "Tried to step {tried:int} times. The specified number of steps is {total:int}"
#     exception: ValueError
#     sample: "ValueError: Tried to step 102 times. The specified number of steps is 100"
# tags: [optimizer]
# recover: fix
# related: [nn/scheduler-order, silent/scheduler-per-step, nn/optimizer-params]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.optim.lr_scheduler.ReduceLROnPlateau.html", "https://docs.pytorch.org/docs/stable/generated/torch.optim.lr_scheduler.OneCycleLR.html"]
# causes:
#   verbose:
#     if: paste("argument 'verbose'")
#   metrics:
#     if: "paste(\"argument: 'metrics'\")"
#   too-many-steps:
#     if: read(tried)
# cases:
#   verbose: {needs: ["torch:2.7"]}
# ---

# %%
import torch
from torch import nn
from torch.optim.lr_scheduler import OneCycleLR, ReduceLROnPlateau, StepLR

model = nn.Linear(3, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loader = [torch.rand(4, 3)] * 5
model(loader[0]).sum().backward()
before = model.weight.detach().clone()

# %% break verbose
scheduler = ReduceLROnPlateau(optimizer, patience=2, verbose=True)

# %% fix verbose
from torch.optim.lr_scheduler import ReduceLROnPlateau

scheduler = ReduceLROnPlateau(optimizer, patience=2)  # all others likewise
for val_loss in (3.0, 2.0, 2.5, 2.0, 2.1):  # that of each epoch
    optimizer.step()
    scheduler.step(val_loss)
    print("rate:", optimizer.param_groups[0]["lr"])  # what verbose printed

# %% proof verbose
assert abs(optimizer.param_groups[0]["lr"] - 0.01) < 1e-12 and not torch.equal(model.weight, before)
assert scheduler.best == 2.0 and scheduler.last_epoch == 5 and scheduler.patience == 2

# %% break metrics
scheduler = ReduceLROnPlateau(optimizer, patience=0)
scheduler.step()

# %% fix metrics
from torch.optim.lr_scheduler import ReduceLROnPlateau

scheduler = ReduceLROnPlateau(optimizer, patience=0)
for val_loss in (3.0, 2.0, 2.0, 1.0):  # that of each epoch
    scheduler.step(val_loss)

# %% proof metrics
assert abs(optimizer.param_groups[0]["lr"] - 0.01) < 1e-12  # lowered once
assert scheduler.best == 1.0 and scheduler.mode == "min"

# %% break too-many-steps
scheduler = OneCycleLR(optimizer, max_lr=0.1, epochs=2, steps_per_epoch=4)
for epoch in range(2):
    for batch in loader:
        optimizer.step()
        scheduler.step()

# %% check too-many-steps
print(2 * 4, 2 * len(loader))  # 8 10: steps planned, steps taken
assert 2 * 4 < 2 * len(loader)

# %% fix too-many-steps
from torch.optim.lr_scheduler import OneCycleLR

scheduler = OneCycleLR(optimizer, max_lr=0.1, epochs=2, steps_per_epoch=len(loader))
for epoch in range(2):
    for batch in loader:
        optimizer.step()
        scheduler.step()

# %% proof too-many-steps
assert scheduler.total_steps == 10 == scheduler.last_epoch and not torch.equal(model.weight, before)
other = torch.optim.SGD(model.parameters(), lr=0.1)
planned = OneCycleLR(other, max_lr=0.1, total_steps=10)
for _ in range(10):
    other.step()
    planned.step()
assert scheduler.get_last_lr() == planned.get_last_lr()  # the curve of ten steps, not a stretched one
