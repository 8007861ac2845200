# symptom: nn/multi-target  row: column
"""Three kinds of wine from a table; the label is its last column."""

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

table = np.random.rand(178, 14).astype(np.float32)
table[:, 13] = np.random.randint(0, 3, 178)
features = torch.from_numpy(table[:, :13])
kinds = torch.from_numpy(table[:, 13:]).long()
model = nn.Sequential(nn.Linear(13, 32), nn.ReLU(), nn.Linear(32, 3))
optimizer = torch.optim.Adam(model.parameters())
criterion = nn.CrossEntropyLoss()
for x, y in DataLoader(TensorDataset(features, kinds), batch_size=16, shuffle=True):
    loss = criterion(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
