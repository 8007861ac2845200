# symptom: shapes/index-out-of-bounds  row: from-one
"""A table of confusions, counted with labels that begin at 1."""

import torch

CLASSES = 6
torch.manual_seed(2)
labels = torch.randint(1, CLASSES + 1, (200,))
predicted = torch.where(torch.rand(200) < 0.8, labels, torch.randint(1, CLASSES + 1, (200,)))


def confusion(labels, predicted, classes):
    table = torch.zeros(classes, classes, dtype=torch.long)
    for label, guess in zip(labels, predicted):
        table[label, guess] += 1
    return table


table = confusion(labels, predicted, CLASSES)
print(table.diagonal().sum() / table.sum())
