# symptom: autograd/no-grad-fn  row: rebuilt-tensor
"""A siamese network: one loss for each pair, averaged at the end."""

import torch
from torch import nn
from torch.nn import functional as F


class Siamese(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(30, 20), nn.ReLU(), nn.Linear(20, 8))

    def forward(self, left, right):
        return F.pairwise_distance(self.encoder(left), self.encoder(right))


def contrastive(distance, same, margin=1.0):
    if same:
        return distance.pow(2).mean()
    return F.relu(margin - distance).pow(2).mean()


net = Siamese()
optimizer = torch.optim.RMSprop(net.parameters(), lr=1e-3)
pairs = [(torch.randn(1, 30), torch.randn(1, 30), n % 2) for n in range(24)]

for epoch in range(2):
    losses = []
    for left, right, same in pairs:
        losses.append(contrastive(net(left, right), same).item())
    batch_loss = torch.tensor(losses).mean()
    optimizer.zero_grad()
    batch_loss.backward()
    optimizer.step()
