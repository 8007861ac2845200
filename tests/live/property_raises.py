# symptom: nn/module-attr  row: property
"""A property of the model which fails inside."""

import torch
from torch import nn


class Backbone(nn.Module):
    def __init__(self):
        super().__init__()
        self.stages = nn.ModuleList(nn.Linear(16, 16) for _ in range(3))

    @property
    def out_features(self):
        return self.stages[-1].out_channels

    def forward(self, x):
        for stage in self.stages:
            x = torch.relu(stage(x))
        return x


class Classifier(nn.Module):
    def __init__(self, backbone, classes):
        super().__init__()
        self.backbone = backbone
        self.head = nn.Linear(backbone.out_features, classes)

    def forward(self, x):
        return self.head(self.backbone(x))


print(Classifier(Backbone(), 5)(torch.randn(2, 16)).shape)
