# symptom: shapes/matmul-shapes  row: no-flatten
"""A plain network for digits, without anything that makes rows of the pictures."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(28 * 28, 100)
        self.out = nn.Linear(100, 10)

    def forward(self, x):
        return self.out(torch.relu(self.hidden(x)))


data = TensorDataset(torch.rand(128, 1, 28, 28), torch.randint(10, (128,)))
model = Net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for images, labels in DataLoader(data, batch_size=64, shuffle=True):
    loss = nn.functional.cross_entropy(model(images), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
