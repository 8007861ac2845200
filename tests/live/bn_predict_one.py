# symptom: nn/bn-one-value  row: predicting
"""Trained, saved, loaded; then one row is to be predicted."""

import io

import torch
from torch import nn


class Price(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(6, 16), nn.BatchNorm1d(16), nn.ReLU())
        self.out = nn.Linear(16, 1)

    def forward(self, x):
        return self.out(self.body(x))


def train_and_save(file):
    model = Price()
    optimizer = torch.optim.Adam(model.parameters())
    for x, y in zip(torch.randn(5, 20, 6), torch.randn(5, 20, 1), strict=True):
        optimizer.zero_grad()
        nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()
    torch.save(model.state_dict(), file)


def predict(file, row):
    model = Price()
    model.load_state_dict(torch.load(file))
    with torch.no_grad():
        return model(row).item()


file = io.BytesIO()
train_and_save(file)
file.seek(0)
print(predict(file, torch.randn(1, 6)))
