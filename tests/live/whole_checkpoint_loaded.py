# symptom: checkpoints/state-dict-keys  row: nested
"""Resume from a checkpoint which holds more than the weights."""

import tempfile
from pathlib import Path

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Linear(8, 16)
        self.head = nn.Linear(16, 2)

    def forward(self, x):
        return self.head(torch.relu(self.features(x)))


def save(path, epoch, model, optimizer):
    state = {"epoch": epoch, "model": model.state_dict(), "optimizer": optimizer.state_dict()}
    torch.save(state, path)


def resume(path):
    model = Net()
    checkpoint = torch.load(path, map_location="cpu")
    model.load_state_dict(checkpoint)
    return model


with tempfile.TemporaryDirectory() as folder:
    path = Path(folder, "last.pt")
    net = Net()
    save(path, 3, net, torch.optim.Adam(net.parameters()))
    print(resume(path)(torch.randn(2, 8)))
