# symptom: autograd/grad-scalar-only  row: not-reduced
"""Samples have weights, so the loss is not reduced."""

import torch
from torch import nn

model = nn.Sequential(nn.Linear(10, 20), nn.ReLU(), nn.Linear(20, 3))
criterion = nn.CrossEntropyLoss(reduction="none")
optimizer = torch.optim.Adam(model.parameters())


def weighted(batch):
    x, y, weight = batch
    losses = criterion(model(x), y)
    return losses * weight


for step in range(3):
    batch = torch.randn(12, 10), torch.randint(3, (12,)), torch.rand(12)
    optimizer.zero_grad()
    loss = weighted(batch)
    loss.backward()
    optimizer.step()
