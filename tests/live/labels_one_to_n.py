# symptom: devices/label-out-of-range  row: labels-from-one
"""Stars from 1 to 5, as they stand in the table."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
stars = torch.randint(1, 6, (200,))
reviews = TensorDataset(torch.randn(200, 40), stars)
model = nn.Sequential(nn.Linear(40, 64), nn.ReLU(), nn.Linear(64, 5))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
criterion = nn.CrossEntropyLoss(label_smoothing=0.0)


def main():
    for epoch in range(2):
        for x, y in DataLoader(reviews, batch_size=50):
            loss = criterion(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(epoch, loss.item())


main()
