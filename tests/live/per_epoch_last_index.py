# symptom: shapes/index-out-of-bounds  row: last-batch
"""Predictions are printed for each sample of a batch."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

BATCH_SIZE = 12
data = TensorDataset(torch.randn(40, 5), torch.randint(2, (40,)))
loader = DataLoader(data, batch_size=BATCH_SIZE)
model = nn.Sequential(nn.Linear(5, 8), nn.Tanh(), nn.Linear(8, 2)).eval()

mistakes = []
with torch.no_grad():
    for number, (x, y) in enumerate(loader):
        predicted = model(x).argmax(1)
        for i in range(BATCH_SIZE):
            if predicted[i] != y[i]:
                mistakes.append((number, i))
print(len(mistakes))
