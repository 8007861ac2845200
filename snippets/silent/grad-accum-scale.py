# ---
# tags: [backward, batch-size, optimizer, loss, learning-rate]
# recover: fix
# related: [numerics/loss-nan, nn/bn-one-value]
# docs: ["https://docs.pytorch.org/docs/stable/notes/amp_examples.html#gradient-accumulation"]
# causes:
#   not-divided:
#   uneven-parts:
#   left-over:
# ---

# %%
import torch
from torch import nn
from torch.nn.functional import cross_entropy

torch.manual_seed(0)
model = nn.Linear(8, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(32, 8), torch.arange(32) % 3


def gradient():
    return torch.cat([parameter.grad.flatten() for parameter in model.parameters()])


cross_entropy(model(x), y).backward()
whole = gradient()  # that of the large batch
model.zero_grad()

# %% break not-divided
for images, labels in zip(x.split(8), y.split(8)):
    cross_entropy(model(images), labels).backward()
times = (gradient().norm() / whole.norm()).item()
print(f"{times:.2f} times the gradient of the whole batch")
assert abs(times - 4) < 0.01

# %% check not-divided
from torchclinic import checks


def at_once():
    cross_entropy(model(x), y).backward()


def in_parts():  # as your loop does it
    for images, labels in zip(x.split(8), y.split(8)):
        cross_entropy(model(images), labels).backward()


found = checks.accumulates(at_once, in_parts, model)
print(found)
assert "4 times as long" in str(found) and "divide each part's loss" in str(found)

# %%
model(x).sum().backward()  # gradients of an earlier step
loader = list(zip(x.split(4), y.split(4)))  # 8 batches

# %% fix not-divided
from torch.nn.functional import cross_entropy

parts = 4  # batches that make one step
optimizer.zero_grad()
for step, (images, labels) in enumerate(loader):
    loss = cross_entropy(model(images), labels) / parts
    loss.backward()
    if (step + 1) % parts == 0:
        optimizer.step()
        optimizer.zero_grad()

# %% proof not-divided
from torchclinic import checks


def at_once():
    cross_entropy(model(x[:16]), y[:16]).backward()


def in_parts():
    for images, labels in loader[:parts]:
        (cross_entropy(model(images), labels) / parts).backward()


assert not checks.gradients_cleared(model)
assert not checks.accumulates(at_once, in_parts, model)
torch.manual_seed(0)
other = nn.Linear(8, 3)
optimizer = torch.optim.SGD(other.parameters(), lr=0.1)
for images, labels in zip(x.split(16), y.split(16)):  # two steps with large batches
    optimizer.zero_grad()
    cross_entropy(other(images), labels).backward()
    optimizer.step()
assert torch.allclose(model.weight, other.weight, atol=1e-6)
assert torch.allclose(model.bias, other.bias, atol=1e-6)

# %%
y[:6] = y[8:12] = -100  # padding, not counted
model.zero_grad()
cross_entropy(model(x), y).backward()
whole = gradient()
model.zero_grad()

# %% break uneven-parts
for images, labels in zip(x.split(8), y.split(8)):
    print((labels != -100).sum().item(), "tokens count in this part")
    (cross_entropy(model(images), labels) / 4).backward()
wrong = (gradient() - whole).norm() / whole.norm()
print(f"the gradient is {wrong:.0%} off")
assert wrong > 0.1

# %% check uneven-parts
print([(labels != -100).sum().item() for labels in y.split(8)])  # equal?
assert len({(labels != -100).sum().item() for labels in y.split(8)}) > 1

# %%
model(x).sum().backward()  # gradients of an earlier step

# %% fix uneven-parts
from torch.nn.functional import cross_entropy

tokens = (y != -100).sum()  # those of all parts
optimizer.zero_grad()
for images, labels in zip(x.split(8), y.split(8)):
    loss = cross_entropy(model(images), labels, reduction="sum") / tokens
    loss.backward()
optimizer.step()

# %% proof uneven-parts
from torchclinic import checks

assert torch.allclose(gradient(), whole, atol=1e-6)


def at_once():
    cross_entropy(model(x), y).backward()


def in_parts():
    for images, labels in zip(x.split(8), y.split(8)):
        (cross_entropy(model(images), labels, reduction="sum") / tokens).backward()


assert not checks.accumulates(at_once, in_parts, model)
torch.manual_seed(0)
other = nn.Linear(8, 3)
cross_entropy(other(x), y).backward()
torch.optim.SGD(other.parameters(), lr=0.1).step()
assert torch.allclose(model.weight, other.weight, atol=1e-6)

# %%
model.zero_grad()
torch.manual_seed(0)
x, y = torch.randn(28, 8), torch.arange(28) % 3
loader = list(zip(x.split(4), y.split(4)))  # 7 batches


def steps(optimizer):
    """How often the optimizer steps."""
    made = []
    optimizer.register_step_post_hook(lambda *_: made.append(gradient()))
    return made


made = steps(optimizer)

# %% break left-over
for step, (images, labels) in enumerate(loader):
    (cross_entropy(model(images), labels) / 4).backward()
    if (step + 1) % 4 == 0:
        optimizer.step()
        optimizer.zero_grad()
print(len(made), "step; 3 batches are still in the gradients")
assert len(made) == 1 and gradient().any()

# %% check left-over
from torchclinic import checks

for epoch in range(2):
    for step, (images, labels) in enumerate(loader):
        if step == 0:
            found = checks.gradients_cleared(model)
            print(f"epoch {epoch}:", found)  # before the first backward()
        (cross_entropy(model(images), labels) / 4).backward()
        if (step + 1) % 4 == 0:
            optimizer.step()
            optimizer.zero_grad()
assert "is left" in str(found)

# %% fix left-over
from torch.nn.functional import cross_entropy

for step, (images, labels) in enumerate(loader):
    group = min(4, len(loader) - step // 4 * 4)  # the last one may be smaller
    (cross_entropy(model(images), labels) / group).backward()
    if (step + 1) % 4 == 0 or step + 1 == len(loader):
        optimizer.step()
        optimizer.zero_grad()

# %% proof left-over
from torchclinic import checks

assert not checks.gradients_cleared(model)
assert len(made) == 2
torch.manual_seed(0)
other = nn.Linear(8, 3)
optimizer = torch.optim.SGD(other.parameters(), lr=0.1)
for images, labels in zip(x.split(16), y.split(16)):  # 16 samples, then 12
    optimizer.zero_grad()
    cross_entropy(other(images), labels).backward()
    optimizer.step()
assert torch.allclose(model.weight, other.weight, atol=1e-6)
