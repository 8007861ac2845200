# symptom: autograd/leaf-inplace  row: input-changed
"""Projected gradient descent against a classifier."""

import torch
from torch import nn

torch.manual_seed(0)
classifier = nn.Sequential(nn.Flatten(), nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 3)).eval()


def attack(images, labels, epsilon=0.1, steps=5):
    images.requires_grad_()
    clean = images.detach().clone()
    for _ in range(steps):
        loss = nn.functional.cross_entropy(classifier(images), labels)
        (gradient,) = torch.autograd.grad(loss, images)
        images += 0.02 * gradient.sign()
        images = torch.min(torch.max(images, clean - epsilon), clean + epsilon)
    return images.detach()


def robust_accuracy(batches):
    right = total = 0
    for images, labels in batches:
        changed = attack(images, labels)
        right += (classifier(changed).argmax(1) == labels).sum().item()
        total += len(labels)
    return right / total


print(robust_accuracy([(torch.rand(8, 1, 8, 8), torch.randint(3, (8,))) for _ in range(2)]))
