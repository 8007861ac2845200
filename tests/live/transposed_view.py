# symptom: shapes/view-noncontiguous  row: transposed
"""Heads of an attention layer are put together with `view`."""

import torch
from torch import nn


class SelfAttention(nn.Module):
    def __init__(self, width=24, heads=3):
        super().__init__()
        self.heads, self.qkv = heads, nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)

    def forward(self, x):
        b, t, w = x.shape
        q, k, v = self.qkv(x).view(b, t, 3, self.heads, w // self.heads).permute(2, 0, 3, 1, 4)
        mixed = torch.softmax(q @ k.transpose(-1, -2), -1) @ v
        mixed = mixed.transpose(1, 2).view(b, t, w)
        return self.out(mixed)


model = nn.TransformerDecoderLayer(24, 3, batch_first=True)
attention = SelfAttention()
memory = attention(torch.randn(2, 5, 24))
print(model(torch.randn(2, 4, 24), memory).shape)
