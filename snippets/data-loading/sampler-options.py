# ---
# wordings:
#   - text: "sampler option is mutually exclusive with shuffle"
#     exception: ValueError
#   - text: "batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and drop_last"
#     exception: ValueError
#   - text: "batch_size=None option disables auto-batching and is mutually exclusive with"
#     exception: ValueError
#     sample: "ValueError: batch_size=None option disables auto-batching and is mutually exclusive with drop_last"
#   - text: "prefetch_factor option could only be specified in multiprocessing"
#     exception: ValueError
#     sample: "ValueError: prefetch_factor option could only be specified in multiprocessing.let num_workers > 0 to enable multiprocessing, otherwise set prefetch_factor to None."
#   - text: "persistent_workers option needs num_workers > 0"
#     exception: ValueError
#   - text: "multiprocessing_context can only be used with multi-process loading (num_workers > 0), but got"
#     exception: ValueError
#     sample: "ValueError: multiprocessing_context can only be used with multi-process loading (num_workers > 0), but got num_workers=0"
#   - text: "batch_size should be a positive integer value, but got batch_size={size:num}"
#     exception: ValueError
#     sample: "ValueError: batch_size should be a positive integer value, but got batch_size=32.0"
#   - text: "batch_size should be a positive integer value, but got batch_size="
#     exception: ValueError
#     sample: "ValueError: batch_size should be a positive integer value, but got batch_size=auto"
#   - text: "num_workers option should be non-negative"
#     exception: ValueError
#   - text: "num_workers option cannot be negative"
#     exception: ValueError
#   - text: "timeout option should be non-negative"
#     exception: ValueError
# tags: [dataloader, batch-size, multiprocessing]
# recover: fix
# related: [data-loading/iterable-shuffle, data-loading/num-samples-zero, silent/set-epoch-missing]
# docs: ["https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.DataLoader"]
# cases:
#   negative: {survives: {"without: num_workers= in DataLoader(dataset, batch_size=2, num_workers=0)": "0 is the default"}}
# causes:
#   sampler-and-shuffle:
#     if: paste("mutually exclusive with shuffle")
#   no-workers:
#     if: paste("prefetch_factor option could only", "persistent_workers option needs", "multiprocessing_context can only")
#   batch-sampler:
#     if: paste("batch_sampler option is mutually")
#   no-number:
#     if: paste("batch_size should be a positive")
#   negative:
#     if: paste("should be non-negative", "cannot be negative")
#     sample: "ValueError: timeout option should be non-negative"
#   no-batches:
#     if: paste("disables auto-batching")
#     sample: "ValueError: batch_size=None option disables auto-batching and is mutually exclusive with drop_last"
# ---

# %%
import torch
from torch.utils.data import BatchSampler, DataLoader, RandomSampler, SubsetRandomSampler

torch.manual_seed(0)
dataset = list(range(8))

# %% break sampler-and-shuffle
sampler = SubsetRandomSampler(range(6))
loader = DataLoader(dataset, batch_size=2, shuffle=True, sampler=sampler)

# %% fix sampler-and-shuffle
from torch.utils.data import DataLoader, SubsetRandomSampler

sampler = SubsetRandomSampler(range(6))  # its order is random already
loader = DataLoader(dataset, batch_size=2, sampler=sampler)

# %% proof sampler-and-shuffle
orders = [torch.cat(list(loader)).tolist() for _ in range(5)]
assert all(sorted(order) == list(range(6)) for order in orders) and len(loader) == 3
assert len({tuple(order) for order in orders}) > 1

# %% break no-workers
workers = 0  # as one sets it to find an error
loader = DataLoader(dataset, 2, num_workers=workers, persistent_workers=True)

# %% fix no-workers
from torch.utils.data import DataLoader


def make_loader(workers):
    return DataLoader(
        dataset,
        batch_size=2,
        num_workers=workers,
        persistent_workers=workers > 0,
        prefetch_factor=4 if workers else None,
    )


loader = make_loader(0)

# %% proof no-workers
assert torch.cat(list(loader)).tolist() == dataset and len(loader) == 4
assert (loader.num_workers, loader.persistent_workers, loader.prefetch_factor) == (0, False, None)
busy = make_loader(3)
assert (busy.num_workers, busy.persistent_workers, busy.prefetch_factor) == (3, True, 4)

# %% break batch-sampler
batches = BatchSampler(RandomSampler(dataset), batch_size=4, drop_last=False)
loader = DataLoader(dataset, batch_size=4, batch_sampler=batches)

# %% fix batch-sampler
from torch.utils.data import BatchSampler, DataLoader, RandomSampler

batches = BatchSampler(RandomSampler(dataset), batch_size=4, drop_last=False)
loader = DataLoader(dataset, batch_sampler=batches)  # no batch_size, no shuffle

# %% proof batch-sampler
seen = list(loader)
assert sorted(torch.cat(seen).tolist()) == dataset and [len(batch) for batch in seen] == [4, 4]
assert len({tuple(torch.cat(list(loader)).tolist()) for _ in range(5)}) > 1
assert len(list(DataLoader(dataset[:7], batch_sampler=batches.__class__(range(7), 4, batches.drop_last)))) == 2

# %% break no-number
loader = DataLoader(dataset, batch_size=8 / 2)

# %% check no-number
print(8 / 2, 8 // 2)  # 4.0 is a float, 4 is an int
assert isinstance(8 / 2, float)

# %% fix no-number
from torch.utils.data import DataLoader

loader = DataLoader(dataset, batch_size=8 // 2)

# %% proof no-number
assert [len(batch) for batch in loader] == [4, 4]

# %% break negative
loader = DataLoader(dataset, batch_size=2, num_workers=-1)

# %% fix negative
from torch.utils.data import DataLoader

# 0: the main process loads. The same holds for timeout: 0 waits without a limit
loader = DataLoader(dataset, batch_size=2, num_workers=0)

# %% proof negative
assert [batch.tolist() for batch in loader] == [[0, 1], [2, 3], [4, 5], [6, 7]]

# %%
batches = torch.arange(6).split(2)

# %% break no-batches
loader = DataLoader(batches, batch_size=None, drop_last=True)

# %% fix no-batches
import torch
from torch.utils.data import DataLoader

dataset = torch.arange(6).split(2)  # gives whole batches
loader = DataLoader(dataset, batch_size=None)  # no drop_last, no shuffle

# %% proof no-batches
assert [batch.tolist() for batch in loader] == [[0, 1], [2, 3], [4, 5]]
