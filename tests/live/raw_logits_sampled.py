# symptom: numerics/multinomial-inf-nan  row: raw-logits
"""A policy that samples its actions."""

import torch
from torch import nn

torch.manual_seed(0)


class Policy(nn.Module):
    def __init__(self, observations=6, actions=4):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(observations, 32), nn.Tanh())
        self.head = nn.Linear(32, actions)

    def forward(self, observation):
        return self.head(self.body(observation))

    def act(self, observation):
        scores = self(observation)
        return torch.multinomial(scores, num_samples=1).squeeze(1)


policy = Policy()
observation = torch.randn(5, 6)
with torch.no_grad():
    for step in range(10):
        actions = policy.act(observation)
        observation = observation + 0.1 * torch.randn(5, 6)
