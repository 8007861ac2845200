# symptom: autograd/float-requires-grad  row: token-ids
"""Which words matter? The gradient of a sentiment with respect to the input."""

import torch
from torch import nn


class Sentiment(nn.Module):
    def __init__(self, vocab=300):
        super().__init__()
        self.embed = nn.Embedding(vocab, 16)
        self.conv = nn.Conv1d(16, 16, 3, padding=1)
        self.head = nn.Linear(16, 2)

    def forward(self, input_ids):
        x = self.embed(input_ids).transpose(1, 2)
        return self.head(torch.relu(self.conv(x)).amax(-1))


def saliency(model, batch):
    inputs = batch["input_ids"]
    inputs.requires_grad_()
    scores = model(inputs)
    scores[:, 1].sum().backward()
    return inputs.grad.abs()


model = Sentiment()
batch = {"input_ids": torch.randint(300, (2, 11)), "labels": torch.tensor([0, 1])}
print(saliency(model, batch))
