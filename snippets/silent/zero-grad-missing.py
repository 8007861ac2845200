# ---
# tags: [optimizer, loss, backward]
# recover: fix
# related: [numerics/loss-nan, autograd/grad-is-none, distributed/horovod-zero-grad]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.optim.Optimizer.zero_grad.html"]
# cases:
#   no-zero-grad:
#     wrong: {once-per-epoch: "https://github.com/pytorch/pytorch/issues/47175"}
# causes:
#   no-zero-grad:
#   before-the-loop: {case: no-zero-grad}
#   another-optimizer:
# ---

# %%
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
samples = torch.randn(256, 8)
dataset = TensorDataset(samples, samples.sum(dim=1, keepdim=True))
loader = DataLoader(dataset, batch_size=16)
model, loss_fn = nn.Linear(8, 1), nn.MSELoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)

# %% break no-zero-grad
losses = []
for epoch in range(4):
    for x, y in loader:
        loss = loss_fn(model(x), y)
        loss.backward()  # adds to what is left of all steps before
        optimizer.step()
        losses.append(loss.item())
print([round(loss, 2) for loss in losses[::6]])
assert min(losses) < 0.5 < losses[0] < max(losses[32:])  # down, and up again

# %% check no-zero-grad
from torchclinic import checks

for step, (x, y) in zip(range(2), loader):
    loss = loss_fn(model(x), y)
    print(checks.gradients_cleared(model))  # just before backward()
    loss.backward()
    optimizer.step()
assert "zero_grad" in str(checks.gradients_cleared(model))

# %%
import copy

twin = copy.deepcopy(model)

# %% fix no-zero-grad
for x, y in loader:
    optimizer.zero_grad()  # in each step, before backward()
    loss = loss_fn(model(x), y)
    loss.backward()
    optimizer.step()

# %% proof no-zero-grad
for x, y in loader:  # the same by hand: each step by the gradient of its own batch
    gradients = torch.autograd.grad(loss_fn(twin(x), y), list(twin.parameters()))
    with torch.no_grad():
        for parameter, gradient in zip(twin.parameters(), gradients, strict=True):
            parameter -= 0.05 * gradient
torch.testing.assert_close(model.state_dict(), twin.state_dict())
assert loss_fn(model(samples), dataset.tensors[1]) < 0.5  # on the way down

# %% use no-zero-grad
norms = []
for epoch in range(3):
    # >>>
    for x, y in loader:
        loss = loss_fn(model(x), y)
        loss.backward()
        optimizer.step()
    # <<<
    norms.append(loss.item())
assert norms[0] > norms[1] > norms[2] and norms[2] < 0.01  # it goes on getting better

# %% wrong once-per-epoch
# `zero_grad()` at the beginning of the epoch, not of each step: within the epoch gradients are added
# up as before.
optimizer.zero_grad()
for x, y in loader:
    loss = loss_fn(model(x), y)
    loss.backward()
    optimizer.step()

# %% break another-optimizer
body, head = nn.Linear(8, 4), nn.Linear(4, 1)
model = nn.Sequential(body, head)
optimizer = torch.optim.SGD(head.parameters(), lr=0.01)
norms = []
for x, y in 10 * list(loader):
    optimizer.zero_grad()  # the head's gradients, not the body's
    loss_fn(model(x), y).backward()
    norms.append(nn.utils.get_total_norm([body.weight.grad]).item())
    optimizer.step()
print([round(norm) for norm in norms[::20]])
assert norms[-1] > 10 * norms[0]

# %%
model = nn.Sequential(nn.Linear(8, 4), nn.Linear(4, 1))
optimizer = torch.optim.SGD(model[1].parameters(), lr=0.02)  # the head only
x, y = dataset.tensors
loss_fn(model(x), y).backward()

# %% check another-optimizer
from torchclinic import checks

optimizer.zero_grad()
print(checks.gradients_cleared(model))  # just before backward()
assert "0.weight" in str(checks.gradients_cleared(model))

# %% fix another-optimizer
import torch

model[0].requires_grad_(False)  # what is not trained gets no gradient
optimizer = torch.optim.SGD(model[1].parameters(), lr=0.01)
model.zero_grad()  # and what is left of earlier steps goes

# %% proof another-optimizer
from torchclinic import checks

for _ in range(3):
    optimizer.zero_grad()
    assert not checks.gradients_cleared(model)
    loss_fn(model(x), y).backward()
    alone = torch.autograd.grad(loss_fn(model(x), y), list(model[1].parameters()))
    assert model[0].weight.grad is None
    assert optimizer.param_groups[0]["lr"] == 0.01
    norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    torch.testing.assert_close(norm, torch.cat([gradient.flatten() for gradient in alone]).norm())
    optimizer.step()
