# symptom: autograd/backward-second-time  row: running-total
"""A variational autoencoder whose loss is summed for the report."""

import torch
from torch import nn
from torch.nn import functional as F


class VAE(nn.Module):
    def __init__(self, size=20, latent=3):
        super().__init__()
        self.encode = nn.Linear(size, 2 * latent)
        self.decode = nn.Linear(latent, size)

    def forward(self, x):
        mean, logvar = self.encode(x).chunk(2, dim=-1)
        z = mean + torch.randn_like(mean) * (0.5 * logvar).exp()
        return self.decode(z), mean, logvar


def elbo(out, x, mean, logvar):
    kl = -0.5 * (1 + logvar - mean**2 - logvar.exp()).sum(1).mean()
    return F.mse_loss(out, x) + 0.01 * kl


model = VAE()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
batches = torch.randn(10, 16, 20)

for epoch in range(3):
    epoch_loss = 0
    for x in batches:
        optimizer.zero_grad()
        epoch_loss += elbo(model(x)[0], x, *model(x)[1:])
        epoch_loss.backward()
        optimizer.step()
    print(epoch, float(epoch_loss) / len(batches))
