# symptom: autograd/no-grad-fn  row: no-grad-block
"""A predictor whose `predict` is used for training, too."""

import torch
from torch import nn


class Forecaster(nn.Module):
    def __init__(self, lags=12):
        super().__init__()
        self.rnn = nn.GRU(1, 16, batch_first=True)
        self.out = nn.Linear(16, 1)

    def forward(self, series):
        hidden, _ = self.rnn(series.unsqueeze(-1))
        return self.out(hidden[:, -1]).squeeze(-1)

    @torch.no_grad()
    def predict(self, series):
        return self.forward(series)


series = torch.sin(torch.arange(0, 60, 0.1))
windows = series.unfold(0, 13, 1)
model = Forecaster()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)

for epoch in range(3):
    for batch in windows.split(64):
        forecast = model.predict(batch[:, :-1])
        loss = nn.functional.mse_loss(forecast, batch[:, -1])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
