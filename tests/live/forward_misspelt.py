# symptom: nn/forward-not-implemented  row: misspelt
import torch
from torch import nn


class Regressor(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 1)

    def foward(self, x):
        return self.fc(x)


net = Regressor()
net(torch.randn(2, 4))
