# symptom: shapes/dim-out-of-range  row: squeezed
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class FaultDetector(nn.Module):
    def __init__(self, sensors=8, classes=3):
        super().__init__()
        self.conv = nn.Conv1d(sensors, 16, 5, padding=2)
        self.pool = nn.AdaptiveAvgPool1d(1)
        self.fc = nn.Linear(16, classes)

    def forward(self, x):
        x = torch.relu(self.conv(x))
        x = self.pool(x).squeeze()
        return self.fc(x)


@torch.no_grad()
def validate(model, loader):
    model.eval()
    right = 0
    for signals, faults in loader:
        probabilities = torch.softmax(model(signals), dim=1)
        right += (probabilities.argmax(1) == faults).sum().item()
    return right / len(loader.dataset)


def main():
    torch.manual_seed(0)
    data = TensorDataset(torch.randn(41, 8, 50), torch.randint(0, 3, (41,)))
    train = DataLoader(data, batch_size=10, drop_last=True, shuffle=True)
    test = DataLoader(data, batch_size=10)
    model = FaultDetector()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for epoch in range(2):
        model.train()
        for signals, faults in train:
            loss = nn.functional.cross_entropy(model(signals), faults)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(epoch, validate(model, test))


main()
