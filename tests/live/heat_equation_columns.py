# symptom: autograd/unused-in-graph  row: another-tensor
"""Residual of the heat equation; the derivative is taken for columns cut out afterwards."""

import torch
from torch import nn

net = nn.Sequential(nn.Linear(2, 32), nn.Tanh(), nn.Linear(32, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
points = torch.rand(256, 2, requires_grad=True)
for step in range(5):
    u = net(points)
    x, t = points[:, 0:1], points[:, 1:2]
    u_t = torch.autograd.grad(u.sum(), t, create_graph=True)[0]
    u_x = torch.autograd.grad(u.sum(), x, create_graph=True)[0]
    u_xx = torch.autograd.grad(u_x.sum(), x, create_graph=True)[0]
    loss = (u_t - 0.1 * u_xx).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
