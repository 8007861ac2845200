# symptom: shapes/matmul-shapes  row: table-columns
"""Churn from a table; one-hot columns came in after the model was written."""

import numpy as np
import torch
from torch import nn

rng = np.random.default_rng(0)
numbers = rng.normal(size=(64, 9)).astype("float32")
country = np.eye(4, dtype="float32")[rng.integers(4, size=64)]
table = np.concatenate([numbers, country], axis=1)
churned = rng.integers(2, size=64).astype("float32")


class Churn(nn.Module):
    def __init__(self, columns):
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(columns, 32),
            nn.BatchNorm1d(32),
            nn.ReLU(),
            nn.Linear(32, 1),
        )

    def forward(self, rows):
        return self.net(rows).squeeze(1)


model = Churn(columns=10)
criterion = nn.BCEWithLogitsLoss()
optimizer = torch.optim.Adam(model.parameters())
for rows, target in zip(np.split(table, 4), np.split(churned, 4), strict=True):
    loss = criterion(model(torch.from_numpy(rows)), torch.from_numpy(target))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
