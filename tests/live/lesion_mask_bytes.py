# symptom: numerics/bce-range  row: labels-outside
"""Masks of lesions, read as pictures: 0 and 255."""

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Lesions(Dataset):
    def __len__(self):
        return 12

    def __getitem__(self, index):
        image = torch.rand(3, 48, 48)
        mask = (torch.rand(1, 48, 48) > 0.9).to(torch.uint8) * 255
        return image, mask.float()


net = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, 1, 1), nn.Sigmoid())
criterion = nn.BCELoss()
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
for image, mask in DataLoader(Lesions(), batch_size=4):
    probability = net(image)
    loss = criterion(probability, mask)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
