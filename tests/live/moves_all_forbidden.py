# symptom: numerics/multinomial-inf-nan  row: masked-row
"""A policy that samples a move; forbidden moves are masked, in one game all of them."""

import torch
from torch import nn

torch.manual_seed(0)
policy = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 6))
boards = torch.randn(5, 12)
allowed = torch.rand(5, 6) > 0.4
allowed[3] = False
scores = policy(boards).masked_fill(~allowed, float("-inf"))
chances = torch.softmax(scores, dim=-1)
moves = torch.multinomial(chances, 1)
print(moves)
