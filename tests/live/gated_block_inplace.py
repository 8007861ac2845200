# symptom: autograd/modified-by-inplace  row: overwritten-output
"""A gated residual block for sequences."""

import torch
from torch import nn


class GatedBlock(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.value = nn.Linear(width, width)
        self.gate = nn.Linear(width, width)

    def forward(self, x):
        normed = self.norm(x)
        gate = torch.sigmoid(self.gate(normed))
        out = gate * self.value(normed)
        gate += 1e-6
        return x + out / gate


class Tagger(nn.Module):
    def __init__(self, vocab=200, width=24, tags=7):
        super().__init__()
        self.embed = nn.Embedding(vocab, width)
        self.blocks = nn.Sequential(*(GatedBlock(width) for _ in range(3)))
        self.head = nn.Linear(width, tags)

    def forward(self, ids):
        return self.head(self.blocks(self.embed(ids)))


model = Tagger()
optimizer = torch.optim.Adam(model.parameters())
for step in range(3):
    ids, tags = torch.randint(200, (4, 12)), torch.randint(7, (4, 12))
    loss = nn.functional.cross_entropy(model(ids).transpose(1, 2), tags)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
