# ---
# wordings:
#   - text: "batch must contain tensors, numpy arrays, numbers, dicts or lists; found <class '{type:ident}"
#     exception: TypeError
#     sample: "TypeError: default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found <class 'PIL.Image.Image'>"
#   - text: "batch must contain tensors, numpy arrays, numbers, dicts or lists; found"
#     exception: TypeError
#   - text: "batch must contain tensors, numbers, dicts or lists; found <class '{type:ident}"
#     exception: TypeError
#     sample: "TypeError: batch must contain tensors, numbers, dicts or lists; found <class 'PIL.Image.Image'>"
#   - text: "batch must contain tensors, numbers, dicts or lists; found"
#     exception: TypeError
#   - text: "expected Tensor as element {_:int} in argument 0, but got NoneType"
#     exception: TypeError
#     near: &collate [default_collate, _utils/collate.py, "_utils\\collate.py"]
#     sample: "TypeError: expected Tensor as element 3 in argument 0, but got NoneType"
#   - text: "object of type 'NoneType' has no len()"
#     exception: TypeError
#     near: *collate
# tags: [collate, dataloader]
# recover: fix
# related: [shapes/stack-sizes, data-loading/worker-exception]
# docs: ["https://docs.pytorch.org/docs/stable/data.html#dataloader-collate-fn"]
# cases:
#   image-object: {needs: ["package:torchvision"]}
#   none-sample:
#     wrong: {none-in-fields: "https://github.com/pytorch/pytorch/pull/695"}
# causes:
#   image-object:
#     if: begins(type, "PIL.")
#     sample: "TypeError: default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found <class 'PIL.JpegImagePlugin.JpegImageFile'>"
#   none-sample:
#     if: type == "NoneType" or paste("but got NoneType", "'NoneType' has no len()")
#   graph-data:
#     if: begins(type, "torch_geometric.", "dgl.")
#     sample: "TypeError: default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found <class 'torch_geometric.data.data.Data'>"
#   object-array:
#     if: paste("lists; found object", "lists; found <U") or begins(type, "numpy.str_", "numpy.object", "numpy.bytes_")
#   library-type:
#     if: begins(type, "scipy.", "pandas.", "pathlib.", "datetime.", "decimal.", "slice", "set", "numpy.datetime64")
#     sample: "TypeError: default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found <class 'pandas.core.series.Series'>"
#   own-class:
#     likely: read(type)
# ---

# %%
from dataclasses import dataclass

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class Images(Dataset):
    """Eight images, of which number 3 cannot be read."""

    def __len__(self):
        return 8

    def __getitem__(self, index):
        if index == 3:
            return None
        return torch.full((3,), float(index)), index


dataset = Images()

# %% break none-sample
for images, labels in DataLoader(dataset, batch_size=4):
    pass

# %% check none-sample
bad = [index for index in range(len(dataset)) if dataset[index] is None]
print(bad)
assert bad == [3]

# %% fix none-sample
from torch.utils.data import DataLoader, default_collate


def without_none(samples):
    return default_collate([sample for sample in samples if sample is not None])


loader = DataLoader(dataset, batch_size=4, collate_fn=without_none)

# %% proof none-sample
batches = list(loader)
assert [labels.tolist() for images, labels in batches] == [[0, 1, 2], [4, 5, 6, 7]]
assert torch.equal(torch.cat([images for images, labels in batches])[:, 0], torch.tensor([0.0, 1, 2, 4, 5, 6, 7]))

# %% use none-sample
model = torch.nn.Linear(3, 8)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
# >>>
loader = DataLoader(dataset, batch_size=4)
# <<<
seen = []
for epoch in range(2):
    for images, labels in loader:
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(images), labels).backward()
        optimizer.step()
        seen += labels.tolist()
assert seen == 2 * [0, 1, 2, 4, 5, 6, 7]

# %% wrong none-in-fields
# `None not in sample` as the filter: it looks for a field that is None, and fails where the whole
# sample is.
from torch.utils.data import DataLoader, default_collate


def without_none(samples):
    return default_collate([sample for sample in samples if None not in sample])


loader = DataLoader(dataset, batch_size=4, collate_fn=without_none)

# %%
class Named(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, index):
        return np.array([f"{index}.png", index], dtype=object)


# %% break object-array
for batch in DataLoader(Named(), batch_size=2):
    pass

# %% check object-array
sample = Named()[0]
print(sample.dtype)  # object or <U…: no numbers
assert sample.dtype == object

# %% fix object-array
from torch.utils.data import Dataset


class Named(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, index):
        return f"{index}.png", float(index)  # a text and a number, each for itself


# %% proof object-array
names, numbers = next(iter(DataLoader(Named(), batch_size=2)))
assert list(names) == ["0.png", "1.png"] and numbers.tolist() == [0.0, 1.0] and len(Named()) == 4

# %%
@dataclass
class Sample:
    image: torch.Tensor
    label: int


class Samples(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, index):
        return Sample(torch.full((3,), float(index)), index)


dataset = Samples()

# %% break own-class
for batch in DataLoader(dataset, batch_size=2):
    pass

# %% check own-class
print(type(dataset[0]))
known = (torch.Tensor, np.ndarray, int, float, str, dict, tuple, list)
assert not isinstance(dataset[0], known)

# %% fix own-class
from torch.utils.data import DataLoader, default_collate


def fields(samples):
    # vars: a dict of its attributes
    return default_collate([vars(sample) for sample in samples])


loader = DataLoader(dataset, batch_size=2, collate_fn=fields)

# %% proof own-class
batches = list(loader)
assert [batch["label"].tolist() for batch in batches] == [[0, 1], [2, 3]]
assert torch.equal(batches[1]["image"], torch.tensor([[2.0] * 3, [3.0] * 3]))

# %%
from pathlib import Path

from PIL import Image

try:
    import torchvision
except RuntimeError:  # its operators for boxes were built for another torch; no transform needs them
    boxes = torch.library.Library("torchvision", "FRAGMENT")
    for name in ("nms", "qnms"):
        boxes.define(f"{name}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
from torchvision.datasets import ImageFolder

for number, size in enumerate([(8, 6), (6, 8), (10, 10), (300, 200)]):
    file = Path("photos", "cats" if number < 2 else "dogs", f"{number}.png")
    file.parent.mkdir(parents=True, exist_ok=True)
    Image.new("RGB", size, (255, 51 * number, 0)).save(file)

dataset = ImageFolder("photos")

# %% break image-object
for images, labels in DataLoader(dataset, batch_size=2):
    pass

# %% check image-object
image, label = dataset[0]
print(type(image))  # an image of PIL, no tensor
assert isinstance(image, Image.Image)

# %% fix image-object
from torchvision import transforms
from torchvision.datasets import ImageFolder

transform = transforms.Compose([
    transforms.Resize((224, 224)),  # one size for all
    transforms.ToTensor(),  # makes the tensor
])
dataset = ImageFolder("photos", transform=transform)

# %% proof image-object
(images, labels), (others, more) = DataLoader(dataset, batch_size=2)
assert images.shape == others.shape == (2, 3, 224, 224) and images.dtype == torch.float32
assert torch.equal(others[1].amax((1, 2)), torch.tensor([1.0, 0.6, 0.0])) and others[1].amin((1, 2))[1] == 0.6
assert [*labels.tolist(), *more.tolist()] == [0, 0, 1, 1] and torch.equal(dataset[0][0], images[0])

# %% use image-object
# >>>
dataset = ImageFolder("photos")
# <<<
model = torch.nn.Sequential(torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten(), torch.nn.Linear(3, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
seen = []
for epoch in range(2):
    for images, labels in DataLoader(dataset, batch_size=3):
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(images), labels).backward()
        optimizer.step()
        seen += labels.tolist()
assert seen == 2 * [0, 0, 1, 1] and model[2].weight.grad.any()
