# ---
# wordings:
#   - text: "only one element tensors can be converted to Python scalars"
#     exception: ValueError
#   - text: "a Tensor with {n:int} elements cannot be converted to Scalar"
#     exception: RuntimeError
#     sample: "RuntimeError: a Tensor with 2 elements cannot be converted to Scalar"
#   - text: "only integer tensors of a single element can be converted to an index"
#     exception: TypeError
# tags: [shape, loss, collate, multi-gpu, comfyui]
# recover: fix
# related: [shapes/stack-sizes, shapes/bool-ambiguous]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.Tensor.item.html", "https://docs.pytorch.org/docs/stable/generated/torch.stack.html"]
# causes:
#   list-of-tensors:
#     if: frames("tensor(", "Tensor(", "as_tensor(", "np.array(", "np.asarray(") and not paste("cannot be converted to Scalar")
#   index:
#     if: paste("converted to an index") and frames(".py", "Cell In") and not frames("tensor(", "Tensor(", "as_tensor(")
#     likely: paste("converted to an index")
#   loss-vector:
#     if: paste("all input tensors were scalars")
#     likely: frames("loss.item", "loss).item", "float(loss", "losses.item")
#     sample: |
#       UserWarning: Was asked to gather along dimension 0, but all input tensors were scalars; will instead unsqueeze and return a vector.
#       ValueError: only one element tensors can be converted to Python scalars
#   several:
#     likely: >-
#       n > 1 and not frames("loss", "losses") or frames(".item()", "float(", "int(") and not
#       frames("loss", "losses")
#   empty:
#     if: n == 0
# ---

# %%
from types import SimpleNamespace

import torch
from torch import nn

torch.manual_seed(0)
rows = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]
samples = [torch.tensor(row) for row in rows]

# %% break list-of-tensors
images = torch.tensor(samples)

# %% check list-of-tensors
print(type(samples[0]), samples[0].shape)  # tensors, of several values each
assert samples[0].numel() > 1

# %%
dataset = samples

# %% fix list-of-tensors
import torch

images = torch.stack([image for image in dataset])

# %% proof list-of-tensors
assert images.tolist() == rows

# %%
model, x, labels = nn.Linear(2, 3), torch.tensor(rows), torch.tensor([0, 2, 1])
dataset = SimpleNamespace(classes=["cat", "dog", "bird"])

# %% break index
names = dataset.classes[model(x).argmax(1)]  # a Python list takes one number

# %% check index
print(type(dataset.classes), model(x).argmax(1))
assert isinstance(dataset.classes, list) and model(x).argmax(1).numel() == 3

# %% fix index
predictions = model(x).argmax(1).tolist()
names = [dataset.classes[number] for number in predictions]

# %% proof index
assert names == [dataset.classes[int(model(row).argmax())] for row in x]

# %%
loss_fn = nn.CrossEntropyLoss(reduction="none")

# %% break loss-vector
loss = loss_fn(model(x), labels)
number = loss.item()

# %% check loss-vector
print(loss_fn(model(x), labels).shape)  # [3]: one loss for each sample
assert loss_fn(model(x), labels).shape == (3,)

# %% fix loss-vector
loss = loss_fn(model(x), labels).mean()
number = loss.item()

# %% proof loss-vector
right = nn.functional.cross_entropy(model(x), labels)
assert type(number) is float and abs(number - right.item()) < 1e-6

# %% break several
number = model(x).argmax(1).item()

# %% check several
print(model(x).argmax(1).shape)  # one prediction for each sample of the batch
assert model(x).argmax(1).shape == (3,)

# %% fix several
numbers = model(x).argmax(1).tolist()  # all of them, as a list

# %% proof several
assert numbers == [int(model(row).argmax()) for row in x]

# %% break empty
position = (labels == 7).nonzero().item()

# %% check empty
print((labels == 7).nonzero().shape)  # nothing was found
assert (labels == 7).nonzero().numel() == 0

# %% fix empty
positions = (labels == 7).nonzero().tolist()  # every place; perhaps none

# %% proof empty
assert type(positions) is list and positions == []
