# symptom: shapes/running-mean-size  row: features-last
"""A tagger with BatchNorm behind the embeddings, which come as (batch, words, width)."""

import torch
from torch import nn


class Tagger(nn.Module):
    def __init__(self, words=200, width=48, tags=9):
        super().__init__()
        self.embed = nn.Embedding(words, width)
        self.norm = nn.BatchNorm1d(width)
        self.lstm = nn.LSTM(width, 32, batch_first=True)
        self.out = nn.Linear(32, tags)

    def forward(self, tokens):
        x = self.norm(self.embed(tokens))
        x, _ = self.lstm(x)
        return self.out(x)


model = Tagger()
optimizer = torch.optim.Adam(model.parameters())
for _ in range(2):
    tokens, tags = torch.randint(200, (16, 25)), torch.randint(9, (16, 25))
    loss = nn.functional.cross_entropy(model(tokens).flatten(0, 1), tags.flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
