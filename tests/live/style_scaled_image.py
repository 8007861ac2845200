# symptom: autograd/grad-is-none  row: computed-tensor
"""An image that is optimised by hand so that a network's features match."""

import torch
from torch import nn

torch.manual_seed(0)
features = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.Conv2d(8, 8, 3)).eval()
for parameter in features.parameters():
    parameter.requires_grad_(False)

content = torch.rand(1, 3, 32, 32)
target = features(content)


def gram(maps):
    flat = maps.flatten(2)
    return flat @ flat.transpose(1, 2) / flat.numel()


image = torch.rand(1, 3, 32, 32, requires_grad=True) * 0.1
rate = 10.0

for step in range(20):
    loss = (gram(features(image)) - gram(target)).pow(2).sum()
    loss.backward()
    with torch.no_grad():
        image -= rate * image.grad
        image.grad.zero_()
    if step % 5 == 0:
        print(step, loss.item())
