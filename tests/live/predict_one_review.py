# symptom: shapes/dim-out-of-range  row: one-sample
"""Trained on batches of reviews, asked about a single one."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Reviews(nn.Module):
    def __init__(self, words=300, width=24, classes=3):
        super().__init__()
        self.embed = nn.Embedding(words, width)
        self.out = nn.Linear(width, classes)

    def forward(self, tokens):
        text = self.embed(tokens).mean(dim=-2)
        return torch.log_softmax(self.out(text), dim=1)


model = Reviews()
optimizer = torch.optim.Adam(model.parameters())
data = TensorDataset(torch.randint(300, (96, 30)), torch.randint(3, (96,)))
for tokens, label in DataLoader(data, batch_size=32):
    loss = nn.functional.nll_loss(model(tokens), label)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

model.eval()
with torch.no_grad():
    review = torch.randint(300, (30,))
    print(model(review).argmax().item())
