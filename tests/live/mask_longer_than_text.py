# symptom: shapes/broadcast-mismatch  row: too-long
"""Attention by hand with a causal mask that is made once."""

import torch
from torch import nn


class CausalAttention(nn.Module):
    def __init__(self, width=32, heads=4, longest=16):
        super().__init__()
        self.heads, self.qkv = heads, nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.register_buffer("mask", torch.ones(longest, longest).tril().bool())

    def forward(self, x):
        batch, steps, width = x.shape
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        q, k, v = (t.view(batch, steps, self.heads, -1).transpose(1, 2) for t in (q, k, v))
        scores = q @ k.transpose(-2, -1) / (width // self.heads) ** 0.5
        mask = self.mask[:steps, :steps]
        scores = scores.masked_fill(~mask, float("-inf"))
        mixed = torch.softmax(scores, dim=-1) @ v
        return self.out(mixed.transpose(1, 2).reshape(batch, steps, width))


model = nn.Sequential(nn.Embedding(80, 32), CausalAttention(), nn.Linear(32, 80))
for steps in (8, 16, 24):
    print(model(torch.randint(80, (2, steps))).shape)
