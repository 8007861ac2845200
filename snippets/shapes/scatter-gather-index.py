# ---
# wordings:
#   - text: "Index tensor must have the same number of dimensions as {_:ident} tensor"
#     exception: RuntimeError
#     sample: "RuntimeError: Index tensor must have the same number of dimensions as input tensor"
#   - text: "input and indices should have the same number of dimensions, but got {_:int} dimensions"
#     exception: RuntimeError
#     sample: "RuntimeError: torch.take_along_dim(): input and indices should have the same number of dimensions, but got 2 dimensions for input, and 1 dimensions for indices"
#   - text: "Size does not match at dimension {_:int} expected index [{index:shape}] to be {_:ident} than self [{self:shape}] apart from dimension {dim:int}"
#     exception: RuntimeError
#     sample: "RuntimeError: Size does not match at dimension 0 expected index [6, 1] to be smaller than self [4, 5] apart from dimension 1"
#   - text: "expected index [{index:shape}] to be no larger than self [{self:shape}] apart from dimension {dim:int}"
#     exception: RuntimeError
#     sample: "RuntimeError: Size does not match at dimension 0 expected index [6, 1] to be no larger than self [4, 5] apart from dimension 1"
#   - text: "Expected index [{index:shape}] to be no larger than self [{self:shape}] apart from dimension {dim:int} and to be no larger size than src [{src:shape}]"
#     exception: RuntimeError
#     sample: "RuntimeError: Expected index [4, 3] to be no larger than self [4, 5] apart from dimension 1 and to be no larger size than src [4, 2]"
#   - text: "Expected index [{index:shape}] to be no larger than self [{self:shape}] apart from dimension {dim:int}"
#     exception: RuntimeError
#     sample: "RuntimeError: Expected index [6, 1] to be no larger than self [4, 5] apart from dimension 1"
#   - text: "Expected index [{index:shape}] to be smaller than self [{self:shape}] apart from dimension {dim:int} and to be smaller size than src [{src:shape}]"
#     exception: RuntimeError
#     sample: "RuntimeError: Expected index [5] to be smaller than self [3] apart from dimension 0 and to be smaller size than src [4]"
#   - text: "Class values must be smaller than num_classes"
#     exception: RuntimeError
#   - text: "Class values must be non-negative"
#     exception: RuntimeError
#   - text: "Number of indices ({places:int}) should be equal to source.size(dim): ({values:int})"
#     exception: [RuntimeError, IndexError]
#     sample: "RuntimeError: index_add_(): Number of indices (2) should be equal to source.size(dim): (3), for dim: 0"
#   - text: "Index tensor must have same dimensions as {_:ident} tensor"
#     exception: RuntimeError
#     sample: "RuntimeError: invalid argument 4: Index tensor must have same dimensions as input tensor at /pytorch/torch/lib/TH/generic/THTensorMath.c:424"
#   - text: "Index tensor must be either empty or have same dimensions as {_:ident} tensor"
#     exception: RuntimeError
#     sample: "RuntimeError: invalid argument 3: Index tensor must be either empty or have same dimensions as input tensor at /opt/conda/conda-bld/pytorch_1577225354628/work/aten/src/THC/generic/THCTensorScatterGather.cu:115"
#   - text: "Input tensor must have same dimensions as output tensor"
#     exception: RuntimeError
#     sample: "RuntimeError: invalid argument 4: Input tensor must have same dimensions as output tensor at /opt/conda/conda-bld/pytorch_1577225354628/work/aten/src/TH/generic/THTensorEvenMoreMath.cpp:670"
# tags: [shape, reinforcement-learning, out-of-range]
# recover: fix
# related: [shapes/too-many-indices]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.gather.html", "https://docs.pytorch.org/docs/stable/generated/torch.Tensor.scatter_.html"]
# causes:
#   no-column:
#     if: paste("same number of dimensions as", "have same dimensions as", "should have the same number of dimensions")
#   longer-index:
#     if: read(index) and not read(src) or index[0] <= src[0] and index[-1] <= src[-1]
#   longer-than-source:
#     if: index[0] > src[0] or index[-1] > src[-1]
#   one-hot:
#     if: paste("Class values must be smaller", "Class values must be non-negative")
#   index-add:
#     if: read(places)
# ---

# %%
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(3, 5)  # a value for each of 5 actions
x = torch.rand(4, 3)
labels = torch.tensor([1, 0, 4, 2])  # the actions that were taken

# %% break no-column
chosen = model(x).gather(1, labels)

# %% check no-column
print(model(x).shape, labels.shape)  # [4, 5] and [4]
assert labels.dim() == 1

# %% fix no-column
chosen = model(x).gather(1, labels[:, None]).squeeze(1)  # a column, then a row

# %% proof no-column
torch.testing.assert_close(chosen, torch.stack([model(x)[i, labels[i]] for i in range(4)]))

# %%
labels = torch.tensor([[1], [0], [4], [2], [3], [3]])  # 6 actions

# %% break longer-index
chosen = model(x).gather(1, labels)

# %% check longer-index
print(len(labels), len(x))  # 6 actions, 4 states
assert len(labels) > len(x)

# %% fix longer-index
labels = labels[: len(x)]  # better: find out where the two parted
chosen = model(x).gather(1, labels)

# %% proof longer-index
right = torch.stack([model(x)[i, labels[i, 0]] for i in range(4)])
torch.testing.assert_close(chosen[:, 0], right)
assert len(chosen) == 4

# %%
x = torch.tensor([0, 2, 0, 1, 2])  # the group of each value
y = torch.tensor([1.0, 2.0, 3.0, 4.0, 5.0])

# %% break longer-than-source
sums = torch.zeros(3).scatter_add(0, x, y[:4])

# %% check longer-than-source
print(len(x), len(y[:4]))  # 5 groups for 4 values
assert len(x) > len(y[:4])

# %% fix longer-than-source
import torch

sums = torch.zeros(3).scatter_add(0, x, y)  # one group for each value

# %% proof longer-than-source
assert sums.tolist() == [4.0, 4.0, 7.0]

# %%
labels = torch.tensor([1, 3, 2])  # classes counted from 1

# %% break one-hot
targets = nn.functional.one_hot(labels, 3)

# %% check one-hot
print(labels.min(), labels.max())  # 1 and 3; three classes are 0, 1 and 2
assert labels.max() >= 3

# %% fix one-hot
from torch.nn import functional as F

targets = F.one_hot(labels - 1, 3)  # count from 0

# %% proof one-hot
assert targets.tolist() == [[1, 0, 0], [0, 0, 1], [0, 1, 0]]

# %%
places = torch.tensor([0, 2])
x, y = torch.zeros(3, 2), torch.tensor([[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]])

# %% break index-add
x.index_add_(0, places, y)

# %% check index-add
print(len(places), len(y))  # 2 places, 3 rows
assert len(places) != len(y)

# %% fix index-add
import torch

places = torch.tensor([0, 2, 2])  # a place for each row of y
x.index_add_(0, places, y)

# %% proof index-add
assert x.tolist() == [[1.0, 1.0], [0.0, 0.0], [5.0, 5.0]]
