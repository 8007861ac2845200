# ---
# wordings:
#   - text: "Too many open files. Communication with the workers is no longer possible"
#     exception: RuntimeError
#     sample: "RuntimeError: Too many open files. Communication with the workers is no longer possible. Please increase the limit using `ulimit -n` in the shell or change the sharing strategy by calling `torch.multiprocessing.set_sharing_strategy('file_system')` at the beginning of your code"
#   - text: "received {_:int} items of ancdata"
#     exception: RuntimeError
#     sample: "RuntimeError: received 0 items of ancdata"
#   - text: "[Errno 24] Too many open files"
#     exception: OSError
#     near: [torch, multiprocessing]
#     sample: "OSError: [Errno 24] Too many open files"
#   - text: "Too many open files (24)"
#     exception: RuntimeError
#     near: [torch]
# tags: [dataloader, multiprocessing]
# recover: process
# needs: [fork]
# related: [data-loading/worker-exception, data-loading/worker-killed]
# docs: ["https://docs.pytorch.org/docs/stable/multiprocessing.html#sharing-strategies"]
# causes:
#   kept-batches:
#     undecided: what becomes of a batch after the loop is not in the traceback
#   files-left-open:
#     likely: paste("[Errno 24]") and frames("in __getitem__")
#   low-limit:
#     undecided: the limit is not printed
# cases:
#   low-limit:
#     commands:
#       linux: |
#         ulimit -n 65536  # in the shell that starts the training; `ulimit -Hn` shows the most it may be
#         python train.py
#       docker: docker run --ulimit nofile=65536:65536 …
#       slurm: |
#         ulimit -n $(ulimit -Hn)  # in the job script, above the training
#       notebook: |
#         import resource
#
#         most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
#         resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
# ---

# %%
import multiprocessing
import os
import resource

import torch
from torch.utils.data import DataLoader, Dataset

multiprocessing.set_start_method("fork", force=True)  # whatever the default here: a notebook can run it
most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (128, most))  # usual is 1024: a smaller limit is met sooner


class Images(Dataset):
    def __len__(self):
        return 400

    def __getitem__(self, index):
        return torch.full((8,), float(index)), index % 10


dataset = Images()
loader = DataLoader(dataset, batch_size=2, num_workers=2)

# %% break kept-batches
all_labels = []
for images, labels in loader:
    all_labels.append(labels)  # still in the worker's shared memory

# %% check kept-batches
before = len(os.listdir("/proc/self/fd"))
kept = [labels for number, (images, labels) in enumerate(loader) if number < 20]
print(len(os.listdir("/proc/self/fd")) - before)  # one more for each batch kept
assert len(os.listdir("/proc/self/fd")) - before >= 20

# %% fix kept-batches
all_labels = []
for images, labels in loader:
    all_labels.append(labels.clone())  # a copy in this process's own memory

# %% proof kept-batches
assert torch.cat(all_labels).tolist() == [index % 10 for index in range(400)]

# %%
for index in range(400):
    torch.save(torch.full((8,), float(index)), f"{index}.pt")


class Files(Dataset):
    def __init__(self):
        self.opened = []

    def __len__(self):
        return 400

    def __getitem__(self, index):
        self.opened.append(open(f"{index}.pt", "rb"))  # never closed
        return torch.load(self.opened[-1])


# %% break files-left-open
for batch in DataLoader(Files(), batch_size=2):
    pass

# %% check files-left-open
dataset = Files()
before = len(os.listdir("/proc/self/fd"))
samples = [dataset[index] for index in range(20)]
print(len(os.listdir("/proc/self/fd")) - before)  # grows without any worker
assert len(os.listdir("/proc/self/fd")) - before == 20

# %% fix files-left-open
import torch
from torch.utils.data import Dataset


class Files(Dataset):
    def __len__(self):
        return 400

    def __getitem__(self, index):
        with open(f"{index}.pt", "rb") as file:  # closed at the end of the block
            return torch.load(file)


# %% proof files-left-open
batches = list(DataLoader(Files(), batch_size=2))
assert torch.equal(torch.cat(batches)[:, 0], torch.arange(400.0))

# %% break low-limit
batches = list(DataLoader(dataset, batch_size=4, num_workers=2))  # all at once

# %% proof low-limit
resource.setrlimit(resource.RLIMIT_NOFILE, (min(most, 4096), most))  # what `ulimit -n` does
batches = list(DataLoader(dataset, batch_size=4, num_workers=2))
assert torch.cat([labels for images, labels in batches]).tolist() == [index % 10 for index in range(400)]
