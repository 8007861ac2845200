# symptom: autograd/backward-second-time  row: same-loss-twice
"""A helper that logs the size of the gradient calls backward() itself."""

import torch
from torch import nn


def gradient_norm(model, loss):
    loss.backward()
    return torch.stack([p.grad.norm() for p in model.parameters()]).norm().item()


model = nn.Sequential(nn.Linear(20, 40), nn.Tanh(), nn.Linear(40, 1))
optimizer = torch.optim.Adam(model.parameters())
for step in range(10):
    x = torch.randn(32, 20)
    loss = (model(x) - x.sum(1, keepdim=True)).pow(2).mean()
    optimizer.zero_grad()
    print(step, gradient_norm(model, loss))
    loss.backward()
    optimizer.step()
