# symptom: shapes/broadcast-mismatch  row: last-batch
"""A running mean of the scores of a batch, kept for stability."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

data = TensorDataset(torch.randn(100, 8), torch.randn(100, 1))
loader = DataLoader(data, batch_size=32)
model = nn.Linear(8, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
noise = torch.randn(32, 1) * 0.05

for epoch in range(2):
    for x, y in loader:
        noisy = y + noise
        loss = (model(x) - noisy).abs().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
