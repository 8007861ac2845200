# symptom: autograd/numpy-requires-grad  row: one-tensor
"""Nearest neighbours of products by their embeddings."""

import numpy as np
import torch
from torch import nn


class Encoder(nn.Module):
    def __init__(self, features=24, width=8):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(features, 32), nn.ReLU(), nn.Linear(32, width))

    def forward(self, x):
        return nn.functional.normalize(self.layers(x), dim=-1)


def embed(model, loader):
    parts = []
    for batch in loader:
        codes = model(batch)
        parts.append(codes.numpy())
    return np.concatenate(parts)


def neighbours(codes, count=3):
    return np.argsort(-codes @ codes.T, axis=1)[:, 1 : count + 1]


model = Encoder().eval()
loader = torch.randn(60, 24).split(20)
print(neighbours(embed(model, loader)))
