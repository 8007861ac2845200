# symptom: numerics/bce-range  row: no-sigmoid
"""Several labels for each text; the outputs are scores."""

import torch
from torch import nn

torch.manual_seed(0)


class TopicModel(nn.Module):
    def __init__(self, words=50, topics=6):
        super().__init__()
        self.hidden = nn.Linear(words, 32)
        self.topics = nn.Linear(32, topics)

    def forward(self, counts):
        return self.topics(torch.relu(self.hidden(counts)))


model, criterion = TopicModel(), nn.BCELoss()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for step in range(3):
    counts = torch.randint(4, (16, 50)).float()
    topics = (torch.rand(16, 6) < 0.3).float()
    loss = criterion(model(counts), topics)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
