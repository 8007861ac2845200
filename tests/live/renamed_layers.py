# symptom: checkpoints/state-dict-keys  row: renamed
"""The class was tidied up after the training: other names, the same layers."""

import io

import torch
from torch import nn


class Before(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear1 = nn.Linear(12, 32)
        self.linear2 = nn.Linear(32, 5)


class After(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(12, 32)
        self.output = nn.Linear(32, 5)

    def forward(self, x):
        return self.output(torch.relu(self.hidden(x)))


def load(model, file):
    weights = torch.load(file, weights_only=True)
    model.load_state_dict(weights)
    return model.eval()


file = io.BytesIO()
torch.save(Before().state_dict(), file)
file.seek(0)
model = load(After(), file)
print(model(torch.randn(3, 12)))
