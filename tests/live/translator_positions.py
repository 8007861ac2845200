# symptom: autograd/leaf-inplace  row: sine-table
"""A small transformer whose table of positions is a Parameter, filled when it is built."""

import math

import torch
from torch import nn


class Positions(nn.Module):
    def __init__(self, width, longest=512):
        super().__init__()
        self.table = nn.Parameter(torch.zeros(1, longest, width))
        steps = torch.arange(longest).unsqueeze(1)
        scale = torch.exp(torch.arange(0, width, 2) * (-math.log(10000.0) / width))
        self.table[0, :, 0::2] = torch.sin(steps * scale)
        self.table[0, :, 1::2] = torch.cos(steps * scale)

    def forward(self, x):
        return x + self.table[:, : x.size(1)]


class Translator(nn.Module):
    def __init__(self, words=1000, width=64):
        super().__init__()
        self.embed = nn.Embedding(words, width)
        self.positions = Positions(width)
        layer = nn.TransformerEncoderLayer(width, nhead=4, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, num_layers=2)
        self.head = nn.Linear(width, words)

    def forward(self, tokens):
        return self.head(self.encoder(self.positions(self.embed(tokens))))


model = Translator()
print(model(torch.randint(1000, (8, 20))).shape)
