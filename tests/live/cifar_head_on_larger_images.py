# symptom: shapes/matmul-shapes  row: image-size
"""A network from a CIFAR tutorial, on pictures of 48 pixels."""

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 6, 5)
        self.pool = nn.MaxPool2d(2, 2)
        self.conv2 = nn.Conv2d(6, 16, 5)
        self.fc1 = nn.Linear(16 * 5 * 5, 120)
        self.fc2 = nn.Linear(120, 84)
        self.fc3 = nn.Linear(84, 10)

    def forward(self, x):
        x = self.pool(torch.relu(self.conv1(x)))
        x = self.pool(torch.relu(self.conv2(x)))
        x = torch.flatten(x, 1)
        x = torch.relu(self.fc1(x))
        x = torch.relu(self.fc2(x))
        return self.fc3(x)


net = Net()
optimizer = torch.optim.SGD(net.parameters(), lr=0.001, momentum=0.9)
for inputs, labels in [(torch.rand(4, 3, 48, 48), torch.randint(10, (4,)))]:
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(net(inputs), labels)
    loss.backward()
    optimizer.step()
