# symptom: shapes/mask-index-shape  row: other-length
"""Boxes below the limit are dropped, then the same mask is applied once more."""

import torch

torch.manual_seed(0)
boxes, scores = torch.rand(50, 4) * 100, torch.rand(50)
labels = torch.randint(20, (50,))


def clean(boxes, scores, labels, limit=0.4, smallest=10.0):
    keep = scores > limit
    boxes, scores = boxes[keep], scores[keep]
    large = (boxes[:, 2] - boxes[:, 0]).abs() > smallest
    boxes, scores, labels = boxes[large], scores[large], labels[large]
    return boxes, scores, labels


print([part.shape for part in clean(boxes, scores, labels)])
