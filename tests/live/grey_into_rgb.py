# symptom: shapes/conv-channels  row: grey
"""X-ray pictures, which have one channel, in a network for colours."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class SmallResNet(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.stem = nn.Conv2d(3, 16, 7, stride=2, padding=3, bias=False)
        self.norm = nn.BatchNorm2d(16)
        self.block = nn.Conv2d(16, 16, 3, padding=1)
        self.head = nn.Linear(16, classes)

    def forward(self, x):
        x = torch.relu(self.norm(self.stem(x)))
        x = x + torch.relu(self.block(x))
        return self.head(x.mean((2, 3)))


xrays = TensorDataset(torch.rand(24, 1, 56, 56), torch.randint(2, (24,)))
model = SmallResNet(classes=2)
for x, y in DataLoader(xrays, batch_size=8):
    print(nn.functional.cross_entropy(model(x), y).item())
