# symptom: autograd/no-grad-fn  row: predicted-class
"""Rank images by quality: how often is the predicted grade off?"""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Grader(nn.Module):
    def __init__(self, grades=5):
        super().__init__()
        self.conv = nn.Conv2d(1, 6, 3, stride=2)
        self.fc = nn.Linear(6 * 7 * 7, grades)

    def forward(self, x):
        return self.fc(torch.relu(self.conv(x)).flatten(1))


model = Grader()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
images, grades = torch.rand(40, 1, 16, 16), torch.randint(5, (40,))
loader = DataLoader(TensorDataset(images, grades), batch_size=10)


def train_epoch(epoch):
    for x, grade in loader:
        scores = model(x)
        predicted = scores.argmax(dim=1).float()
        loss = nn.functional.mse_loss(predicted, grade.float())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())


for epoch in range(2):
    train_epoch(epoch)
