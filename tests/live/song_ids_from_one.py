# symptom: devices/embedding-index  row: one-short
"""Recommends songs; the ids in the table of plays begin at 1."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

SONGS, LISTENERS = 400, 120
torch.manual_seed(1)
listeners = torch.randint(1, LISTENERS + 1, (5000,))
songs = torch.randint(1, SONGS + 1, (5000,))
ratings = torch.rand(5000)


class Factors(nn.Module):
    def __init__(self, listeners, songs, width=16):
        super().__init__()
        self.listeners = nn.Embedding(listeners, width)
        self.songs = nn.Embedding(songs, width)
        self.bias = nn.Embedding(songs, 1)

    def forward(self, listener, song):
        return (self.listeners(listener) * self.songs(song)).sum(1) + self.bias(song).squeeze(1)


model = Factors(LISTENERS, SONGS)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for listener, song, rating in DataLoader(TensorDataset(listeners, songs, ratings), batch_size=500):
    loss = (model(listener, song) - rating).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
