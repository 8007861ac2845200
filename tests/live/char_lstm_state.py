# symptom: autograd/backward-second-time  row: carried-state
"""A character model that reads one long text in pieces and keeps its state between them."""

import torch
from torch import nn

text = "in the beginning was the word and the word was with the program " * 20
chars = sorted(set(text))
codes = torch.tensor([chars.index(c) for c in text])
STEPS, LANES = 16, 8


class CharModel(nn.Module):
    def __init__(self, vocab, width=48):
        super().__init__()
        self.embed = nn.Embedding(vocab, width)
        self.rnn = nn.LSTM(width, width, num_layers=2, batch_first=True)
        self.out = nn.Linear(width, vocab)

    def forward(self, ids, state):
        hidden, state = self.rnn(self.embed(ids), state)
        return self.out(hidden), state


model = CharModel(len(chars))
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
lanes = codes[: len(codes) // LANES * LANES].view(LANES, -1)


def train_epoch(state):
    total = 0.0
    for start in range(0, lanes.size(1) - STEPS - 1, STEPS):
        ids = lanes[:, start : start + STEPS]
        targets = lanes[:, start + 1 : start + STEPS + 1]
        optimizer.zero_grad()
        logits, state = model(ids, state)
        loss = nn.functional.cross_entropy(logits.flatten(0, 1), targets.flatten())
        loss.backward()
        optimizer.step()
        total += loss.item()
    return total


for epoch in range(2):
    print(epoch, train_epoch(None))
