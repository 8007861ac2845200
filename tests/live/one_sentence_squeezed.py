# symptom: shapes/zero-dim-iteration  row: squeezed
"""Scores of sentences are printed; the last batch holds a single one."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

model = nn.Sequential(nn.Linear(10, 8), nn.ReLU(), nn.Linear(8, 1), nn.Sigmoid())
model.eval()
sentences = [f"sentence {n}" for n in range(17)]
features = torch.randn(17, 10)
for start, (x,) in enumerate(DataLoader(TensorDataset(features), batch_size=4)):
    with torch.no_grad():
        scores = model(x).squeeze()
    for offset, score in enumerate(scores):
        print(sentences[4 * start + offset], round(score.item(), 3))
