"""What all checks share: their findings, what they put back, and tensors in values of any form."""

from __future__ import annotations

import contextlib
import random
import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import torch
from torch import Tensor, nn

#: Names or numbers that one finding spells out.
NAMED = 5


class Findings(list[str]):
    """Sentences, one a finding. Empty is good: `assert not checks.eval_mode(model)`."""

    def __str__(self) -> str:
        return "\n".join(f"- {finding}" for finding in self) or "nothing found"


def finding(sentence: str) -> Findings:
    return Findings([sentence])


def about(names: list[Any], sentence: str) -> Findings:
    """One finding with the names in the place of {}; none where there are no names."""
    return finding(sentence.replace("{}", some(names), 1)) if names else Findings()


def some(names: Iterable[Any]) -> str:
    every = list(map(str, names))
    more = f" and {len(every) - NAMED} more" if len(every) > NAMED else ""
    return ", ".join(every[:NAMED]) + more


@contextlib.contextmanager
def random_kept() -> Iterator[None]:
    """The state of random numbers, put back at the end: of Python, of NumPy (where it is loaded),
    of torch (CPU, and CUDA once it is in use)."""
    numpy = sys.modules.get("numpy")
    python, cpu = random.getstate(), torch.get_rng_state()
    numbers = numpy.random.get_state() if numpy else None
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


def seed(number: int) -> None:
    random.seed(number)
    # torch.manual_seed would also seed a GPU that is not in use yet, which cannot be put back
    torch.default_generator.manual_seed(number)
    if torch.cuda.is_initialized():
        torch.cuda.manual_seed_all(number)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(number)


@contextlib.contextmanager
def model_kept(model: nn.Module) -> Iterator[None]:
    """Weights, buffers, gradients, modes and random numbers, put back at the end.

    Costs one copy of the model's tensors.
    """
    tensors = [*model.parameters(), *model.buffers()]
    values = [tensor.detach().clone() for tensor in tensors]
    # a forward pass may put another tensor in a buffer's place
    buffers = [(module, dict(module._buffers)) for module in model.modules()]
    gradients = [(parameter, parameter.grad) for parameter in model.parameters()]
    modes = [(module, module.training) for module in model.modules()]
    with random_kept():
        try:
            for parameter, _ in gradients:
                parameter.grad = None
            yield
        finally:
            for tensor, value in zip(tensors, values, strict=True):
                tensor.data.copy_(value)  # .data: a graph that you still hold can go backward
            for module, before in buffers:
                module._buffers.clear()
                module._buffers.update(before)
            for parameter, gradient in gradients:
                parameter.grad = gradient
            for module, training in modes:
                module.training = training


def call(model: nn.Module, batch: Any) -> Any:
    """A batch as loops give it: a mapping as keywords, a tuple as arguments, else one argument."""
    if isinstance(batch, Mapping):
        return model(**batch)
    return model(*batch) if isinstance(batch, (tuple, list)) else model(batch)


def is_array(value: Any) -> bool:
    return "numpy" in sys.modules and isinstance(value, sys.modules["numpy"].ndarray)


def tensors_in(value: Any) -> list[Tensor]:
    """The tensors in an output, a batch or a sample, in order; arrays of numbers as tensors."""
    if isinstance(value, Tensor):
        return [value]
    if is_array(value):
        numbers = value.dtype.kind in "bif" or value.dtype.name == "uint8"
        return [torch.from_numpy(value.copy())] if numbers else []
    if isinstance(value, Mapping):
        value = value.values()
    elif not isinstance(value, (tuple, list)):
        return []
    return [tensor for part in value for tensor in tensors_in(part)]


def same(first: Any, second: Any, rounded: bool = False) -> bool:
    """Equal tensors in the same places; a nan equals a nan.

    Args:
        rounded: up to the order in which a GPU adds.

    Raises:
        TypeError: there is no tensor to compare.
    """
    ours, theirs = tensors_in(first), tensors_in(second)
    if not ours and not theirs:
        kind = type(first).__name__
        raise TypeError(f"no tensor or array of numbers in this {kind}: nothing to compare")
    return len(ours) == len(theirs) and all(
        left.shape == right.shape and _close(left, right, rounded)
        for left, right in zip(ours, theirs, strict=True)
    )


def _close(left: Tensor, right: Tensor, rounded: bool) -> bool:
    if not (left.is_floating_point() or left.is_complex()):
        return torch.equal(left, right)
    # of the largest value; float32: 3e-5, bfloat16: 9e-3
    digits = torch.finfo(left.dtype).eps ** 0.5 / 10 if rounded else 0.0
    largest = float(left.abs().nan_to_num(0, posinf=0, neginf=0).max()) if left.numel() else 0.0
    return torch.allclose(left, right, rtol=0, atol=digits * largest, equal_nan=True)
