# symptom: shapes/memory-overlap  row: expanded
"""A bias is expanded to the batch and then changed sample by sample."""

import torch

torch.manual_seed(0)
bias = torch.zeros(1, 6)
weights = torch.rand(8, 6)
per_sample = bias.expand(8, -1)
per_sample += weights
print(per_sample.sum())
