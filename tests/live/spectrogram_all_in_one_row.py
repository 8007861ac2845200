# symptom: shapes/matmul-shapes  row: flattened-batch
"""Spectrograms go through two convolutions; `flatten` takes the batch along."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Words(nn.Module):
    def __init__(self, classes=12):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 8, 3, stride=2, padding=1)
        self.conv2 = nn.Conv2d(8, 16, 3, stride=2, padding=1)
        self.fc = nn.Linear(16 * 10 * 16, classes)

    def forward(self, x):
        x = torch.relu(self.conv1(x))
        x = torch.relu(self.conv2(x))
        x = x.flatten()
        return self.fc(x)


data = TensorDataset(torch.randn(40, 1, 40, 64), torch.randint(12, (40,)))
model = Words()
for x, y in DataLoader(data, batch_size=8):
    loss = nn.functional.cross_entropy(model(x), y)
    loss.backward()
