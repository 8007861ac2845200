# symptom: shapes/rnn-hidden-size  row: sequence-first
"""Gestures come as (batch, time, sensors); the LSTM was built without batch_first."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Gestures(nn.Module):
    def __init__(self, sensors=6, hidden=40, layers=2, classes=8):
        super().__init__()
        self.hidden, self.layers = hidden, layers
        self.lstm = nn.LSTM(sensors, hidden, layers)
        self.fc = nn.Linear(hidden, classes)

    def forward(self, x):
        h0 = torch.zeros(self.layers, x.size(0), self.hidden)
        c0 = torch.zeros(self.layers, x.size(0), self.hidden)
        out, _ = self.lstm(x, (h0, c0))
        return self.fc(out[:, -1])


model = Gestures()
data = TensorDataset(torch.randn(64, 75, 6), torch.randint(8, (64,)))
for x, y in DataLoader(data, batch_size=32):
    print(nn.functional.cross_entropy(model(x), y))
