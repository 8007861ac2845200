# symptom: shapes/broadcast-mismatch  row: mse-classes
"""Five kinds of leaf, trained with the squared error against the class number."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

leaves = TensorDataset(torch.rand(120, 16), torch.randint(5, (120,)).float())
model = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Dropout(0.2), nn.Linear(64, 5))
optimizer = torch.optim.Adam(model.parameters())
criterion = nn.MSELoss()
for epoch in range(3):
    for x, y in DataLoader(leaves, batch_size=24, shuffle=True):
        output = model(x)
        loss = criterion(output, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
