# symptom: shapes/broadcast-mismatch  row: one-value-per-row
"""Features are divided by their length, row for row."""

import torch
from torch import nn


class Retrieval(nn.Module):
    def __init__(self, features=40, width=16):
        super().__init__()
        self.project = nn.Linear(features, width)

    def embed(self, x):
        codes = self.project(x)
        lengths = codes.norm(dim=1)
        return codes / lengths

    def forward(self, queries, documents):
        return self.embed(queries) @ self.embed(documents).T


model = Retrieval()
scores = model(torch.randn(6, 40), torch.randn(20, 40))
print(scores.topk(3).indices)
