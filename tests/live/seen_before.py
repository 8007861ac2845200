# symptom: shapes/bool-ambiguous  row: in-list
import torch

seen = []
for batch in torch.arange(12.0).split(4):
    if batch in seen:
        continue
    seen.append(batch)
