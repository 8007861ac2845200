# symptom: shapes/stack-sizes  row: objects-per-image
"""A detection dataset with the default collate function."""

import torch
from torch.utils.data import DataLoader, Dataset


class Boxes(Dataset):
    counts = [1, 3, 2, 5, 1, 4]

    def __len__(self):
        return len(self.counts)

    def __getitem__(self, index):
        image = torch.rand(3, 48, 48)
        corners = torch.rand(self.counts[index], 2) * 30
        boxes = torch.cat([corners, corners + 10], dim=1)
        target = {"boxes": boxes, "labels": torch.randint(1, 4, (self.counts[index],))}
        return image, target


def main():
    loader = DataLoader(Boxes(), batch_size=2, shuffle=False)
    for images, targets in loader:
        print(images.shape, targets["boxes"].shape)


main()
