# ---
# wordings:
#   - text: "stack expects each tensor to be equal size, but got [{first:shape}] at entry {i:int} and [{other:shape}] at entry {j:int}"
#     exception: RuntimeError
#     sample: "RuntimeError: stack expects each tensor to be equal size, but got [3, 24, 32] at entry 0 and [3, 48, 32] at entry 1"
#   - text: "stack expects each tensor to be equal size"
#     exception: RuntimeError
#   - text: "each element in list of batch should be of equal size"
#     exception: RuntimeError
#   - text: "invalid argument 0: Sizes of tensors must match except in dimension 0. Got {size:int} and {size2:int} in dimension {dimension:int}"
#     exception: RuntimeError
#     near: ["default_collate", "_utils/collate.py", "_utils\\collate.py"]
#     sample: "RuntimeError: invalid argument 0: Sizes of tensors must match except in dimension 0. Got 188 and 156 in dimension 2 at /pytorch/aten/src/TH/generic/THTensor.cpp:689"
#   - text: "invalid argument 0: Sizes of tensors must match except in dimension 0"
#     exception: RuntimeError
#     near: ["default_collate", "_utils/collate.py", "_utils\\collate.py"]
#     sample: "RuntimeError: invalid argument 0: Sizes of tensors must match except in dimension 0. Got 188 and 156 in dimension 2 at /pytorch/aten/src/TH/generic/THTensor.cpp:689"
# tags: [collate, dataloader, detection, padding, shape]
# recover: fix
# needs: [fork]
# outranks: [cat-sizes]
# rows: [S000-16]
# docs: ["https://docs.pytorch.org/docs/stable/data.html#working-with-collate-fn", "https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.rnn.pad_sequence.html"]
# cases:
#   image-sizes:
#     wrong: {no-workers: "https://github.com/ykdai/BasicPBC/issues/26"}
# causes:
#   image-sizes:
#     if: >-
#       first[:-2] == other[:-2] and (len(first) > 2 and first[-1] != other[-1] and first[-2] != other[-2]
#       or first[-3] in [3, 4] and first[-1] > 15 and first[-2] > 15 and first[-1] not in [17, 18, 25])
#       or len(first) == 3 and first[2:] == other[2:] and first[2] in [3, 4]
#       and first[0] > 27 and other[0] > 27 and (first[0] != other[0] and first[1] != other[1] or first[0] > 63 and first[1] > 63)
#     likely: >-
#       len(first) == len(other) and first[-1] > 27 and other[-1] > 27 and first[-2] > 27 and other[-2] > 27 and first[-1] != other[-1]
#       and (first[-2] != other[-2] or len(first) == 3 and first[0] == 1 and first[1] not in [40, 80, 128, 161, 201, 257, 513])
#       or dimension > 1 and size > 27 and size2 > 27
#   masks:
#     case: image-sizes
#   sequence-lengths:
#     if: len(first) == 1 and len(other) == 1 and (first[0] > 100 or other[0] > 100) and paste("collate", "DataLoader worker")
#     likely: >-
#       paste("each element in list of batch") and not paste("coco", "Coco", "COCO", "bbox", "boxes")
#       or len(first) == 1 and len(other) == 1
#       or first[1:] == other[1:] and len(first) in [2, 4] and first[-1] not in [4, 5] and paste("collate", "DataLoader worker")
#       or first[:-1] == other[:-1] and first[-2] in [1, 2, 40, 80, 128, 161, 201, 257, 513]
#       or dimension == 1 and size > 4 and size2 > 4
#   objects-per-image:
#     likely: >-
#       first[1:] == other[1:] and len(first) == 2 and (first[1] == 4 and first[0] < 30 and other[0]
#       < 30 or first[1] in [4, 5] and paste("coco", "Coco", "COCO", "box", "annot", "detect",
#       "yolo", "YOLO")) or paste("each element in list of batch") and paste("coco", "Coco", "COCO",
#       "bbox", "boxes")
#   channels:
#     if: >-
#       len(first) == 3 and first[1:] == other[1:] and first[1] > 15 and first[2] > 15 and first[0] in [1, 2, 3, 4] and other[0] in [1, 2, 3, 4]
#       or len(first) == 3 and first[:2] == other[:2] and first[0] > 15 and first[1] > 15 and first[2] in [1, 2, 3, 4] and other[2] in [1, 2, 3, 4]
#       or len(first) == 2 and len(other) == 3 and first[0] > 15 and first[1] > 15 and (other[1:] == first[0:] or other[:2] == first[0:])
#       or len(first) == 3 and len(other) == 2 and other[0] > 15 and other[1] > 15 and (first[1:] == other[0:] or first[:2] == other[0:])
#     likely: >-
#       len(first) == 3 and len(other) == 2 and first[0] in [1, 3, 4] and other[0] > 27 and other[1] > 27
#       or len(first) == 2 and len(other) == 3 and other[0] in [1, 3, 4] and first[0] > 27 and first[1] > 27
#       or dimension == 1 and size in [1, 3, 4] and size2 in [1, 3, 4]
#   last-batch:
#     likely: >-
#       first[1:] == other[1:] and other[0] < first[0] and frames("stack(", "hstack(", "vstack(",
#       "dstack(") and not paste("collate", "fetch.py", "dataloader.py", "DataLoader")
# ---

# %%
from collections import Counter

import numpy as np
import torch
from torch.nn.functional import cross_entropy
from torch.utils.data import DataLoader, Dataset

torch.multiprocessing.set_start_method("fork", force=True)  # whatever the default here: a notebook can run it


class Photos(Dataset):
    """Grey ramps of three sizes, in place of image files: channels x height x width."""

    sizes = [(24, 32), (48, 32), (32, 32), (32, 32)]

    def __len__(self):
        return len(self.sizes)

    def __getitem__(self, i):
        height, width = self.sizes[i]
        row = np.linspace(0, 1, width, dtype=np.float32)
        return torch.from_numpy(np.tile(row, (3, height, 1)))


# %% break image-sizes
for images in DataLoader(Photos(), batch_size=2, num_workers=1):
    print(images.shape)

# %% check image-sizes
shapes = Counter(tuple(image.shape) for image in Photos())  # without a DataLoader
print(shapes)
assert len(shapes) > 1

# %% fix image-sizes
from torch.nn.functional import interpolate


def resize(image, size=(32, 32)):  # in __getitem__; or transforms.Resize((32, 32))
    return interpolate(image[None], size=size, mode="bilinear")[0]


# %% proof image-sizes
class ResizedPhotos(Photos):
    def __getitem__(self, i):
        return resize(super().__getitem__(i))


images = torch.cat(list(DataLoader(ResizedPhotos(), batch_size=2, num_workers=1)))
assert images.shape == (4, 3, 32, 32)
torch.testing.assert_close(images, Photos()[3].expand(4, 3, 32, 32))  # a ramp is still the same ramp
smooth = resize(Photos()[3], (32, 63))[0, 0]
assert smooth.diff().min() >= 0 and len(smooth.unique()) > 40  # between two pixels lies a mean, not a copy

# %% use image-sizes
class Resized(Photos):
    def __getitem__(self, i):
        image = super().__getitem__(i)
        # >>>
        def resize(image):
            return image

        # <<<
        return resize(image)


conv = torch.nn.Conv2d(3, 2, 3)
for images in DataLoader(Resized(), batch_size=4, shuffle=True):
    conv(images).mean().backward()
assert images.shape == (4, 3, 32, 32) and conv.weight.grad.any()

# %% wrong no-workers
# `num_workers=0`: the main process stacks the same images. The same error, without the worker's
# traceback above it.
for images in DataLoader(Photos(), batch_size=2, num_workers=0):
    print(images.shape)

# %%
sentences = [  # for each word its number and its tag
    ([5, 2, 9], [1, 0, 2]),
    ([4, 7], [0, 1]),
    ([8, 1, 3, 6], [2, 2, 0, 1]),
]
dataset = sentences

# %% break sequence-lengths
for words, tags in DataLoader(sentences, batch_size=3):
    print(len(words))

# %% check sequence-lengths
lengths = [len(words) for words, _ in sentences]
print(lengths)
assert len(set(lengths)) > 1

# %% fix sequence-lengths
import torch
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader


def pad(batch):
    words, tags = zip(*batch)
    words = [torch.tensor(w) for w in words]
    tags = [torch.tensor(t) for t in tags]
    words = pad_sequence(words, batch_first=True)  # with 0: a word that nobody uses
    # with what cross_entropy ignores
    tags = pad_sequence(tags, batch_first=True, padding_value=-100)
    return words, tags, words != 0


loader = DataLoader(dataset, batch_size=3, collate_fn=pad)

# %% proof sequence-lengths
words, tags, mask = next(iter(loader))
assert mask.sum(1).tolist() == [3, 2, 4]  # the lengths, for attention or pack_padded_sequence
assert words.tolist() == [[5, 2, 9, 0], [4, 7, 0, 0], [8, 1, 3, 6]]

model = torch.nn.Sequential(torch.nn.Embedding(10, 8), torch.nn.Linear(8, 3))
loss = cross_entropy(model(words).flatten(0, 1), tags.flatten())
each = [cross_entropy(model(torch.tensor(w)), torch.tensor(t), reduction="none") for w, t in sentences]
torch.testing.assert_close(loss, torch.cat(each).mean())  # padding is not in the loss

# %%
scenes = [  # an image, and the boxes of the objects in it
    (torch.from_numpy(np.zeros((3, 32, 32), np.float32)), {"boxes": torch.from_numpy(np.ones((count, 4), np.float32))}) for count in (1, 3, 0)
]
dataset = scenes

# %% break objects-per-image
for images, targets in DataLoader(scenes, batch_size=3, num_workers=1):
    print(targets["boxes"].shape)

# %% check objects-per-image
counts = [len(target["boxes"]) for _, target in scenes]
print(counts)
assert len(set(counts)) > 1

# %% fix objects-per-image
from torch.utils.data import DataLoader


def as_lists(batch):
    return tuple(zip(*batch))  # all images, all targets: nothing is stacked


loader = DataLoader(dataset, batch_size=3, collate_fn=as_lists)

# %% proof objects-per-image
images, targets = next(iter(loader))
assert [len(target["boxes"]) for target in targets] == [1, 3, 0]
assert torch.stack(images).shape == (3, 3, 32, 32)

# %%
grey, rgb, rgba = (torch.from_numpy(np.random.default_rng(0).random(shape, np.float32)) for shape in [(32, 32), (3, 32, 32), (4, 32, 32)])

# %% break channels
for images in DataLoader([rgb, rgba, grey], batch_size=3):
    print(images.shape)

# %% check channels
shapes = Counter(tuple(image.shape) for image in [rgb, rgba, grey])
print(shapes)  # height and width agree, what stands before them does not
assert {shape[-2:] for shape in shapes} == {(32, 32)} and len(shapes) > 1


# %% fix channels
def to_rgb(image):
    if image.dim() == 2:
        image = image[None]
    return image[:3].expand(3, -1, -1)  # grey three times; RGBA without its alpha


# %% proof channels
images = next(iter(DataLoader([to_rgb(image) for image in [rgb, rgba, grey]], batch_size=3)))
assert images.shape == (3, 3, 32, 32)
assert torch.equal(images[0], rgb) and torch.equal(images[1], rgba[:3]) and all(torch.equal(channel, grey) for channel in images[2])

# %%
model = torch.nn.Linear(5, 2).eval()
x = torch.randn(10, 5)
loader = x.split(4)  # batches of 4, 4 and 2

# %% break last-batch
outputs = [model(batch) for batch in loader]
predictions = torch.stack(outputs)

# %% check last-batch
outputs = [model(batch) for batch in loader]
print([tuple(output.shape) for output in outputs])  # only the last one is shorter
assert len({output.shape for output in outputs[:-1]}) == 1
assert len(outputs[-1]) < len(outputs[0])

# %% fix last-batch
import torch

outputs = [model(batch) for batch in loader]
predictions = torch.cat(outputs)  # joins batches; stack would make a new dimension

# %% proof last-batch
torch.testing.assert_close(predictions, model(x))
assert predictions.shape == (10, 2)
