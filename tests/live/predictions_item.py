# symptom: shapes/scalar-conversion  row: several
"""A whole batch is asked for its one number."""

import torch
from torch import nn

NAMES = ["cat", "dog", "bird"]


def classify(model, images):
    with torch.no_grad():
        scores = model(images)
    best = scores.argmax(dim=1)
    return NAMES[best.item()]


model = nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU(), nn.Flatten(), nn.LazyLinear(3)).eval()
print(classify(model, torch.rand(1, 3, 12, 12)))
print(classify(model, torch.rand(5, 3, 12, 12)))
