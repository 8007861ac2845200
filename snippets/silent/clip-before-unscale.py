# ---
# tags: [amp, optimizer, backward]
# recover: fix
# related: [nn/no-inf-checks, numerics/loss-nan]
# docs: ["https://docs.pytorch.org/docs/stable/notes/amp_examples.html#gradient-clipping"]
# cases:
#   not-unscaled:
#     wrong: {larger-norm: "https://github.com/pytorch/pytorch/issues/40907"}
# causes:
#   not-unscaled:
#   after-the-step:
# ---

# %%
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
scaler = torch.amp.GradScaler("cpu")  # "cuda" on a GPU; the scale begins at 65536
x, y = torch.randn(32, 4), 10 + torch.randn(32, 1)
loss_fn = nn.MSELoss()
start = [parameter.detach().clone() for parameter in model.parameters()]


def step_length():
    """How far all parameters have moved, as one vector."""
    pairs = zip(model.parameters(), start)
    return torch.cat([(now - before).flatten() for now, before in pairs]).norm().item()


loss = loss_fn(model(x), y)

# %% break not-unscaled
scaler.scale(loss).backward()
norm = torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
scaler.step(optimizer)
scaler.update()
print(f"norm before clipping {norm:.0f}, length of the step {step_length():.6f}")
assert norm > 1e5 and step_length() < 1 / 60000  # 1.0 was meant

# %% check not-unscaled
from torchclinic import checks

scaler.scale(loss).backward()
print(checks.unscaled(scaler, optimizer))  # just before you clip
assert "multiplied by the scale, 65536" in str(checks.unscaled(scaler, optimizer))

# %% fix not-unscaled
import torch

scaler.scale(loss).backward()
scaler.unscale_(optimizer)
torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
scaler.step(optimizer)
scaler.update()

# %% proof not-unscaled
from torchclinic import checks

assert abs(step_length() - 1) < 1e-3
assert not scaler._per_optimizer_states  # update() has been called
optimizer.zero_grad()
scaler.scale(loss_fn(model(x), y)).backward()
scaler.unscale_(optimizer)
assert not checks.unscaled(scaler, optimizer)

# %% use not-unscaled
losses = []
for _ in range(20):
    optimizer.zero_grad()
    loss = loss_fn(model(x), y)
    # >>>
    scaler.scale(loss).backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
    scaler.step(optimizer)
    scaler.update()
    # <<<
    losses.append(loss.item())
print(round(losses[0]), round(losses[-1], 1))
assert losses[-1] < losses[0] / 10

# %% wrong larger-norm
# Another limit, `max_norm=12`: that, too, is divided by the scale afterwards.
scaler.scale(loss).backward()
torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm=12)
scaler.step(optimizer)
scaler.update()
print(f"length of the step {step_length():.6f}")
assert step_length() < 12 / 60000  # 12 was meant

# %%
scaler = torch.amp.GradScaler("cpu", enabled=False)  # float32 or bfloat16

# %% break after-the-step
loss.backward()
optimizer.step()
torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)  # too late
print(f"length of the step {step_length():.1f}")
assert step_length() > 10

# %% check after-the-step
from torchclinic import checks

loss.backward()
print(checks.clipped(model, max_norm=1.0))  # just before optimizer.step()
assert "above 1: they were clipped before" in str(checks.clipped(model, 1.0))

# %% fix after-the-step
import torch

loss.backward()
torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
optimizer.step()

# %% proof after-the-step
from torchclinic import checks

assert not checks.clipped(model, 1.0)
assert abs(step_length() - 1) < 1e-3
