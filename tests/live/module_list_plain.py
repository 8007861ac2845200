# symptom: nn/optimizer-empty  row: plain-list
"""Layers in a list of Python."""

import torch
from torch import nn


class Residual(nn.Module):
    def __init__(self, width, depth):
        super().__init__()
        self.layers = [nn.Linear(width, width) for _ in range(depth)]

    def forward(self, x):
        for layer in self.layers:
            x = x + torch.relu(layer(x))
        return x


class Experiment:
    def __init__(self, lr=1e-3):
        self.model = Residual(16, 4)
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=lr)

    def run(self, steps=3):
        for _ in range(steps):
            self.optimizer.zero_grad()
            self.model(torch.randn(8, 16)).pow(2).mean().backward()
            self.optimizer.step()


Experiment().run()
