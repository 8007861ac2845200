# symptom: shapes/topk-out-of-range  row: wrong-dim
"""The ten likeliest words of each text; `topk` is told to look along the batch."""

import torch
from torch import nn

model = nn.Sequential(nn.EmbeddingBag(500, 32), nn.Linear(32, 500))
texts = torch.randint(500, (6, 20))
scores = torch.log_softmax(model(texts), dim=-1)
best = scores.topk(10, dim=0)
for text, words in zip(texts, best.indices):
    print(text[:3].tolist(), words.tolist())
