# ---
# tags: [loss, oom, slow, autograd]
# recover: fix
# related: [memory/vram-grows, memory/cuda-oom, nn/recursion-error]
# docs: ["https://docs.pytorch.org/docs/stable/notes/faq.html#my-model-reports-cuda-runtime-error-2-out-of-memory"]
# causes:
#   history:
#   meter: {case: history}
#   running-average:
# ---

# %%
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
model, loss_fn = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1)), nn.MSELoss()
dataset = TensorDataset(torch.randn(80, 8), torch.randn(80, 1))
loader = DataLoader(dataset, batch_size=16)


def nodes(tensor):
    """Number of operations in the graph that a tensor holds on to."""
    found, waiting = set(), [tensor.grad_fn]
    while waiting:
        node = waiting.pop()
        if node is not None and node not in found:
            found.add(node)
            waiting += [before for before, _ in node.next_functions]
    return len(found)


# %% break history
history = {"loss": []}
for x, y in loader:
    loss = loss_fn(model(x), y)
    history["loss"].append(loss)  # a number to us, a graph to PyTorch
print([nodes(loss) for loss in history["loss"]])
assert all(loss.requires_grad for loss in history["loss"])

# %%
metrics = {"loss": [loss_fn(model(x), y) for x, y in loader], "epoch": 0}

# %% check history
from torchclinic import checks

print(checks.kept_graphs(metrics))  # a list, a dict of meters, an object of yours
assert "kept with its graph: loss" in str(checks.kept_graphs(metrics))

# %% fix history
history = {"loss": []}
for x, y in loader:
    loss = loss_fn(model(x), y)
    history["loss"].append(loss.item())  # a number

# %% proof history
from torchclinic import checks

assert not checks.kept_graphs(history)


class Meter:
    def __init__(self):
        self.values = []


meter = Meter()
meter.values.append(loss.item())
assert not checks.kept_graphs(meter) and not checks.kept_graphs({"train": meter})
meter.values.append(loss)
assert checks.kept_graphs(meter) and "train" in str(checks.kept_graphs({"train": meter}))
right = [loss_fn(model(x), y).item() for x, y in loader]
assert history["loss"] == right and all(isinstance(loss, float) for loss in history["loss"])

# %%
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
sizes = []

# %% break running-average
average = 0.0
for x, y in loader:
    optimizer.zero_grad()
    loss = loss_fn(model(x), y)
    loss.backward()
    optimizer.step()
    average = 0.9 * average + 0.1 * loss  # the graphs of all steps, in a chain
    sizes.append(nodes(average))
print(sizes)
assert sizes == sorted(set(sizes)) and sizes[-1] > 3 * sizes[0]

# %% check running-average
average = 0.0
for x, y in loader:
    average = 0.9 * average + 0.1 * loss_fn(model(x), y)
print(average)  # grad_fn: it is no number
assert average.grad_fn is not None

# %% fix running-average
average = 0.0
for x, y in loader:
    optimizer.zero_grad()
    loss = loss_fn(model(x), y)
    loss.backward()
    optimizer.step()
    average = 0.9 * average + 0.1 * loss.detach()  # the value, without its graph

# %% proof running-average
from torchclinic import checks

assert not checks.kept_graphs([average]) and average.grad_fn is None
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))
right = 0.0
for x, y in loader:
    gradients = torch.autograd.grad(loss_fn(model(x), y), list(model.parameters()))
    right = 0.9 * right + 0.1 * loss_fn(model(x), y).item()
    with torch.no_grad():
        for parameter, gradient in zip(model.parameters(), gradients, strict=True):
            parameter -= 0.1 * gradient
assert abs(average.item() - right) < 1e-6
