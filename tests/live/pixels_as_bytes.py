# symptom: dtypes/input-weight-type  row: pixels
"""Pictures as bytes go into a convolution."""

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Pictures(Dataset):
    def __init__(self, count):
        rng = np.random.default_rng(1)
        self.pixels = rng.integers(0, 256, (count, 3, 24, 24), dtype=np.uint8)

    def __len__(self):
        return len(self.pixels)

    def __getitem__(self, index):
        return torch.from_numpy(self.pixels[index]), index % 3


model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.AdaptiveMaxPool2d(1), nn.Flatten())
head = nn.Linear(8, 3)
for images, labels in DataLoader(Pictures(12), batch_size=4):
    print(nn.functional.cross_entropy(head(model(images)), labels).item())
