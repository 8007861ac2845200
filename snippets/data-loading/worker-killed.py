# ---
# wordings:
#   - text: "DataLoader worker (pid {pid:int}) is killed by signal: {signal:ident}"
#     exception: RuntimeError
#     unless: ["signal: Bus"]
#     sample: "RuntimeError: DataLoader worker (pid 9579) is killed by signal: Killed. "
#   - text: "DataLoader worker (pid {pid:int}) exited unexpectedly with exit code {code:int}"
#     exception: RuntimeError
#     sample: "RuntimeError: DataLoader worker (pid 9076) exited unexpectedly with exit code 3. Details are lost due to multiprocessing. Rerunning with num_workers=0 may give better error trace."
#   - text: "DataLoader worker (pid(s) {pids:shape}) exited unexpectedly"
#     exception: RuntimeError
#     role: symptom
#     sample: "RuntimeError: DataLoader worker (pid(s) 9060) exited unexpectedly"
#   - text: "Unexpected segmentation fault encountered in worker"
#   - text: "Unexpected floating-point exception encountered in worker"
#   - text: "Connection reset by peer"
#     exception: ConnectionResetError
#     role: symptom
#     near: ["_try_get_data"]
#     sample: "ConnectionResetError: [Errno 104] Connection reset by peer"
#   - text: "EOFError"
#     role: symptom
#     near: ["_try_get_data"]
# tags: [crash, dataloader, multiprocessing, oom, ram]
# recover: process
# needs: [fork]
# cases:
#   too-many-workers: {needs: ["fault:SIGKILL of a worker over a memory limit"]}
#   objects-copied: {needs: ["fault:SIGKILL of a worker over a memory limit"]}
#   cache-in-worker: {needs: ["fault:SIGKILL of a worker over a memory limit"]}
#   crash-in-library:
#     needs: ["fault:a read of address 0 in C code"]
#     wrong: {no-workers: "https://github.com/facebookresearch/SlowFast/issues/443"}
# rows: [S001-93]
# docs: ["https://docs.pytorch.org/docs/stable/data.html#multi-process-data-loading"]
# causes:
#   too-many-workers:
#     likely: begins(signal, "Killed") or paste("std::bad_alloc")
#   script-runs-again:
#     likely: read(pids) and paste("popen_spawn_win32", "spawn.py", "\\torch\\utils\\data\\")
#     sample: |
#       File "C:\Users\me\miniconda3\lib\site-packages\torch\utils\data\dataloader.py", line 1146, in _try_get_data
#         raise RuntimeError('DataLoader worker (pid(s) {}) exited unexpectedly'.format(pids_str)) from e
#       RuntimeError: DataLoader worker (pid(s) 9060, 13344) exited unexpectedly
#   objects-copied:
#     undecided: Killed says that RAM ran out, not what filled it
#   cache-in-worker:
#     undecided: Killed says that RAM ran out, not what filled it
#   kept-batches:
#     if: >-
#       begins(signal, "Killed") and frames("[batch for batch in", "[data for data in", "[item for
#       item in", "[b for b in", "[x for x in", "[d for d in", "[i for i in", "list(loader)",
#       "list(dataloader)", "list(data_loader)", "list(train_loader)", "list(train_dataloader)",
#       "list(trainloader)", "list(DataLoader(")
#   crash-in-library:
#     if: >-
#       (begins(signal, "Segmentation", "Aborted", "Illegal", "Floating") or paste("Unexpected segmentation fault encountered in worker",
#       "Unexpected floating-point exception encountered in worker")) and not paste("bad_alloc", "CUDA error") and not also("fork-cuda-init")
#   quits-by-itself:
#     if: code > 1
#     likely: code == 1
#   ended-from-outside:
#     if: begins(signal, "Terminated", "Hangup", "Interrupt", "Quit", "CPU", "User")
#     sample: "RuntimeError: DataLoader worker (pid 9108) is killed by signal: Terminated. "
#   bus-error:
# ---

# %%
import ctypes
import os
import signal
import sys
import time
import tracemalloc

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

torch.multiprocessing.set_start_method("fork", force=True)  # whatever the default here: a notebook can run it


def own_mb(pid):
    """MB that belong to this process alone."""
    with open(f"/proc/{pid}/smaps_rollup") as lines:
        return sum(int(line.split()[1]) for line in lines if line.startswith("Private_Dirty")) / 1024


def train(loader, spare_mb=70):
    """One epoch with 70 MB of RAM to spare. Over that a worker is killed: for real, but by us in place of the kernel."""
    batches, seen, used = iter(loader), [], []
    for batch in batches:
        time.sleep(0.02)  # the training step
        seen.append(batch.flatten(1)[:, 0])
        workers = {worker.pid: own_mb(worker.pid) for worker in batches._workers}
        used.append(sum(workers.values()))
        if used[-1] > spare_mb:
            os.kill(max(workers, key=workers.get), signal.SIGKILL)
            time.sleep(5)  # the step goes on; the error arrives here
    return torch.cat(seen), used


# %%
class Slices(Dataset):
    """64 slices of 1 MB. To read one, a process needs 30 MB: a volume to unpack it into."""

    volume = None

    def __len__(self):
        return 64

    def __getitem__(self, i):
        if self.volume is None:
            self.volume = np.empty((30, 512, 512), dtype=np.float32)
        self.volume.fill(i)
        return torch.from_numpy(self.volume[0].copy())


dataset = Slices()

# %% break too-many-workers
train(DataLoader(dataset, batch_size=4, num_workers=2))

# %% check too-many-workers
def own_mb(worker):
    """Linux: MB that belong to this worker alone."""
    words = open(f"/proc/{worker.pid}/smaps_rollup").read().split()
    return int(words[words.index("Private_Dirty:") + 1]) / 1024


loader = DataLoader(dataset, batch_size=4, num_workers=2)
batches, used = iter(loader), []
for batch in batches:
    used.append(sum(map(own_mb, batches._workers)))
waiting = batch.nbytes * loader.num_workers * loader.prefetch_factor / 2**20
own = f"{loader.num_workers} workers: {max(used):.0f} MB of their own"
print(f"{own}, and up to {waiting:.0f} MB of finished batches")
assert max(used) > 2 * 30 and waiting == 16

# Linux: how often has the kernel killed something in this container or job?
files = "/sys/fs/cgroup/memory.events", "/sys/fs/cgroup/memory/memory.oom_control"
for file in files:
    if os.path.exists(file):
        print([line.strip() for line in open(file) if line.startswith("oom_kill ")])

# %% fix too-many-workers
from torch.utils.data import DataLoader

loader = DataLoader(dataset, batch_size=4, num_workers=1)

# %% proof too-many-workers
seen, used = train(loader)
assert torch.equal(seen, torch.from_numpy(np.arange(64, dtype=np.float32)))  # every slice, in order
assert len(used) == 16 and max(used) < 70

# %%
def labels_of(records):
    return torch.from_numpy(np.array([record["label"] for record in records]))[:, None]


# %% break objects-copied
# more than a million Python objects
records = [{"path": f"{i}.jpg", "label": i} for i in range(500_000)]
train(DataLoader(records, batch_size=10_000, num_workers=1, collate_fn=labels_of))

# %% check objects-copied
def own_mb(worker):
    """Linux: MB that belong to this worker alone."""
    words = open(f"/proc/{worker.pid}/smaps_rollup").read().split()
    return int(words[words.index("Private_Dirty:") + 1]) / 1024


records = [{"path": f"{i}.jpg", "label": i} for i in range(500_000)]
loader = DataLoader(records, batch_size=10_000, num_workers=1, collate_fn=labels_of)
batches, used = iter(loader), []
for batch in batches:
    used.append(own_mb(batches._workers[0]))
each = f"{used[0]:.0f} MB after the first batch, {used[-1]:.0f} MB after the last"
print("the worker holds", each)
assert used[-1] > 2 * used[0]

# %% fix objects-copied
import numpy as np

columns = [("path", "S16"), ("label", "i8")]
# one block of memory, no objects in it
records = np.array([(f"{i}.jpg", i) for i in range(500_000)], dtype=columns)

# %% proof objects-copied
seen, used = train(DataLoader(records, batch_size=10_000, num_workers=1, collate_fn=labels_of))
assert torch.equal(seen, torch.from_numpy(np.arange(500_000)))
assert records["path"][-1] == b"499999.jpg"
assert used[-1] < 1.5 * used[0] and max(used) < 70

# %%
def decode(i):
    """In place of reading and decoding an image: 1 MB."""
    return np.full((512, 512), i, dtype=np.float32)


class Cached(Dataset):
    def __init__(self):
        self.cache = {}

    def __len__(self):
        return 64

    def __getitem__(self, i):
        if i not in self.cache:
            self.cache[i] = torch.from_numpy(decode(i))
        return self.cache[i]


dataset = Cached()

# %% break cache-in-worker
train(DataLoader(dataset, batch_size=4, num_workers=2))  # each fills its own cache

# %% check cache-in-worker
import pickle

before = len(pickle.dumps(dataset))
for i in range(8):
    dataset[i]
after = len(pickle.dumps(dataset))
# a Dataset that keeps nothing does not grow
print(f"the Dataset is {before} bytes new and {after} bytes after 8 samples")
assert after > 1000 * before

# %% fix cache-in-worker
import numpy as np
import torch
from torch.utils.data import Dataset

shape = (len(dataset), 512, 512)
decoded = np.lib.format.open_memmap("decoded.npy", "w+", np.float32, shape)
for i in range(len(dataset)):
    decoded[i] = dataset[i]  # once, before training, into a file


class Mapped(Dataset):
    def __init__(self, file, length):
        self.file, self.length = file, length

    def __len__(self):
        return self.length

    def __getitem__(self, i):
        # all workers read the same pages
        return torch.from_numpy(np.load(self.file, mmap_mode="r")[i].copy())


dataset = Mapped("decoded.npy", len(dataset))

# %% proof cache-in-worker
assert not hasattr(dataset, "cache")
seen, used = train(DataLoader(dataset, batch_size=4, num_workers=2))
assert torch.equal(seen, torch.from_numpy(np.arange(64, dtype=np.float32)))
assert max(used) < 70 and os.path.getsize("decoded.npy") == 128 + 64 * 2**20
tracemalloc.start()
dataset[63]
assert tracemalloc.get_traced_memory()[1] < 4 * 2**20  # of the 64 MB of the file it reads the one sample

# %%
class Images(Dataset):
    """128 images of 1 MB."""

    def __len__(self):
        return 128

    def __getitem__(self, i):
        return torch.full((512, 512), float(i))


def rss_mb():
    """MB of RAM that the main process holds, its part of what it shares with its workers included."""
    with open("/proc/self/smaps_rollup") as lines:
        return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("Pss:"))


def watched(loader, spare_mb=70):
    """The batches of a loader, while the main process has 70 MB of RAM to spare. Over that a worker is killed, as above."""
    batches, before = iter(loader), None
    for batch in batches:
        batch.sum()  # the training step: what is read counts as held
        before = before or rss_mb()
        if rss_mb() > before + spare_mb:
            os.kill(batches._workers[0].pid, signal.SIGKILL)
            time.sleep(5)
        yield batch


loader = watched(DataLoader(Images(), batch_size=4, num_workers=1))

# %% break kept-batches
batches = [batch for batch in loader]  # all of the data, in the main process

# %% check kept-batches
import resource

kept, used = [], []
for batch in DataLoader(Images(), batch_size=4, num_workers=1):
    batch.sum()  # the training step
    kept.append(batch)
    # Linux: the most MB that this process held until now
    used.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
each = f"{used[0]:.0f} MB after the first batch, {used[-1]:.0f} MB after the last"
print("the main process holds", each)
assert used[-1] > used[0] + 100

# %% fix kept-batches
total = 0.0
for images in loader:
    total += images.mean().item()  # keep a number; the batch itself becomes free

# %% proof kept-batches
assert total == sum(range(128)) / 4 and isinstance(total, float)  # every image, once

# %%
class Files(Dataset):
    """Eight files, of which number 5 is broken."""

    def __len__(self):
        return 8

    def __getitem__(self, i):
        if i == 5:
            ctypes.string_at(0)  # a C library that trusts its input
        return torch.from_numpy(np.full(3, i))


dataset = Files()

# %% break crash-in-library
for batch in DataLoader(dataset, batch_size=2, num_workers=1):
    time.sleep(2)  # the training step

# %% check crash-in-library
broken = []
for i in range(len(dataset)):
    process = torch.multiprocessing.Process(target=dataset.__getitem__, args=(i,))
    process.start()
    process.join()
    if process.exitcode:  # -11: a segmentation fault
        broken.append((i, process.exitcode))
print("samples that kill a process, with its exit code:", broken)
assert broken == [(5, -signal.SIGSEGV)]

# %% fix crash-in-library
import torch
from torch.utils.data import Subset


def can_be_read(i):
    process = torch.multiprocessing.Process(target=dataset.__getitem__, args=(i,))
    process.start()
    process.join()
    return process.exitcode == 0


good = [i for i in range(len(dataset)) if can_be_read(i)]  # once: keep it in a file
dataset = Subset(dataset, good)

# %% proof crash-in-library
batches = list(DataLoader(dataset, batch_size=2, num_workers=1))
assert torch.equal(torch.cat(batches)[:, 0], torch.from_numpy(np.array([0, 1, 2, 3, 4, 6, 7])))

# %% wrong no-workers
# `num_workers=0`: now the main process reads the broken file, and the whole program dies, without
# a traceback.
def main():
    for batch in DataLoader(dataset, batch_size=2, num_workers=0):
        print(batch[:, 0].tolist(), flush=True)


program = torch.multiprocessing.Process(target=main)
program.start()
program.join()
print("exit code", program.exitcode)  # -11: SIGSEGV
assert program.exitcode == -signal.SIGSEGV

# %%
def read_label(i):
    """Written as a program of its own: it ends the process when a file is broken."""
    if i == 5:
        sys.exit(f"cannot read file {i}")
    return i


class Labels(Files):
    def __getitem__(self, i):
        return torch.from_numpy(np.full(3, read_label(i)))


dataset = Labels()

# %% break quits-by-itself
for batch in DataLoader(dataset, batch_size=2, num_workers=1):
    time.sleep(2)  # the training step

# %% check quits-by-itself
try:
    list(DataLoader(dataset, batch_size=2, num_workers=0))  # no worker: the reason
except BaseException as error:
    print(repr(error))
    assert isinstance(error, SystemExit)

# %% fix quits-by-itself
from torch.utils.data import Dataset


class Checked(Dataset):
    """Makes an error that names the sample of what would end the process."""

    def __init__(self, dataset):
        self.dataset = dataset

    def __len__(self):
        return len(self.dataset)

    def __getitem__(self, i):
        try:
            return self.dataset[i]
        except SystemExit as error:
            raise RuntimeError(f"sample {i}: {error}") from error


dataset = Checked(dataset)

# %% proof quits-by-itself
seen, message = [], ""
try:
    for batch in DataLoader(dataset, batch_size=2, num_workers=1):
        seen += batch[:, 0].tolist()
except RuntimeError as error:
    message = str(error)
assert len(dataset) == 8 and seen == [0, 1, 2, 3] and "sample 5: cannot read file 5" in message
