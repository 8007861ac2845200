# ---
# tags: [dataloader, seed, numpy, multiprocessing, reproducibility]
# recover: fix
# needs: [fork]
# related: [data-loading/worker-exception]
# docs: ["https://docs.pytorch.org/docs/stable/data.html#randomness-in-multi-process-data-loading"]
# causes:
#   own-generator:
#   constant-seed:
# ---

# %%
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

torch.multiprocessing.set_start_method("fork", force=True)
torch.manual_seed(0)


class Noisy(Dataset):
    def __init__(self):
        self.images = torch.zeros(8, 1)
        self.rng = np.random.default_rng(0)

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        return self.images[index] + self.rng.integers(1000)


dataset = Noisy()
loader = DataLoader(dataset, batch_size=1, num_workers=2)

# %% break own-generator
first, second = ([int(batch) for batch in loader] for epoch in range(2))
print(first, second, sep="\n")
assert first == second  # the second epoch brings the same noise
assert first[0::2] == first[1::2]  # and so does the second worker

# %% check own-generator
from torchclinic import checks

print(checks.augmentation(loader))
assert len(checks.augmentation(loader)) == 2

# %% fix own-generator
import numpy as np
import torch
from torch.utils.data import Dataset


class Noisy(Dataset):
    def __init__(self):
        self.images = torch.zeros(8, 1)

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        seed = torch.randint(2**62, ()).item()  # another in each worker and epoch
        rng = np.random.default_rng(seed)
        return self.images[index] + rng.integers(1000)


dataset = Noisy()

# %% proof own-generator
from torchclinic import checks

loader = DataLoader(dataset, batch_size=1, num_workers=2)
assert not checks.augmentation(loader) and not checks.epochs(loader)
first, second = ([int(batch) for batch in loader] for epoch in range(2))
assert len(set(first + second)) > 12 and all(0 <= value < 1000 for value in first)
assert len(dataset) == 8 and dataset[0].shape == (1,)
torch.manual_seed(1)
one = [int(batch) for batch in loader]
torch.manual_seed(1)
assert one == [int(batch) for batch in loader]  # a run still repeats itself


# %%
class Noisy(Dataset):
    def __init__(self):
        self.images = torch.zeros(8, 1)

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        return self.images[index] + np.random.randint(1000)


dataset = Noisy()


# %% break constant-seed
def seed_worker(worker):
    np.random.seed(42 + worker)


loader = DataLoader(dataset, 1, num_workers=2, worker_init_fn=seed_worker)
first, second = ([int(batch) for batch in loader] for epoch in range(2))
print(first, second, sep="\n")
assert first == second

# %% check constant-seed
from torchclinic import checks


def seed_worker(worker):
    np.random.seed(42 + worker)


loader = DataLoader(dataset, 1, num_workers=2, worker_init_fn=seed_worker)
print(checks.augmentation(loader))
assert "each epoch draws the same" in str(checks.augmentation(loader))

# %% fix constant-seed
import torch
from torch.utils.data import DataLoader

order = torch.Generator().manual_seed(42)  # seeds the workers, too
loader = DataLoader(dataset, 1, num_workers=2, generator=order)

# %% proof constant-seed
from torchclinic import checks

assert not checks.augmentation(loader) and not checks.epochs(loader)
order.manual_seed(42)
one, two = ([int(batch) for batch in loader] for epoch in range(2))
order.manual_seed(42)
assert one == [int(batch) for batch in loader] != two
assert loader.batch_size == 1 and loader.num_workers == 2
torch.manual_seed(5)
order.manual_seed(42)
assert one == [int(batch) for batch in loader]  # whatever else was seeded
