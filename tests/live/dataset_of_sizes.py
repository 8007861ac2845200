# symptom: shapes/stack-sizes  row: image-sizes
"""Photographs of different sizes, resized by their shorter side only."""

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Photos(Dataset):
    def __init__(self, count, size=32):
        generator = torch.Generator().manual_seed(3)
        self.sizes = torch.randint(40, 90, (count, 2), generator=generator).tolist()
        self.size = size

    def __len__(self):
        return len(self.sizes)

    def __getitem__(self, index):
        image = torch.rand(1, 3, *self.sizes[index])
        factor = self.size / min(image.shape[-2:])
        image = nn.functional.interpolate(image, scale_factor=factor, mode="bilinear")[0]
        return image[:, : self.size], index % 2


loader = DataLoader(Photos(20), batch_size=4, shuffle=True)
model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 2))
for images, labels in loader:
    print(nn.functional.cross_entropy(model(images), labels).item())
