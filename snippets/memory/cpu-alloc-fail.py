# ---
# wordings:
#   - text: "DefaultCPUAllocator: can't allocate memory: you tried to allocate {n:int} bytes"
#     exception: RuntimeError
#     sample: "RuntimeError: [enforce fail at alloc_cpu.cpp:127] err == 0. DefaultCPUAllocator: can't allocate memory: you tried to allocate 1638400000 bytes. Error code 12 (Cannot allocate memory)"
#   - text: "DefaultCPUAllocator: not enough memory: you tried to allocate {n:int} bytes"
#     exception: RuntimeError
#     sample: "RuntimeError: [enforce fail at ..\\c10\\core\\CPUAllocator.cpp:79] data. DefaultCPUAllocator: not enough memory: you tried to allocate 11534336 bytes."
#   - text: "DefaultCPUAllocator: can't allocate memory"
#     exception: RuntimeError
#   - text: "DefaultCPUAllocator: not enough memory"
#     exception: RuntimeError
#   - text: "posix_memalign(&data, gAlignment, nbytes) == 0. 12 vs 0"
#     exception: RuntimeError
#   - text: "$ Torch: not enough memory: you tried to allocate {gb:int}GB"
#     exception: RuntimeError
#     sample: "RuntimeError: $ Torch: not enough memory: you tried to allocate 0GB. Buy new RAM! at ..\\aten\\src\\TH\\THGeneral.cpp:204"
#   - text: "$ Torch: not enough memory: you tried to allocate"
#     exception: RuntimeError
#   - text: "[Errno 12] Cannot allocate memory"
#     exception: OSError
#     near: [model-code]
#     sample: "OSError: [Errno 12] Cannot allocate memory"
#   - text: "unable to mmap {n:int} bytes from file"
#     exception: RuntimeError
#     near: ["Cannot allocate memory"]
#     sample: "RuntimeError: unable to mmap 1073741824 bytes from file </torch_6384_1752749920_0>: Cannot allocate memory (12)"
# tags: [broadcasting, dataloader, multiprocessing, oom, ram]
# recover: process
# cases:
#   all-at-once: {needs: ["fault:512 MiB of address space (RLIMIT_AS)"], wrong: {batch-of-one: "https://github.com/LeapMind/MLF-SC/issues/41"}}
#   ram-full: {needs: ["fault:512 MiB of address space (RLIMIT_AS)"]}
#   lists-in-workers: {silent: true, needs: [fork]}
#   fork-refused: {needs: [fork, "fault:address space larger than RAM and swap"]}
# related: [data-loading/worker-killed, memory/vram-grows]
# rows: [S001-94]
# docs: ["https://docs.pytorch.org/docs/stable/data.html#multi-process-data-loading"]
# causes:
#   all-at-once:
#     likely: (n >= GiB and n < 4 * TiB and not paste("unable to mmap")) or (gb >= 1 and gb < 4096)
#   ram-full:
#     if: n < 64 * MiB and n >= 0 and not paste("create_graph=True", "not enough memory", "unable to mmap")
#     likely: (n < GiB and n >= 0 and not paste("create_graph=True", "not enough memory", "unable to mmap")) or gb == 0
#   page-file:
#     if: n < 64 * MiB and n >= 0 and paste("not enough memory")
#     likely: n < GiB and n >= 0 and paste("not enough memory")
#     sample: "RuntimeError: [enforce fail at ..\\c10\\core\\CPUAllocator.cpp:79] data. DefaultCPUAllocator: not enough memory: you tried to allocate 11534336 bytes."
#   shape-mistake:
#     likely: n >= 4 * TiB or gb >= 4096
#   lists-in-workers:
#   fork-refused:
#     if: paste("os.fork()", "fork_exec(") and paste("[Errno 12]")
#   create-graph:
#     likely: paste("create_graph=True")
#     sample: |
#       ---> 41         loss.backward(create_graph=True)
#       RuntimeError: [enforce fail at CPUAllocator.cpp:65] . DefaultCPUAllocator: can't allocate memory: you tried to allocate 359661568 bytes. Error code 12 (Cannot allocate memory)
# ---

# %%
import os
import re
import resource
import tempfile

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

torch.set_default_device(None)  # this page is about the computer's own memory
torch.multiprocessing.set_start_method("fork", force=True)  # whatever the default here: a notebook can run it
torch.manual_seed(0)
os.chdir(tempfile.mkdtemp())


def size():
    """Bytes of address space that this process has (Linux)."""
    with open("/proc/self/statm") as numbers:
        return int(numbers.read().split()[0]) * resource.getpagesize()


def leave(megabytes):
    """Let this process have only so much more, as `ulimit -v` and some batch systems do: a full computer in a second."""
    resource.setrlimit(resource.RLIMIT_AS, (size() + megabytes * 2**20 if megabytes else NO_LIMIT, NO_LIMIT))


NO_LIMIT = resource.getrlimit(resource.RLIMIT_AS)[1]
model = nn.Sequential(nn.Linear(64, 4096), nn.ReLU(), nn.Dropout(), nn.Linear(4096, 10))
images = torch.randn(100_000, 64)  # 24 MiB
model(images[:1000])
leave(512)

# %% break all-at-once
model.eval()
with torch.no_grad():
    answers = model(images)  # 1.5 GiB for the values between the two layers

# %% check all-at-once
hidden = images.element_size() * len(images) * 4096
print(hidden, "bytes")  # samples x width x 4, in one operation: as in the message
assert hidden == 1_638_400_000

# %% fix all-at-once
import torch

few = 1000  # samples at a time
answers = torch.empty(len(images), 10)
model.eval()
with torch.no_grad():
    for few_images, few_answers in zip(images.split(few), answers.split(few)):
        few_answers.copy_(model(few_images))  # 16 MiB at a time

# %% proof all-at-once
assert answers.shape == (100_000, 10) and not answers.requires_grad
rows = images[::997]
with torch.no_grad():
    by_hand = (rows @ model[0].weight.T + model[0].bias).relu() @ model[3].weight.T + model[3].bias
torch.testing.assert_close(answers[::997], by_hand, rtol=1e-3, atol=1e-4)

# %% use all-at-once
model = nn.Sequential(nn.Linear(64, 4096), nn.ReLU(), nn.Linear(4096, 10)).eval()
images, labels = torch.randn(60_500, 64), torch.randint(10, (60_500,))
# >>>
with torch.no_grad():
    answers = model(images)
# <<<
right = (answers.argmax(1) == labels).float().mean().item()
with torch.no_grad():
    last = model(images[-3:])
torch.testing.assert_close(answers[-3:], last, rtol=1e-3, atol=1e-4)
assert 0.05 < right < 0.2

# %% wrong batch-of-one
# `batch_size=1` in the loader: the samples come one by one, but the line that fails still works on
# all of them together. The same error.
loader = DataLoader(torch.utils.data.TensorDataset(images), batch_size=1)
kept = torch.cat([batch for (batch,) in loader])
model.eval()
with torch.no_grad():
    answers = model(kept)

# %%
model.eval()
labels = torch.randint(10, (100_000,))

# %% break ram-full
answers = []
for few_images in images.split(1000):
    answers.append(model(few_images))  # 40 kB each, and 16 MB kept for backward
right = (torch.cat(answers).argmax(1) == labels).sum().item()

# %% check ram-full
import resource

answers, used = [], []
for few_images in images[:8000].split(1000):
    answers.append(model(few_images))
    used.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
print(used)  # MiB of RAM after each step (Linux): what is kept adds up
assert used[-1] > used[1] + 5 * 15

# %% fix ram-full
right = 0
for few_images, few_labels in zip(images.split(1000), labels.split(1000)):
    # a plain number is all that stays
    right += (model(few_images).argmax(1) == few_labels).sum().item()

# %% proof ram-full
w, b, v, c = (parameter.detach().numpy() for parameter in model.parameters())
by_hand = 0
for rows, wanted in zip(images.numpy().reshape(100, 1000, 64), labels.numpy().reshape(100, 1000), strict=True):
    by_hand += ((np.maximum(rows @ w.T + b, 0) @ v.T + c).argmax(1) == wanted).sum()
assert isinstance(right, int) and abs(right - by_hand) <= 5  # scores that are equal but for rounding

# %%
leave(0)  # all of it again
model, loss_fn = nn.Linear(1, 1), nn.MSELoss()
x, y = torch.randn(8_000_000, 1), torch.randn(8_000_000)

# %% break shape-mistake
loss = loss_fn(model(x), y)  # a column minus a row: every pair

# %% check shape-mistake
shape = torch.broadcast_shapes(model(x).shape, y.shape)
print(tuple(shape), shape.numel() * 4, "bytes")  # the number in the message
assert shape.numel() * 4 == 256_000_000_000_000

# %% fix shape-mistake
loss = loss_fn(model(x).squeeze(1), y)

# %% proof shape-mistake
predictions = model(x).detach().numpy()[:, 0]
assert abs(loss.item() - ((predictions - y.numpy()) ** 2).mean(dtype=np.float64)) < 1e-3


# %%
class Samples(Dataset):
    def __init__(self, records):
        self.records = records

    def __len__(self):
        return len(self.records)

    def __getitem__(self, i):
        return int(self.records[i]["label"])


def private_mb(labels):
    """In place of a collate function: the sum of the labels, and the MB that this worker does not share with the main process."""
    with open("/proc/self/smaps_rollup") as lines:
        private = sum(int(line.split()[1]) for line in lines if line.startswith("Private_Dirty"))
    return sum(labels), private / 1024


def epoch(records):
    """Labels seen, and the worker's private memory after each batch."""
    seen, used = zip(*DataLoader(Samples(records), batch_size=20_000, num_workers=1, collate_fn=private_mb), strict=True)
    return sum(seen), used


dataset = Samples([{"label": i} for i in range(400_000)])  # 800 000 Python objects, made before the workers start

# %% break lists-in-workers
_, used = epoch(dataset.records)
array = np.array([(i,) for i in range(400_000)], dtype=[("label", "i8")])
_, used_by_array = epoch(array)
assert used[-1] > 2 * used_by_array[-1]

# %% check lists-in-workers
records = dataset.records
# a list of Python objects: what a worker reads of it is copied
print(type(records), type(records[0]), len(records))
_, used = epoch(records)
assert used[-1] > 1.5 * used[0]  # of a worker that only reads

# %% fix lists-in-workers
import numpy as np

fields = [("label", "i8")]  # name and type of each entry
# one block of memory, no objects in it
dataset.records = np.array(
    [tuple(record.values()) for record in dataset.records], dtype=fields
)

# %% proof lists-in-workers
seen, used = epoch(dataset.records)
assert seen == sum(range(400_000))
assert used[-1] < 1.5 * used[0]


# %%
def total_memory():
    """Bytes of RAM and swap together (Linux)."""
    with open("/proc/meminfo") as lines:
        return sum(int(re.findall(r"\d+", line)[0]) * 1024 for line in lines if line.startswith(("MemTotal", "SwapTotal")))


class Windows(Dataset):
    """Eight samples, read from whichever block holds them."""

    def __init__(self, blocks):
        self.blocks = blocks

    def __len__(self):
        return 8

    def __getitem__(self, i):
        return int(self.blocks[i % 2][i])


half = int(total_memory() * 0.8)
with open("samples.bin", "wb") as samples:
    samples.write(bytes(range(8)))
    samples.truncate(half)  # a file of that length, of which only the first bytes take space on the disk
dataset = Windows([torch.empty(half, dtype=torch.uint8) for _ in range(2)])  # never written: this takes no memory at all

# %% break fork-refused
for batch in DataLoader(dataset, num_workers=1):
    pass

# %% check fork-refused
# 0: nothing that is obviously too large; 1: always; 2: strict accounts
print("mode", open("/proc/sys/vm/overcommit_memory").read().strip())
# refused: VmSize of this process above RAM and swap together
for file in ("/proc/self/status", "/proc/meminfo"):
    for line in open(file):
        if line.startswith(("VmSize", "MemTotal", "SwapTotal")):
            print(line.strip())
assert size() > total_memory()

# %% fix fork-refused
import numpy as np

# pages of a file: fork need not reserve memory for them
dataset.blocks = [np.memmap("samples.bin", np.uint8, "r") for _ in range(2)]

# %% proof fork-refused
batches = list(DataLoader(dataset, num_workers=1))
assert torch.cat(batches).tolist() == list(range(8))
