# symptom: shapes/empty-list-cat  row: loop-never-ran
"""Predictions for a folder of pictures; the pictures end in .JPG and the program looks for .jpg."""

import tempfile
from pathlib import Path

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Pictures(Dataset):
    def __init__(self, folder):
        self.files = sorted(Path(folder).glob("*.jpg"))

    def __len__(self):
        return len(self.files)

    def __getitem__(self, at):
        return torch.load(self.files[at])


@torch.no_grad()
def predict(model, loader):
    model.eval()
    outputs = []
    for images in loader:
        outputs.append(model(images).softmax(1))
    return torch.cat(outputs)


with tempfile.TemporaryDirectory() as folder:
    for number in range(4):
        torch.save(torch.randn(3, 8, 8), Path(folder, f"{number}.JPG"))
    model = nn.Sequential(nn.Flatten(), nn.Linear(192, 5))
    print(predict(model, DataLoader(Pictures(folder), batch_size=2)).argmax(1))
