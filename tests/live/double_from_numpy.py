# symptom: dtypes/expected-scalar-type  row: double-input
"""Regression on a table of NumPy's float64."""

import numpy as np
import torch
from torch import nn

rng = np.random.default_rng(0)
x = rng.normal(size=(80, 6))
y = x @ rng.normal(size=6) + 0.1 * rng.normal(size=80)


class Regressor(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.hidden = nn.Linear(features, 16)
        self.out = nn.Linear(16, 1)

    def forward(self, x):
        return self.out(torch.relu(self.hidden(x))).squeeze(-1)


model = Regressor(x.shape[1])
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
x, y = torch.from_numpy(x), torch.from_numpy(y)
for start in range(0, 80, 20):
    predicted = model(x[start : start + 20])
    loss = nn.functional.mse_loss(predicted, y[start : start + 20])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
