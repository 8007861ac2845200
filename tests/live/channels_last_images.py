# symptom: shapes/conv-channels  row: channels-last
"""Frames of a game as NumPy gives them: height, width, colours."""

import numpy as np
import torch
from torch import nn


class Policy(nn.Module):
    def __init__(self, actions):
        super().__init__()
        self.conv = nn.Sequential(
            nn.Conv2d(3, 16, 8, stride=4), nn.ReLU(), nn.Conv2d(16, 32, 4, stride=2), nn.ReLU()
        )
        self.head = nn.LazyLinear(actions)

    def forward(self, frames):
        return self.head(self.conv(frames).flatten(1))


def observe(rng, count):
    return rng.integers(0, 256, size=(count, 84, 84, 3), dtype=np.uint8)


rng = np.random.default_rng(7)
policy = Policy(actions=4)
for step in range(5):
    frames = torch.as_tensor(observe(rng, 2), dtype=torch.float32) / 255
    action = policy(frames).argmax(1)
    print(step, action.tolist())
