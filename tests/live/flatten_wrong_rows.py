# symptom: shapes/batch-size-mismatch  row: wrong-flatten
"""A convolutional network that flattens with a number of its own."""

import torch
from torch import nn


class Digits(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 20, 5)
        self.conv2 = nn.Conv2d(20, 50, 5)
        self.fc1 = nn.Linear(50 * 4 * 4, 100)
        self.fc2 = nn.Linear(100, 10)

    def forward(self, x):
        x = nn.functional.max_pool2d(torch.relu(self.conv1(x)), 2)
        x = nn.functional.max_pool2d(torch.relu(self.conv2(x)), 2)
        x = x.view(-1, 50 * 4 * 4)
        return self.fc2(torch.relu(self.fc1(x)))


model = Digits()
criterion = nn.CrossEntropyLoss()
for images, labels in [(torch.rand(8, 1, 44, 44), torch.randint(10, (8,)))]:
    output = model(images)
    loss = criterion(output, labels)
    loss.backward()
