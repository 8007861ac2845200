# symptom: shapes/cat-sizes  row: wrong-dimension
"""Evaluation: the scores of all batches are put together."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

data = TensorDataset(torch.randn(50, 12), torch.randint(4, (50,)))
loader = DataLoader(data, batch_size=16)
model = nn.Sequential(nn.Linear(12, 24), nn.Tanh(), nn.Linear(24, 4))


@torch.inference_mode()
def evaluate(model, loader):
    model.eval()
    all_scores, all_labels = [], []
    for x, y in loader:
        all_scores.append(model(x))
        all_labels.append(y)
    scores = torch.cat(all_scores, dim=1)
    labels = torch.cat(all_labels)
    return (scores.argmax(1) == labels).float().mean().item()


print(evaluate(model, loader))
