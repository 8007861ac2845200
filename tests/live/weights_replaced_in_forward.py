# symptom: nn/module-assign  row: in-forward
"""Learned weights of several losses, made to sum to one."""

import torch
from torch import nn


class WeightedLosses(nn.Module):
    def __init__(self, count):
        super().__init__()
        self.weights = nn.Parameter(torch.zeros(count))

    def forward(self, losses):
        self.weights = torch.softmax(self.weights, dim=0)
        return (self.weights * torch.stack(losses)).sum()


model = nn.Linear(6, 2)
balance = WeightedLosses(2)
optimizer = torch.optim.Adam([*model.parameters(), *balance.parameters()])
for step in range(2):
    first, second = model(torch.randn(10, 6)).unbind(1)
    loss = balance([first.abs().mean(), second.pow(2).mean()])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
