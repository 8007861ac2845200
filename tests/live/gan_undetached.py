# symptom: autograd/backward-second-time  row: shared-output
"""A small GAN on points of a ring."""

import math

import torch
from torch import nn

bce = nn.BCEWithLogitsLoss()


def real_points(n):
    angle = 2 * math.pi * torch.rand(n)
    return torch.stack([angle.cos(), angle.sin()], 1) + 0.05 * torch.randn(n, 2)


class Generator(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(8, 64), nn.LeakyReLU(0.2), nn.Linear(64, 2))

    def forward(self, noise):
        return self.body(noise)


generator = Generator()
critic = nn.Sequential(nn.Linear(2, 64), nn.LeakyReLU(0.2), nn.Linear(64, 1))
opt_g = torch.optim.Adam(generator.parameters(), 1e-3)
opt_d = torch.optim.Adam(critic.parameters(), 1e-3)

for step in range(100):
    real, fake = real_points(64), generator(torch.randn(64, 8))
    ones, zeros = torch.ones(64, 1), torch.zeros(64, 1)

    d_loss = bce(critic(real), ones) + bce(critic(fake), zeros)
    opt_d.zero_grad()
    d_loss.backward()
    opt_d.step()

    g_loss = bce(critic(fake), ones)
    opt_g.zero_grad()
    g_loss.backward()
    opt_g.step()
