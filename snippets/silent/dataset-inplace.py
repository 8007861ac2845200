# ---
# tags: [dataloader, in-place, numpy]
# recover: fix
# related: [data-loading/non-writable-numpy]
# docs: ["https://docs.pytorch.org/docs/stable/data.html#map-style-datasets"]
# causes:
#   tensor:
#   numpy:
#   target:
# ---

# %%
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(0)


class Stored(Dataset):
    def __init__(self):
        self.images = torch.ones(4, 3)

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        image = self.images[index]
        image *= 0.5  # an augmentation: darker
        return image


dataset = Stored()
loader = DataLoader(dataset, batch_size=4)

# %% break tensor
for epoch in range(3):
    images = next(iter(loader))
    print(f"epoch {epoch}: mean {images.mean():g}")
assert images.mean() == 0.125  # 0.5 was meant

# %% check tensor
from torchclinic import checks

print(checks.sample_stays(dataset))
assert "changes each time it is taken" in str(checks.sample_stays(dataset))

# %% fix tensor
import torch
from torch.utils.data import Dataset


class Stored(Dataset):
    def __init__(self):
        self.images = torch.ones(4, 3)

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        image = self.images[index].clone()
        image *= 0.5
        return image


dataset = Stored()

# %% proof tensor
from torchclinic import checks

assert not checks.sample_stays(dataset)
for epoch in range(2):
    assert torch.equal(next(iter(DataLoader(dataset, 4))), torch.full((4, 3), 0.5))
assert torch.equal(dataset.images, torch.ones(4, 3))


# %%
class Stored(Dataset):
    def __init__(self):
        self.images = np.full((4, 3), 0.25, dtype=np.float32)

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        image = torch.from_numpy(self.images[index])  # shares its memory
        return image.sub_(0.5).div_(0.5)  # normalised in place


dataset = Stored()
loader = DataLoader(dataset, batch_size=4)

# %% break numpy
for epoch in range(3):
    images = next(iter(loader))
    print(f"epoch {epoch}: mean {images.mean():g}")
assert images.mean() == -5  # -0.5 was meant

# %% check numpy
from torchclinic import checks

print(checks.sample_stays(dataset))
assert "changes each time it is taken" in str(checks.sample_stays(dataset))

# %% fix numpy
import numpy as np
import torch
from torch.utils.data import Dataset


class Stored(Dataset):
    def __init__(self):
        self.images = np.full((4, 3), 0.25, dtype=np.float32)

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        image = torch.tensor(self.images[index])  # a copy
        return image.sub_(0.5).div_(0.5)


dataset = Stored()

# %% proof numpy
from torchclinic import checks

assert not checks.sample_stays(dataset)
for epoch in range(2):
    assert torch.equal(next(iter(DataLoader(dataset, 4))), torch.full((4, 3), -0.5))
assert (dataset.images == 0.25).all() and dataset[0].dtype == torch.float32
assert next(iter(DataLoader(dataset))).shape == (1, 3)


# %%
class Boxes(Dataset):
    def __init__(self):
        self.targets = [{"boxes": torch.tensor([[8.0, 8.0, 32.0, 32.0]])}]

    def __len__(self):
        return len(self.targets)

    def __getitem__(self, index):
        target = self.targets[index].copy()  # the dict, not the tensor in it
        target["boxes"] /= 2  # the image is made half as large
        return target


dataset = Boxes()

# %% break target
for epoch in range(3):
    boxes = dataset[0]["boxes"]
    print(f"epoch {epoch}: {boxes.tolist()}")
assert boxes.tolist() == [[1, 1, 4, 4]]  # [4, 4, 16, 16] was meant

# %% check target
from torchclinic import checks

print(checks.sample_stays(dataset))
assert "changes each time it is taken" in str(checks.sample_stays(dataset))

# %% fix target
import torch
from torch.utils.data import Dataset


class Boxes(Dataset):
    def __init__(self):
        self.targets = [{"boxes": torch.tensor([[8.0, 8.0, 32.0, 32.0]])}]

    def __len__(self):
        return len(self.targets)

    def __getitem__(self, index):
        target = self.targets[index].copy()
        target["boxes"] = target["boxes"] / 2  # a new tensor, in the new dict
        return target


dataset = Boxes()

# %% proof target
from torchclinic import checks

assert not checks.sample_stays(dataset)
assert len(dataset) == 1
for epoch in range(2):
    assert dataset[0]["boxes"].tolist() == [[4, 4, 16, 16]]
assert dataset.targets[0]["boxes"].tolist() == [[8, 8, 32, 32]]
dataset.targets = [{"boxes": torch.tensor([[-7.5, 9.0, 31.0, 33.0]])}]
assert dataset[0]["boxes"].tolist() == [[-3.75, 4.5, 15.5, 16.5]]
