# symptom: shapes/dim-out-of-range  row: class-labels
"""The accuracy takes the argmax of labels that are class numbers already."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

data = TensorDataset(torch.randn(60, 8), torch.randint(4, (60,)))
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4))


def accuracy(scores, labels):
    return (scores.argmax(dim=1) == labels.argmax(dim=1)).float().mean()


for x, y in DataLoader(data, batch_size=20):
    print(accuracy(model(x), y))
