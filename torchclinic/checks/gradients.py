"""Gradients: what reaches them, what stays in them, and what they teach a model."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

import torch
from torch import Tensor, nn

from .common import Findings, about, finding, model_kept, seed


def moves(model: nn.Module, loss_fn: Callable[[], Tensor]) -> Findings:
    """After one backward pass every parameter that wants a gradient has one that is not zero.

    Calls `loss_fn()`, which runs the model and returns the loss. Before the first step a gradient
    of zero may be sound: LoRA's A, and all that stands behind a weight which begins at zero.
    """
    with model_kept(model), torch.enable_grad():
        loss = loss_fn()
        if not loss.requires_grad:
            return finding(
                "the loss has no graph, so nothing is trained: detach(), .data, .item() or "
                "NumPy on the way, or no parameter wants a gradient"
            )
        torch.autograd.backward(loss)
        wanted = [
            (name, _values(parameter.grad))
            for name, parameter in model.named_parameters()
            if parameter.requires_grad
        ]
        missing = [name for name, values in wanted if values is None]
        there = [(name, values) for name, values in wanted if values is not None]
        zero = [name for name, values in there if not values.any()]
        bad = [name for name, values in there if not values.isfinite().all()]
    return Findings(
        about(
            missing,
            "no gradient reaches {}: not used for the loss, or cut off by detach(), .data, .item() "
            "or torch.no_grad()",
        )
        + about(
            zero,
            "the gradient is zero everywhere in {}: dead units, a saturated activation, or a "
            "weight behind them that is still zero (sound before the first step of LoRA)",
        )
        + about(bad, "the gradient is nan or infinite in {}")
    )


def _values(gradient: Tensor | None) -> Tensor | None:
    """The numbers of a gradient, also of a sparse one."""
    return gradient.coalesce().values() if gradient is not None and gradient.is_sparse else gradient


def gradients_cleared(model: nn.Module) -> Findings:
    """Just before `loss.backward()`: gradients that are left are added to. Accumulating over
    several batches on purpose, ask at the first of them."""
    left = [
        name
        for name, parameter in model.named_parameters()
        if (values := _values(parameter.grad)) is not None and values.any()
    ]
    return about(
        left,
        "a gradient of an earlier step is left in {}: call optimizer.zero_grad() in each step",
    )


def clipped(model: nn.Module, max_norm: float, norm_type: float = 2.0) -> Findings:
    """Just before `optimizer.step()`: the norm of all gradients is at most `max_norm`. With a
    GradScaler, `scaler.unscale_(optimizer)` comes before clipping.

    The arguments are those of `clip_grad_norm_`. A model of which you clip only a part is named,
    too.
    """
    norms = [
        float(torch.linalg.vector_norm(values.float(), norm_type))
        for parameter in model.parameters()
        if (values := _values(parameter.grad)) is not None
    ]
    every = torch.tensor(norms, dtype=torch.float64)
    norm = float(torch.linalg.vector_norm(every, norm_type)) if norms else 0.0
    if norm - norm != 0:
        return finding(
            f"the norm of the gradients is {norm}: now and then a GradScaler leaves such a "
            "step out; without one, look for nan and inf"
        )
    if norm <= max_norm * 1.01:
        return Findings()
    return finding(
        f"the norm of the gradients is {norm:.4g}, above {max_norm:g}: they were clipped "
        "before scaler.unscale_(optimizer), or not at all"
    )


def unscaled(scaler: Any, optimizer: torch.optim.Optimizer) -> Findings:
    """Just before clipping: `scaler.unscale_(optimizer)` has been called since the last step. Else
    the norm is that of the gradients times the scale.

    Raises:
        TypeError: not a torch GradScaler, so there is no telling.
    """
    if not scaler.is_enabled():
        return Findings()
    try:
        stage = scaler._per_optimizer_states[id(optimizer)]["stage"].name
    except (AttributeError, KeyError, TypeError):
        raise TypeError(
            f"{type(scaler).__name__} does not keep what was unscaled as torch.amp.GradScaler does"
        ) from None
    if stage != "READY":
        return Findings()
    return finding(
        f"the gradients are still multiplied by the scale, {scaler.get_scale():g}: call "
        "scaler.unscale_(optimizer) before clipping"
    )


def accumulates(whole: Callable[[], Any], parts: Callable[[], Any], model: nn.Module) -> Findings:
    """Gradients of a batch at once and of the same batch in parts are equal. Calls both: each runs
    its backward passes on `model`, without a step.

    BatchNorm and dropout make the two differ in training mode, which is sound: call model.eval()
    first. The sum of the parts' mean losses is too large by their number: divide each by it, or by
    the tokens of the whole batch. Differences below one percent pass as rounding, which autocast
    makes.

    Raises:
        ValueError: no gradient came.
    """
    ours, theirs = _gradients_after(whole, model), _gradients_after(parts, model)
    if ours.shape != theirs.shape:
        return finding("the two ways reach other parameters")
    if float((ours - theirs).norm()) <= 0.01 * float(ours.norm()):  # bfloat16 rounds: 0.003
        return Findings()
    factor = float(theirs.norm() / ours.norm())
    told = f"the gradients in parts are {factor:.3g} times as long as those of the whole batch"
    if abs(factor - 1) > 0.05 and torch.allclose(
        theirs, factor * ours, rtol=1e-2, atol=float(theirs.abs().max()) * 1e-2
    ):
        return finding(f"{told}: divide each part's loss by the number of parts")
    return finding(
        f"{told}, and point elsewhere: parts of different sizes, or BatchNorm and dropout, "
        "which see each part alone (checked in model.eval() they agree)"
    )


def _gradients_after(run: Callable[[], Any], model: nn.Module) -> Tensor:
    """All gradients that a run leaves, as one vector."""
    with model_kept(model):
        seed(0)
        run()
        gradients = [
            parameter.grad.to_dense().flatten().double().cpu()
            for parameter in model.parameters()
            if parameter.grad is not None
        ]
        if not gradients:
            raise ValueError("no gradient came: call backward() inside, and on this model")
        return torch.cat(gradients)


def overfit(
    model: nn.Module, loss_fn: Callable[[], Tensor], steps: int = 200, lr: float = 1e-3
) -> Findings:
    """A sound model learns one batch by heart. Trains a while with Adam on `loss_fn()`, which runs
    the model on one fixed batch; the weights are put back.

    Returns a finding unless the loss falls by nine tenths. Take a loss that can come near zero,
    without label smoothing, penalties or noise, and a model that is not trained yet.
    """
    parameters = [parameter for parameter in model.parameters() if parameter.requires_grad]
    if not parameters:
        return finding("no parameter wants a gradient: all are frozen")
    with model_kept(model), torch.enable_grad():
        model.train()
        optimizer = torch.optim.Adam(parameters, lr=lr)
        first = last = float(loss_fn().detach())
        for _ in range(steps):
            optimizer.zero_grad()
            loss = loss_fn()
            if not loss.requires_grad:
                return finding("the loss has no graph, so nothing is trained: look at checks.moves")
            torch.autograd.backward(loss)
            optimizer.step()
            last = float(loss.detach())
    if last < first - 0.9 * abs(first):
        return Findings()
    return finding(
        f"after {steps} steps on one batch the loss is {last:.3g}, from {first:.3g}: the model "
        "cannot learn even that. Look at checks.moves, the labels and the loss; then try more "
        "steps or another lr"
    )


def kept_graphs(metrics: Any) -> Findings:
    """What you keep over an epoch: a loss that is kept with its graph keeps all activations of its
    step.

    Give it a tensor, list, deque, set, mapping, or an object with attributes, one in the other
    however deep: a dict of meters, a meter that holds a deque. A model in it (any `nn.Module` but
    the one that you give) is passed over.

    Raises:
        TypeError: there is nothing in it to look at.
    """
    if isinstance(metrics, Tensor):
        names = [metrics.grad_fn.name()] if metrics.grad_fn is not None else []
    else:
        items = _items(metrics)
        if items is None:
            raise TypeError(
                f"nothing to look at in this {type(metrics).__name__}: give it a tensor, list, "
                "deque, dict, or an object with attributes"
            )
        names = [name for name, value in items if _keeps_graph(value)]
    return about(names, "kept with its graph: {}. Keep loss.item(), or loss.detach()")


def _items(value: Any) -> list[tuple[Any, Any]] | None:
    """What a container or an object holds, with names or positions; None where it holds nothing
    that can be looked at."""
    if isinstance(value, Mapping):
        return list(value.items())
    if isinstance(value, (list, tuple, set, frozenset, deque)):
        return list(enumerate(value))
    if isinstance(value, (type, ModuleType)) or not hasattr(value, "__dict__"):
        return None
    return list(vars(value).items())


def _keeps_graph(value: Any) -> bool:
    """Whether a tensor with a graph is in it, however deep. Goes round no circle."""
    waiting, seen = [value], {}
    while waiting:
        part = waiting.pop()
        if isinstance(part, Tensor):
            if part.grad_fn is not None:
                return True
        elif id(part) not in seen and not isinstance(part, nn.Module):
            seen[id(part)] = part  # kept, so that no other object gets its id meanwhile
            waiting += [held for _, held in _items(part) or []]
    return False
