# symptom: autograd/leaf-inplace  row: weights-set
"""YOLO-like detector: the biases of the heads are set so that few objects are found at first."""

import math

import torch
from torch import nn


class Detect(nn.Module):
    def __init__(self, classes, channels=(16, 32)):
        super().__init__()
        self.classes, self.anchors = classes, 3
        self.outputs = self.anchors * (classes + 5)
        self.heads = nn.ModuleList(nn.Conv2d(c, self.outputs, 1) for c in channels)

    def initialize_biases(self, stride=8):
        for head in self.heads:
            bias = head.bias
            bias[4 :: self.classes + 5] += math.log(8 / (640 / stride) ** 2)
            bias[5:] += math.log(0.6 / (self.classes - 0.99))

    def forward(self, maps):
        return [head(x) for head, x in zip(self.heads, maps, strict=True)]


class Model(nn.Module):
    def __init__(self, classes=3):
        super().__init__()
        self.stem = nn.Conv2d(3, 16, 3, stride=2)
        self.down = nn.Conv2d(16, 32, 3, stride=2)
        self.detect = Detect(classes)
        self.detect.initialize_biases()

    def forward(self, x):
        x = self.stem(x)
        return self.detect([x, self.down(x)])


print([out.shape for out in Model()(torch.rand(1, 3, 64, 64))])
