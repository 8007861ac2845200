# symptom: autograd/non-leaf-optimizer  row: part-of-a-weight
"""Only the embeddings of the new tokens shall be trained."""

import torch
from torch import nn

OLD, NEW, WIDTH = 100, 5, 16


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(OLD + NEW, WIDTH)
        self.rnn = nn.GRU(WIDTH, WIDTH, batch_first=True)
        self.head = nn.Linear(WIDTH, 3)

    def forward(self, ids):
        return self.head(self.rnn(self.words(ids))[0])


model = Tagger()
groups = [
    {"params": [model.words.weight[OLD:]], "lr": 1e-2},
    {"params": model.head.parameters(), "lr": 1e-3},
]
optimizer = torch.optim.Adam(groups)

for step in range(3):
    ids, tags = torch.randint(OLD + NEW, (4, 9)), torch.randint(3, (4, 9))
    loss = nn.functional.cross_entropy(model(ids).flatten(0, 1), tags.flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
