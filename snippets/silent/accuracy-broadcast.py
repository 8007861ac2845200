# ---
# tags: [classification, broadcasting, shape]
# recover: fix
# related: [shapes/broadcast-mismatch, shapes/bce-target-size]
# docs: ["https://docs.pytorch.org/docs/stable/notes/broadcasting.html"]
# causes:
#   column:
#   by-batches:
#   no-dim:
# ---

# %%
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
images = torch.randn(64, 8)
labels = (images[:, 0] > 0).long()  # (64,)
model = nn.Linear(8, 1)
loader = DataLoader(TensorDataset(images, labels), batch_size=16)

# %% break column
predicted = model(images) > 0  # (64, 1)
correct = (predicted == labels).sum().item()  # counts in a table of 64 x 64
print(f"accuracy: {correct / len(labels):.2f}")
assert correct / len(labels) > 1

# %% check column
from torchclinic import checks

predicted = model(images) > 0
print(checks.same_shape(predicted, labels))
assert "(64, 64)" in str(checks.same_shape(predicted, labels))

# %% fix column
predicted = (model(images) > 0).squeeze(1)  # (64,), as the labels
accuracy = (predicted == labels).float().mean().item()

# %% proof column
from torchclinic import checks

assert not checks.same_shape(predicted, labels) and isinstance(accuracy, float)
assert accuracy == sum((model(images[i]).item() > 0) == bool(labels[i]) for i in range(64)) / 64

# %%
model = nn.Linear(8, 2)
with torch.no_grad():
    model.bias.zero_()
    model.weight.zero_()[1, 0] = 5.0  # a good model

# %% break by-batches
correct = 0
for x, y in loader:
    correct += (model(x).argmax(dim=1) == y).sum().item()
print(f"accuracy: {correct / len(loader):.2f}")  # len(loader) counts batches
assert correct / len(loader) > 1

# %% check by-batches
print(len(loader), len(loader.dataset))  # batches, samples
assert len(loader) < len(loader.dataset)

# %%
loader = DataLoader(TensorDataset(images[:60], labels[:60]), batch_size=16)

# %% fix by-batches
correct = total = 0
for x, y in loader:
    correct += (model(x).argmax(dim=1) == y).sum().item()
    total += len(y)
accuracy = correct / total

# %% proof by-batches
assert total == 60 and isinstance(correct, int)
assert accuracy == sum(model(images[i]).argmax().item() == labels[i].item() for i in range(60)) / 60

# %% break no-dim
predicted = model(images).argmax()  # one number for the whole table
accuracy = (predicted == labels).float().mean().item()
print(predicted, f"accuracy: {accuracy:.2f}")
assert accuracy == 0.0  # of a model that is right for all

# %% check no-dim
from torchclinic import checks

predicted = model(images).argmax()
print(checks.same_shape(predicted, labels))
assert "()" in str(checks.same_shape(predicted, labels))

# %% fix no-dim
predicted = model(images).argmax(dim=1)  # over the classes: one for each sample
accuracy = (predicted == labels).float().mean().item()

# %% proof no-dim
from torchclinic import checks

assert not checks.same_shape(predicted, labels)
assert accuracy == 1.0 and isinstance(accuracy, float)
assert predicted.tolist() == [model(image).argmax().item() for image in images]
