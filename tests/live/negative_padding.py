# symptom: devices/embedding-index  row: padding-minus-one
"""Sequences that are padded with -1."""

import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence


class Visits(nn.Module):
    def __init__(self, pages=40, width=12):
        super().__init__()
        self.pages = nn.Embedding(pages, width)
        self.rnn = nn.RNN(width, width, batch_first=True)
        self.buys = nn.Linear(width, 1)

    def forward(self, visited):
        hidden, _ = self.rnn(self.pages(visited))
        return self.buys(hidden[:, -1]).squeeze(1)


def collate(items):
    visits, bought = zip(*items, strict=True)
    return pad_sequence(visits, batch_first=True, padding_value=-1), torch.tensor(bought)


items = [(torch.randint(40, (n,)), float(n > 4)) for n in (3, 6, 2, 7)]
loader = torch.utils.data.DataLoader(items, batch_size=2, collate_fn=collate)
model = Visits()
for visits, bought in loader:
    print(nn.functional.binary_cross_entropy_with_logits(model(visits), bought).item())
