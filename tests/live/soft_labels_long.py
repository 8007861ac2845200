# symptom: nn/multi-target  row: one-hot
"""Labels as one-hot rows of whole numbers."""

import torch
from torch import nn
from torch.nn import functional as F

model = nn.Sequential(nn.Flatten(), nn.Linear(49, 30), nn.ReLU(), nn.Linear(30, 4))
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)


def batches(count):
    for _ in range(count):
        labels = torch.randint(4, (6,))
        yield torch.rand(6, 1, 7, 7), F.one_hot(labels, num_classes=4)


for images, labels in batches(3):
    optimizer.zero_grad()
    loss = criterion(model(images), labels)
    loss.backward()
    optimizer.step()
