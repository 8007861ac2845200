# symptom: checkpoints/optimizer-param-group  row: other-frozen
"""First only the head is trained; later everything, from the saved state."""

import io

import torch
from torch import nn


def network():
    return nn.Sequential(nn.Linear(12, 24), nn.ReLU(), nn.Linear(24, 3))


model = network()
for parameter in model[0].parameters():
    parameter.requires_grad = False
optimizer = torch.optim.Adam(p for p in model.parameters() if p.requires_grad)
nn.functional.cross_entropy(model(torch.randn(8, 12)), torch.randint(3, (8,))).backward()
optimizer.step()
saved = io.BytesIO()
torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, saved)

saved.seek(0)
checkpoint = torch.load(saved)
model = network()
model.load_state_dict(checkpoint["model"])
optimizer = torch.optim.Adam(model.parameters(), lr=1e-4)
optimizer.load_state_dict(checkpoint["optimizer"])
