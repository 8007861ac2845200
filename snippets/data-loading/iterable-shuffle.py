# ---
# wordings:
#   - text: "DataLoader with IterableDataset: expected unspecified {option:ident} option, but got"
#     exception: ValueError
#     sample: "ValueError: DataLoader with IterableDataset: expected unspecified shuffle option, but got shuffle=True"
#   - text: "DataLoader with IterableDataset: expected unspecified"
#     exception: ValueError
# tags: [dataloader]
# recover: fix
# docs: ["https://docs.pytorch.org/docs/stable/data.html#iterable-style-datasets"]
# causes:
#   shuffle:
#     if: option == "shuffle"
#   sampler:
#     if: option in ["sampler", "batch_sampler"]
# ---

# %%
import itertools
import random

import torch
from torch.utils.data import DataLoader, IterableDataset

random.seed(0)


class Stream(IterableDataset):
    def __iter__(self):
        return iter(range(100))


dataset = Stream()

# %% break shuffle
loader = DataLoader(dataset, batch_size=10, shuffle=True)

# %% check shuffle
print(isinstance(dataset, IterableDataset))  # True: it is read in its own order
assert isinstance(dataset, IterableDataset)

# %% fix shuffle
import random

from torch.utils.data import DataLoader, IterableDataset


class Shuffled(IterableDataset):
    def __init__(self, dataset, size=1000):
        self.dataset, self.size = dataset, size

    def __iter__(self):
        held = []
        for sample in self.dataset:
            held.append(sample)
            if len(held) == self.size:
                yield held.pop(random.randrange(len(held)))
        random.shuffle(held)
        yield from held


loader = DataLoader(Shuffled(dataset), batch_size=10)

# %% proof shuffle
for size in (1000, 20):
    seen = torch.cat(list(DataLoader(Shuffled(dataset, size), batch_size=10))).tolist()
    assert sorted(seen) == list(range(100)) and seen != sorted(seen)
    assert sum(number == place for place, number in enumerate(seen)) < 20
drawn = iter(Shuffled(itertools.count(), 20))  # a stream without an end: only 20 are held
begun = [next(drawn) for _ in range(50)]
assert begun != sorted(begun) and max(begun) < 70
assert sorted(torch.cat(list(loader)).tolist()) == list(range(100)) and loader.batch_size == 10
assert list(Shuffled([7], 1)) == [7]
assert list(loader.dataset) != list(loader.dataset)  # each epoch in another order
orders = []
for seed_of in (random.seed, random.seed, torch.manual_seed, torch.manual_seed):
    seed_of(0)
    orders.append(torch.cat(list(loader)).tolist())
assert orders[0] == orders[1] and orders[2] != orders[3]
try:
    len(loader)
    raise SystemExit("it has a length")
except TypeError:
    pass

# %% use shuffle
def read(epochs):
    # >>>
    loader = DataLoader(dataset, batch_size=10, shuffle=True)
    # <<<
    return [torch.cat(list(loader)).tolist() for _ in range(epochs)]


first, second = read(2)
assert first != second and sorted(first) == sorted(second) == list(range(100))

# %% break sampler
loader = DataLoader(dataset, batch_size=10, sampler=range(0, 100, 2))

# %% check sampler
print(isinstance(dataset, IterableDataset))  # True: it has no dataset[index]
assert isinstance(dataset, IterableDataset)

# %% fix sampler
from torch.utils.data import DataLoader

samples = list(dataset)  # if it fits into memory: a list can be indexed
loader = DataLoader(samples, batch_size=10, sampler=range(0, 100, 2))

# %% proof sampler
assert torch.cat(list(loader)).tolist() == list(range(0, 100, 2)) and loader.batch_size == 10
