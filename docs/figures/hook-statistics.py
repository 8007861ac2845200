"""The signal in a deep ReLU network: standard deviation of the activations over the batch, layer by layer, for two initialisations."""

import torch
from torch import nn

LABELS = {
    "en": {
        "alt": "Over 30 layers the standard deviation falls to about a billionth with the default initialisation, and stays between 0.1 and 1 with kaiming_normal_.",
        "default": "default of nn.Linear", "kaiming": "kaiming_normal_", "x": "layer", "y": "standard deviation over the batch"},
    "zh": {
        "alt": "30 层之后，默认初始化的标准差降到约十亿分之一，kaiming_normal_ 则保持在 0.1 到 1 之间。",
        "default": "nn.Linear \u7684\u9ed8\u8ba4\u521d\u59cb\u5316",
        "kaiming": "kaiming_normal_",
        "x": "\u5c42",
        "y": "\u6279\u5185\u6807\u51c6\u5dee",
    },
}


def spread_by_layer(initialise, depth=30, width=256):
    """What forward hooks see behind each ReLU: the standard deviation of a unit over the batch, averaged over the units."""
    torch.manual_seed(0)
    layers = [layer for _ in range(depth) for layer in (nn.Linear(width, width), nn.ReLU())]
    model = nn.Sequential(*layers)
    for module in model:
        if isinstance(module, nn.Linear):
            initialise(module)
    spread = []
    for module in model:
        if isinstance(module, nn.ReLU):
            module.register_forward_hook(lambda module, args, output: spread.append(output.std(dim=0).mean().item()))
    with torch.no_grad():
        model(torch.randn(512, width))
    return spread


def kaiming(linear):
    nn.init.kaiming_normal_(linear.weight, nonlinearity="relu")
    nn.init.zeros_(linear.bias)


def measure():
    return {"default": spread_by_layer(lambda linear: None), "kaiming": spread_by_layer(kaiming)}


def draw(axes, data, label):
    for name in ("default", "kaiming"):
        axes.semilogy(range(1, len(data[name]) + 1), data[name], label=label[name])
    axes.set_xlabel(label["x"])
    axes.set_ylabel(label["y"])
    axes.legend()
