# ---
# tags: [loss, batch-size, classification]
# recover: fix
# related: [shapes/scalar-conversion]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.nn.CrossEntropyLoss.html"]
# causes:
#   last-batch:
#   not-a-mean:
# ---

# %%
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

x, y = torch.zeros(33, 1), torch.zeros(33, 2)
y[:32], y[32] = 1, 3  # the last sample is far off
model = nn.Linear(1, 2)
nn.init.zeros_(model.weight)
nn.init.zeros_(model.bias)
loss_fn = nn.MSELoss()
loader = DataLoader(TensorDataset(x, y), batch_size=32)
true = loss_fn(model(x), y).item()

# %% break last-batch
total = 0
for inputs, targets in loader:
    total += loss_fn(model(inputs), targets).item()
mean = total / len(loader)
print(f"mean of the means {mean:.2f}, mean of the samples {true:.2f}")
assert mean > 3 * true  # the last batch is one sample

# %% check last-batch
from torchclinic import checks

print(checks.batch_sizes(loader))
assert "batches hold 1 to 32 samples" in str(checks.batch_sizes(loader))

# %% fix last-batch
total = count = 0
for x, y in loader:
    total += loss_fn(model(x), y).item() * len(y)
    count += len(y)
print(total / count)

# %% proof last-batch
from torchclinic import checks

assert abs(total / count - true) < 1e-6 and count == 33 and type(total) is float
halves = DataLoader(loader.dataset, batch_size=11)  # equal batches need no weights
assert not checks.batch_sizes(halves)
assert abs(sum(loss_fn(model(x), y).item() for x, y in halves) / 3 - true) < 1e-6
weight, scores, labels = torch.tensor([1.0, 5.0]), torch.randn(33, 2), torch.arange(33) % 2
loss_fn = nn.CrossEntropyLoss(weight)
parts = list(zip(scores.split(10), labels.split(10)))
weights = [weight[labels].sum() for _, labels in parts]
mean = sum(loss_fn(*part) * w for part, w in zip(parts, weights)) / sum(weights)
torch.testing.assert_close(mean, loss_fn(scores, labels))

# %% use last-batch
means = []
for size in (32, 10, 33):
    loader = DataLoader(loader.dataset, batch_size=size)
    # >>>
    total = 0
    for x, y in loader:
        total += loss_fn(model(x), y).item()
    count = len(loader)
    # <<<
    means.append(total / count)
assert all(abs(mean - true) < 1e-6 for mean in means)

# %%
predicted = torch.tensor([1, 1, 0, 0, 0, 0, 0, 0])
labels = torch.tensor([1, 0, 1, 1, 1, 1, 0, 0])
loader = [(predicted[:4], labels[:4]), (predicted[4:], labels[4:])]


def f1(predicted, labels):
    hits = (predicted * labels).sum()
    return (2 * hits / (predicted.sum() + labels.sum()).clamp(min=1)).item()


# %% break not-a-mean
scores = [f1(predicted, labels) for predicted, labels in loader]
wrong, right = sum(scores) / len(scores), f1(predicted, labels)
print(f"mean F1 of the batches {wrong:.2f}, F1 of all samples {right:.2f}")
assert abs(wrong - right) > 0.05

# %% check not-a-mean
one = f1(torch.cat([p for p, _ in loader]), torch.cat([y for _, y in loader]))
print(f"{one:.2f}, {sum(f1(p, y) for p, y in loader) / len(loader):.2f}")  # equal?
assert abs(one - sum(f1(p, y) for p, y in loader) / len(loader)) > 0.05

# %% fix not-a-mean
hits = positives = 0
for predicted, labels in loader:
    hits += (predicted * labels).sum().item()
    positives += (predicted.sum() + labels.sum()).item()
print(2 * hits / positives)

# %% proof not-a-mean
assert abs(2 * hits / positives - 2 / 7) < 1e-9  # 1 hit, 2 predicted, 5 true
assert type(hits) is type(positives) is int  # no tensor is kept
