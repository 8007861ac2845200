# symptom: shapes/dim-out-of-range  row: squeezed
"""Retrieval for one query: a batch of one loses its dimension."""

import torch
from torch import nn


class Ranker(nn.Module):
    def __init__(self):
        super().__init__()
        self.score = nn.Sequential(nn.Linear(20, 16), nn.ReLU(), nn.Linear(16, 8))

    def forward(self, candidates):
        scores = self.score(candidates).squeeze()
        return torch.softmax(scores, dim=1)


ranker = Ranker().eval()
data = torch.randn(9, 20)
with torch.no_grad():
    for batch in data.split(4):
        print(ranker(batch).argmax(-1))
