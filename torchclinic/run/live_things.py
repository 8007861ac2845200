"""What is read of a tensor, a module, a loader or an optimizer when a program has died.

Nobody's code is run: types are compared exactly, attributes come from the instance's own
`__dict__`, never from a property, `__getattr__` or `repr` of a user's class. No values of tensors
are read, but the smallest and the largest of whole numbers where an index is at fault.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from types import GeneratorType
from typing import Any, NamedTuple

#: Things of a model, or variables of a frame, that are looked at.
THINGS = 2000
#: GPUs of one process.
GPUS = 16
#: Elements of an index whose ends are read.
ELEMENTS = 1_000_000
#: Kinds of things in a list.
KINDS = 8
#: Characters of a name, of a number.
NAME, NUMBER = 40, 60
#: Of a layer's own numbers, those that say what it takes.
NUMBERS = (
    *("in_features", "out_features", "in_channels", "out_channels", "kernel_size", "padding"),
    *("num_features", "num_embeddings", "embedding_dim", "normalized_shape", "input_size"),
    *("hidden_size", "num_layers", "batch_first", "bidirectional", "embed_dim", "num_heads"),
    *("track_running_stats", "num_groups"),
)
#: Where a module keeps what was registered.
HELD = ("_parameters", "_buffers", "_modules")


class Row(NamedTuple):
    """One line: a name, its roles, what is known of it."""

    name: str
    roles: list[str]
    phrases: list[str]


class Reader:
    """Makes rows of what torch, NumPy and Python made; nothing of what they did not.

    Args:
        of_index: is the error about the values of an index?
        of_values: is it about values that are no numbers, infinite, or out of a range?
    """

    def __init__(self, torch: Any, of_index: bool, of_values: bool = False) -> None:
        self.torch, self.of_index, self.of_values = torch, of_index, of_values
        nn = vars(torch).get("nn")
        self.module = getattr(nn, "Module", None)
        self.parameter = getattr(nn, "Parameter", torch.Tensor)

    def is_tensor(self, thing: Any) -> bool:
        return type(thing) in (self.torch.Tensor, self.parameter)

    def holds_tensors(self, thing: Any) -> bool:
        several = type(thing) in (list, tuple) and any(map(self.is_tensor, _parts(thing)))
        return several or self.is_tensor(thing)

    def is_computed(self, thing: Any) -> bool:
        return self.is_tensor(thing) and thing.grad_fn is not None

    def shape(self, thing: Any) -> str:
        """A tensor's sizes; what the thing is, for all else."""
        return _shape(thing.shape) if self.is_tensor(thing) else _class(thing)

    def is_parameter(self, thing: Any) -> bool:
        return type(thing) is self.parameter

    def is_module(self, thing: Any) -> bool:
        # of the type alone: a class may lie to isinstance()
        return self.module in type.__dict__["__mro__"].__get__(type(thing))

    def is_layer(self, thing: Any) -> bool:
        return self.is_module(thing) and _from(thing, "torch.nn.modules")

    def role(self, thing: Any) -> str:
        """`model`, `optimizer`, `loader` or `dataset`, of a variable; "" for all else."""
        if self.is_module(thing):
            return "model" if own(thing).get("_modules") or not self.is_layer(thing) else ""
        if _from(thing, "torch.optim") and "param_groups" in own(thing):
            return "optimizer"
        if not _from(thing, "torch.utils.data") or "dataset" not in own(thing):
            return ""
        return "loader" if "batch_size" in own(thing) else "dataset"

    def row(self, name: str, thing: Any, roles: list[str], since: list[str]) -> Row | None:
        try:
            phrases = list(self._phrases(thing))
        except Exception:  # a thing that refuses to be looked at
            return None
        return Row(name[:NAME], roles, phrases + since) if phrases else None

    def run(self) -> Iterator[str]:
        """The release, whether CUDA is up and what it holds, the rank."""
        yield str(self.torch.__version__)
        cuda = vars(self.torch).get("cuda")
        if cuda is not None and vars(cuda).get("_initialized"):
            yield "cuda"
            yield from self._memory()
        if os.environ.get("RANK", "").isdecimal():
            yield f"rank={os.environ['RANK']}"
        if not self.torch.is_grad_enabled():  # blocks of no_grad() have ended by now
            yield "gradients off"

    def _memory(self) -> Iterator[str]:
        """Of each GPU that was used: what tensors hold, and what PyTorch keeps for them.

        From PyTorch's own books, which a broken GPU leaves readable: nothing asks the driver.
        """
        books = vars(self.torch._C).get("_cuda_memoryStats")
        for index in range(GPUS if books else 0):
            try:
                told = books(index)
            except Exception:  # there is no such GPU
                return
            for kind in ("allocated", "reserved"):
                if held := told[f"{kind}_bytes"]["all"]["current"]:
                    yield f"cuda:{index}.{kind}={held / 2**30:.2f} GiB"

    def _phrases(self, thing: Any) -> Iterator[str]:
        kind = type(thing)
        if self.is_tensor(thing):
            yield from self._of_tensor(thing)
        elif self.is_module(thing):
            yield from self._of_module(thing)
        elif kind in (int, float, bool):
            yield f"{kind.__name__} {thing}"[:NAME]
        elif kind in (list, tuple, dict, OrderedDict):
            yield from self._of_several(kind, thing)
        elif _from(thing, "numpy") and kind.__name__ == "ndarray":
            yield f"{thing.dtype.name} {_shape(thing.shape)}"
            if thing.dtype.name == "object":
                yield from self._of_parts(thing.ravel()[:THINGS].tolist())
        elif kind is GeneratorType and thing.gi_frame is None:
            yield "generator"
            yield "used up"
        elif role := self.role(thing):
            yield kind.__name__
            yield from self._of_loader(thing) if role in ("loader", "dataset") else ()

    def _of_tensor(self, tensor: Any) -> Iterator[str]:
        yield _sized(tensor)
        yield tensor.device.type
        if self.is_parameter(tensor):
            yield "parameter"
        if tensor.requires_grad:
            yield "grad"
        if tensor.grad_fn is not None:
            yield "computed"
            yield f"grad_fn={_class(tensor.grad_fn)}"[:NUMBER]
        if tensor.layout is self.torch.strided and not tensor.is_contiguous():
            yield "not contiguous"
            yield f"strides={_shape(tensor.stride())}"
            if list(tensor.stride()) == sorted(tensor.stride(), reverse=True):
                yield "part of a larger one"
        whole = not (tensor.is_floating_point() or tensor.is_complex() or tensor.is_quantized)
        near = tensor.device.type == "cpu" and 0 < tensor.numel() <= ELEMENTS
        if self.of_index and whole and near and tensor.dtype is not self.torch.bool:
            ends = tensor.min(), tensor.max()
            yield from (f"min={int(ends[0])}", f"max={int(ends[1])}")
            if bool(((tensor == ends[0]) | (tensor == ends[1])).all()):
                yield "nothing between"
        if self.of_values and near and tensor.is_floating_point():
            if bool(self.torch.isnan(tensor).any()):
                yield "holds nan"
            if bool((tensor < 0).any()):
                yield "below 0"

    def _of_module(self, module: Any) -> Iterator[str]:
        its = own(module)
        yield type(module).__name__
        for name in NUMBERS:
            if type(its.get(name)) in (int, bool, str, tuple):
                yield f"{name}={its[name]}"[:NUMBER]
        weight = (its.get("_parameters") or {}).get("weight")
        if self.is_tensor(weight):
            yield f"weight={_sized(weight)}"
        yield from self._of_parameters(below := list(_below(module)))
        if not self.is_layer(module) and not any(_held(its, "_parameters") for its in below):
            yield "no parameters"
        yield "train" if its.get("training") else "eval"

    def _of_parameters(self, below: list[dict[str, Any]]) -> Iterator[str]:
        """Devices, dtypes, who is trained, and what was not registered, of a module and of those
        below it."""
        tensors = [t for its in below for t in _held(its, "_parameters") if self.is_tensor(t)]
        buffers = [t for its in below for t in _held(its, "_buffers") if self.is_tensor(t)]
        yield from sorted({tensor.device.type for tensor in tensors + buffers})
        for dtype in sorted({_dtype(tensor) for tensor in tensors}) if len(below) > 1 else ():
            yield f"parameters={dtype}"
        trained = [tensor.requires_grad for tensor in tensors]
        if any(trained):
            yield "trained"
        if not all(trained):
            yield "partly frozen" if any(trained) else "frozen"
        if len(below) > 1 and any(its.get("inplace") is True for its in below):
            yield "holds layers in place"
        if any(its.get("bidirectional") is True for its in below):
            yield "reads both ways"
        counts: list[Any] = [
            (its.get("_buffers") or {}).get("num_batches_tracked") for its in below
        ]
        if any(self.is_tensor(n) and n.device.type == "cpu" and int(n) > 1 for n in counts):
            yield "trained before"
        other = [thing for its in below for name, thing in its.items() if name not in HELD]
        if any(self.is_tensor(thing) and thing.grad_fn is not None for thing in other):
            yield "holds computed tensors"
        if any("weight_g" in (its.get("_parameters") or {}) for its in below):
            yield "weight_norm"
        lists = [thing for thing in other if type(thing) in (list, dict)]
        if any(self.is_module(part) for thing in lists for part in _parts(thing)):
            yield "holds layers in a list"

    def _of_several(self, kind: type, thing: Any) -> Iterator[str]:
        yield f"{kind.__name__} {len(thing)}"
        yield from self._of_parts(_parts(thing))

    def _of_parts(self, parts: list[Any]) -> Iterator[str]:
        for name in sorted({_class(part) for part in parts})[:KINDS]:
            yield f"holds {name}"[:NUMBER]
        if any(type(part) is dict and "param_groups" in part for part in parts):
            yield "holds the state of an optimizer"
        tensors = [part for part in parts if self.is_tensor(part)]
        if any(tensor.grad_fn is not None for tensor in tensors):
            yield "computed"
        if tensors:
            yield f"shapes={' '.join(sorted({_shape(tensor.shape) for tensor in tensors})[:4])}"
            if differ := _differ([tuple(tensor.shape) for tensor in tensors]):
                yield differ

    def _of_loader(self, loader: Any) -> Iterator[str]:
        its = own(loader)
        if type(its.get("batch_size")) is int:
            yield f"batch_size={its['batch_size']}"
        data: Any = its.get("dataset")
        tensors = own(data).get("tensors") if _from(data, "torch.utils.data") else None
        if type(data) in (list, tuple):
            yield from (f"gives={len(item)}" for item in data[:1] if type(item) in (list, tuple))
        elif self.is_tensor(data):
            yield "gives=1"
        elif type(tensors) is tuple and tensors and self.is_tensor(tensors[0]):
            yield f"gives={len(tensors)}"


def own(thing: Any) -> dict[str, Any]:
    """An instance's own attributes, past whatever its class does to them."""
    try:
        its = object.__getattribute__(thing, "__dict__")
    except Exception:
        return {}
    return its if type(its) is dict else {}


def in_class(thing: Any, name: str) -> Any:
    """What its class has under a name, as it is written there; None for nothing."""
    for kind in type.__dict__["__mro__"].__get__(type(thing)):
        if name in (held := written_in(kind)):
            return held[name]
    return None


def written_in(kind: type) -> Mapping[str, Any]:
    """What stands in the body of a class."""
    return type.__dict__["__dict__"].__get__(kind)  # type: ignore[no-any-return]


def registered(module: Any, before: str = "") -> Iterator[tuple[str, Any]]:
    """(name, tensor) of what a module's state_dict() holds, in its order."""
    its, passing = own(module), own(module).get("_non_persistent_buffers_set") or ()
    for held in HELD:
        for name, thing in (its.get(held) or {}).items():
            if held == "_modules":
                yield from registered(thing, f"{before}{name}.")
            elif thing is not None and name not in passing:
                yield before + name, thing


def _differ(shapes: list[tuple[int, ...]]) -> str:
    """`differ in dim N` of shapes that differ in this dimension alone; "" for all else."""
    if len({len(shape) for shape in shapes}) != 1:
        return ""
    unlike = [at for at, sizes in enumerate(zip(*shapes, strict=True)) if len(set(sizes)) > 1]
    return f"differ in dim {unlike[0]}" if len(unlike) == 1 else ""


def _class(thing: Any) -> str:
    return str(type.__dict__["__name__"].__get__(type(thing)))


def _from(thing: Any, package: str) -> bool:
    """Was its class made in this package? Of the type's own record, not of an attribute."""
    named = type.__dict__["__module__"].__get__(type(thing))
    return type(named) is str and (named + ".").startswith(package + ".")


def _below(module: Any) -> Iterator[dict[str, Any]]:
    """The own attributes of a module and of those below it, of THINGS at most."""
    waiting: list[Any] = [module]
    seen: set[int] = set()
    while waiting and len(seen) < THINGS:
        this = waiting.pop()
        if id(this) not in seen:
            seen.add(id(this))
            yield own(this)
            waiting += _held(own(this), "_modules")


def _held(its: dict[str, Any], name: str) -> list[Any]:
    held = its.get(name)
    return [thing for thing in held.values() if thing is not None] if type(held) is dict else []


def _parts(thing: Any) -> list[Any]:
    """Of a list, tuple or dictionary; of THINGS at most."""
    if type(thing) in (list, tuple):
        return list(thing[:THINGS])
    return [part for part, _ in zip(thing.values(), range(THINGS), strict=False)]


def _dtype(tensor: Any) -> str:
    return str(tensor.dtype).rpartition(".")[2]


def _shape(shape: Any) -> str:
    return f"[{', '.join(str(int(size)) for size in list(shape)[:12])}]"


def _sized(tensor: Any) -> str:
    return f"{_dtype(tensor)} {_shape(tensor.shape)}"
