# symptom: devices/embedding-index  row: too-long
"""A transformer by hand with learned positions."""

import torch
from torch import nn


class Embeddings(nn.Module):
    def __init__(self, vocab, longest, width):
        super().__init__()
        self.word_embeddings = nn.Embedding(vocab, width)
        self.position_embeddings = nn.Embedding(longest, width)

    def forward(self, ids):
        positions = torch.arange(ids.size(1)).expand_as(ids)
        return self.word_embeddings(ids) + self.position_embeddings(positions)


class Encoder(nn.Module):
    def __init__(self, vocab=1000, longest=64, width=32):
        super().__init__()
        self.embeddings = Embeddings(vocab, longest, width)
        self.attention = nn.MultiheadAttention(width, 4, batch_first=True)

    def forward(self, ids):
        x = self.embeddings(ids)
        return self.attention(x, x, x, need_weights=False)[0]


model = Encoder().eval()
with torch.no_grad():
    for length in (20, 50, 90):
        print(length, model(torch.randint(1000, (2, length))).shape)
