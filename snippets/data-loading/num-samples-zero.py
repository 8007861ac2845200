# ---
# wordings:
#   - text: "num_samples should be a positive integer value, but got num_samples=0"
#     exception: ValueError
#   - text: "invalid argument 1: must be strictly positive"
#     exception: RuntimeError
#     near: [randperm, RandomSampler, sampler.py]
#     sample: "RuntimeError: invalid argument 1: must be strictly positive at /pytorch/aten/src/TH/generic/THTensorMath.c:2247 torch/utils/data/sampler.py"
# tags: [dataloader]
# recover: fix
# related: [data-loading/collate-type, data-loading/worker-exception]
# docs: ["https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.RandomSampler"]
# causes:
#   wrong-path:
#     if: >-
#       live("left", "list 0", "by glob") or live("left", "list 0", "by rglob") or live("left",
#       "list 0", "by listdir") or live("left", "list 0", "by iterdir")
#     undecided: the message names no path
#   filtered-away:
#     likely: live("left", "list 0")
#     undecided: what was filtered is not printed
#   small-split:
#     if: live("Subset")
#     undecided: how the data were split is not printed
# ---

# %%
import csv
import os
from pathlib import Path

import torch
from torch.utils.data import DataLoader, Dataset, random_split


class Images(Dataset):
    def __init__(self, files):
        self.files = files

    def __len__(self):
        return len(self.files)

    def __getitem__(self, index):
        return len(self.files[index].read_bytes())


for name in ("cat", "dog"):
    os.makedirs(f"data/{name}")
    for number in range(4):
        Path(f"data/{name}/{number}.JPG").write_bytes(bytes(10 + number))

# %% break wrong-path
# they lie one folder further down, and are named .JPG
files = list(Path("data").glob("*.jpg"))
loader = DataLoader(Images(files), batch_size=4, shuffle=True)

# %% check wrong-path
root = Path("data").resolve()
inside = [path.name for path in root.iterdir()]
print(root.exists(), len(list(root.glob("*.jpg"))), inside[:5])
assert root.exists() and not list(root.glob("*.jpg")) and list(root.iterdir())

# %% fix wrong-path
from pathlib import Path

root = Path("data").resolve()  # "data" depends on the folder you start in
kinds = {".jpg", ".jpeg", ".png"}
files = sorted(path for path in root.rglob("*") if path.suffix.lower() in kinds)

# %% proof wrong-path
Path("data/notes.txt").write_text("no image")
assert [path.relative_to(root).as_posix() for path in files] == [f"{name}/{i}.JPG" for name in ("cat", "dog") for i in range(4)]
assert sorted(torch.cat(list(DataLoader(Images(files), batch_size=4, shuffle=True))).tolist()) == [10, 10, 11, 11, 12, 12, 13, 13]
assert root.is_absolute()

# %%
Path("labels.csv").write_text("file,label\na.png,0\nb.png,1\nc.png,2\n")

# %% break filtered-away
rows = list(csv.DictReader(open("labels.csv")))
# a csv file gives texts: "0"
rows = [row for row in rows if row["label"] in [0, 1]]
loader = DataLoader(rows, batch_size=2, shuffle=True)

# %% check filtered-away
rows = list(csv.DictReader(open("labels.csv")))
# count before the filter, look at what is compared
print(len(rows), repr(rows[0]["label"]))
assert len(rows) == 3 and rows[0]["label"] == "0"

# %% fix filtered-away
import csv

with open("labels.csv") as file:
    rows = list(csv.DictReader(file))
rows = [row for row in rows if int(row["label"]) in [0, 1]]

# %% proof filtered-away
assert [row["file"] for row in rows] == ["a.png", "b.png"]
assert len(list(DataLoader(rows, batch_size=2, shuffle=True))) == 1

# %%
dataset = torch.arange(5)

# %% break small-split
train, val = random_split(dataset, [5, int(0.1 * 5)])  # int(0.5) is 0
loader = DataLoader(val, batch_size=2, shuffle=True)

# %% check small-split
print(len(dataset), int(0.1 * len(dataset)))
assert int(0.1 * len(dataset)) == 0

# %% fix small-split
from torch.utils.data import random_split

count = max(1, round(0.1 * len(dataset)))  # at least one sample
train, val = random_split(dataset, [len(dataset) - count, count])

# %% proof small-split
assert (len(train), len(val)) == (4, 1) and sorted([*train, *val]) == [0, 1, 2, 3, 4]
assert len(list(DataLoader(val, batch_size=2, shuffle=True))) == 1
dataset = torch.arange(40)
count = max(1, round(0.1 * len(dataset)))
assert count == 4
