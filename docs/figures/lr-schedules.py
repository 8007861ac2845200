"""Learning rates that torch's schedulers give out over 100 steps, from a rate of 1."""

import torch
from torch.optim import lr_scheduler as s

STEPS = 100
MAKE = {
    "cosine": lambda o: s.SequentialLR(o, [s.LinearLR(o, 0.01, total_iters=10), s.CosineAnnealingLR(o, STEPS - 10)], milestones=[10]),
    "milestones": lambda o: s.ChainedScheduler([s.LinearLR(o, 1 / 3, total_iters=10), s.MultiStepLR(o, [50, 80], 0.1)]),
    "step": lambda o: s.StepLR(o, 25, 0.5),
    "onecycle": lambda o: s.OneCycleLR(o, max_lr=1.0, total_steps=STEPS),
}
LABELS = {
    "en": {
        "alt": "Learning rates over 100 steps: two warm up and then fall, in a curve or in steps at 50 and 80; StepLR halves every 25 steps; OneCycleLR rises to step 30 and falls to zero.",
        "cosine": "linear warm-up, then cosine",
        "milestones": "warm-up and MultiStepLR(50, 80)",
        "step": "StepLR(25, gamma=0.5)",
        "onecycle": "OneCycleLR",
        "x": "calls of scheduler.step()",
        "y": "share of the highest rate",
    },
    "zh": {
        "alt": "100 步里的学习率：两种先预热再下降，一种沿曲线，一种在第 50 和第 80 步降一级；StepLR 每 25 步减半；OneCycleLR 到第 30 步升到最高，再降到零。",
        "cosine": "线性预热，再余弦下降",
        "milestones": "预热加 MultiStepLR(50, 80)",
        "step": "StepLR(25, gamma=0.5)",
        "onecycle": "OneCycleLR",
        "x": "scheduler.step() 的调用次数",
        "y": "与最高学习率的比值",
    },
}


def rates(make):
    """The rate that each of the steps uses."""
    optimizer = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=1.0)
    scheduler, found = make(optimizer), []
    for step in range(STEPS):
        found.append(round(optimizer.param_groups[0]["lr"], 6))
        optimizer.step()
        if step < STEPS - 1:
            scheduler.step()
    return found


def measure():
    return {name: rates(make) for name, make in MAKE.items()}


def draw(axes, data, label):
    for name in MAKE:
        axes.plot(range(len(data[name])), data[name], label=label[name])
    axes.set_xlabel(label["x"])
    axes.set_ylabel(label["y"])
    axes.set_ylim(0, 1.45)
    axes.set_yticks([0, 0.25, 0.5, 0.75, 1])
    axes.legend(loc="upper center", ncols=2)
