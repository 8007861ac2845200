# symptom: autograd/numpy-requires-grad  row: numbers-in-a-list
"""Collect losses in a list, and report their mean."""

import numpy as np
import torch
from torch import nn

model = nn.Sequential(nn.Linear(10, 20), nn.ReLU(), nn.Linear(20, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
criterion = nn.SmoothL1Loss()


def run_epoch(batches):
    history = []
    for x, y in batches:
        loss = criterion(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        history.append(loss)
    return np.mean(history)


batches = [(torch.randn(16, 10), torch.randn(16, 1)) for _ in range(8)]
for epoch in range(3):
    print(f"epoch {epoch}: {run_epoch(batches):.3f}")
