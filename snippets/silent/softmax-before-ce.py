# ---
# tags: [cross-entropy, classification, loss]
# recover: fix
# related: [numerics/bce-range, nn/implicit-softmax-dim]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.nn.CrossEntropyLoss.html", "https://docs.pytorch.org/docs/stable/generated/torch.nn.BCEWithLogitsLoss.html"]
# causes:
#   softmax-in-model:
#   sigmoid-before-logits:
# ---

# %%
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
x, y = torch.randn(20, 8), torch.arange(20) % 10


def train(model, loss_fn, y):
    """The loss after 500 steps on one batch, which a sound model learns by heart."""
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
    for _ in range(500):
        optimizer.zero_grad()
        loss = loss_fn(model(x), y)
        loss.backward()
        optimizer.step()
    return loss.item()


# %% break softmax-in-model
model = nn.Sequential(
    nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 10), nn.Softmax(dim=1)
)
stuck = train(model, nn.CrossEntropyLoss(), y)
print(f"{stuck:.3f}")
assert stuck > 1.46  # never below, with 10 classes

# %%
model = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 10), nn.Softmax(dim=1))

# %% check softmax-in-model
from torchclinic import checks

print(checks.logits(model(x)))  # what goes into the loss
assert "sums to 1" in str(checks.logits(model(x)))

# %% fix softmax-in-model
from torch import nn

model = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 10))
loss = nn.CrossEntropyLoss()(model(x), y)  # raw scores
probabilities = model(x).softmax(dim=1)  # to look at

# %% proof softmax-in-model
from torchclinic import checks

assert not checks.logits(model(x))
torch.testing.assert_close(loss, -probabilities.log()[range(20), y].mean())
assert train(model, nn.CrossEntropyLoss(), y) < 0.05

# %%
y = (torch.arange(20) % 2).float().unsqueeze(1)  # half yes, half no

# %% break sigmoid-before-logits
model = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 1), nn.Sigmoid())
stuck = train(model, nn.BCEWithLogitsLoss(), y)
print(f"{stuck:.3f}")
assert stuck > 0.503  # never below, with as many yes as no

# %%
model = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 1), nn.Sigmoid())

# %% check sigmoid-before-logits
scores = model(x)  # what goes into the loss
print(scores.min().item(), scores.max().item())  # raw scores go below 0, too
assert 0 <= scores.min() and scores.max() <= 1

# %% fix sigmoid-before-logits
from torch import nn

model = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 1))
loss = nn.BCEWithLogitsLoss()(model(x), y)  # raw scores
probabilities = model(x).sigmoid()  # to look at

# %% proof sigmoid-before-logits
assert model(x).min() < 0
torch.testing.assert_close(loss, nn.BCELoss()(probabilities, y))
assert train(model, nn.BCEWithLogitsLoss(), y) < 0.05
