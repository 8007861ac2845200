# symptom: dtypes/result-type-cast  row: in-place
"""A histogram of labels that is smoothed."""

import torch


def class_weights(labels, classes, smoothing=0.1):
    counts = torch.bincount(labels, minlength=classes)
    counts += smoothing
    return counts.sum() / (classes * counts)


def balanced_loss(scores, labels):
    weights = class_weights(labels, scores.size(1))
    return torch.nn.functional.cross_entropy(scores, labels, weight=weights)


scores = torch.randn(30, 4, requires_grad=True)
labels = torch.randint(3, (30,))
balanced_loss(scores, labels).backward()
