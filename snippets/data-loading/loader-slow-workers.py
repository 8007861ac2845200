# ---
# wordings:
#   - text: "This DataLoader will create {n:int} worker processes in total. Our suggested max number of worker in current system is {cores:int}"
#     exception: UserWarning
#     role: remark
#     sample: "UserWarning: This DataLoader will create 30 worker processes in total. Our suggested max number of worker in current system is 2, which is smaller than what this DataLoader is going to create. Please be aware that excessive worker creation might get DataLoader running slow or even freeze, lower the worker number to avoid potential slowness/freeze if necessary."
#   - text: "worker processes in total. Our suggested max number of worker in current system is {cores:int}"
#     exception: UserWarning
#     role: remark
#     sample: "UserWarning: This DataLoader will create 4096 worker processes in total. Our suggested max number of worker in current system is 2, which is smaller than what this DataLoader is going to create. Please be aware that excessive worker creation might get DataLoader running slow or even freeze, lower the worker number to avoid potential slowness/freeze if necessary."
# tags: [dataloader, multiprocessing, slow, warning]
# recover: fix
# related: [performance/cpu-oversubscription]
# needs: [fork]
# rows: [S000-19, S001-36]
# docs: ["https://docs.pytorch.org/docs/stable/data.html#multi-process-data-loading"]
# cases:
#   start-each-epoch:
#     silent: true
#     wrong: {more-workers: "https://github.com/TuragaLab/DECODE/issues/210"}
#   tiny-batches: {silent: true}
# causes:
#   start-each-epoch:
#   tiny-batches:
#   slow-samples: {case: tiny-batches}
#   too-many: {if: 'read(cores) or paste("Our suggested max number of worker")'}
# ---

# %%
import os
import statistics
import time
import warnings

import torch
from torch.utils.data import DataLoader, TensorDataset

torch.multiprocessing.set_start_method("fork", force=True)  # whatever the default here
dataset = TensorDataset(torch.arange(256, device="cpu"))
warnings.filterwarnings("ignore", "This DataLoader will create . worker")  # there may be one core


def epoch(loader):
    """Seconds for one pass over the data."""
    start = time.perf_counter()
    assert sum(len(x) for (x,) in loader) == len(loader.dataset)
    return time.perf_counter() - start


# %% break start-each-epoch
plain = DataLoader(dataset, batch_size=16)
without = statistics.median(epoch(plain) for _ in range(5))
loader = DataLoader(dataset, batch_size=16, num_workers=2)
slow = statistics.median(epoch(loader) for _ in range(5))
print(f"an epoch takes {slow / without:.0f} times as long with two workers")
assert slow > 3 * without

# %% check start-each-epoch
loader = DataLoader(dataset, batch_size=16, num_workers=2)
pids = []
for _ in range(2):
    batches = iter(loader)
    pids.append([worker.pid for worker in batches._workers])
    list(batches)
print(pids)  # other processes in the second epoch: all of them were started anew
assert not set(pids[0]) & set(pids[1])

# %% fix start-each-epoch
from torch.utils.data import DataLoader

loader = DataLoader(dataset, batch_size=16, num_workers=2, persistent_workers=True)

# %% proof start-each-epoch
pids = []
for _ in range(3):
    batches = iter(loader)
    pids.append([worker.pid for worker in batches._workers])
    batches = [x for (x,) in batches]
    assert len(batches) == 16 and torch.equal(torch.cat(batches), torch.arange(256, device="cpu"))
assert pids[0] == pids[1] == pids[2] and len(pids[0]) == 2

# %% use start-each-epoch
model = torch.nn.Linear(1, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
# >>>
loader = DataLoader(dataset, batch_size=16, num_workers=2)
# <<<
workers = set()
for _ in range(3):
    batches = iter(loader)
    workers |= {worker.pid for worker in batches._workers}
    for (x,) in batches:
        loss = (model(x[:, None] / 256) - x[:, None] / 128).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
assert len(workers) == 2

# %% wrong more-workers
# More workers: all of them are started anew for every epoch, which takes longer the more there are.
plain = DataLoader(dataset, batch_size=16)
without = statistics.median(epoch(plain) for _ in range(5))
loader = DataLoader(dataset, batch_size=16, num_workers=4)
slow = statistics.median(epoch(loader) for _ in range(5))
print(f"an epoch takes {slow / without:.0f} times as long with four workers")
assert slow > 3 * without

# %% break tiny-batches
loader = DataLoader(dataset, batch_size=1, num_workers=1, persistent_workers=True)
epoch(loader)  # starts the worker
slow = statistics.median(epoch(loader) for _ in range(3))
plain = DataLoader(dataset, batch_size=1)
without = statistics.median(epoch(plain) for _ in range(3))
print(f"an epoch takes {slow / without:.0f} times as long with a worker")
assert slow > 2 * without

# %% check tiny-batches
start = time.perf_counter()
samples = [dataset[i] for i in range(100)]
each = (time.perf_counter() - start) / 100
# less than about 100: sending it costs more than making it
print(f"{1e6 * each:.0f} microseconds for a sample")
assert len(samples) == 100

# %% fix tiny-batches
from torch.utils.data import DataLoader

loader = DataLoader(dataset, batch_size=64)  # in memory: no workers, large batches

# %% proof tiny-batches
batches = iter(loader)
first = next(batches)[0]
assert not torch.multiprocessing.active_children()
assert first.tolist() == list(range(64)) and [len(x) for (x,) in batches] == [64, 64, 64]

# %% break too-many
loader = DataLoader(dataset, batch_size=16, num_workers=4096)  # warns at once

# %% check too-many
print(len(os.sched_getaffinity(0)), "cores for this process")
assert len(os.sched_getaffinity(0)) < 4096

# %% fix too-many
import os

from torch.utils.data import DataLoader

cores = (
    len(os.sched_getaffinity(0))  # Linux: those that this process may use
    if hasattr(os, "sched_getaffinity")
    else os.cpu_count()
)
workers = min(2, cores)  # try 2 and 4 first
loader = DataLoader(dataset, batch_size=16, num_workers=workers)

# %% proof too-many
batches = iter(loader)
assert 0 < len(batches._workers) <= len(os.sched_getaffinity(0))
batches = [x for (x,) in batches]
assert len(batches) == 16 and torch.equal(torch.cat(batches), torch.arange(256, device="cpu"))
