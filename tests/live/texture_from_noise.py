# symptom: autograd/grad-is-none  row: computed-tensor
import torch
from torch import nn


class Extractor(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv2d(3, 8, 3, padding=1),
            nn.ReLU(),
            nn.AvgPool2d(2),
            nn.Conv2d(8, 16, 3, padding=1),
        )
        for parameter in self.parameters():
            parameter.requires_grad_(False)

    def forward(self, x):
        return self.layers(x)


def gram(features):
    b, c, h, w = features.shape
    flat = features.view(b, c, h * w)
    return flat @ flat.transpose(1, 2) / (c * h * w)


def synthesise(extractor, example, steps=20, rate=0.5):
    wanted = gram(extractor(example))
    image = torch.rand(1, 3, 32, 32, requires_grad=True) * 0.2 + 0.4
    for step in range(steps):
        loss = (gram(extractor(image)) - wanted).pow(2).sum()
        loss.backward()
        with torch.no_grad():
            direction = image.grad / image.grad.abs().mean()
            image -= rate * direction
            image.grad.zero_()
        print(step, loss.item())
    return image


torch.manual_seed(5)
synthesise(Extractor().eval(), torch.rand(1, 3, 32, 32))
