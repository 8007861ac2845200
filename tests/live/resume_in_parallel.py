# symptom: checkpoints/state-dict-keys  row: wrapped
"""Weights of a plain model, loaded into one that is already wrapped for several GPUs."""

import tempfile

import torch
from torch import nn


def build():
    return nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.Flatten(), nn.LazyLinear(10))


folder = tempfile.mkdtemp()
path = folder + "/best.pt"
trained = build()
trained(torch.rand(2, 3, 16, 16))
torch.save({"model": trained.state_dict(), "epoch": 12}, path)

model = build()
model(torch.rand(2, 3, 16, 16))
model = nn.DataParallel(model)
checkpoint = torch.load(path)
model.load_state_dict(checkpoint["model"])
start = checkpoint["epoch"] + 1
