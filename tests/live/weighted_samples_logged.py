# symptom: shapes/scalar-conversion  row: loss-vector
"""Rare classes weigh more: one loss for each sample, which is also logged."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

data = TensorDataset(torch.randn(64, 12), torch.randint(3, (64,)), torch.rand(64))
model = nn.Linear(12, 3)
criterion = nn.CrossEntropyLoss(reduction="none")
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
total = 0.0
for x, y, weight in DataLoader(data, batch_size=16):
    loss = criterion(model(x), y)
    optimizer.zero_grad()
    (loss * weight).mean().backward()
    optimizer.step()
    total += loss.item()
print(total)
