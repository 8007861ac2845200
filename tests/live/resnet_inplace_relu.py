# symptom: autograd/modified-by-inplace  row: inplace-module
"""A small network whose activation is shared by two branches."""

import torch
from torch import nn


class Attend(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.conv = nn.Conv2d(channels, channels, 3, padding=1)
        self.act = nn.Hardtanh(inplace=True)
        self.squeeze = nn.Conv2d(channels, 1, 1)

    def forward(self, x):
        features = torch.tanh(self.conv(x))
        weights = torch.sigmoid(self.squeeze(features))
        return self.act(features) * weights


model = nn.Sequential(
    nn.Conv2d(3, 8, 3, padding=1),
    Attend(8),
    nn.MaxPool2d(2),
    Attend(8),
    nn.AdaptiveAvgPool2d(1),
    nn.Flatten(),
    nn.Linear(8, 5),
)
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)


def train(batches):
    model.train()
    for images, labels in batches:
        optimizer.zero_grad()
        loss = criterion(model(images), labels)
        loss.backward()
        optimizer.step()


train([(torch.randn(4, 3, 16, 16), torch.randint(5, (4,))) for _ in range(3)])
