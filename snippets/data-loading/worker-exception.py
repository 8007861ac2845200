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
# needs: [fork]
# rows: [S001-113]
# docs: ["https://docs.pytorch.org/docs/stable/data.html#multi-process-data-loading"]
# causes:
#   dataset-bug:
#   bad-sample:
#   fails-only-workers-never:
# ---

# %%
import numpy as np
import torch
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
    Images()[0]  # no DataLoader, no worker: the plain error, and a debugger stops here
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
