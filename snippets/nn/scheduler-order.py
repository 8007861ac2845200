# ---
# wordings:
#   - text: "Detected call of `lr_scheduler.step()` before `optimizer.step()`"
#     exception: UserWarning
#     role: remark
#   - text: "Detected call of lr_scheduler.step() before optimizer.step()"
#     exception: UserWarning
#     role: remark
#   - text: "has been overridden after learning rate scheduler initialization"
#     exception: UserWarning
#     role: remark
#     sample: "UserWarning: Seems like `optimizer.step()` has been overridden after learning rate scheduler initialization."
# tags: [learning-rate, optimizer, amp, warning]
# recover: fix
# related: [checkpoints/optimizer-param-group]
# docs: ["https://docs.pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate"]
# cases:
#   wrong-order:
#     wrong: {warning-ignored: "https://github.com/vidit09/domaingen/issues/17"}
# causes:
#   amp-skipped:
#     likely: paste("GradScaler", "grad_scaler", "loss scale", "Gradient overflow", "accelerate", "lightning", "autocast", "fp16")
#     undecided: whether a step was skipped is not printed
#     sample: |
#       Gradient overflow.  Skipping step, loss scaler 0 reducing loss scale to 32768.0
#       UserWarning: Detected call of `lr_scheduler.step()` before `optimizer.step()`.
#   wrong-order:
#     undecided: the order of the lines is not printed
#   never-stepped:
#     undecided: whether optimizer.step() is called at all is not printed
#   overridden:
#     if: paste("has been overridden after learning rate scheduler")
#     sample: "UserWarning: Seems like `optimizer.step()` has been overridden after learning rate scheduler initialization."
# ---

# %%
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 1)
loader = [4 * torch.rand(2, 4) for _ in range(4)]
optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=1, gamma=0.1)
start, total = model.weight.detach().clone(), torch.cat(loader).sum(0)  # total: the gradient of an epoch
used = []  # the learning rate of each step
optimizer.register_step_pre_hook(lambda *_: used.append(round(optimizer.param_groups[0]["lr"], 6)))

# %% break wrong-order
for epoch in range(3):
    scheduler.step()
    for images in loader:
        optimizer.zero_grad()
        model(images).sum().backward()
        optimizer.step()

# %% check wrong-order
scheduler.step()  # where yours stands, above the loop over batches
print(optimizer.param_groups[0]["lr"])  # 0.1 in the first step: 1.0 is never used
assert round(optimizer.param_groups[0]["lr"], 6) == 0.1 and used == []

# %% fix wrong-order
for epoch in range(3):
    for images in loader:
        optimizer.zero_grad()
        model(images).sum().backward()
        optimizer.step()
    scheduler.step()  # at the end, after the optimizer

# %% proof wrong-order
assert used == [1.0] * 4 + [0.1] * 4 + [0.01] * 4
assert torch.allclose(model.weight, start - 1.11 * total, rtol=1e-4)

# %% wrong warning-ignored
# The warning ignored: the first learning rate is never used, and each epoch trains with that of the
# next.
import warnings

warnings.filterwarnings("ignore", "Detected call of")
for epoch in range(3):
    scheduler.step()
    for images in loader:
        optimizer.zero_grad()
        model(images).sum().backward()
        optimizer.step()
print(used[::4])  # of each epoch; 1.0, 0.1 and 0.01 were meant
assert used[::4] == [0.1, 0.01, 0.001]

# %%
scaler = torch.amp.GradScaler("cpu", init_scale=2.0**127)  # so high that the first step overflows, as it does on a GPU
loader = [*loader, 100 * loader[0], loader[1]]  # and once more, later

# %% break amp-skipped
for images in loader:
    optimizer.zero_grad()
    scaler.scale(model(images).sum()).backward()
    scaler.step(optimizer)  # leaves the step out where a gradient is inf
    scaler.update()
    scheduler.step()

# %% check amp-skipped
scale = scaler.get_scale()
scaler.scale(model(loader[0]).sum()).backward()
scaler.step(optimizer)
scaler.update()
print(scaler.get_scale() < scale)  # True: halved, so that step was left out
assert scaler.get_scale() < scale and used == []

# %% fix amp-skipped
for images in loader:
    optimizer.zero_grad()
    scaler.scale(model(images).sum()).backward()
    scale = scaler.get_scale()
    scaler.step(optimizer)
    scaler.update()
    if scaler.get_scale() >= scale:  # not halved: a step was made
        scheduler.step()

# %% proof amp-skipped
assert used and used[0] == 1.0  # the first real step has the first learning rate
assert used == [round(0.1**number, 6) for number in range(len(used))] and 1 < len(used) < 5

# %% use amp-skipped
loader = [4 * torch.rand(3, 4) for _ in range(6)]
# >>>
for images in loader:
    optimizer.zero_grad()
    scaler.scale(model(images).sum()).backward()
    scaler.step(optimizer)
    scaler.update()
    scheduler.step()
# <<<
assert 0 < len(used) < len(loader)  # some steps were left out, some were made
assert model.weight.isfinite().all() and optimizer.param_groups[0]["lr"] < 1.0

# %%
del scaler, loader[4:]
optimizer.zero_grad()

# %% break never-stepped
for number, images in enumerate(loader):
    model(images).sum().backward()
    if number % 8 == 7:  # more batches than there are
        optimizer.step()
        optimizer.zero_grad()
scheduler.step()

# %% check never-stepped
steps = []
optimizer.register_step_post_hook(lambda *_: steps.append(1))
for number, images in enumerate(loader):
    model(images).sum().backward()
    if number % 8 == 7:
        optimizer.step()
print(len(steps))  # 0 steps in the epoch
assert len(steps) == len(used) == 0

# %% fix never-stepped
for number, images in enumerate(loader):
    model(images).sum().backward()
    if number % 8 == 7 or number == len(loader) - 1:  # the rest counts, too
        optimizer.step()
        optimizer.zero_grad()
scheduler.step()

# %% proof never-stepped
assert used == [1.0] and round(optimizer.param_groups[0]["lr"], 6) == 0.1
assert model.weight.grad is None and torch.allclose(model.weight, start - total, rtol=1e-4)

# %%
import types

optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=1, gamma=0.1)
plain = optimizer.step
# as amp.initialize of apex and prepare() of Accelerate do
optimizer.step = types.MethodType(lambda self: plain(), optimizer)
loss = model(loader[0]).sum()
loss.backward()

# %% break overridden
optimizer.step()
scheduler.step()

# %% fix overridden
from torch.optim.lr_scheduler import StepLR

# after all that wraps the optimizer: amp.initialize(…), accelerator.prepare(…)
scheduler = StepLR(optimizer, step_size=1, gamma=0.5)
optimizer.step()
scheduler.step()

# %% proof overridden
assert optimizer.param_groups[0]["lr"] == 0.5
torch.testing.assert_close(model.weight.detach(), (start - loader[0].sum(0)).detach())
scheduler.step()
assert optimizer.param_groups[0]["lr"] == 0.25
