# symptom: checkpoints/state-dict-size-mismatch  row: pretrained-classes
"""Weights for 1000 classes in a model for seven."""

import io

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, num_classes=1000):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(3, 12, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(2))
        self.classifier = nn.Linear(48, num_classes)

    def forward(self, x):
        return self.classifier(self.features(x).flatten(1))


def pretrained():
    file = io.BytesIO()
    torch.save(Net().state_dict(), file)
    file.seek(0)
    return file


model = Net(num_classes=7)
model.load_state_dict(torch.load(pretrained(), weights_only=True))
print(model(torch.rand(1, 3, 16, 16)).shape)
