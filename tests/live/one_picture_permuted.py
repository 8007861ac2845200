# symptom: shapes/permute-dims  row: fewer
"""Pictures are shown with the channels last; here a single one is handed over."""

import torch
from torch.utils.data import DataLoader, TensorDataset

pictures = TensorDataset(torch.rand(10, 3, 32, 40))


def for_display(batch):
    return (batch * 255).byte().permute(0, 2, 3, 1).numpy()


for (batch,) in DataLoader(pictures, batch_size=5):
    print(for_display(batch).shape)
first = pictures[0][0]
print(for_display(first).shape)
