import torch
from torch.utils.data import Dataset

NAMES = ["disc", "square", "cross"]
SIZE = 16


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
        return self.pictures[index], self.kinds[index]


if __name__ == "__main__":
    data = Pictures(2000, seed=0)
    picture, kind = data[0]
    print(f"{len(data)} pictures: {tuple(picture.shape)}, {picture.dtype}")
    print(f"darkest {picture.min()}, brightest {picture.max()}")
    for index, name in enumerate(NAMES):
        print(f"{name}: {data.kinds.count(index)}")
    print(f"the first is a {NAMES[kind]}:")
    for row in picture:
        print("".join("#" if value > 128 else "." for value in row))
