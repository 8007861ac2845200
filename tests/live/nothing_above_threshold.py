# symptom: shapes/empty-list-cat  row: found-nothing
"""Crops of all faces above a threshold; in one picture there is none."""

import torch
from torch import nn

torch.manual_seed(3)
embedder = nn.Sequential(nn.Flatten(), nn.Linear(3 * 16 * 16, 8))
pictures = torch.rand(4, 3, 64, 64)
found = [
    [(0, 0, 0.9), (20, 30, 0.8)],
    [(10, 10, 0.7)],
    [(5, 5, 0.2)],
    [(40, 40, 0.95)],
]
for picture, faces in zip(pictures, found):
    crops = []
    for top, left, score in faces:
        if score > 0.5:
            crops.append(picture[:, top : top + 16, left : left + 16])
    vectors = embedder(torch.stack(crops))
    print(vectors.shape)
