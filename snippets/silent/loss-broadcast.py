# ---
# tags: [loss, broadcasting, shape]
# recover: fix
# related: [shapes/mse-broadcast-warning, shapes/broadcast-mismatch]
# docs: ["https://docs.pytorch.org/docs/stable/notes/broadcasting.html"]
# causes:
#   own-formula:
#   warning-unseen: {case: own-formula}
#   weights-column:
# ---

# %%
import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(64, 3)
y = x @ torch.tensor([1.0, -2.0, 3.0])  # (64,)
model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

# %% break own-formula
for step in range(200):
    optimizer.zero_grad()
    loss = (model(x) - y).square().mean()  # (64, 1) - (64,): 64 x 64 differences
    loss.backward()
    optimizer.step()
print(f"loss {loss:.2f}, std {model(x).std():.2f}; of the targets {y.std():.2f}")
assert model(x).std() < 0.01 < 1 < y.std()  # the mean for all
assert torch.isclose(loss, y.var(correction=0))

# %% check own-formula
from torchclinic import checks

print(checks.same_shape(model(x), y))  # what goes into your loss
assert "(64, 64)" in str(checks.same_shape(model(x), y))

# %% fix own-formula
prediction = model(x).squeeze(1)  # (64,), as the target
loss = (prediction - y).square().mean()

# %% proof own-formula
from torchclinic import checks

assert not checks.same_shape(prediction, y)
torch.testing.assert_close(loss, sum((model(x[i])[0] - y[i]) ** 2 for i in range(64)) / 64)
for step in range(200):
    optimizer.zero_grad()
    (model(x).squeeze(1) - y).square().mean().backward()
    optimizer.step()
assert (model(x).squeeze(1) - y).square().mean() < 1e-6

# %%
model, loss_fn = nn.Sequential(nn.Linear(3, 1), nn.Flatten(0)), nn.MSELoss(reduction="none")
weights = torch.arange(64.0).unsqueeze(1)  # (64, 1): a column of a table

# %% break weights-column
losses = loss_fn(model(x), y)  # (64,): one for each sample
loss = (losses * weights).mean()  # (64, 64): each loss with each weight
print(f"{loss:.3f}, without weights {losses.mean() * weights.mean():.3f}")
assert torch.isclose(loss, losses.mean() * weights.mean())  # as if all were alike

# %% check weights-column
from torchclinic import checks

print(checks.same_shape(loss_fn(model(x), y), weights))
assert "(64, 64)" in str(checks.same_shape(loss_fn(model(x), y), weights))

# %%
batch = {"x": x, "y": y, "weight": weights}

# %% fix weights-column
losses = loss_fn(model(x), y)  # loss_fn with reduction="none"
weights = batch["weight"].squeeze(1)  # (64,), as the losses
loss = (losses * weights).sum() / weights.sum()

# %% proof weights-column
from torchclinic import checks

assert not checks.same_shape(losses, weights)
torch.testing.assert_close(loss, sum(i * (model(x)[i] - y[i]) ** 2 for i in range(64)) / sum(range(64)))
