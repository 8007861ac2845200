# symptom: autograd/no-grad-fn  row: all-frozen
"""Fine-tuning: the backbone is frozen, the head is new."""

import torch
from torch import nn


def make_model(classes):
    backbone = nn.Sequential(nn.Conv2d(3, 16, 3, stride=2), nn.ReLU(), nn.AdaptiveAvgPool2d(1))
    return nn.Sequential(backbone, nn.Flatten(), nn.Linear(16, classes))


def set_trainable(model, trainable):
    for parameter in model.parameters():
        parameter.requires_grad = trainable


class Trainer:
    def __init__(self, model):
        self.model = model
        self.criterion = nn.CrossEntropyLoss()
        self.optimizer = torch.optim.SGD(model.parameters(), lr=1e-2)

    def fit(self, batches):
        self.model.train()
        for images, labels in batches:
            loss = self.criterion(self.model(images), labels)
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()


model = make_model(classes=4)
set_trainable(model, False)
trainer = Trainer(model)
trainer.fit([(torch.rand(8, 3, 32, 32), torch.randint(4, (8,))) for _ in range(3)])
