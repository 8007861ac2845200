"""Training mode and evaluation mode."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from .common import Findings, about, call, finding, model_kept, same


def eval_mode(model: nn.Module) -> Findings:
    """Before validation, a test or a prediction: dropout and BatchNorm still act as in training.

    `torch.no_grad()` does not change that; `model.eval()` does.
    """
    awake = _layers_in_mode(model, training=True)
    return about(awake, "in training mode: {}. Call model.eval() first")


def train_mode(model: nn.Module) -> Findings:
    """At the first step of each epoch: dropout and BatchNorm act as in training.

    A validation that called `model.eval()` and never `model.train()` again leaves them switched
    off. Layers that you freeze on purpose are named too.
    """
    asleep = _layers_in_mode(model, training=False)
    return about(asleep, "in evaluation mode: {}. Call model.train() after the validation")


def _layers_in_mode(model: nn.Module, training: bool) -> list[str]:
    return [
        name or "the model"
        for name, module in model.named_modules()
        if module.training is training and _acts_in_training(module)
    ]


def _acts_in_training(module: nn.Module) -> bool:
    """Is it a layer of torch whose result depends on the mode? Your own uses of `self.training`
    are not seen."""
    if isinstance(module, nn.modules.batchnorm._NormBase):
        return module.track_running_stats
    if isinstance(module, nn.modules.dropout._DropoutNd):
        return module.p > 0
    if isinstance(module, (nn.RNNBase, nn.MultiheadAttention)):
        return module.dropout > 0
    return isinstance(module, nn.RReLU)


def repeatable(model: nn.Module, batch: Any) -> Findings:
    """Two forward passes of one batch in evaluation mode must agree. Calls the model twice.

    The batch is what the model takes, without labels: a mapping is passed as keywords, a tuple or
    list as arguments. Differences of rounding, which a GPU makes, pass. What differs then is drawn
    anew in each pass, whatever `model.eval()` says: `F.dropout(x)` without
    `training=self.training`, or noise of your own.
    """
    with model_kept(model), torch.no_grad():
        model.eval()
        first, second = call(model, batch), call(model, batch)
    if same(first, second, rounded=True):
        return Findings()
    return finding(
        "two passes of one batch differ in evaluation mode: look for F.dropout(x) without "
        "training=self.training, and for random numbers in forward"
    )


def buffers_stay(model: nn.Module, batch: Any) -> Findings:
    """In validation and prediction a forward pass, in the mode that the model is in now, must not
    change its buffers. Calls the model once.

    BatchNorm goes on counting under `torch.no_grad()` as long as the model is in training mode.
    """
    before = {name: buffer.detach().clone() for name, buffer in model.named_buffers()}
    with model_kept(model), torch.no_grad():
        call(model, batch)
        moved = [
            name
            for name, buffer in model.named_buffers()
            if name in before and not same(before[name], buffer)
        ]
    cure = (
        "call model.eval() before you validate or predict"
        if model.training
        else "in evaluation mode: forward itself writes to it, or a part is in training mode"
    )
    return about(moved, f"a forward pass changed {{}}: {cure}")
