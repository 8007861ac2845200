"""What a model, its optimizer, its schedule and its checkpoint hold."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Iterator, Mapping
from typing import Any

import torch
from torch import Tensor, nn

from .common import Findings, about, finding, is_array, some

#: What torch itself puts into every module.
OF_EVERY_MODULE = frozenset(vars(nn.Module()))


def registered(model: nn.Module) -> Findings:
    """Layers and parameters in plain lists, tuples and dicts are not the model's: they do not
    train, do not move to the GPU and are not saved.

    Nor is a plain tensor with requires_grad=True. A teacher that you hide in a list on purpose is
    named too. Not seen: layers in an object that is no module.
    """
    known = {id(part) for part in [*model.modules(), *model.parameters()]}
    places = [
        f"{name}.{attribute}" if name else attribute
        for name, module in model.named_modules()
        for attribute, value in vars(module).items()
        if attribute not in OF_EVERY_MODULE
        and any(id(part) not in known for part in _trainable(value))
    ]
    return Findings(
        f"{place} holds layers or parameters that the model does not know: use nn.Parameter, "
        "nn.ModuleList, nn.ModuleDict or nn.ParameterList"
        for place in places
    )


def _trainable(value: Any) -> Iterator[Any]:
    """Layers and leaves that want a gradient, in lists, tuples and dicts however deep."""
    if isinstance(value, nn.Module) or (
        isinstance(value, Tensor) and value.is_leaf and value.requires_grad
    ):
        yield value
    elif isinstance(value, (list, tuple, dict)):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _trainable(part)


def optimizer_holds(model: nn.Module, *optimizers: torch.optim.Optimizer) -> Findings:
    """Every parameter that wants a gradient is in an optimizer, and every one of the optimizer is
    the model's. Where several optimizers share a model, pass all.

    A layer replaced after the optimizer was built never learns: the optimizer keeps the old one.
    """
    held = {
        id(parameter)
        for optimizer in optimizers
        for group in optimizer.param_groups
        for parameter in group["params"]
    }
    missing = [
        name
        for name, parameter in model.named_parameters()
        if parameter.requires_grad and id(parameter) not in held
    ]
    foreign = len(held - {id(parameter) for parameter in model.parameters()})
    findings = about(
        missing,
        "not in the optimizer, so never trained: {}. Build the optimizer after the last change of "
        "the model",
    )
    if foreign:
        findings.append(
            f"{foreign} tensor(s) of the optimizer are no parameters of the model: layers that "
            "were replaced since, or those of another module"
        )
    return findings


def decayed(model: nn.Module, optimizer: torch.optim.Optimizer) -> Findings:
    """Biases and the weights of norms are usually left out of weight decay: it only pulls their
    scale to zero. Frozen ones, which no step touches, are not named."""
    decay = {
        id(parameter): group.get("weight_decay", 0)
        for group in optimizer.param_groups
        for parameter in group["params"]
    }
    names = [
        name
        for name, parameter in model.named_parameters()
        if parameter.requires_grad and parameter.ndim < 2 and decay.get(id(parameter), 0)
    ]
    return about(
        names,
        "weight decay acts on biases and norms: {}. Put them into a group with weight_decay=0",
    )


def learning_rates(scheduler: Any, steps: int) -> list[float]:
    """The highest learning rate of all groups before each of the next `steps` calls of
    `scheduler.step()`, worked out on a copy (of the optimizer and weights, too).

    Raises:
        TypeError: ReduceLROnPlateau, which goes by a metric, cannot be worked out beforehand.
    """
    if isinstance(scheduler, torch.optim.lr_scheduler.ReduceLROnPlateau):
        raise TypeError(
            "ReduceLROnPlateau goes by your metric: its learning rates cannot be worked out "
            "beforehand"
        )
    simulated = copy.deepcopy(scheduler)
    rates = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that no optimizer took a step, which is so
        for _ in range(steps):
            rates.append(max(float(group["lr"]) for group in simulated.optimizer.param_groups))
            simulated.step()
    return rates


def schedule(scheduler: Any, steps: int) -> Findings:
    """How the learning rate goes over `steps` calls of `scheduler.step()`: all that you will make
    in the whole training.

    A schedule counted in epochs and stepped once a batch has decayed to nothing in the first epoch;
    a cosine that goes on past T_max climbs again; one counted in batches and stepped once an epoch
    is still in its warm-up at the end. Warm-up that ends is no finding, and neither are schedules
    made to climb again (CyclicLR, CosineAnnealingWarmRestarts). A LambdaLR that restarts on purpose
    is named.

    Raises:
        TypeError: ReduceLROnPlateau, which goes by a metric.
        ValueError: fewer than one step.
    """
    if steps < 1:
        raise ValueError(
            f"{steps} steps: give the number of calls of scheduler.step() in the whole training"
        )
    if isinstance(scheduler, torch.optim.lr_scheduler.OneCycleLR):
        left = scheduler.total_steps - scheduler.last_epoch
        if steps > left:
            return finding(
                f"OneCycleLR has {left} steps left, you make {steps}: it raises a ValueError then"
            )
    rates = learning_rates(scheduler, steps)
    if not (top := max(rates)):
        return finding(f"the learning rate is 0 in all {steps} steps")
    # a formula that goes from step to step does not come back to the very same number
    peak = next(at for at, rate in enumerate(rates) if rate > top * 0.999999)
    findings = Findings()
    early = next((at for at, rate in enumerate(rates) if at > peak and rate < top * 1e-3), steps)
    if early < steps / 2:
        findings.append(
            f"the learning rate is below a thousandth of its highest ({top:g}) from step {early} "
            f"of {steps}: is it stepped once a batch, and counted in epochs?"
        )
    if _made_to_climb(scheduler):
        return findings
    if (low := _climbs_after(rates, peak, top)) is not None:
        findings.append(
            f"the learning rate climbs again after step {low} of {steps}, to {max(rates[low:]):g}: "
            "T_max, or a restart, is counted in other steps than you make"
        )
    elif steps > 2 and rates[-1] == top > rates[-2]:
        findings.append(
            f"the learning rate still rises at the last of {steps} steps: is it counted in "
            "batches, and stepped once an epoch?"
        )
    return findings


def _made_to_climb(scheduler: Any) -> bool:
    """Is it, or a part of a SequentialLR or ChainedScheduler, one that climbs again on purpose?"""
    lr = torch.optim.lr_scheduler
    return any(
        isinstance(part, (lr.CyclicLR, lr.CosineAnnealingWarmRestarts))
        for part in [scheduler, *getattr(scheduler, "_schedulers", [])]
    )


def _climbs_after(rates: list[float], peak: int, top: float) -> int | None:
    """The step after which the rate, once it has fallen well below its peak, climbs again."""
    low = peak
    for at in range(peak, len(rates)):
        if rates[at] < rates[low]:
            low = at
        elif rates[low] < top / 2 and rates[at] > max(2 * rates[low], top / 10):
            return low
    return None


def own_copy(state: Any, model: nn.Module) -> Findings:
    """A state that you keep as the best one is a copy: `model.state_dict()` follows every later
    step. `copy.deepcopy(model.state_dict())` stays.

    The state may be a model, or a whole checkpoint, a mapping or a list with states in it; NumPy
    arrays may share memory, too.
    """
    places = {
        tensor.data_ptr() for tensor in [*model.parameters(), *model.buffers()] if tensor.numel()
    }
    parts = _memory(state.state_dict() if isinstance(state, nn.Module) else state)
    return about(
        [name for name, place in parts if place in places],
        "shares its memory with the model: {}. Use copy.deepcopy(model.state_dict())",
    )


def _memory(value: Any, name: str = "") -> Iterator[tuple[str, int]]:
    """The tensors and arrays in a state, by the names that lead there, and where their memory
    begins."""
    if isinstance(value, Tensor):
        if value.numel():
            yield name, value.data_ptr()
    elif is_array(value):
        if value.size:
            yield name, value.ctypes.data
    elif isinstance(value, (Mapping, list, tuple)):
        for key, part in value.items() if isinstance(value, Mapping) else enumerate(value):
            yield from _memory(part, f"{name}.{key}" if name else str(key))


def loaded(result: Any, model: nn.Module) -> Findings:
    """What `result = model.load_state_dict(state, strict=False)` left out. With a prefix too many
    or too few it loads nothing and says nothing."""
    every = model.state_dict()
    # a weight that is shared (a tied head) stands under two names, and one of them is enough
    given = {
        tensor.data_ptr()
        for name, tensor in every.items()
        if name not in result.missing_keys and isinstance(tensor, Tensor) and tensor.numel()
    }
    missing = [
        name
        for name in result.missing_keys
        if name in every and every[name].data_ptr() not in given
    ]
    findings = Findings()
    if missing:
        findings.append(f"{len(missing)} of {len(every)} tensors were not loaded: {some(missing)}")
    if result.unexpected_keys:
        findings.append(f"the file has others: {some(result.unexpected_keys)}")
    return findings
