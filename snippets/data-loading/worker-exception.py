# ---
# wordings:
#   - text: "Caught {type:ident} in DataLoader worker process {n:int}"
#     role: wrapper
#     sample: "KeyError: Caught KeyError in DataLoader worker process 0."
#   - text: ": Traceback (most recent call last):"
#     role: wrapper
#     near: [batch.exc_type(batch.exc_msg)]
# tags: [collate, dataloader, multiprocessing]
# recover: fix
# outranks: [launcher-warnings]
# needs: [fork]
# rows: [S001-113]
# docs: ["https://docs.pytorch.org/docs/stable/data.html#multi-process-data-loading"]
# cases:
#   bad-sample:
#     wrong:
#       fewer-workers: "https://github.com/aimbrain/vqa-project/issues/2"
#       next-sample: "https://github.com/rom1504/clip-retrieval/pull/13"
# causes:
#   dataset-bug:
#     likely: >-
#       (type in ["AttributeError", "TypeError", "NotImplementedError", "ImportError", "ModuleNotFoundError"] and not paste("NoneType"))
#       or (type == "NameError" and not paste("\\torch\\utils\\data\\"))
#       or (type == "KeyError" and (paste("KeyError: 0") or frames("pandas/core", "pandas\\core")))
#   bad-sample:
#     likely: >-
#       type in ["UnidentifiedImageError", "JSONDecodeError", "BadZipFile", "EOFError", "UnicodeDecodeError", "EmptyDataError"] and not frames("zipfile.py")
#       or paste("cannot identify image file", "image file is truncated", "broken data stream", "broken PNG file")
#     undecided: a label that one file lacks and a column that all lack print the same KeyError
#     sample: |
#       PIL.UnidentifiedImageError: Caught UnidentifiedImageError in DataLoader worker process 3.
#       Original Traceback (most recent call last):
#         File "/opt/conda/lib/python3.10/site-packages/PIL/Image.py", line 3298, in open
#           raise UnidentifiedImageError(msg)
#       PIL.UnidentifiedImageError: cannot identify image file 'train/1021.jpg'
#   unlike-keys:
#     if: type == "KeyError" and frames("[d[key] for d in batch]")
#   file-missing:
#     case: bad-sample
#     if: type == "FileNotFoundError"
#     likely: >-
#       paste("FileNotFoundError: [Errno 2]", "!_src.empty()", "!ssize.empty()", "'NoneType' object has no attribute 'shape'", "'NoneType' object has no attribute 'astype'",
#       "'NoneType' object is not subscriptable")
#     sample: |
#       FileNotFoundError: Caught FileNotFoundError in DataLoader worker process 0.
#       Original Traceback (most recent call last):
#         File "train.py", line 31, in __getitem__
#           image = Image.open(self.folder / self.names[i])
#       FileNotFoundError: [Errno 2] No such file or directory: 'data/images/17.png'
#   only-with-workers:
#     likely: >-
#       frames("h5py", "lmdb", "sqlite3") or paste("lmdb.", "sqlite3.") or (type in ["BadZipFile", "error"] and frames("zipfile.py"))
#       or (type == "NameError" and paste("\\torch\\utils\\data\\"))
#     sample: |
#       OSError: Caught OSError in DataLoader worker process 2.
#       Original Traceback (most recent call last):
#         File "/opt/conda/lib/python3.10/site-packages/h5py/_hl/dataset.py", line 758, in __getitem__
#           return self._fast_reader.read(args)
#       OSError: Can't synchronously read data (inflate() failed)
# ---

# %%
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

torch.multiprocessing.set_start_method("fork", force=True)  # whatever the default here: a notebook can run it


# %%
class Images(Dataset):
    def __init__(self):
        self.transform = lambda x: x / 255

    def __len__(self):
        return 6

    def __getitem__(self, i):
        return self.transfrom(torch.full((2, 2), float(i)))  # a typing error


# %% break dataset-bug
for batch in DataLoader(Images(), batch_size=2, num_workers=2):
    pass

# %% check dataset-bug
try:
    Images()[0]  # no worker: the plain error, and a debugger stops here
except Exception as error:
    print(repr(error))
    assert isinstance(error, AttributeError)


# %% fix dataset-bug
import torch
from torch.utils.data import Dataset


class Images(Dataset):
    def __init__(self):
        self.transform = lambda x: x / 255

    def __len__(self):
        return 6

    def __getitem__(self, i):
        return self.transform(torch.full((2, 2), float(i)))  # the name is right now


# %% proof dataset-bug
batches = list(DataLoader(Images(), batch_size=2, num_workers=2))
assert torch.allclose(torch.cat(batches)[:, 0, 0], torch.from_numpy(np.arange(6, dtype=np.float32)) / 255)

# %% use dataset-bug
# >>>
class Images(Dataset):
    def __init__(self):
        self.transform = lambda x: x / 255

    def __len__(self):
        return 6

    def __getitem__(self, i):
        return self.transfrom(torch.full((2, 2), float(i)))


# <<<
model = nn.Sequential(nn.Flatten(), nn.Linear(4, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
before = model[1].weight.detach().clone()
for epoch in range(2):
    for images in DataLoader(Images(), batch_size=4, shuffle=True, num_workers=1):
        optimizer.zero_grad()
        model(images).square().mean().backward()
        optimizer.step()
assert images.shape == (2, 2, 2) and not torch.equal(model[1].weight, before)

# %%
LABELS = {"0.png": 0, "1.png": 1, "2.png": 2, "4.png": 4, "5.png": 5}  # 3.png was forgotten


class Labelled(Dataset):
    def __len__(self):
        return 6

    def __getitem__(self, i):
        return torch.from_numpy(np.array(LABELS[f"{i}.png"]))


dataset = Labelled()

# %% break bad-sample
for batch in DataLoader(dataset, batch_size=2, num_workers=2):
    pass

# %% check bad-sample
bad = []
for i in range(len(dataset)):
    try:
        dataset[i]
    except Exception as error:
        bad.append(i)
        print("sample", i, repr(error))
assert bad == [3]

# %% fix bad-sample
from torch.utils.data import Subset

good = []
for i in range(len(dataset)):  # once, before training; keep the list in a file
    try:
        dataset[i]
        good.append(i)
    except Exception as error:
        print("sample", i, repr(error))
dataset = Subset(dataset, good)

# %% proof bad-sample
loader = DataLoader(dataset, batch_size=2, num_workers=2)
assert torch.cat(list(loader)).tolist() == [0, 1, 2, 4, 5]

# %% wrong fewer-workers
# Fewer workers: the sample is as bad as before. The same error, after the batches before it.
for batch in DataLoader(dataset, batch_size=2, num_workers=1):
    print(batch)


# %% wrong next-sample
# A `try` that returns the next sample instead: it runs, and sample 4 is there twice, in every
# epoch. Nobody learns which sample is bad; if the last one is, there is no next one.
class Skipping(Labelled):
    def __getitem__(self, i):
        try:
            return super().__getitem__(i)
        except Exception:
            return self[i + 1]


dataset = Skipping()
print(torch.cat(list(DataLoader(dataset, batch_size=2))))

# %%
class Detections(Dataset):
    """Boxes, and scores for some images only."""

    def __len__(self):
        return 4

    def __getitem__(self, i):
        sample = {"boxes": torch.full((4,), float(i)), "score": torch.tensor(i / 4)}
        if i == 3:
            del sample["score"]  # no one rated this one
        return sample


dataset = Detections()

# %% break unlike-keys
for batch in DataLoader(dataset, batch_size=2, num_workers=2):
    pass

# %% check unlike-keys
first = set(dataset[0])
unlike = {i: sorted(first ^ set(dataset[i])) for i in range(len(dataset))}
unlike = {i: keys for i, keys in unlike.items() if keys}
print("samples with other keys than the first one:", unlike)
assert unlike == {3: ["score"]}

# %% fix unlike-keys
import torch
from torch.utils.data import DataLoader, default_collate


def collate(samples):
    for sample in samples:
        # what may be missing gets a value that says so
        sample.setdefault("score", torch.tensor(float("nan")))
    return default_collate(samples)


loader = DataLoader(dataset, batch_size=2, num_workers=2, collate_fn=collate)

# %% proof unlike-keys
batches = list(loader)
assert [sorted(batch) for batch in batches] == [["boxes", "score"]] * 2
assert torch.cat([batch["boxes"] for batch in batches])[:, 0].tolist() == [0, 1, 2, 3]
score = torch.cat([batch["score"] for batch in batches])
assert score[:3].tolist() == [0, 0.25, 0.5] and score[3].isnan()
assert loader.num_workers == 2
