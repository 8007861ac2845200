"""Checks for what is wrong and raises nothing: it runs, and the results are bad.

    from torchclinic import checks

    print(checks.first_batch(loader))
    print(checks.optimizer_holds(model, optimizer))

Each check looks at your own model, batch, loader or optimizer and returns its findings, a list of sentences: empty where it found nothing. A finding is never
raised; what a check cannot judge is (a ValueError or TypeError that says why), and so is what your own code raises. Your model is left as it was: weights,
buffers, gradients, modes and the state of random numbers. Checks that call your model or loader say so.
This file needs nothing but torch, and works when it is copied beside your script as torchclinic_checks.py.
"""

from __future__ import annotations

import contextlib
import copy
import random
import sys
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import ModuleType
from typing import Any

import torch
from torch import Tensor, nn


class Findings(list[str]):
    """Sentences, one a finding. Empty is good: `assert not checks.eval_mode(model)`."""

    def __str__(self) -> str:
        return "\n".join(f"- {finding}" for finding in self) or "nothing found"


#: Names or numbers that one finding spells out.
NAMED = 5


def _some(names: Iterable[Any]) -> str:
    every = list(map(str, names))
    return ", ".join(every[:NAMED]) + (f" and {len(every) - NAMED} more" if len(every) > NAMED else "")


# ---- what a check puts back


@contextlib.contextmanager
def _random_kept() -> Iterator[None]:
    """The state of random numbers of Python, NumPy (where it is loaded) and torch (CPU, and CUDA once it is in use), put back at the end."""
    numpy = sys.modules.get("numpy")
    python, numbers, cpu = random.getstate(), numpy.random.get_state() if numpy else None, torch.get_rng_state()
    gpus = torch.cuda.get_rng_state_all() if torch.cuda.is_initialized() else None
    try:
        yield
    finally:
        random.setstate(python)
        torch.set_rng_state(cpu)
        if gpus is not None:
            torch.cuda.set_rng_state_all(gpus)
        if numpy:
            numpy.random.set_state(numbers)


def _seed(number: int) -> None:
    random.seed(number)
    torch.default_generator.manual_seed(number)  # torch.manual_seed would also seed a GPU that is not in use yet, which cannot be put back
    if torch.cuda.is_initialized():
        torch.cuda.manual_seed_all(number)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(number)


@contextlib.contextmanager
def _model_kept(model: nn.Module) -> Iterator[None]:
    """Weights, buffers, gradients, modes and random numbers, put back at the end. Costs one copy of the model's tensors."""
    tensors = [*model.parameters(), *model.buffers()]
    values = [tensor.detach().clone() for tensor in tensors]
    buffers = [(module, dict(module._buffers)) for module in model.modules()]  # a forward pass may put another tensor in a buffer's place
    gradients = [(parameter, parameter.grad) for parameter in model.parameters()]
    modes = [(module, module.training) for module in model.modules()]
    with _random_kept():
        try:
            for parameter, _ in gradients:
                parameter.grad = None
            yield
        finally:
            for tensor, value in zip(tensors, values, strict=True):
                tensor.data.copy_(value)  # .data: a graph that you still hold can go backward
            for module, own in buffers:
                module._buffers.clear()
                module._buffers.update(own)
            for parameter, gradient in gradients:
                parameter.grad = gradient
            for module, training in modes:
                module.training = training


def _call(model: nn.Module, batch: Any) -> Any:
    """A batch as loops give it: a mapping as keywords, a tuple as arguments, anything else as one argument."""
    if isinstance(batch, Mapping):
        return model(**batch)
    return model(*batch) if isinstance(batch, (tuple, list)) else model(batch)


def _tensors(value: Any) -> list[Tensor]:
    """The tensors in an output, a batch or a sample, in order; arrays of numbers as tensors."""
    if isinstance(value, Tensor):
        return [value]
    if "numpy" in sys.modules and isinstance(value, sys.modules["numpy"].ndarray):
        return [torch.from_numpy(value.copy())] if value.dtype.kind in "bif" or value.dtype.name == "uint8" else []
    if isinstance(value, Mapping):
        value = value.values()
    elif not isinstance(value, (tuple, list)):
        return []
    return [tensor for part in value for tensor in _tensors(part)]


def _same(first: Any, second: Any, rounded: bool = False) -> bool:
    """Equal tensors in the same places; a nan equals a nan. `rounded`: up to the order in which a GPU adds.

    Raises:
        TypeError: there is no tensor to compare.
    """
    ours, theirs = _tensors(first), _tensors(second)
    if not ours and not theirs:
        raise TypeError(f"no tensor or array of numbers in this {type(first).__name__}: nothing to compare")
    return len(ours) == len(theirs) and all(one.shape == other.shape and _close(one, other, rounded) for one, other in zip(ours, theirs, strict=True))


def _close(one: Tensor, other: Tensor, rounded: bool) -> bool:
    if not (one.is_floating_point() or one.is_complex()):
        return torch.equal(one, other)
    digits = torch.finfo(one.dtype).eps ** 0.5 / 10 if rounded else 0.0  # float32: 3e-5, bfloat16: 9e-3, of the largest value
    largest = float(one.abs().nan_to_num(0, posinf=0, neginf=0).max()) if one.numel() else 0.0
    return torch.allclose(one, other, rtol=0, atol=digits * largest, equal_nan=True)


# ---- modes


def eval_mode(model: nn.Module) -> Findings:
    """Before validation, a test or a prediction: dropout and BatchNorm still act as in training. `torch.no_grad()` does not change that; `model.eval()` does."""
    awake = [name or "the model" for name, module in model.named_modules() if module.training and _acts_in_training(module)]
    return Findings([f"in training mode: {_some(awake)}. Call model.eval() first"] if awake else [])


def train_mode(model: nn.Module) -> Findings:
    """At the first step of each epoch: a validation that called `model.eval()` and never `model.train()` again leaves dropout and BatchNorm switched off.

    Layers that you freeze on purpose are named too.
    """
    asleep = [name or "the model" for name, module in model.named_modules() if not module.training and _acts_in_training(module)]
    return Findings([f"in evaluation mode: {_some(asleep)}. Call model.train() after the validation"] if asleep else [])


def _acts_in_training(module: nn.Module) -> bool:
    """Is it a layer of torch whose result depends on the mode? Your own uses of `self.training` are not seen."""
    if isinstance(module, nn.modules.batchnorm._NormBase):
        return module.track_running_stats
    if isinstance(module, nn.modules.dropout._DropoutNd):
        return module.p > 0
    if isinstance(module, (nn.RNNBase, nn.MultiheadAttention)):
        return module.dropout > 0
    return isinstance(module, nn.RReLU)


def repeatable(model: nn.Module, batch: Any) -> Findings:
    """Two forward passes of one batch in evaluation mode must agree. Calls the model twice.

    The batch is what the model takes, without labels: a mapping is passed as keywords, a tuple or list as arguments. Differences of rounding, which a GPU makes, pass.
    What differs then is drawn anew in each pass, whatever `model.eval()` says: `F.dropout(x)` without `training=self.training`, or noise of your own.
    """
    with _model_kept(model), torch.no_grad():
        model.eval()
        first, second = _call(model, batch), _call(model, batch)
    if _same(first, second, rounded=True):
        return Findings()
    return Findings(
        ["two passes of one batch differ in evaluation mode: look for F.dropout(x) without training=self.training, and for random numbers in forward"]
    )


def buffers_stay(model: nn.Module, batch: Any) -> Findings:
    """A forward pass in the mode that the model is in now must not change its buffers, in validation and prediction. Calls the model once.

    BatchNorm goes on counting under `torch.no_grad()` as long as the model is in training mode.
    """
    before = {name: buffer.detach().clone() for name, buffer in model.named_buffers()}
    with _model_kept(model), torch.no_grad():
        _call(model, batch)
        moved = [name for name, buffer in model.named_buffers() if name in before and not _same(before[name], buffer)]
    cure = (
        "call model.eval() before you validate or predict"
        if model.training
        else "in evaluation mode: forward itself writes to it, or a part is in training mode"
    )
    return Findings([f"a forward pass changed {_some(moved)}: {cure}"] if moved else [])


# ---- what is trained


def registered(model: nn.Module) -> Findings:
    """Layers and parameters in plain lists, tuples and dicts are not the model's: they do not train, do not move to the GPU and are not saved.

    Nor is a plain tensor with requires_grad=True. A teacher that you hide in a list on purpose is named too. Not seen: layers in an object that is no module.
    """
    found = []
    own = {id(thing) for thing in [*model.modules(), *model.parameters()]}
    for name, module in model.named_modules():
        for attribute, value in vars(module).items():
            if attribute not in OWN and any(id(one) not in own for one in _trainable(value)):
                found.append(f"{name}.{attribute}" if name else attribute)
    return Findings(
        [
            f"{place} holds layers or parameters that the model does not know: use nn.Parameter, nn.ModuleList, nn.ModuleDict or nn.ParameterList"
            for place in found
        ]
    )


#: What torch itself puts into every module.
OWN = frozenset(vars(nn.Module()))


def _trainable(value: Any) -> Iterator[Any]:
    """Layers and leaves that want a gradient, in lists, tuples and dicts however deep."""
    if isinstance(value, nn.Module) or (isinstance(value, Tensor) and value.is_leaf and value.requires_grad):
        yield value
    elif isinstance(value, (list, tuple, dict)):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _trainable(part)


def optimizer_holds(model: nn.Module, *optimizers: torch.optim.Optimizer) -> Findings:
    """Every parameter that wants a gradient is in an optimizer, and every one of the optimizer is the model's. Where several optimizers share a model, pass all.

    A layer replaced after the optimizer was built never learns: the optimizer keeps the old one.
    """
    held = {id(parameter) for optimizer in optimizers for group in optimizer.param_groups for parameter in group["params"]}
    own = {id(parameter) for parameter in model.parameters()}
    missing = [name for name, parameter in model.named_parameters() if parameter.requires_grad and id(parameter) not in held]
    foreign = len(held - own)
    found = Findings()
    if missing:
        found.append(f"not in the optimizer, so never trained: {_some(missing)}. Build the optimizer after the last change of the model")
    if foreign:
        found.append(f"{foreign} tensor(s) of the optimizer are no parameters of the model: layers that were replaced since, or those of another module")
    return found


def moves(model: nn.Module, loss_fn: Callable[[], Tensor]) -> Findings:
    """After one backward pass every parameter that wants a gradient has one that is not zero. Calls `loss_fn()`, which runs the model and returns the loss.

    Before the first step a gradient of zero may be sound: LoRA's A, and all that stands behind a weight which begins at zero.
    """
    with _model_kept(model), torch.enable_grad():
        loss = loss_fn()
        if not loss.requires_grad:
            return Findings(["the loss has no graph, so nothing is trained: detach(), .data, .item() or NumPy on the way, or no parameter wants a gradient"])
        loss.backward()
        wanted = [(name, _values(parameter.grad)) for name, parameter in model.named_parameters() if parameter.requires_grad]
        none = [name for name, gradient in wanted if gradient is None]
        zero = [name for name, gradient in wanted if gradient is not None and not gradient.any()]
        bad = [name for name, gradient in wanted if gradient is not None and not gradient.isfinite().all()]
    found = Findings()
    if none:
        found.append(f"no gradient reaches {_some(none)}: not used for the loss, or cut off by detach(), .data, .item() or torch.no_grad()")
    if zero:
        found.append(
            f"the gradient is zero everywhere in {_some(zero)}: dead units, a saturated activation, or a weight behind them that is still zero (sound before the first step of LoRA)"
        )
    if bad:
        found.append(f"the gradient is nan or infinite in {_some(bad)}")
    return found


def _values(gradient: Tensor | None) -> Tensor | None:
    """The numbers of a gradient, also of a sparse one."""
    return gradient.coalesce().values() if gradient is not None and gradient.is_sparse else gradient


def gradients_cleared(model: nn.Module) -> Findings:
    """Just before `loss.backward()`: gradients that are left are added to. Accumulating over several batches on purpose, ask at the first of them."""
    left = [name for name, parameter in model.named_parameters() if (gradient := _values(parameter.grad)) is not None and gradient.any()]
    return Findings([f"a gradient of an earlier step is left in {_some(left)}: call optimizer.zero_grad() in each step"] if left else [])


def clipped(model: nn.Module, max_norm: float, norm_type: float = 2.0) -> Findings:
    """Just before `optimizer.step()`: the norm of all gradients is at most `max_norm`. With a GradScaler, `scaler.unscale_(optimizer)` comes before clipping.

    The arguments are those of `clip_grad_norm_`. A model of which you clip only a part is named, too.
    """
    gradients = [gradient for parameter in model.parameters() if (gradient := _values(parameter.grad)) is not None]
    norms = [float(torch.linalg.vector_norm(gradient.float(), norm_type)) for gradient in gradients]
    norm = float(torch.linalg.vector_norm(torch.tensor(norms, dtype=torch.float64), norm_type)) if norms else 0.0
    if norm - norm != 0:
        return Findings([f"the norm of the gradients is {norm}: now and then a GradScaler leaves such a step out; without one, look for nan and inf"])
    if norm <= max_norm * 1.01:
        return Findings()
    return Findings([f"the norm of the gradients is {norm:.4g}, above {max_norm:g}: they were clipped before scaler.unscale_(optimizer), or not at all"])


def unscaled(scaler: Any, optimizer: torch.optim.Optimizer) -> Findings:
    """Just before clipping: `scaler.unscale_(optimizer)` has been called since the last step. Else the norm is that of the gradients times the scale.

    Raises:
        TypeError: not a torch GradScaler, so there is no telling.
    """
    if not scaler.is_enabled():
        return Findings()
    try:
        stage = scaler._per_optimizer_states[id(optimizer)]["stage"].name
    except (AttributeError, KeyError, TypeError):
        raise TypeError(f"{type(scaler).__name__} does not keep what was unscaled as torch.amp.GradScaler does") from None
    if stage != "READY":
        return Findings()
    return Findings([f"the gradients are still multiplied by the scale, {scaler.get_scale():g}: call scaler.unscale_(optimizer) before clipping"])


def decayed(model: nn.Module, optimizer: torch.optim.Optimizer) -> Findings:
    """Biases and the weights of norms are usually left out of weight decay: it only pulls their scale to zero. Frozen ones, which no step touches, are not named."""
    decay = {id(parameter): group.get("weight_decay", 0) for group in optimizer.param_groups for parameter in group["params"]}
    names = [name for name, parameter in model.named_parameters() if parameter.requires_grad and parameter.ndim < 2 and decay.get(id(parameter), 0)]
    return Findings([f"weight decay acts on biases and norms: {_some(names)}. Put them into a group with weight_decay=0"] if names else [])


def learning_rates(scheduler: Any, steps: int) -> list[float]:
    """The highest learning rate of all groups before each of the next `steps` calls of `scheduler.step()`, worked out on a copy (of the optimizer and weights, too).

    Raises:
        TypeError: ReduceLROnPlateau, which goes by a metric, cannot be worked out beforehand.
    """
    if isinstance(scheduler, torch.optim.lr_scheduler.ReduceLROnPlateau):
        raise TypeError("ReduceLROnPlateau goes by your metric: its learning rates cannot be worked out beforehand")
    simulated = copy.deepcopy(scheduler)
    rates = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that no optimizer took a step, which is so
        for _ in range(steps):
            rates.append(max(float(group["lr"]) for group in simulated.optimizer.param_groups))
            simulated.step()
    return rates


def schedule(scheduler: Any, steps: int) -> Findings:
    """How the learning rate goes over `steps` calls of `scheduler.step()`: all that you will make in the whole training.

    A schedule counted in epochs and stepped once a batch has decayed to nothing in the first epoch; a cosine that goes on past T_max climbs again; one counted
    in batches and stepped once an epoch is still in its warm-up at the end.
    Warm-up that ends is no finding, and neither are schedules made to climb again (CyclicLR, CosineAnnealingWarmRestarts). A LambdaLR that restarts on purpose
    is named.

    Raises:
        TypeError: ReduceLROnPlateau, which goes by a metric.
        ValueError: fewer than one step.
    """
    if steps < 1:
        raise ValueError(f"{steps} steps: give the number of calls of scheduler.step() in the whole training")
    if isinstance(scheduler, torch.optim.lr_scheduler.OneCycleLR) and steps > scheduler.total_steps - scheduler.last_epoch:
        return Findings([f"OneCycleLR has {scheduler.total_steps - scheduler.last_epoch} steps left, you make {steps}: it raises a ValueError then"])
    rates = learning_rates(scheduler, steps)
    top = max(rates)
    if not top:
        return Findings([f"the learning rate is 0 in all {steps} steps"])
    peak = next(
        at for at, rate in enumerate(rates) if rate > top * 0.999999
    )  # a formula that goes from step to step does not come back to the very same number
    found = Findings()
    early = next((at for at, rate in enumerate(rates) if at > peak and rate < top * 1e-3), steps)
    if early < steps / 2:
        found.append(
            f"the learning rate is below a thousandth of its highest ({top:g}) from step {early} of {steps}: is it stepped once a batch, and counted in epochs?"
        )
    again = any(
        isinstance(part, (torch.optim.lr_scheduler.CyclicLR, torch.optim.lr_scheduler.CosineAnnealingWarmRestarts))
        for part in [scheduler, *getattr(scheduler, "_schedulers", [])]  # of a SequentialLR or ChainedScheduler
    )
    low, climbs = peak, False
    for at in range(peak, steps):
        if rates[at] < rates[low]:
            low = at
        elif rates[low] < top / 2 and rates[at] > max(2 * rates[low], top / 10):
            climbs = not again
            break
    if climbs:
        found.append(
            f"the learning rate climbs again after step {low} of {steps}, to {max(rates[low:]):g}: T_max, or a restart, is counted in other steps than you make"
        )
    elif not again and steps > 2 and rates[-1] == top > rates[-2]:
        found.append(f"the learning rate still rises at the last of {steps} steps: is it counted in batches, and stepped once an epoch?")
    return found


# ---- outputs and losses


def logits(output: Tensor, dim: int = -1) -> Findings:
    """What goes into a cross entropy: raw scores. `nn.CrossEntropyLoss` takes the softmax itself; after a second one the loss cannot come near zero."""
    if output.is_floating_point() and output.numel() and output.min() >= 0 and _sums_to_one(output, dim):
        return Findings(["these are probabilities: every row sums to 1. Take the softmax out of the model, or use nn.NLLLoss on log_softmax"])
    return Findings()


def _sums_to_one(output: Tensor, dim: int) -> bool:
    """Within what rounding leaves: bfloat16 keeps each value to one part in 256."""
    sums = output.float().sum(dim)
    return torch.allclose(sums, torch.ones_like(sums), atol=max(1e-3, torch.finfo(output.dtype).eps if output.is_floating_point() else 0))


def probabilities(output: Tensor, dim: int = -1) -> Findings:
    """Probabilities over the classes, which stand in dimension `dim`: each row sums to 1. A softmax over another dimension normalises over the batch."""
    if _sums_to_one(output, dim):
        return Findings()
    sums = output.float().sum(dim)
    other = next((at for at in range(output.ndim) if _sums_to_one(output, at)), None)
    told = "" if other is None else f"; over dimension {other} they do: softmax(dim={dim}) is wanted"
    return Findings([f"the sums over dimension {dim} are {_some(f'{value:.2f}' for value in sums.flatten()[:NAMED].tolist())}, not 1{told}"])


def same_shape(prediction: Tensor, target: Tensor) -> Findings:
    """Before a loss or an accuracy that takes them element by element: (N, 1) against (N,) is broadcast to N x N, and trains on every pair.

    Not for a cross entropy, which takes (N, classes) against (N,).
    """
    if prediction.shape == target.shape:
        return Findings()
    try:
        both = torch.broadcast_shapes(prediction.shape, target.shape)
    except RuntimeError:
        return Findings([f"the shapes {tuple(prediction.shape)} and {tuple(target.shape)} do not fit at all"])
    if 0 in (prediction.ndim, target.ndim):
        cure = "one number against all: was a dim left out, as in argmax(dim=1)?"
    elif prediction.ndim == target.ndim:
        cure = "make them equal"
    else:
        cure = "make them equal, with squeeze(1) or unsqueeze(1)"
    return Findings([f"the shapes {tuple(prediction.shape)} and {tuple(target.shape)} are broadcast to {tuple(both)}: {cure}"])


def kept_graphs(metrics: Any) -> Findings:
    """What you keep over an epoch: a loss that is kept with its graph keeps all activations of its step.

    Give it a tensor, list, deque, set, mapping, or an object with attributes, one in the other however deep: a dict of meters, a meter that holds a deque.
    A model in it (any `nn.Module` but the one that you give) is passed over.

    Raises:
        TypeError: there is nothing in it to look at.
    """
    if isinstance(metrics, Tensor):
        names = [metrics.grad_fn.name()] if metrics.grad_fn is not None else []
    else:
        items = _items(metrics)
        if items is None:
            raise TypeError(f"nothing to look at in this {type(metrics).__name__}: give it a tensor, list, deque, dict, or an object with attributes")
        names = [name for name, value in items if _keeps_graph(value)]
    return Findings([f"kept with its graph: {_some(names)}. Keep loss.item(), or loss.detach()"] if names else [])


def _items(value: Any) -> list[tuple[Any, Any]] | None:
    """What a container or an object holds, with names or positions; None where it holds nothing that can be looked at."""
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


def initial_loss(loss: float | Tensor, classes: int, tolerance: float = 0.3) -> Findings:
    """The first cross entropy of an untrained classifier is about log(classes): all classes are as likely."""
    value, wanted = float(torch.as_tensor(loss).detach()), float(torch.tensor(float(classes)).log())
    if abs(value - wanted) <= tolerance * wanted:
        return Findings()
    return Findings(
        [
            f"the first loss is {value:.3g}; chance on {classes} classes is {wanted:.3g}: look at the last layer's scale, the labels, and how the loss is averaged"
        ]
    )


def overfit(model: nn.Module, loss_fn: Callable[[], Tensor], steps: int = 200, lr: float = 1e-3) -> Findings:
    """A sound model learns one batch by heart. Trains a while with Adam on `loss_fn()`, which runs the model on one fixed batch; the weights are put back.

    Returns a finding unless the loss falls by nine tenths. Take a loss that can come near zero, without label smoothing, penalties or noise, and a model that is
    not trained yet.
    """
    parameters = [parameter for parameter in model.parameters() if parameter.requires_grad]
    if not parameters:
        return Findings(["no parameter wants a gradient: all are frozen"])
    with _model_kept(model), torch.enable_grad():
        model.train()
        optimizer = torch.optim.Adam(parameters, lr=lr)
        first = last = float(loss_fn().detach())
        for _ in range(steps):
            optimizer.zero_grad()
            loss = loss_fn()
            if not loss.requires_grad:
                return Findings(["the loss has no graph, so nothing is trained: look at checks.moves"])
            loss.backward()
            optimizer.step()
            last = float(loss.detach())
    if last < first - 0.9 * abs(first):
        return Findings()
    return Findings(
        [
            f"after {steps} steps on one batch the loss is {last:.3g}, from {first:.3g}: the model cannot learn even that. Look at checks.moves, the labels and the loss; then try more steps or another lr"
        ]
    )


def accumulates(whole: Callable[[], Any], parts: Callable[[], Any], model: nn.Module) -> Findings:
    """Gradients of a batch at once and of the same batch in parts are equal. Calls both: each runs its backward passes on `model`, without a step.

    BatchNorm and dropout make the two differ in training mode, which is sound: call model.eval() first. The sum of the parts' mean losses is too large by their number: divide each by it, or by the tokens of the whole batch. Differences below one percent
    pass as rounding, which autocast makes.
    """
    gradients = []
    for run in (whole, parts):
        with _model_kept(model):
            _seed(0)
            run()
            own = [parameter.grad.to_dense().flatten().double().cpu() for parameter in model.parameters() if parameter.grad is not None]
            if not own:
                raise ValueError("no gradient came: call backward() inside, and on this model")
            gradients.append(torch.cat(own))
    ours, theirs = gradients
    if ours.shape != theirs.shape:
        return Findings(["the two ways reach other parameters"])
    if float((ours - theirs).norm()) <= 0.01 * float(ours.norm()):  # bfloat16 rounds: 0.003
        return Findings()
    factor = float(theirs.norm() / ours.norm())
    told = f"the gradients in parts are {factor:.3g} times as long as those of the whole batch"
    if abs(factor - 1) > 0.05 and torch.allclose(theirs, factor * ours, rtol=1e-2, atol=float(theirs.abs().max()) * 1e-2):
        return Findings([f"{told}: divide each part's loss by the number of parts"])
    return Findings(
        [f"{told}, and point elsewhere: parts of different sizes, or BatchNorm and dropout, which see each part alone (checked in model.eval() they agree)"]
    )


# ---- tensors


def permutes(rearrange: Callable[[Tensor], Tensor], shape: tuple[int, ...], dims: tuple[int, ...]) -> Findings:
    """Does your function, given a tensor of this shape, bring its dimensions into this order? `view` and `reshape` give the right shape and scramble what is in it.

    The function only moves values: it is given whole numbers, and what it divides or normalises is found to be at the wrong place.
    """
    counted = torch.arange(torch.Size(shape).numel()).reshape(shape)
    made, wanted = rearrange(counted), counted.permute(dims)
    if made.shape != wanted.shape:
        return Findings([f"gives the shape {tuple(made.shape)}; permute{tuple(dims)} gives {tuple(wanted.shape)}"])
    return Findings(
        [] if torch.equal(made, wanted) else ["the shape is right and the values are not where they belong: use permute or transpose, not view or reshape"]
    )


def ignores_padding(encode: Callable[[Tensor], Tensor], inputs: Tensor, keep: Tensor) -> Findings:
    """What stands at padded places must not change the output at the others. Calls `encode(inputs)` twice, with other values at the padded places.

    Args:
        encode: your model or a part of it in evaluation mode, with its mask bound: not made inside from the numbers of the tokens, which this check changes. Its
            output is (batch, length, ...), of which the kept places are compared, or (batch, ...), which is compared whole. Of a tuple or mapping, the first
            tensor counts.
        inputs: token numbers or features, (batch, length, ...).
        keep: True or 1 at the places that count, (batch, length). `scaled_dot_product_attention` takes True as "look here", `nn.MultiheadAttention` as "leave out".

    Raises:
        ValueError: `keep` holds something else than 0 and 1, or one of them only, so there is nothing to compare.
        TypeError: `encode` returns no tensor.
    """
    if not ((keep == 0) | (keep == 1)).all():
        raise ValueError("keep is no mask of True and False: give True at the places that count")
    keep = keep.bool()
    if keep.all() or not keep.any():
        raise ValueError("keep is the same everywhere: give it a batch with padding, True at the places that count")
    other, kept = inputs.clone(), inputs[keep]
    with torch.no_grad(), _random_kept():
        if inputs.is_floating_point():  # noise: a LayerNorm takes a constant or a factor out
            _seed(1)
            other[~keep] += torch.randn_like(other[~keep])
        else:  # other numbers that occur, so that an embedding has them
            other[~keep] = torch.where(inputs[~keep] == kept.max(), kept.min(), kept.max())
        _seed(0)
        first = next(iter(_tensors(encode(inputs))), None)
        _seed(0)
        second = next(iter(_tensors(encode(other))), None)
    if first is None or second is None:
        raise TypeError("encode returns no tensor")
    if first.shape[:2] == keep.shape:
        first, second = first[keep], second[keep]
    if _same(first, second, rounded=True):
        return Findings()
    return Findings(
        [
            "padding changes the result: the mask is missing, inverted (True means keep here and drop there), or a mean is taken over all places. Sound only if encode makes its mask from the numbers in inputs, which were changed: make it before"
        ]
    )


def _parts(value: Any, name: str = "") -> Iterator[tuple[str, int]]:
    """The tensors and arrays in a state, by the names that lead there, and where their memory begins."""
    if isinstance(value, Tensor):
        if value.numel():
            yield name, value.data_ptr()
    elif "numpy" in sys.modules and isinstance(value, sys.modules["numpy"].ndarray):
        if value.size:
            yield name, value.ctypes.data
    elif isinstance(value, (Mapping, list, tuple)):
        for key, part in value.items() if isinstance(value, Mapping) else enumerate(value):
            yield from _parts(part, f"{name}.{key}" if name else str(key))


def own_copy(state: Any, model: nn.Module) -> Findings:
    """A state that you keep as the best one is a copy: `model.state_dict()` follows every later step. `copy.deepcopy(model.state_dict())` stays.

    The state may be a model, or a whole checkpoint, a mapping or a list with states in it; NumPy arrays may share memory, too.
    """
    own = {tensor.data_ptr() for tensor in [*model.parameters(), *model.buffers()] if tensor.numel()}
    shared = [name for name, at in _parts(state.state_dict() if isinstance(state, nn.Module) else state) if at in own]
    return Findings([f"shares its memory with the model: {_some(shared)}. Use copy.deepcopy(model.state_dict())"] if shared else [])


def loaded(result: Any, model: nn.Module) -> Findings:
    """What `result = model.load_state_dict(state, strict=False)` left out. With a prefix too many or too few it loads nothing and says nothing."""
    every = model.state_dict()
    # a weight that is shared (a tied head) stands under two names, and one of them is enough
    given = {tensor.data_ptr() for name, tensor in every.items() if name not in result.missing_keys and isinstance(tensor, Tensor) and tensor.numel()}
    missing = [name for name in result.missing_keys if name in every and every[name].data_ptr() not in given]
    found = Findings()
    if missing:
        found.append(f"{len(missing)} of {len(every)} tensors were not loaded: {_some(missing)}")
    if result.unexpected_keys:
        found.append(f"the file has others: {_some(result.unexpected_keys)}")
    return found


# ---- data


def first_batch(loader: Iterable[Any]) -> Findings:
    """The first batch as the model gets it: numbers of doubtful types and ranges. Takes one batch of the loader.

    Raises:
        ValueError: the loader is empty.
    """
    with _random_kept():
        batch = next(iter(loader), None)
    if batch is None:
        raise ValueError("the loader gave no batch")
    found = Findings()
    for number, tensor in enumerate(_tensors(batch)):
        what = f"tensor {number} of the batch, {tuple(tensor.shape)}"
        if tensor.dtype == torch.float64:
            found.append(f"{what}, is float64, NumPy's default: .float() halves its memory and fits the weights")
        if tensor.dtype == torch.uint8:
            found.append(f"{what}, is uint8, in which 200 * 2 is 144: if these are pixels, .float() / 255 first")
        if tensor.is_floating_point() and tensor.numel():
            if not tensor.isfinite().all():
                found.append(f"{what}, holds nan or infinite values")
            elif tensor.ndim > 1 and tensor[0].numel() > 1 and tensor.min() == tensor.max():
                found.append(f"{what}, is {tensor.flatten()[0].item():g} everywhere")
            elif tensor.abs().max() > 100:
                found.append(f"{what}, goes from {tensor.min().item():g} to {tensor.max().item():g}: inputs are usually scaled to about -1 to 1")
    return found


def sample_stays(dataset: Any, index: int = 0) -> Findings:
    """The same sample, taken again with the same random numbers, is the same: an augmentation in place changes what is stored, more with every epoch.

    Takes the sample up to 13 times, with other random numbers in between, so that an augmentation which comes half of the time comes, too; one in place acts on
    what is stored as often. A dataset that holds a random generator of its own is named too.
    """

    def take(seed: int) -> Any:
        _seed(seed)
        return dataset[index]

    with _random_kept():
        first = copy.deepcopy(take(0))
        for other in range(6):
            take(other)
            if not _same(first, take(0)):
                return Findings(
                    [
                        f"sample {index} changes each time it is taken: an operation in place on what is stored (clone() it first), or a random generator of the dataset's own"
                    ]
                )
    return Findings()


def _columns(batch: Any) -> list[Any]:
    """What a batch is made of, in order: tensors, lists of texts or numbers, and single ones."""
    if isinstance(batch, Mapping):
        batch = list(batch.values())
    if isinstance(batch, (str, int, float)):
        return [batch]
    if not isinstance(batch, (tuple, list)):
        return _tensors(batch)
    if batch and all(isinstance(part, (str, int, float)) for part in batch):
        return [batch]
    return [column for part in batch for column in _columns(part)]


def _samples(batch: Any, single: bool) -> list[str]:
    """Each sample of a batch as one text, of all that it holds; the batch as one where its parts are not of one length, or it is a `single` sample."""
    columns = [column.tolist() if isinstance(column, Tensor) else column for column in _columns(batch)]
    if not columns:
        raise TypeError(f"no tensor, number or text in this {type(batch).__name__}: samples cannot be told apart")
    if single or not all(isinstance(column, (list, tuple)) for column in columns) or len(set(map(len, columns))) > 1:
        return [repr(columns)]
    return [repr(row) for row in zip(*columns, strict=True)]


def epochs(loader: Iterable[Any], shuffled: bool = True) -> Findings:
    """Two epochs of a loader, sample by sample. Goes through it twice: give it a small dataset.

    Finds samples that come more than once an epoch (each worker of an IterableDataset yields the whole stream), and an order or random numbers that are the same
    in every epoch (a sampler without set_epoch, a generator of its own inside the dataset). Random numbers that repeat beside different images, or in another
    order, look different here: `checks.augmentation` sees them.

    Args:
        shuffled: whether two epochs are to differ.

    Raises:
        ValueError: the loader is empty.
        TypeError: a batch holds no tensor, number or text to tell samples by.
    """
    single = getattr(loader, "batch_size", 0) is None and getattr(loader, "batch_sampler", None) is None
    with _random_kept():
        rounds = [[sample for batch in loader for sample in _samples(batch, single)] for _ in range(2)]
    if not rounds[0]:
        raise ValueError("the loader gave no batch")
    found = Findings()
    if len(set(rounds[0])) <= len(rounds[0]) / 2:
        found.append(
            f"{len(rounds[0])} samples come in an epoch, of which {len(set(rounds[0]))} are different: every worker yields all of them (split by get_worker_info()), or draws the same random numbers (a generator of its own in the dataset); sampling with replacement does it too"
        )
    elif shuffled and rounds[0] == rounds[1] and len(set(rounds[0])) > 5:  # fewer are in the same order by chance
        found.append(
            "two epochs are equal, sample by sample: shuffle=True is missing, sampler.set_epoch(epoch) is not called, or the dataset holds a random generator of its own"
        )
    return found


class _OneSample(torch.utils.data.Dataset[str]):
    """One sample of a dataset, again and again: the numbers of its tensors, each as one sum that depends on their order."""

    def __init__(self, dataset: Any, index: int, length: int):
        self.dataset, self.index, self.length = dataset, index, length

    def __len__(self) -> int:
        return self.length

    def __getitem__(self, _: int) -> str:
        tensors = [tensor.double().flatten() for tensor in _tensors(self.dataset[self.index])]
        if not tensors:
            raise TypeError("no tensor or array of numbers in a sample: nothing to compare")
        return repr([float(tensor @ torch.linspace(1, 2, len(tensor), dtype=torch.float64)) for tensor in tensors])


def augmentation(loader: Any, index: int = 0) -> Findings:
    """The random part of a sample differs from worker to worker and from epoch to epoch. Takes sample `index` 16 times in each worker, in two epochs.

    Starts workers as the loader does, with its `worker_init_fn` and generator. Nothing is found where the sample has no random part, and without workers, who
    alone get copies of the dataset.

    Raises:
        TypeError: the dataset is an IterableDataset, or its samples hold no numbers.
    """
    workers, generator = loader.num_workers, loader.generator
    if isinstance(loader.dataset, torch.utils.data.IterableDataset):
        raise TypeError("an IterableDataset cannot be asked for one sample: look at checks.epochs")
    if not workers:
        return Findings()
    state = generator.get_state() if generator is not None else None
    with _random_kept():
        one: Any = torch.utils.data.DataLoader(
            _OneSample(loader.dataset, index, 16 * workers),
            batch_size=None,
            num_workers=workers,
            worker_init_fn=loader.worker_init_fn,
            generator=generator,
            multiprocessing_context=loader.multiprocessing_context,
            persistent_workers=loader.persistent_workers,
        )
        first, second = list(one), list(one)
    if state is not None:
        generator.set_state(state)
    found = Findings()
    if len(set(first + second)) == 1:
        return found
    if first == second:
        found.append("each epoch draws the same random numbers: a generator that the dataset keeps, or a seed set in worker_init_fn that does not change")
    own = [tuple(first[worker::workers] + second[worker::workers]) for worker in range(workers)]
    if len(set(own)) < workers:
        found.append("several workers draw the same random numbers: a generator that the dataset keeps, or one seed for all workers in worker_init_fn")
    return found


def epoch_set(loader: Any, epoch: int) -> Findings:
    """At the first step of each epoch: the sampler was told its number. A DistributedSampler shuffles by `seed + epoch`, and its epoch stays 0 without `set_epoch`.

    A sampler with shuffle=False, as for validation, takes no notice of the epoch, and neither does the check.

    Raises:
        ValueError: no sampler of the loader has `set_epoch` and `epoch`: look at `checks.epochs` then.
    """
    batches = getattr(loader, "batch_sampler", None)
    for place, sampler in [
        ("sampler", getattr(loader, "sampler", None)),
        ("batch_sampler", batches),
        ("batch_sampler.sampler", getattr(batches, "sampler", None)),
    ]:
        if hasattr(sampler, "set_epoch") and isinstance(getattr(sampler, "epoch", None), int):
            if sampler.epoch == epoch or getattr(sampler, "shuffle", True) is False:
                return Findings()
            return Findings([f"epoch {epoch} is shuffled as epoch {sampler.epoch}: call loader.{place}.set_epoch({epoch}) before the loop over the batches"])
    raise ValueError("no sampler of this loader has set_epoch and epoch: compare two epochs with checks.epochs")


def batch_sizes(loader: Iterable[Any]) -> Findings:
    """A mean of the batches' means weighs the last, smaller batch too much. Goes through the loader once; the size is that of the first tensor or list in a batch.

    Raises:
        ValueError: the loader is empty, or a batch holds nothing that has a length.
    """
    with _random_kept():
        every = [
            [len(column) for column in _columns(batch) if isinstance(column, (list, tuple)) or (isinstance(column, Tensor) and column.ndim)] for batch in loader
        ]
    if not every or not all(every):
        raise ValueError("the loader gave no batch" if not every else "a batch holds no tensor or list that has a length: nothing to count")
    sizes = [lengths[0] for lengths in every]
    if len(set(sizes)) <= 1:
        return Findings()
    return Findings([f"batches hold {min(sizes)} to {max(sizes)} samples: weigh each batch's mean by its size, or sum and divide by {sum(sizes)}"])
