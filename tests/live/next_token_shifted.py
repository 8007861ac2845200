# symptom: shapes/view-noncontiguous  row: slice
"""The loss of a small language model: all tokens but the first are its targets."""

import torch
from torch import nn

VOCABULARY = 120
model = nn.Sequential(nn.Embedding(VOCABULARY, 32), nn.Linear(32, VOCABULARY))
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4)
criterion = nn.CrossEntropyLoss()
for _ in range(3):
    tokens = torch.randint(VOCABULARY, (6, 33))
    scores = model(tokens[:, :-1])
    targets = tokens[:, 1:]
    loss = criterion(scores.view(-1, VOCABULARY), targets.view(-1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
