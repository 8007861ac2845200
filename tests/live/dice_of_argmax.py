# symptom: autograd/no-grad-fn  row: predicted-class
import torch
import torch.nn.functional as F
from torch import nn


class SmallUNet(nn.Module):
    def __init__(self, classes=3):
        super().__init__()
        self.down = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2))
        self.mid = nn.Sequential(nn.Conv2d(8, 8, 3, padding=1), nn.ReLU())
        self.up = nn.Upsample(scale_factor=2)
        self.out = nn.Conv2d(8, classes, 1)

    def forward(self, x):
        return self.out(self.up(self.mid(self.down(x))))


def dice_loss(logits, masks, classes=3, smooth=1.0):
    predicted = logits.argmax(dim=1)
    predicted = F.one_hot(predicted, classes).permute(0, 3, 1, 2).float()
    wanted = F.one_hot(masks, classes).permute(0, 3, 1, 2).float()
    overlap = (predicted * wanted).sum((2, 3))
    size = predicted.sum((2, 3)) + wanted.sum((2, 3))
    return 1 - ((2 * overlap + smooth) / (size + smooth)).mean()


def train(model, steps=3):
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for step in range(steps):
        scans = torch.rand(2, 1, 32, 32)
        masks = torch.randint(0, 3, (2, 32, 32))
        optimizer.zero_grad()
        loss = dice_loss(model(scans), masks)
        loss.backward()
        optimizer.step()
        print(step, loss.item())


train(SmallUNet())
