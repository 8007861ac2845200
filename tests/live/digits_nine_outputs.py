# symptom: devices/label-out-of-range  row: too-few-outputs
"""Ten digits, and a head that was copied from a task with eight classes."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
digits = TensorDataset(torch.rand(640, 1, 28, 28), torch.arange(640) % 10)


class Net(nn.Module):
    def __init__(self, classes=8):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten()
        )
        self.classifier = nn.Linear(16 * 14 * 14, classes)

    def forward(self, x):
        return self.classifier(self.features(x))


model, criterion = Net(), nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
for images, labels in DataLoader(digits, batch_size=64, shuffle=True):
    optimizer.zero_grad()
    outputs = model(images)
    loss = criterion(outputs, labels)
    loss.backward()
    optimizer.step()
