# symptom: shapes/kernel-too-large  row: unpadded-layers
"""Sound as spectrograms; five blocks without padding."""

import torch
from torch import nn


def block(cin, cout):
    return nn.Sequential(nn.Conv2d(cin, cout, 3), nn.BatchNorm2d(cout), nn.ReLU(), nn.MaxPool2d(2))


class Sounds(nn.Module):
    def __init__(self, classes=10):
        super().__init__()
        widths = [1, 8, 16, 32, 64, 64]
        self.blocks = nn.Sequential(*map(block, widths[:-1], widths[1:]))
        self.head = nn.Linear(64, classes)

    def forward(self, spectrograms):
        maps = self.blocks(spectrograms)
        return self.head(maps.mean((2, 3)))


waves = torch.randn(4, 16000)
window = torch.hann_window(256)
spectrograms = torch.stft(waves, 256, 128, window=window, return_complex=True).abs()
print(Sounds()(spectrograms[:, None, :40].log1p()).shape)
