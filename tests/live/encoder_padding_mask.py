# symptom: shapes/attn-mask-shape  row: padding-as-attention
"""A text classifier; the padding mask is given as the second argument."""

import torch
from torch import nn


class Classifier(nn.Module):
    def __init__(self, vocab=120, width=32, classes=3):
        super().__init__()
        self.embed = nn.Embedding(vocab, width, padding_idx=0)
        layer = nn.TransformerEncoderLayer(width, nhead=4, dim_feedforward=64, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, num_layers=2)
        self.head = nn.Linear(width, classes)

    def forward(self, ids):
        padding = ids == 0
        hidden = self.encoder(self.embed(ids), padding)
        return self.head(hidden[:, 0])


def batch(lengths, longest=10):
    ids = torch.zeros(len(lengths), longest, dtype=torch.long)
    for row, length in enumerate(lengths):
        ids[row, :length] = torch.randint(1, 120, (length,))
    return ids


model = Classifier()
scores = model(batch([4, 10, 7, 2, 9]))
print(nn.functional.cross_entropy(scores, torch.tensor([0, 1, 2, 0, 1])).item())
