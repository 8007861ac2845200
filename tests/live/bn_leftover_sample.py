# symptom: nn/bn-one-value  row: last-batch
"""65 samples in batches of 16: one is left over."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

data = TensorDataset(torch.randn(65, 14), torch.randint(3, (65,)))
loader = DataLoader(data, batch_size=16, shuffle=True)

model = nn.Sequential(
    nn.Linear(14, 32),
    nn.BatchNorm1d(32),
    nn.ReLU(),
    nn.Dropout(0.3),
    nn.Linear(32, 3),
)
optimizer = torch.optim.AdamW(model.parameters())


def train(epochs):
    model.train()
    for epoch in range(epochs):
        for x, y in loader:
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(x), y)
            loss.backward()
            optimizer.step()
        print(epoch, loss.item())


train(2)
