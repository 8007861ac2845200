# symptom: nn/module-attr  row: not-set
"""A layer of `forward` that `__init__` makes only with an option."""

import torch
from torch import nn


class TextEncoder(nn.Module):
    def __init__(self, vocab=100, width=20, use_dropout=False):
        super().__init__()
        self.embed = nn.Embedding(vocab, width)
        if use_dropout:
            self.dropout = nn.Dropout(0.1)
        self.rnn = nn.GRU(width, width, batch_first=True)

    def forward(self, ids):
        x = self.dropout(self.embed(ids))
        return self.rnn(x)[1][-1]


class Matcher(nn.Module):
    def __init__(self):
        super().__init__()
        self.left, self.right = TextEncoder(), TextEncoder()

    def forward(self, a, b):
        return torch.cosine_similarity(self.left(a), self.right(b))


print(Matcher()(torch.randint(100, (3, 7)), torch.randint(100, (3, 9))))
