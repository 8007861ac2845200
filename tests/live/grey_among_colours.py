# symptom: shapes/stack-sizes  row: channels
"""A folder of photographs of which some are grey."""

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class Photos(Dataset):
    def __init__(self):
        draw = np.random.default_rng(0)
        self.images = [
            draw.integers(0, 255, (48, 48) if n % 7 == 3 else (48, 48, 3), dtype=np.uint8)
            for n in range(28)
        ]

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        image = torch.from_numpy(self.images[index]).float() / 255
        if image.ndim == 2:
            image = image.unsqueeze(-1)
        return image.permute(2, 0, 1), index % 2


for images, labels in DataLoader(Photos(), batch_size=7):
    print(images.shape, labels)
