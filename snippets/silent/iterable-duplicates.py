# ---
# tags: [dataloader, multiprocessing, ddp]
# recover: fix
# needs: [fork]
# related: [data-loading/iterable-shuffle, data-loading/loader-slow-workers]
# docs: ["https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.IterableDataset"]
# causes:
#   workers:
#   ranks:
# ---

# %%
import itertools

import torch
from torch.utils.data import DataLoader, IterableDataset

torch.multiprocessing.set_start_method("fork", force=True)


class Stream(IterableDataset):
    def __iter__(self):
        yield from range(10)  # lines of a file, records of a bucket


dataset = Stream()
loader = DataLoader(dataset, batch_size=1, num_workers=2)

# %% break workers
seen = [int(batch) for batch in loader]
print(seen)
assert sorted(seen) == sorted(2 * list(range(10)))

# %% check workers
from torchclinic import checks

found = checks.epochs(loader, shuffled=False)  # give it a small dataset
print(found)
assert "20 samples come in an epoch, of which 10" in str(found)

# %% fix workers
import itertools

from torch.utils.data import IterableDataset, get_worker_info


class Stream(IterableDataset):
    def __iter__(self):
        info = get_worker_info()  # None in the main process
        worker, workers = (info.id, info.num_workers) if info else (0, 1)
        yield from itertools.islice(range(10), worker, None, workers)


dataset = Stream()

# %% proof workers
from torchclinic import checks

for count in (0, 2, 3):
    loader = DataLoader(dataset, batch_size=1, num_workers=count)
    assert sorted(int(batch) for batch in loader) == list(range(10))
    assert not checks.epochs(loader, shuffled=False)

# %%
import tempfile

import torch.distributed as dist
import torch.multiprocessing as mp


def read(rank, store, found):
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=store, rank=rank, world_size=2)
    loader = DataLoader(dataset, batch_size=1, num_workers=2)
    mine = [int(batch) for batch in loader]
    every = [None, None]
    dist.all_gather_object(every, mine)
    if rank == 0:
        found.put(every)
    dist.destroy_process_group()


def two_ranks():
    """What each of two ranks reads in an epoch."""
    found = mp.get_context("fork").SimpleQueue()
    with tempfile.TemporaryDirectory() as folder:
        store = f"file://{folder}/store"
        mp.start_processes(read, (store, found), nprocs=2, start_method="fork")
        return found.get()


# %% break ranks
first, second = two_ranks()
print(sorted(first), sorted(second), sep="\n")
assert sorted(first + second) == sorted(4 * list(range(10)))  # 2 ranks x 2 workers

# %% check ranks
def first_samples(rank, store):  # in your program: the three lines in the middle
    dist.init_process_group("gloo", init_method=store, rank=rank, world_size=2)
    every = [None] * dist.get_world_size()
    dist.all_gather_object(every, next(iter(loader)).tolist())
    print(every) if rank == 0 else None  # equal: each rank reads all
    assert every == [[0], [0]]
    dist.destroy_process_group()


with tempfile.TemporaryDirectory() as folder:
    store = f"file://{folder}/store"
    mp.start_processes(first_samples, (store,), nprocs=2, start_method="fork")

# %% fix ranks
import itertools

import torch.distributed as dist
from torch.utils.data import IterableDataset, get_worker_info


class Stream(IterableDataset):
    def __iter__(self):
        rank, ranks = 0, 1
        if dist.is_initialized():
            rank, ranks = dist.get_rank(), dist.get_world_size()
        info = get_worker_info()
        worker, workers = (info.id, info.num_workers) if info else (0, 1)
        part, parts = rank * workers + worker, ranks * workers
        yield from itertools.islice(range(10), part, None, parts)


dataset = Stream()

# %% proof ranks
from torchclinic import checks

first, second = two_ranks()
assert sorted(first + second) == list(range(10))
assert abs(len(first) - len(second)) <= 2
for count in (0, 2):
    loader = DataLoader(dataset, batch_size=1, num_workers=count)
    assert not checks.epochs(loader, shuffled=False)
    assert sorted(int(batch) for batch in loader) == list(range(10))
