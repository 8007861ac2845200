# symptom: checkpoints/state-dict-keys  row: prefix
"""Trained in a wrapper, loaded into the plain model."""

import io

import torch
from torch import nn


def make_model():
    return nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(4 * 36, 10))


class Trainer(nn.Module):
    """Model and loss in one, for a launcher of experiments."""

    def __init__(self, model):
        super().__init__()
        self.net = model

    def forward(self, x, y):
        return nn.functional.cross_entropy(self.net(x), y)


file = io.BytesIO()
trainer = Trainer(make_model())
optimizer = torch.optim.SGD(trainer.parameters(), lr=0.1)
trainer(torch.rand(4, 1, 8, 8), torch.randint(10, (4,))).backward()
optimizer.step()
torch.save(trainer.state_dict(), file)

file.seek(0)
model = make_model()
model.load_state_dict(torch.load(file))
print(model.eval()(torch.rand(1, 1, 8, 8)).argmax().item())
