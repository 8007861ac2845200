"""Bytes of tensors that stay alive over the iterations, when losses are collected with and without `.item()`."""

import gc

import torch

LABELS = {
    "en": {
        "alt": "losses.append(loss) keeps more with each of 60 iterations, in a straight line up; with loss.item() it stays at zero.",
        "tensor": "losses.append(loss)", "item": "losses.append(loss.item())", "x": "iteration", "y": "tensors and saved graph, KiB"},
    "zh": {
        "alt": "losses.append(loss) 在 60 次迭代里直线上升；用 loss.item() 时一直为零。",
        "tensor": "losses.append(loss)",
        "item": "losses.append(loss.item())",
        "x": "\u8fed\u4ee3",
        "y": "\u5f20\u91cf\u4e0e\u8ba1\u7b97\u56fe\u5360\u7528\uff0cKiB",
    },
}


def alive(collect, steps=60):
    """KiB that autograd keeps for backward, plus the kept losses, after each step."""
    model = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.Tanh(), torch.nn.Linear(64, 1))
    losses, kept = [], {}

    class Saved:
        def __init__(self, tensor):
            self.tensor = tensor.detach()  # an output that holds its own graph would never be freed
            kept[id(self)] = tensor.numel() * tensor.element_size()

        def __del__(self):
            kept.pop(id(self), None)

    sizes = []
    for _ in range(steps):
        with torch.autograd.graph.saved_tensors_hooks(Saved, lambda saved: saved.tensor):
            loss = model(torch.randn(32, 64)).square().mean()
        losses.append(collect(loss))
        del loss
        gc.collect()
        sizes.append(sum(kept.values()) / 1024)
    return sizes


def measure():
    return {"tensor": alive(lambda loss: loss), "item": alive(lambda loss: loss.item())}


def draw(axes, data, label):
    for name in ("tensor", "item"):
        axes.plot(range(1, len(data[name]) + 1), data[name], label=label[name])
    axes.set_xlabel(label["x"])
    axes.set_ylabel(label["y"])
    axes.legend()
