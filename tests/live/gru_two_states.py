# symptom: shapes/unpack-shape  row: state
"""An encoder that was written for an LSTM is given a GRU."""

import torch
from torch import nn

CELLS = {"lstm": nn.LSTM, "gru": nn.GRU}


class Seq2Seq(nn.Module):
    def __init__(self, cell="lstm", words=60, dim=24):
        super().__init__()
        self.embed = nn.Embedding(words, dim)
        self.encoder = CELLS[cell](dim, dim, num_layers=3, batch_first=True)
        self.decoder = CELLS[cell](dim, dim, num_layers=3, batch_first=True)
        self.out = nn.Linear(dim, words)

    def forward(self, source, target):
        _, (hidden, cell) = self.encoder(self.embed(source))
        states, _ = self.decoder(self.embed(target), (hidden, cell))
        return self.out(states)


model = Seq2Seq("gru")
source, target = torch.randint(60, (4, 9)), torch.randint(60, (4, 7))
logits = model(source, target)
nn.functional.cross_entropy(logits.flatten(0, 1), target.flatten()).backward()
