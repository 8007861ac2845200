# symptom: nn/bn-one-value  row: pooled-to-1x1
"""A segmentation head whose image branch pools to one pixel; memory allows one crop a step."""

import torch
from torch import nn


class ImageBranch(nn.Sequential):
    def __init__(self, channels, out):
        super().__init__(
            nn.AdaptiveAvgPool2d(1),
            nn.Conv2d(channels, out, 1, bias=False),
            nn.BatchNorm2d(out),
            nn.ReLU(),
        )

    def forward(self, x):
        size = x.shape[-2:]
        for layer in self:
            x = layer(x)
        return nn.functional.interpolate(x, size=size, mode="bilinear", align_corners=False)


class Segmenter(nn.Module):
    def __init__(self, classes=4):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 32, 3, 2, 1), nn.BatchNorm2d(32), nn.ReLU())
        self.local = nn.Conv2d(32, 16, 3, padding=1)
        self.image = ImageBranch(32, 16)
        self.head = nn.Conv2d(32, classes, 1)

    def forward(self, x):
        x = self.stem(x)
        return self.head(torch.cat([self.local(x), self.image(x)], dim=1))


model = Segmenter()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
loader = torch.utils.data.DataLoader(
    [(torch.rand(3, 128, 128), torch.randint(4, (64, 64))) for _ in range(6)], batch_size=1
)
for crop, mask in loader:
    loss = nn.functional.cross_entropy(model(crop), mask)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
