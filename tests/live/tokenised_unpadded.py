# symptom: shapes/stack-sizes  row: sequence-lengths
"""Reviews as token ids, each with its own length."""

import torch
from torch.utils.data import DataLoader, Dataset

REVIEWS = ["good film", "a very long and boring film indeed", "never again", "i loved it so much"]


class Reviews(Dataset):
    def __init__(self, texts, labels):
        words = sorted({word for text in texts for word in text.split()})
        self.codes = {word: code for code, word in enumerate(words, 1)}
        self.texts, self.labels = texts, labels

    def __len__(self):
        return len(self.texts)

    def encode(self, text):
        return [self.codes[word] for word in text.split()]

    def __getitem__(self, index):
        ids = torch.tensor(self.encode(self.texts[index]))
        return {"ids": ids, "label": torch.tensor(self.labels[index])}


reviews = Reviews(REVIEWS, [1, 0, 0, 1])
loader = DataLoader(reviews, batch_size=2)
for epoch in range(2):
    for batch in loader:
        print(batch["ids"].shape, batch["label"])
