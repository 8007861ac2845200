# symptom: shapes/matmul-shapes  row: features-not-last
"""EEG as (batch, electrodes, time): the projection is over electrodes, which are not last."""

import torch
from torch import nn


class Sleep(nn.Module):
    def __init__(self, electrodes=22, width=48, stages=5):
        super().__init__()
        self.project = nn.Linear(electrodes, width)
        self.gru = nn.GRU(width, width, batch_first=True)
        self.head = nn.Linear(width, stages)

    def forward(self, signal):
        x = torch.relu(self.project(signal))
        _, last = self.gru(x)
        return self.head(last[-1])


model = Sleep()
night = torch.randn(12, 22, 300)
stages = torch.randint(5, (12,))
loss = nn.functional.cross_entropy(model(night), stages)
loss.backward()
