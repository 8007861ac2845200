# ---
# wordings:
#   - text: "index {index:int} is out of bounds for dimension {dim:int} with size {size:int}"
#     exception: IndexError
#     sample: "IndexError: index 10 is out of bounds for dimension 0 with size 10"
#   - text: "index {index:int} is out of bounds for dimension {dim:int} with size {size:int}"
#     exception: RuntimeError
#     sample: "RuntimeError: index 5 is out of bounds for dimension 1 with size 4"
#   - text: "index is out of bounds for dimension with size {size:int}"
#     exception: IndexError
#     sample: "IndexError: index is out of bounds for dimension with size 0"
#   - text: "select(): index {index:int} out of range for tensor of size [{_:shape}] at dimension {dim:int}"
#     exception: IndexError
#     sample: "IndexError: select(): index 5 out of range for tensor of size [3, 4] at dimension 0"
#   - text: "out of range: tried to access index {index:int} on a tensor of {size:int} elements"
#     exception: IndexError
#     sample: "IndexError: out of range: tried to access index 99 on a tensor of 12 elements."
#   - text: "index {index:int} is out of bounds for dim with size {size:int}"
#     exception: RuntimeError
#     sample: "RuntimeError: index 15 is out of bounds for dim with size 2"
#   - text: "invalid argument {_:int}: out of range at"
#     exception: RuntimeError
#     sample: "RuntimeError: invalid argument 2: out of range at /pytorch/torch/lib/THC/generic/THCTensor.c:23"
#   - text: "Invalid index in gather at"
#     exception: RuntimeError
#     sample: "RuntimeError: Invalid index in gather at /pytorch/aten/src/TH/generic/THTensorEvenMoreMath.cpp:657"
#   - text: "Invalid index in scatter at"
#     exception: RuntimeError
#     sample: "RuntimeError: Invalid index in scatter at /pytorch/aten/src/TH/generic/THTensorEvenMoreMath.cpp:721"
# tags: [shape, batch-size, dataloader]
# recover: fix
# related: [shapes/too-many-indices, devices/embedding-index, devices/label-out-of-range, shapes/dim-out-of-range]
# docs: ["https://docs.pytorch.org/docs/stable/tensor_view.html", "https://docs.pytorch.org/docs/stable/generated/torch.Tensor.size.html"]
# cases:
#   from-one:
#     wrong: {clamped: "https://github.com/eriklindernoren/PyTorch-YOLOv3/issues/384"}
# causes:
#   last-batch:
#     if: live.left.shape[0] < live.loader.batch_size and live("run", "in a loop")
#     undecided: the size of the batch is not printed
#   empty:
#     if: size == 0
#   dataset-length:
#     likely: frames("__getitem__", "/fetch.py") and size != 0
#   from-one:
#     if: live.right.min == 1 and live.right.max == size
#     likely: live.right.min == size and live.right.max == size
#     undecided: the other indices are not printed
#   class-number:
#     likely: >-
#       size < 100 and index >= size and frames("label", "labels", "target", "targets",
#       "target_labels", "class", "classes", "build_targets", "one_hot")
#     sample: |
#       Traceback (most recent call last):
#         File "utils/utils.py", line 315, in build_targets
#           tcls[b, best_n, gj, gi, target_labels] = 1
#       RuntimeError: index 15 is out of bounds for dim with size 2
#   other-axis:
#     likely: live.left.shape[0] == size and (live.left.shape[1] > index or live.left.shape[2] > index)
#     undecided: the shape of the tensor is not printed
# ---

# %%
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, TensorDataset

torch.manual_seed(0)
model = nn.Linear(3, 2)
batch_size = 4
loader = DataLoader(TensorDataset(torch.rand(10, 3)), batch_size=batch_size)

# %% break last-batch
total = 0.0
for (x,) in loader:
    out = model(x)
    for i in range(batch_size):
        total += out[i].sum().item()

# %% check last-batch
print([len(x) for (x,) in loader])  # 4, 4, 2: the last batch is smaller
assert len(loader.dataset) % batch_size

# %% fix last-batch
total = 0.0
for (x,) in loader:
    out = model(x)
    for i in range(len(out)):
        total += out[i].sum().item()

# %% proof last-batch
want = model(loader.dataset.tensors[0]).sum().item()
assert isinstance(total, float) and abs(total - want) < 1e-4

# %% use last-batch
def mean_output(model, loader):
    # >>>
    total = 0.0
    for (x,) in loader:
        out = model(x)
        for i in range(batch_size):
            total += out[i].sum().item()
    # <<<
    return total / len(loader.dataset)


dataset = TensorDataset(torch.randn(11, 3))
means = [mean_output(model, DataLoader(dataset, batch_size=size)) for size in (4, 3, 11)]
want = model(dataset.tensors[0]).sum(1).mean().item()
assert all(abs(mean - want) < 1e-4 for mean in means)

# %%
x = torch.tensor([[0.0, 0.0, 9.0, 0.3], [2.0, 2.0, 8.0, 0.6]])  # boxes; last: the score

# %% break empty
found = x[x[:, 3] > 0.9]
best = found[0]

# %% check empty
found = x[x[:, 3] > 0.9]
print(found.shape)  # torch.Size([0, 4]): nothing was found
assert len(found) == 0

# %% fix empty
found = x[x[:, 3] > 0.9]
best = found[0] if len(found) else None

# %% proof empty
assert best is None

# %%
y = torch.tensor([0.2, 0.3, 0.5])  # the weight of each class
labels = torch.tensor([1, 3, 2, 1])  # a file that counts its classes from 1

# %% break from-one
weights = y[labels]

# %% check from-one
print(labels.min().item(), labels.max().item(), len(y))  # 1 3 3
assert labels.min() == 1 and labels.max() == len(y)

# %% fix from-one
weights = y[labels - 1]

# %% proof from-one
assert torch.equal(weights, torch.tensor([0.2, 0.5, 0.3, 0.2]))

# %% wrong clamped
# `clamp` to the last index: no error any more, but every class gets the number of its neighbour,
# and the last two become one.
weights = y[labels.clamp(max=len(y) - 1)]
print(weights)

# %%
images = torch.rand(10, 3)
labels = torch.arange(8)


# %% break dataset-length
class Data(Dataset):
    def __len__(self):
        return len(images)

    def __getitem__(self, i):
        return images[i], labels[i]


batches = list(DataLoader(Data(), batch_size=4))

# %% check dataset-length
print(len(images), len(labels))  # 10 8: two images have no label
assert len(images) != len(labels)

# %% fix dataset-length
from torch.utils.data import DataLoader, Dataset


class Data(Dataset):
    def __init__(self, images, labels):
        n = min(len(images), len(labels))  # or find out why they differ
        self.images, self.labels = images[:n], labels[:n]

    def __len__(self):
        return len(self.images)

    def __getitem__(self, i):
        return self.images[i], self.labels[i]


batches = list(DataLoader(Data(images, labels), batch_size=4))

# %% proof dataset-length
assert torch.equal(torch.cat([y for _, y in batches]), labels)
assert torch.equal(torch.cat([x for x, _ in batches]), images[:8]) and len(batches) == 2

# %%
x = torch.rand(2, 20, 5)  # [batch, time, features]

# %% break other-axis
step = x[12]

# %% check other-axis
print(x.shape)  # the 20 steps are dimension 1
assert x.shape[1] > 12 >= x.shape[0]

# %% fix other-axis
step = x[:, 12]

# %% proof other-axis
assert step.shape == (2, 5) and torch.equal(step[1], x[1][12])
