# ---
# wordings:
#   - text: "Can't pickle local object '{object:line}'"
#     exception: AttributeError
#     near: &torch [torch, dataloader, DataLoader, num_workers]
#     unless: &save ["torch.save(", torch/serialization.py, "torch\\serialization.py"]
#     sample: |
#       Traceback (most recent call last):
#         File "torch/utils/data/dataloader.py", line 1149, in __init__
#           w.start()
#       AttributeError: Can't pickle local object 'make_dataset.<locals>.<lambda>'
#   - text: "Can't pickle local object"
#     near: *torch
#     unless: *save
#   - text: "Can't get local object"
#     near: *torch
#     unless: *save
#   - text: "Can't pickle <function {object:line}>"
#     near: *torch
#     unless: *save
#     sample: "_pickle.PicklingError: Can't pickle <function <lambda> at 0x7f1b>: attribute lookup <lambda> on __main__ failed"
#   - text: "Can't pickle <"
#     near: *torch
#     unless: *save
#   - text: "cannot pickle '{type:ident}' object"
#     exception: TypeError
#     near: *torch
#     unless: *save
#     sample: "TypeError: cannot pickle '_thread.lock' object"
#   - text: "cannot pickle '{type:ident}' instances"
#     exception: TypeError
#     near: *torch
#     unless: *save
#     sample: "TypeError: cannot pickle 'BufferedReader' instances"
#   - text: "can't pickle {type:ident} objects"
#     exception: TypeError
#     near: *torch
#     unless: *save
#     sample: "TypeError: can't pickle module objects"
#   - text: "objects cannot be pickled"
#     exception: TypeError
#     near: *torch
#     unless: *save
#   - text: "Got pickle error when attempting to start a worker Process"
#     exception: UserWarning
#   - text: "Ran out of input"
#     exception: EOFError
#     role: symptom
#     near: [popen_spawn, spawn_main, reduction.pickle.load, num_workers]
#   - text: "Can't get attribute '{name:ident}' on <module"
#     exception: AttributeError
#     near: [popen_spawn, spawn_main, reduction.pickle.load, multiprocessing/queues.py, "multiprocessing\\queues.py"]
#     sample: "AttributeError: Can't get attribute 'collate' on <module '__main__' (built-in)>"
# tags: [dataloader, multiprocessing, notebook]
# recover: fix
# needs: ["fault:the start method of Windows, macOS and Python 3.14"]
# outranks: [module-moved]
# related: [data-loading/spawn-guard, data-loading/loader-hangs, data-loading/worker-exception]
# docs: ["https://docs.pytorch.org/docs/stable/notes/windows.html#usage-multiprocessing", "https://docs.python.org/3/library/pickle.html#what-can-be-pickled-and-unpickled"]
# cases:
#   not-importable:
#     commands:
#       notebook: |
#         %%writefile data.py
#         import torch
#
#         class Images(torch.utils.data.Dataset):
#             ...  # the class as it is, with its own imports
#         # in the next cell: from data import Images
#   lambda-or-local:
#     wrong: {inner-def: "https://github.com/edongdongchen/DDN/issues/4"}
#   open-handle:
#     wrong: {guard-only: "https://github.com/pytorch/examples/issues/526"}
# causes:
#   lambda-or-local:
#     if: paste("Can't pickle local object", "Can't get local object", "function <lambda>", "<locals>")
#   not-importable:
#     if: paste("on <module '__main__' (built-in)>", "on <module '__main__' (<class '_frozen_importlib.BuiltinImporter'>)>")
#   under-guard:
#     if: paste("on <module '__mp_main__'")
#   open-handle:
#     if: >-
#       type in ["BufferedReader", "TextIOWrapper", "BufferedRandom", "_io.BufferedReader", "_io.TextIOWrapper", "_io.BufferedRandom", "_thread.lock", "_thread.RLock", "_thread._local", "generator", "sqlite3.Connection",
#       "sqlite3.Cursor", "Environment", "SSLContext", "socket", "cv2.VideoCapture"] or paste("h5py objects cannot be pickled")
#   a-module:
#     if: type == "module"
#   the-childs-end:
#     likely: paste("Ran out of input")
#     sample: "    self = reduction.pickle.load(from_parent)\nEOFError: Ran out of input"
#   since-314:
# ---

# %%
import multiprocessing
import os
import subprocess
import sys
from pathlib import Path

import torch
from torch.utils.data import DataLoader, Dataset

multiprocessing.set_start_method("spawn", force=True)  # as on Windows and on a Mac


class Images(Dataset):
    def __init__(self, transform):
        self.transform = transform

    def __len__(self):
        return 8

    def __getitem__(self, index):
        return self.transform(torch.full((3,), float(index)))


def make_dataset():
    return Images(transform=lambda x: x / 255)


dataset = make_dataset()

# %% break lambda-or-local
for batch in DataLoader(dataset, batch_size=4, num_workers=1):
    pass

# %% check lambda-or-local
import pickle

try:
    pickle.dumps(dataset)  # what a worker gets; without any worker
    message = ""
except Exception as error:
    message = str(error)
print(message)
assert "make_dataset.<locals>.<lambda>" in message

# %% fix lambda-or-local
def to_unit(x):  # at the top of a file, with a name
    return x / 255


dataset.transform = to_unit

# %% proof lambda-or-local
if __name__ == "__main__":
    batches = list(DataLoader(dataset, batch_size=4, num_workers=1))
    assert torch.equal(torch.cat(batches)[:, 0], torch.arange(8.0) / 255)

# %% use lambda-or-local
def main():
    model = torch.nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = DataLoader(dataset, batch_size=3, num_workers=1, shuffle=True)
    for epoch in range(2):
        for x in loader:
            optimizer.zero_grad()
            model(x).mean().backward()
            optimizer.step()
    assert x.max() <= 7 / 255 and model.weight.grad.any()


# >>>
dataset.transform = lambda x: x / 255
# <<<
if __name__ == "__main__":
    main()

# %% wrong inner-def
# A `def` in place of the lambda, inside the same function: it has a name, but a worker still cannot
# import it.
def make_dataset():
    def to_unit(x):
        return x / 255

    return Images(transform=to_unit)


dataset = make_dataset()

# %%
if not os.path.exists("all.bin"):
    Path("all.bin").write_bytes(bytes(range(8)))


class Records(Dataset):
    def __init__(self, path):
        self.file = open(path, "rb")  # stays open: a file, a database, an h5py.File, an lmdb.Environment

    def __len__(self):
        return 8

    def __getitem__(self, index):
        self.file.seek(index)
        return self.file.read(1)[0]


# %% break open-handle
for batch in DataLoader(Records("all.bin"), batch_size=4, num_workers=1):
    pass

# %% check open-handle
import pickle

dataset = Records("all.bin")
bad = []
for name, value in vars(dataset).items():
    try:
        pickle.dumps(value)
    except Exception:
        bad.append(name)
print(bad)  # the attributes that a worker cannot get
assert bad == ["file"]

# %% fix open-handle
from torch.utils.data import Dataset


class Records(Dataset):
    def __init__(self, path):
        self.path = path
        self.file = None

    def __len__(self):
        return 8

    def __getitem__(self, index):
        if self.file is None:
            self.file = open(self.path, "rb")  # in the worker, at its first sample
        self.file.seek(index)
        return self.file.read(1)[0]


dataset = Records("all.bin")

# %% proof open-handle
if __name__ == "__main__":
    batches = list(DataLoader(dataset, batch_size=4, num_workers=2))
    assert torch.cat(batches).tolist() == list(range(8)) and len(dataset) == 8
    first, file = dataset[3], dataset.file
    assert (first, dataset[5]) == (3, 5) and dataset.file is file  # opened once, not for every sample

# %% wrong guard-only
# `if __name__ == "__main__":` around the loop: workers need it where they are not forked, but the
# open file still cannot be passed to them.
if __name__ == "__main__":
    for batch in DataLoader(Records("all.bin"), batch_size=4, num_workers=1):
        pass

# %%
CLASS = """
import torch

class Images(torch.utils.data.Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        return index
"""
LOOP = """
import multiprocessing
multiprocessing.set_start_method("spawn")
from torch.utils.data import DataLoader
print([batch.tolist() for batch in DataLoader(Images(), batch_size=4, num_workers=1)])
"""


def notebook(program):
    """Run a program that is in no file, as a notebook's is; what it printed."""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    return done.stdout + done.stderr


# %% break not-importable
print(notebook(CLASS + LOOP))

# %% check not-importable
# of your Dataset. In a notebook `__main__` is no file: no worker can import it
print(Images.__module__)
assert Images.__module__ == "__main__"

# %% proof not-importable
Path("data.py").write_text(CLASS)
assert "[[0, 1, 2, 3], [4, 5, 6, 7]]" in notebook("from data import Images\n" + LOOP)

# %%
GUARDED = """
import torch
from torch.utils.data import DataLoader

if __name__ == "__main__":
    torch.multiprocessing.set_start_method("spawn")

    class Squares(torch.utils.data.Dataset):
        def __len__(self):
            return 4

        def __getitem__(self, index):
            return index**2

    for batch in DataLoader(Squares(), batch_size=2, num_workers=1):
        print(batch)
"""

# %% break under-guard
Path("train.py").write_text(GUARDED)
done = subprocess.run([sys.executable, "train.py"], capture_output=True, text=True)
print(done.stderr.replace(str(Path.cwd()) + "/", ""))

# %% fix under-guard
from torch.utils.data import DataLoader, Dataset


class Squares(Dataset):  # above the guard: a worker runs what stands here
    def __len__(self):
        return 4

    def __getitem__(self, index):
        return index**2


if __name__ == "__main__":
    loader = DataLoader(Squares(), batch_size=2, num_workers=1)

# %% proof under-guard
if __name__ == "__main__":
    assert [batch.tolist() for batch in loader] == [[0, 1], [4, 9]]
    assert loader.num_workers == 1 and len(loader.dataset) == 4

# %%
import numpy


class Arrays(Dataset):
    def __init__(self):
        self.np = numpy

    def __len__(self):
        return 4

    def __getitem__(self, index):
        return self.np.full(2, index)


dataset = Arrays()

# %% break a-module
for batch in DataLoader(dataset, batch_size=2, num_workers=1):
    pass

# %% check a-module
from types import ModuleType

held = vars(dataset).items()
print([name for name, value in held if isinstance(value, ModuleType)])
assert vars(dataset) == {"np": numpy}

# %% fix a-module
import numpy as np  # at the top of the file, not in an attribute
from torch.utils.data import Dataset


class Arrays(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, index):
        return np.full(2, index)


dataset = Arrays()

# %% proof a-module
if __name__ == "__main__":
    batches = list(DataLoader(dataset, batch_size=2, num_workers=1))
    assert torch.cat(batches).tolist() == [[0, 0], [1, 1], [2, 2], [3, 3]] and len(dataset) == 4
