# symptom: shapes/invalid-view-size  row: fixed-batch
"""Windows of a sensor, reshaped with the batch size of the settings."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

BATCH, STEPS, SENSORS = 32, 20, 4


class Monitor(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(STEPS * SENSORS, 16)
        self.head = nn.Linear(16, 2)

    def forward(self, x):
        x = x.reshape(BATCH, STEPS * SENSORS)
        return self.head(torch.relu(self.body(x)))


model = Monitor()
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
windows = TensorDataset(torch.randn(150, STEPS, SENSORS), torch.randint(2, (150,)))
for x, y in DataLoader(windows, batch_size=BATCH, shuffle=True):
    loss = nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
