# symptom: numerics/multinomial-inf-nan  row: temperature
"""Text from a language model; a user asks for temperature 0."""

import torch
from torch import nn

torch.manual_seed(0)


class LanguageModel(nn.Module):
    def __init__(self, vocab=50, width=16):
        super().__init__()
        self.embed = nn.Embedding(vocab, width)
        self.rnn = nn.GRU(width, width, batch_first=True)
        self.head = nn.Linear(width, vocab)

    def forward(self, ids):
        return self.head(self.rnn(self.embed(ids))[0])


@torch.no_grad()
def generate(model, ids, length, temperature):
    for _ in range(length):
        logits = model(ids)[:, -1] / temperature
        probabilities = torch.softmax(logits, dim=-1)
        following = torch.multinomial(probabilities, 1)
        ids = torch.cat([ids, following], dim=1)
    return ids


model = LanguageModel().eval()
for temperature in (1.0, 0.7, 0.0):
    print(temperature, generate(model, torch.tensor([[1, 2, 3]]), 5, temperature).tolist())
