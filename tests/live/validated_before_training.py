# symptom: autograd/no-grad-fn  row: grad-off-everywhere
"""A first validation, before training; it switches gradients off and nobody switches them on."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

train = DataLoader(TensorDataset(torch.randn(64, 8), torch.randint(2, (64,))), batch_size=16)
held_back = DataLoader(TensorDataset(torch.randn(32, 8), torch.randint(2, (32,))), batch_size=16)


def validate(model):
    model.eval()
    torch.set_grad_enabled(False)
    right = sum((model(x).argmax(1) == y).sum().item() for x, y in held_back)
    model.train()
    return right / 32


model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 2))
optimizer = torch.optim.Adam(model.parameters())
print("before:", validate(model))
for epoch in range(2):
    for x, y in train:
        loss = nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(epoch, validate(model))
