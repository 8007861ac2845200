# symptom: shapes/matmul-shapes  row: bidirectional
"""Sentiment with an LSTM that was made bidirectional later."""

import torch
from torch import nn


class Sentiment(nn.Module):
    def __init__(self, vocab, width, hidden, classes):
        super().__init__()
        self.embedding = nn.Embedding(vocab, width, padding_idx=0)
        self.lstm = nn.LSTM(width, hidden, batch_first=True, bidirectional=True)
        self.dropout = nn.Dropout(0.2)
        self.fc = nn.Linear(hidden, classes)

    def forward(self, ids):
        embedded = self.dropout(self.embedding(ids))
        output, (hidden, cell) = self.lstm(embedded)
        return self.fc(self.dropout(output[:, -1, :]))


model = Sentiment(vocab=500, width=30, hidden=70, classes=2)
criterion = nn.CrossEntropyLoss()
ids, labels = torch.randint(1, 500, (12, 25)), torch.randint(2, (12,))
print(criterion(model(ids), labels).item())
