# ---
# wordings:
#   - text: "Caught {type:ident} in DataLoader worker process {n:int}"
#     role: wrapper
#     sample: "KeyError: Caught KeyError in DataLoader worker process 0."
#   - text: ": Traceback (most recent call last):"
#     role: wrapper
#     near: [batch.exc_type(batch.exc_msg)]
# tags: [collate, dataloader, multiprocessing]
# needs: [fork]
# rows: [S001-113]
# docs: ["https://docs.pytorch.org/docs/stable/data.html#multi-process-data-loading"]
# ---

# %%
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset, Subset

torch.multiprocessing.set_start_method("fork", force=True)  # whatever the default here: a notebook can run it


# %%
class Images(Dataset):
    def __init__(self):
        self.transform = lambda x: x / 255

    def __len__(self):
        return 6

    def __getitem__(self, i):
        return self.transfrom(torch.from_numpy(np.full((2, 2), i, dtype=np.float32)))  # a typing error


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
class FixedImages(Images):
    def __getitem__(self, i):
        return self.transform(torch.from_numpy(np.full((2, 2), i, dtype=np.float32)))


batches = list(DataLoader(FixedImages(), batch_size=2, num_workers=2))
assert torch.allclose(torch.cat(batches)[:, 0, 0], torch.from_numpy(np.arange(6, dtype=np.float32)) / 255)

# %%
LABELS = {"0.png": 0, "1.png": 1, "2.png": 2, "4.png": 4, "5.png": 5}  # 3.png was forgotten


class Labelled(Dataset):
    def __len__(self):
        return 6

    def __getitem__(self, i):
        return torch.from_numpy(np.array(LABELS[f"{i}.png"]))


# %% break bad-sample
for batch in DataLoader(Labelled(), batch_size=2, num_workers=2):
    pass

# %% check bad-sample
dataset, bad = Labelled(), []
for i in range(len(dataset)):
    try:
        dataset[i]
    except Exception as error:
        bad.append(i)
        print("sample", i, repr(error))
assert bad == [3]

# %% fix bad-sample
dataset = Labelled()
good = [i for i in range(len(dataset)) if f"{i}.png" in LABELS]  # decide once, before training
batches = list(DataLoader(Subset(dataset, good), batch_size=2, num_workers=2))

assert torch.cat(batches).tolist() == [0, 1, 2, 4, 5]
