# ---
# tags: [dtype, numpy, dataloader, labels]
# recover: fix
# related: [dtypes/result-type-cast, dtypes/input-weight-type, dtypes/half-overflow]
# docs: ["https://docs.pytorch.org/docs/stable/tensor_attributes.html#torch.dtype"]
# cases:
#   uint8:
#     wrong: {absolute: "https://github.com/pytorch/vision/pull/6977"}
# causes:
#   uint8:
#   whole-numbers:
#   float64:
# ---

# %%
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset, TensorDataset

images = torch.full((8, 3, 4, 4), 200, dtype=torch.uint8)  # as an image file is read
loader = DataLoader(TensorDataset(images), batch_size=4)

# %% break uint8
brighter, difference = images * 2, images - 201
print(f"200 * 2 = {brighter[0, 0, 0, 0]}, 200 - 201 = {difference[0, 0, 0, 0]}")
assert brighter.unique().item() == 144 and difference.unique().item() == 255

# %% check uint8
from torchclinic import checks

print(checks.first_batch(loader))
assert "is uint8" in str(checks.first_batch(loader))

# %% fix uint8
images = images / 255  # floats from 0 to 1, before any other arithmetic

# %% proof uint8
from torchclinic import checks

assert not checks.first_batch(DataLoader(TensorDataset(images * torch.rand(4)), 4))
assert images.dtype == torch.float32
assert torch.allclose(images * 2, torch.full_like(images, 400 / 255))

# %% use uint8
conv = torch.nn.Conv2d(3, 2, 3)
# >>>
images = images.contiguous()
# <<<
brighter = images * 2
assert (brighter > images).all()  # no pixel got darker
conv(brighter.float()).square().mean().backward()
assert conv.weight.grad.isfinite().all() and conv.weight.grad.any()

# %% wrong absolute
# `abs()` of the difference: 200 - 201 is 255 before `abs` sees it.
difference = (images - 201).abs()
print(difference.unique())  # 1 was meant
assert difference.unique().item() == 255

# %%
labels = torch.tensor([0, 1, 1, 0])

# %% break whole-numbers
smooth = torch.zeros_like(labels)  # int64, as the labels are
smooth[labels == 1] = 0.9
smooth[labels == 0] = 0.1
print(smooth)
assert not smooth.any()  # 0.9 and 0.1 were cut off

# %% check whole-numbers
smooth = torch.zeros_like(labels)
print(smooth.dtype)  # int64 holds no fractions
assert not smooth.is_floating_point()

# %% fix whole-numbers
import torch

smooth = torch.zeros_like(labels, dtype=torch.float32)
smooth[labels == 1] = 0.9
smooth[labels == 0] = 0.1

# %% proof whole-numbers
assert torch.equal(smooth, torch.tensor([0.1, 0.9, 0.9, 0.1]))


# %%
class Table(Dataset):
    def __init__(self):
        self.rows = np.random.default_rng(0).standard_normal((8, 100))

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        return torch.from_numpy(self.rows[index])


dataset = Table()
loader = DataLoader(dataset, batch_size=4)

# %% break float64
batch = next(iter(loader))
print(batch.dtype, batch.nbytes / batch.float().nbytes, "times the memory")
assert batch.nbytes == 2 * batch.float().nbytes

# %% check float64
from torchclinic import checks

print(checks.first_batch(loader))
assert "is float64" in str(checks.first_batch(loader))

# %% fix float64
import numpy as np
import torch
from torch.utils.data import Dataset


class Table(Dataset):
    def __init__(self):
        rows = np.random.default_rng(0).standard_normal((8, 100))
        self.rows = rows.astype(np.float32)  # once, where they are read

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        return torch.from_numpy(self.rows[index])


dataset = Table()

# %% proof float64
from torchclinic import checks

loader = DataLoader(dataset, batch_size=4)
assert not checks.first_batch(loader)
assert len(dataset) == 8 and next(iter(loader)).dtype == torch.float32
assert np.abs(dataset.rows - np.random.default_rng(0).standard_normal((8, 100))).max() < 1e-6
