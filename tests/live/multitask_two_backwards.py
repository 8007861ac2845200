# symptom: autograd/backward-second-time  row: two-losses
"""Age and sex from a face embedding: one trunk, two heads."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

data = TensorDataset(torch.randn(96, 64), torch.rand(96), torch.randint(2, (96,)))
loader = DataLoader(data, batch_size=32, shuffle=True)


class TwoHeads(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(64, 32), nn.GELU(), nn.Linear(32, 32), nn.GELU())
        self.age = nn.Linear(32, 1)
        self.sex = nn.Linear(32, 2)

    def forward(self, x):
        shared = self.trunk(x)
        return self.age(shared).squeeze(1), self.sex(shared)


model = TwoHeads()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
mse, ce = nn.MSELoss(), nn.CrossEntropyLoss()

for epoch in range(3):
    for faces, ages, sexes in loader:
        age, sex = model(faces)
        optimizer.zero_grad()
        age_loss = mse(age, ages)
        sex_loss = ce(sex, sexes)
        age_loss.backward()
        sex_loss.backward()
        optimizer.step()
