# symptom: autograd/no-grad-fn  row: rebuilt-tensor
import torch
from torch import nn


class FraudNet(nn.Module):
    def __init__(self, columns=10):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(columns, 20), nn.ReLU(), nn.Linear(20, 1))

    def forward(self, x):
        return torch.sigmoid(self.net(x)).squeeze(1)


def focal(probability, label, gamma=2.0):
    p = probability if label == 1 else 1 - probability
    return -((1 - p) ** gamma) * torch.log(p + 1e-8)


def batch_loss(probabilities, labels):
    losses = []
    for probability, label in zip(probabilities, labels):
        losses.append(focal(probability, label).item())
    return torch.tensor(losses).mean()


def main():
    torch.manual_seed(0)
    x = torch.randn(128, 10)
    y = (torch.rand(128) > 0.9).long()
    model = FraudNet()
    optimizer = torch.optim.RMSprop(model.parameters(), lr=1e-3)
    for epoch in range(5):
        for begin in range(0, 128, 32):
            rows, labels = x[begin : begin + 32], y[begin : begin + 32]
            loss = batch_loss(model(rows), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(epoch, loss.item())


main()
