# symptom: autograd/leaf-inplace  row: manual-update
"""Prices of houses by gradient descent, the update written by hand."""

import torch

torch.manual_seed(0)
areas, prices = torch.rand(200, 3), torch.rand(200, 1)
weight = torch.randn(3, 1, requires_grad=True)
offset = torch.zeros(1, requires_grad=True)
rate = 1e-2

for epoch in range(20):
    predicted = areas @ weight + offset
    loss = ((predicted - prices) ** 2).mean()
    loss.backward()
    weight -= rate * weight.grad
    offset -= rate * offset.grad
    weight.grad.zero_()
    offset.grad.zero_()
    print(epoch, loss.item())
