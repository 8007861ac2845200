import torch
from torch import nn
from torch.nn.functional import cross_entropy
from torch.utils.data import DataLoader, Dataset

NAMES = ["disc", "square", "cross"]
SIZE, BATCH, EPOCHS = 16, 50, 8


def draw(kind, row, column, radius):
    """16 x 16 whole numbers, 0 (black) to 255 (white), as a camera gives them."""
    y = torch.arange(SIZE).view(-1, 1) - row
    x = torch.arange(SIZE).view(1, -1) - column
    disc = y**2 + x**2 <= radius**2
    square = torch.maximum(y.abs(), x.abs()) < radius
    cross = square & (torch.minimum(y.abs(), x.abs()) < 2)
    return ([disc, square, cross][kind] * 200).to(torch.uint8)


class Pictures(Dataset):
    """Discs, squares and crosses of any size, anywhere, with noise."""

    def __init__(self, count, seed):
        self.own = torch.Generator().manual_seed(seed)
        self.kinds = [self.number(0, 3) for _ in range(count)]
        self.pictures = []
        for kind in self.kinds:
            row, column = self.number(7, 10), self.number(7, 10)
            clean = draw(kind, row, column, self.number(3, 6))
            noise = torch.randint(0, 56, (SIZE, SIZE), generator=self.own)
            self.pictures.append(clean + noise.to(torch.uint8))

    def number(self, low, high):
        return torch.randint(low, high, (), generator=self.own).item()

    def __len__(self):
        return len(self.kinds)

    def __getitem__(self, index):
        picture = self.pictures[index] / 255  # 0 to 1, in float32
        return picture[None], self.kinds[index]  # a first dimension for one channel


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(SIZE * SIZE, 128)
        self.drop = nn.Dropout(0.3)
        self.decide = nn.Linear(128, len(NAMES))

    def forward(self, pictures):
        return self.decide(self.drop(self.hidden(pictures.flatten(1)).relu()))


def train(model, loader, optimizer):
    model.train()
    total = 0.0
    for pictures, kinds in loader:
        loss = cross_entropy(model(pictures), kinds)
        optimizer.zero_grad()  # away with the gradients of the last batch
        loss.backward()  # a gradient for each weight
        optimizer.step()  # each weight moves a little
        total += loss.item() * len(kinds)
    return total / len(loader.dataset)


@torch.no_grad()
def test(model, loader):
    model.eval()
    right = 0
    for pictures, kinds in loader:
        right += (model(pictures).argmax(1) == kinds).sum().item()
    return right / len(loader.dataset)


if __name__ == "__main__":
    torch.manual_seed(0)
    loader = DataLoader(Pictures(2000, seed=0), BATCH, shuffle=True)
    held = DataLoader(Pictures(500, seed=1), BATCH)
    model = Net()
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-3)
    for epoch in range(EPOCHS):
        loss = train(model, loader, optimizer)
        right = test(model, held)
        print(f"epoch {epoch}: loss {loss:.2f}, right {right:.0%} of new pictures")
