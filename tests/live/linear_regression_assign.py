# symptom: autograd/grad-is-none  row: updated-by-assignment
"""Linear regression by hand, as in a first lesson."""

import torch

torch.manual_seed(0)
features = torch.randn(200, 3)
true_w, true_b = torch.tensor([2.0, -3.4, 0.5]), 4.2
labels = features @ true_w + true_b + 0.01 * torch.randn(200)


def batches(size):
    order = torch.randperm(len(features))
    for start in range(0, len(order), size):
        picked = order[start : start + size]
        yield features[picked], labels[picked]


w = torch.zeros(3, requires_grad=True)
b = torch.zeros(1, requires_grad=True)
lr = 0.03

for epoch in range(3):
    for x, y in batches(20):
        loss = ((x @ w + b - y) ** 2).mean() / 2
        loss.backward()
        w = w - lr * w.grad
        b = b - lr * b.grad
    print(f"epoch {epoch}: loss {loss.item():.4f}")
