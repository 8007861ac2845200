# symptom: shapes/matmul-shapes  row: layers-not-chained
"""An autoencoder whose decoder was made narrower, in one place only."""

import torch
from torch import nn


class Autoencoder(nn.Module):
    def __init__(self, size=96):
        super().__init__()
        self.encoder = nn.Sequential(
            nn.Linear(size, 64),
            nn.ReLU(),
            nn.Linear(64, 24),
        )
        self.decoder = nn.Sequential(
            nn.Linear(20, 64),
            nn.ReLU(),
            nn.Linear(64, size),
            nn.Sigmoid(),
        )

    def forward(self, x):
        code = self.encoder(x)
        return self.decoder(code)


model = Autoencoder()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(2):
    for batch in torch.rand(5, 10, 96):
        loss = nn.functional.binary_cross_entropy(model(batch), batch)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
