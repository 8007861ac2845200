# symptom: devices/label-out-of-range  row: mask-values
"""Roads from the air: the masks are read from PNG, where a road is 255."""

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Roads(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, at):
        generator = torch.Generator().manual_seed(at)
        image = torch.rand(3, 16, 16, generator=generator)
        mask = (torch.rand(16, 16, generator=generator) > 0.8).to(torch.uint8) * 255
        return image, mask.long()


net = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, 2, 1))
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(net.parameters())
for epoch in range(2):
    for images, masks in DataLoader(Roads(), batch_size=4):
        optimizer.zero_grad()
        loss = criterion(net(images), masks)
        loss.backward()
        optimizer.step()
