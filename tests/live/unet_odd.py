# symptom: shapes/cat-sizes  row: odd-size
"""A U-Net for cells; the pictures are 100 pixels wide."""

import torch
from torch import nn


def double_conv(cin, cout):
    return nn.Sequential(
        nn.Conv2d(cin, cout, 3, padding=1),
        nn.ReLU(inplace=True),
        nn.Conv2d(cout, cout, 3, padding=1),
        nn.ReLU(inplace=True),
    )


class UNet(nn.Module):
    def __init__(self, channels=(8, 16, 32, 64)):
        super().__init__()
        widths = [1, *channels]
        self.downs = nn.ModuleList(double_conv(a, b) for a, b in zip(widths, channels))
        pairs = list(zip(channels[::-1], channels[-2::-1]))
        self.ups = nn.ModuleList(nn.ConvTranspose2d(a, b, 2, stride=2) for a, b in pairs)
        self.convs = nn.ModuleList(double_conv(2 * b, b) for _, b in pairs)
        self.pool = nn.MaxPool2d(2)
        self.head = nn.Conv2d(channels[0], 2, 1)

    def forward(self, x):
        skips = []
        for down in self.downs[:-1]:
            x = down(x)
            skips.append(x)
            x = self.pool(x)
        x = self.downs[-1](x)
        for up, conv, skip in zip(self.ups, self.convs, skips[::-1]):
            x = conv(torch.cat([up(x), skip], dim=1))
        return self.head(x)


print(UNet()(torch.rand(2, 1, 100, 100)).shape)
