"""What comes out of a model, and what a loss makes of it."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from .common import NAMED, Findings, finding, random_kept, same, seed, some, tensors_in


def logits(output: Tensor, dim: int = -1) -> Findings:
    """What goes into a cross entropy: raw scores. `nn.CrossEntropyLoss` takes the softmax itself;
    after a second one the loss cannot come near zero."""
    if not (output.is_floating_point() and output.numel() and output.min() >= 0):
        return Findings()
    if not _sums_to_one(output, dim):
        return Findings()
    return finding(
        "these are probabilities: every row sums to 1. Take the softmax out of the model, or "
        "use nn.NLLLoss on log_softmax"
    )


def _sums_to_one(output: Tensor, dim: int) -> bool:
    """Up to what probabilities of this dtype are rounded to: 8e-3 in bfloat16, where 1e-3 would
    find fault with a sound softmax."""
    sums = output.float().sum(dim)
    rounding = torch.finfo(output.dtype).eps if output.is_floating_point() else 0
    return torch.allclose(sums, torch.ones_like(sums), rtol=0, atol=max(1e-3, rounding))


def probabilities(output: Tensor, dim: int = -1) -> Findings:
    """Probabilities over the classes, which stand in dimension `dim`: each row sums to 1. A softmax
    over another dimension normalises over the batch."""
    if _sums_to_one(output, dim):
        return Findings()
    sums = output.float().sum(dim).flatten()[:NAMED].tolist()
    other = next((at for at in range(output.ndim) if _sums_to_one(output, at)), None)
    told = (
        "" if other is None else f"; over dimension {other} they do: softmax(dim={dim}) is wanted"
    )
    return finding(
        f"the sums over dimension {dim} are {some(f'{value:.2f}' for value in sums)}, not 1{told}"
    )


def same_shape(prediction: Tensor, target: Tensor) -> Findings:
    """Before a loss or an accuracy that takes them element by element: (N, 1) against (N,) is
    broadcast to N x N, and trains on every pair.

    Not for a cross entropy, which takes (N, classes) against (N,).
    """
    if prediction.shape == target.shape:
        return Findings()
    shapes = f"the shapes {tuple(prediction.shape)} and {tuple(target.shape)}"
    try:
        both = torch.broadcast_shapes(prediction.shape, target.shape)
    except RuntimeError:
        return finding(f"{shapes} do not fit at all")
    if 0 in (prediction.ndim, target.ndim):
        cure = "one number against all: was a dim left out, as in argmax(dim=1)?"
    elif prediction.ndim == target.ndim:
        cure = "make them equal"
    else:
        cure = "make them equal, with squeeze(1) or unsqueeze(1)"
    return finding(f"{shapes} are broadcast to {tuple(both)}: {cure}")


def initial_loss(loss: float | Tensor, classes: int, tolerance: float = 0.3) -> Findings:
    """The first cross entropy of an untrained classifier is about log(classes): all classes are as
    likely."""
    value, wanted = float(torch.as_tensor(loss).detach()), float(torch.tensor(float(classes)).log())
    if abs(value - wanted) <= tolerance * wanted:
        return Findings()
    return finding(
        f"the first loss is {value:.3g}; chance on {classes} classes is {wanted:.3g}: look at "
        "the last layer's scale, the labels, and how the loss is averaged"
    )


def permutes(
    rearrange: Callable[[Tensor], Tensor], shape: tuple[int, ...], dims: tuple[int, ...]
) -> Findings:
    """Does your function, given a tensor of this shape, bring its dimensions into this order?
    `view` and `reshape` give the right shape and scramble what is in it.

    The function only moves values: it is given whole numbers, and what it divides or normalises is
    found to be at the wrong place.
    """
    counted = torch.arange(torch.Size(shape).numel()).reshape(shape)
    moved, wanted = rearrange(counted), counted.permute(dims)
    if moved.shape != wanted.shape:
        gives = f"gives the shape {tuple(moved.shape)}"
        return finding(f"{gives}; permute{tuple(dims)} gives {tuple(wanted.shape)}")
    if torch.equal(moved, wanted):
        return Findings()
    return finding(
        "the shape is right and the values are not where they belong: use permute or "
        "transpose, not view or reshape"
    )


def ignores_padding(encode: Callable[[Tensor], Tensor], inputs: Tensor, keep: Tensor) -> Findings:
    """What stands at padded places must not change the output at the others. Calls
    `encode(inputs)` twice, with other values at the padded places.

    Args:
        encode: your model or a part of it in evaluation mode, with its mask bound: not made inside
            from the numbers of the tokens, which this check changes. Its output is (batch, length,
            ...), of which the kept places are compared, or (batch, ...), which is compared whole.
            Of a tuple or mapping, the first tensor counts.
        inputs: token numbers or features, (batch, length, ...).
        keep: True or 1 at the places that count, (batch, length).
            `scaled_dot_product_attention` takes True as "look here", `nn.MultiheadAttention` as
            "leave out".

    Raises:
        ValueError: `keep` holds something else than 0 and 1, or one of them only, so there is
            nothing to compare.
        TypeError: `encode` returns no tensor.
    """
    if not ((keep == 0) | (keep == 1)).all():
        raise ValueError("keep is no mask of True and False: give True at the places that count")
    keep = keep.bool()
    if keep.all() or not keep.any():
        raise ValueError(
            "keep is the same everywhere: give it a batch with padding, True at the places that "
            "count"
        )
    other, kept = inputs.clone(), inputs[keep]
    with torch.no_grad(), random_kept():
        if inputs.is_floating_point():  # noise: a LayerNorm takes a constant or a factor out
            seed(1)
            other[~keep] += torch.randn_like(other[~keep])
        else:  # other numbers that occur, so that an embedding has them
            other[~keep] = torch.where(inputs[~keep] == kept.max(), kept.min(), kept.max())
        seed(0)
        first = next(iter(tensors_in(encode(inputs))), None)
        seed(0)
        second = next(iter(tensors_in(encode(other))), None)
    if first is None or second is None:
        raise TypeError("encode returns no tensor")
    if first.shape[:2] == keep.shape:
        first, second = first[keep], second[keep]
    if same(first, second, rounded=True):
        return Findings()
    return finding(
        "padding changes the result: the mask is missing, inverted (True means keep here and "
        "drop there), or a mean is taken over all places. Sound only if encode makes its mask "
        "from the numbers in inputs, which were changed: make it before"
    )
