# symptom: shapes/rnn-hidden-size  row: last-batch
"""The initial state is made once, for the batch size of the settings."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

BATCH, HIDDEN = 16, 24


class Activity(nn.Module):
    def __init__(self, sensors=9, classes=6):
        super().__init__()
        self.gru = nn.GRU(sensors, HIDDEN, batch_first=True)
        self.head = nn.Linear(HIDDEN, classes)

    def init_hidden(self, batch_size):
        return torch.zeros(1, batch_size, HIDDEN)

    def forward(self, x, h0):
        out, _ = self.gru(x, h0)
        return self.head(out[:, -1])


recordings = TensorDataset(torch.randn(70, 30, 9), torch.randint(6, (70,)))
model = Activity()
optimizer = torch.optim.Adam(model.parameters())
for x, y in DataLoader(recordings, batch_size=BATCH):
    h0 = model.init_hidden(BATCH)
    loss = nn.functional.cross_entropy(model(x, h0), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
