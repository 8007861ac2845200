# symptom: autograd/modified-by-inplace  row: filled-in-steps
"""A learned pendulum is rolled out into a tensor that was made before."""

import torch
from torch import nn

dynamics = nn.Sequential(nn.Linear(2, 64), nn.Tanh(), nn.Linear(64, 2))
optimizer = torch.optim.Adam(dynamics.parameters(), lr=1e-3)
measured = torch.randn(16, 50, 2)


def rollout(first, steps):
    path = torch.zeros(first.shape[0], steps, 2)
    path[:, 0] = first
    for step in range(1, steps):
        before = path[:, step - 1]
        path[:, step] = before + 0.05 * dynamics(before)
    return path


for epoch in range(5):
    path = rollout(measured[:, 0], measured.shape[1])
    loss = (path - measured).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
