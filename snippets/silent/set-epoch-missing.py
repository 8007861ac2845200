# ---
# tags: [ddp, dataloader, multi-gpu, seed]
# recover: fix
# related: [data-loading/iterable-shuffle, distributed/collective-deadlock]
# docs: ["https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.distributed.DistributedSampler"]
# causes:
#   never-called:
#   not-shuffled:
#   guard-skips:
# ---

# %%
import torch
from torch.utils.data import BatchSampler, DataLoader, DistributedSampler

torch.manual_seed(0)
dataset = list(range(12))
sampler = DistributedSampler(dataset, num_replicas=2, rank=0)
loader = DataLoader(dataset, batch_size=3, sampler=sampler)

# %% break never-called
for epoch in range(3):
    seen = [batch.tolist() for batch in loader]
    print(f"epoch {epoch}: {seen}")
    first = seen if epoch == 0 else first
assert seen == first  # the last epoch is the first one again

# %% check never-called
from torchclinic import checks

for epoch in range(2):
    print(f"epoch {epoch}:", checks.epoch_set(loader, epoch))
    for batch in loader:
        pass  # your step
assert "shuffled as epoch 0" in str(checks.epoch_set(loader, 1))

# %% fix never-called
for epoch in range(3):
    loader.sampler.set_epoch(epoch)
    for batch in loader:
        print(f"epoch {epoch}: {batch.tolist()}")

# %% proof never-called
from torchclinic import checks

assert not checks.epoch_set(loader, 2)


def order(epoch, rank=0):
    sampler = DistributedSampler(dataset, num_replicas=2, rank=rank)
    sampler.set_epoch(epoch)
    return list(sampler)


assert len(batch) == 3
assert list(loader.sampler) == order(2) != order(0)  # the epoch that ran last
assert len({tuple(order(epoch)) for epoch in range(5)}) == 5
assert not set(order(2)) & set(order(2, rank=1))  # the ranks still share nothing

# %%
loader = DataLoader(dataset, batch_size=3)  # shuffle is False by default

# %% break not-shuffled
first, second = ([batch.tolist() for batch in loader] for epoch in range(2))
print(first, second, sep="\n")
assert first == second

# %% check not-shuffled
from torchclinic import checks

print(checks.epochs(loader))
assert "two epochs are equal" in str(checks.epochs(loader))

# %% fix not-shuffled
from torch.utils.data import DataLoader

loader = DataLoader(dataset, batch_size=3, shuffle=True)

# %% proof not-shuffled
from torchclinic import checks

assert not checks.epochs(loader)
assert loader.batch_size == 3
assert sorted(torch.cat(list(loader)).tolist()) == dataset

# %%
sampler = DistributedSampler(dataset, num_replicas=2, rank=0)
loader = DataLoader(dataset, batch_sampler=BatchSampler(sampler, 3, drop_last=True))

# %% break guard-skips
for epoch in range(2):
    if isinstance(loader.sampler, DistributedSampler):  # it is a SequentialSampler
        loader.sampler.set_epoch(epoch)
    seen = [batch.tolist() for batch in loader]
    print(f"epoch {epoch}: {seen}")
    first = seen if epoch == 0 else first
assert seen == first

# %% check guard-skips
from torchclinic import checks

print(checks.epoch_set(loader, 1))  # in the loop: (loader, epoch)
assert "batch_sampler.sampler.set_epoch(1)" in str(checks.epoch_set(loader, 1))

# %% fix guard-skips
for epoch in range(2):
    loader.batch_sampler.sampler.set_epoch(epoch)
    for batch in loader:
        print(f"epoch {epoch}: {batch.tolist()}")

# %% proof guard-skips
from torchclinic import checks

assert not checks.epoch_set(loader, 1)
assert len(batch) == 3
first = [batch.tolist() for batch in loader]
loader.batch_sampler.sampler.set_epoch(0)
assert first != [batch.tolist() for batch in loader]
