# ---
# tags: [amp, batchnorm, dtype, nan, optimizer]
# recover: fix
# related: [numerics/loss-nan]
# rows: [S003-20]
# docs: ["https://docs.pytorch.org/docs/stable/amp.html"]
# cases:
#   variance-overflow: {silent: true, wrong: {train-mode: "https://github.com/samarth-robo/contactdb_prediction/issues/5"}}
#   lost-updates: {silent: true}
# causes:
#   not-half:
#   variance-overflow:
#   saved-inf: {case: variance-overflow}
#   lost-updates:
#   adam-nan:
# ---

# %%
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
device = torch.zeros(()).device
images = 255 * torch.rand(64, 3, 8, 8).round()  # pixels from 0 to 255, as read from the file

# %%
model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.Flatten(), nn.Linear(288, 2)).half()
with torch.no_grad():
    model[0].weight.mul_(8)  # a trained network has such channels
    model[1].bias.fill_(0.5)

# %% break variance-overflow
for _ in range(50):
    scores = model(images.half())

assert scores.isfinite().all() and scores.std(0).min() > 0.1  # train mode is fine
# the square of more than 255 is too much for half precision
assert model[1].running_var.isinf().any()
# x / inf: this channel is a constant
assert model.eval()[:2](images.half()).std((0, 2, 3)).min() == 0

# %% check variance-overflow
for _ in range(50):
    model(images.half())
# False: this layer has overflowed
print({name: b.isfinite().all().item() for name, b in model.named_buffers()})
assert not model[1].running_var.isfinite().all()

# %% fix variance-overflow
from torch import nn

for module in model.modules():
    if isinstance(module, nn.modules.batchnorm._BatchNorm):
        module.float()  # its own numbers; it takes and returns half precision

# %% proof variance-overflow
with torch.no_grad():
    for _ in range(100):
        model(images.half())
features = model[0](images.half())
assert (model[1].bias == 0.5).all()  # what it has learned is kept
assert model[0].weight.dtype == torch.half and features.dtype == torch.half
assert torch.allclose(model[1].running_var, features.float().var((0, 2, 3)), rtol=1e-2)
normalised = model.eval()[:2](images.half())
assert normalised.dtype == torch.half and torch.allclose(normalised.float().std((0, 2, 3)), torch.ones(8), atol=2e-2)

# %% wrong train-mode
# No `eval()` for predictions either: the answer for an image then depends on the others in its batch.
model.train()
with torch.no_grad():
    alone, together = model(images[:2].half())[0], model(images.half())[0]
print(alone, together)
assert (alone - together).abs().max() > 0.02

# %%
torch.set_autocast_dtype("cpu", torch.float16)  # the default on CUDA
x = torch.tensor([[-1.0], [1.0]])
model = nn.Sequential(nn.BatchNorm1d(1), nn.Linear(1, 1, bias=False)).half()
with torch.no_grad():
    model[1].weight.fill_(1)
optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)

# %% break lost-updates
for _ in range(100):
    optimizer.zero_grad()
    loss = -(model(x.half()) * x).mean()  # wants larger weights: gradients of -1
    loss.backward()
    optimizer.step()

gradient = model[0].weight.grad.float()
assert torch.allclose(gradient, torch.tensor([-1.0]), atol=1e-2)
assert model[0].weight == 1 and model[1].weight == 1  # after a hundred steps

# %% check lost-updates
weight = next(model.parameters())
# True: the step is too small for this weight, and is rounded away
print(weight.dtype, (weight + 1e-4 == weight).item())
assert weight + 1e-4 == weight and weight.float() + 1e-4 != weight

# %% fix lost-updates
import torch

model.float()  # not model.half(): the weights stay in float32
for _ in range(100):
    optimizer.zero_grad()
    with torch.autocast(device.type, dtype=torch.bfloat16):  # half precision
        scores = model(x)
        loss = -(scores * x).mean()
    loss.backward()
    optimizer.step()

# %% proof lost-updates
assert scores.dtype == torch.bfloat16 and {parameter.dtype for parameter in model.parameters()} == {torch.float32}
for layer in model:
    assert torch.allclose(layer.weight, torch.tensor(1.01), atol=1e-3)
