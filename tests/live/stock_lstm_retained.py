# symptom: autograd/modified-by-inplace  row: carried-state
"""Truncated sequences of a price; the state goes on from window to window."""

import torch
from torch import nn


class Forecast(nn.Module):
    def __init__(self, hidden=32):
        super().__init__()
        self.cell = nn.LSTMCell(1, hidden)
        self.out = nn.Linear(hidden, 1)

    def forward(self, window, state):
        for price in window.unbind(0):
            state = self.cell(price, state)
        return self.out(state[0]), state


prices = torch.randn(100, 8, 1).cumsum(0)
model = Forecast()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
state = (torch.zeros(8, 32), torch.zeros(8, 32))
for start in range(0, 90, 10):
    window, target = prices[start : start + 10], prices[start + 10]
    predicted, state = model(window, state)
    loss = nn.functional.mse_loss(predicted, target)
    optimizer.zero_grad()
    loss.backward(retain_graph=True)
    optimizer.step()
