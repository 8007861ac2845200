# ---
# tags: [amp, batchnorm]
# related: [numerics/loss-nan]
# rows: [S003-20]
# docs: ["https://docs.pytorch.org/docs/stable/amp.html"]
# cases:
#   variance-overflow: {silent: true}
#   lost-updates: {silent: true}
# ---

# %%
import torch
from torch import nn

# %% break variance-overflow
torch.manual_seed(0)
x = (400 * torch.randn(64, 8)).half()
model = nn.Sequential(nn.BatchNorm1d(8)).half()
for _ in range(50):
    model(x)

assert model[0].running_var.isinf().all()  # 400 * 400 is more than half precision can hold
assert (model.eval()(x) == 0).all()  # x / inf: every output is the same

# %% check variance-overflow
torch.manual_seed(0)
x = (400 * torch.randn(64, 8)).half()
model = nn.Sequential(nn.BatchNorm1d(8)).half()
for _ in range(50):
    model(x)
print({name: buffer.isfinite().all().item() for name, buffer in model.named_buffers()})  # False: this layer has overflowed
assert not model[0].running_var.isfinite().all()

# %% fix variance-overflow
torch.manual_seed(0)
x = (400 * torch.randn(64, 8)).half()
model = nn.Sequential(nn.BatchNorm1d(8)).half()
for module in model.modules():
    if isinstance(module, nn.modules.batchnorm._BatchNorm):
        module.float()  # weights and running statistics; it takes half precision, and returns it
for _ in range(100):
    model(x)

assert torch.allclose(model[0].running_var, x.float().var(0), rtol=1e-2)
y = model.eval()(x)
assert y.dtype == torch.half and torch.allclose(y.float().std(0), torch.ones(8), atol=2e-2)

# %% break lost-updates
x = torch.tensor([[-1.0], [1.0]]).half()
layer = nn.BatchNorm1d(1).half()
optimizer = torch.optim.SGD(layer.parameters(), lr=1e-4)
for _ in range(100):
    optimizer.zero_grad()
    loss = -(layer(x) * x).mean()  # wants a larger weight: the gradient is -1
    loss.backward()
    optimizer.step()

assert torch.allclose(layer.weight.grad.float(), torch.tensor([-1.0]), atol=1e-2)
assert layer.weight == 1  # a hundred steps, and it has not moved

# %% check lost-updates
weight = torch.ones(1).half()
print(weight + 1e-4 == weight)  # True: the step is too small for this weight, and is rounded away
assert weight + 1e-4 == weight and weight.float() + 1e-4 != weight

# %% fix lost-updates
x = torch.tensor([[-1.0], [1.0]]).half()
layer = nn.BatchNorm1d(1)  # float32; use torch.autocast for the layers that shall compute in half precision
optimizer = torch.optim.SGD(layer.parameters(), lr=1e-4)
for _ in range(100):
    optimizer.zero_grad()
    loss = -(layer(x) * x).mean()
    loss.backward()
    optimizer.step()

assert layer(x).dtype == torch.half
assert torch.allclose(layer.weight, torch.tensor([1.01]), atol=1e-4)
