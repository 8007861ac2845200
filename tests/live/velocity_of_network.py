# symptom: autograd/grad-scalar-only  row: derivative
"""A network that gives a path; its speed is the derivative at many times."""

import torch
from torch import nn

path = nn.Sequential(nn.Linear(1, 32), nn.Tanh(), nn.Linear(32, 1))
optimizer = torch.optim.Adam(path.parameters(), lr=1e-3)
times = torch.linspace(0, 1, 100).unsqueeze(1).requires_grad_()
for step in range(5):
    position = path(times)
    speed = torch.autograd.grad(position, times, create_graph=True)[0]
    loss = (speed - 9.81 * times).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
