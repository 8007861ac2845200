# symptom: devices/label-out-of-range  row: ignored-label
"""Segmentation; 255 marks the borders of objects."""

import torch
from torch import nn

torch.manual_seed(0)


class Segmenter(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.encode = nn.Sequential(nn.Conv2d(3, 12, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2))
        self.decode = nn.ConvTranspose2d(12, classes, 2, stride=2)

    def forward(self, x):
        return self.decode(self.encode(x))


def make_mask(size=32):
    mask = torch.zeros(size, size, dtype=torch.long)
    mask[8:20, 6:22] = 1
    mask[12:16, 10:26] = 2
    mask[7:8, 6:22] = 255
    return mask


model = Segmenter(classes=3)
criterion = nn.CrossEntropyLoss()
images, masks = torch.rand(2, 3, 32, 32), torch.stack([make_mask(), make_mask()])
loss = criterion(model(images), masks)
loss.backward()
