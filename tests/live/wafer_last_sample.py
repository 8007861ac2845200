# symptom: nn/bn-one-value  row: last-batch
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split


class WaferNet(nn.Module):
    def __init__(self, columns=26, classes=3):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(columns, 32),
            nn.BatchNorm1d(32),
            nn.ReLU(),
            nn.Dropout(0.2),
            nn.Linear(32, classes),
        )

    def forward(self, x):
        return self.layers(x)


def split():
    everything = TensorDataset(torch.randn(161, 26), torch.randint(0, 3, (161,)))
    return random_split(everything, [129, 32], generator=torch.Generator().manual_seed(0))


def main():
    training, test = split()
    loader = DataLoader(training, batch_size=16, shuffle=True)
    model = WaferNet()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    criterion = nn.CrossEntropyLoss()
    for epoch in range(3):
        model.train()
        for x, y in loader:
            optimizer.zero_grad()
            loss = criterion(model(x), y)
            loss.backward()
            optimizer.step()
        model.eval()
        x, y = test[:]
        print(epoch, (model(x).argmax(1) == y).float().mean().item())


main()
