"""What an exception and torch's own frames below the user's tell: the attribute that is missing,
the names in a checkpoint, the tensor that an optimizer refused. Read, never run, as all of it."""

from __future__ import annotations

import difflib
from collections import OrderedDict
from collections.abc import Iterator
from types import CodeType, FunctionType
from typing import Any

from .live_things import THINGS, Reader, Row, in_class, registered, written_in
from .live_tree import Step

#: A name that is as much like another one is that one, misspelt.
ALIKE = 0.75


def rows(reader: Reader, error: BaseException, inside: list[Step]) -> Iterator[tuple[Any, Row]]:
    """(thing, its row) for what the error itself is about.

    Args:
        inside: frames below the user's own, the innermost last.
    """
    if type(error) is AttributeError:
        yield from _missing(reader, error.name, error.obj)
    for step in inside[-1:]:
        code, names = step.frame.f_code, step.frame.f_locals
        file = code.co_filename.replace("\\", "/")
        if code.co_name == "load_state_dict" and "/torch/nn/" in file:
            yield from _keys(reader, names.get("self"), names.get("state_dict"))
        if code.co_name == "_forward_unimplemented":
            yield from _without_forward(reader, names.get("self"))
        if "/torch/optim/" in file and reader.is_tensor(names.get("param")):
            if row := reader.row("param", names["param"], ["refused"], []):
                yield names["param"], row


def _missing(reader: Reader, name: Any, thing: Any) -> Iterator[tuple[Any, Row]]:
    """A module that lacks an attribute: was it never set, or is it a property that failed?"""
    if type(name) is not str or not reader.is_module(thing):
        return
    phrases = ["property" if type(in_class(thing, name)) is property else "not set"]
    phrases += [] if reader.is_layer(thing) else ["own class"]
    if row := reader.row("object", thing, ["object"], phrases):
        yield thing, row


def _without_forward(reader: Reader, module: Any) -> Iterator[tuple[Any, Row]]:
    """A module without forward(): did it slip into another method, or is its name another?"""
    if not reader.is_module(module):
        return
    methods = {
        name: thing.__code__
        for name, thing in written_in(type(module)).items()
        if type(thing) is FunctionType
    }
    inner = [part for code in methods.values() for part in code.co_consts]
    phrases = []
    if any(type(part) is CodeType and part.co_name == "forward" for part in inner):
        phrases.append("forward() in another method")
    elif alike := difflib.get_close_matches("forward", methods, 1, ALIKE):
        phrases += ["forward() misspelt", f"method={alike[0]}"]
    if row := reader.row("object", module, ["object"], phrases):
        yield module, row


def _keys(reader: Reader, module: Any, state: Any) -> Iterator[tuple[Any, Row]]:
    """How the names in a checkpoint differ from those of the model."""
    if not reader.is_module(module) or type(state) not in (dict, OrderedDict):
        return
    if not 0 < len(state) <= THINGS or not all(type(key) is str for key in state):
        return
    ours = {name: reader.shape(tensor) for name, tensor in registered(module)}
    theirs = {name: reader.shape(tensor) for name, tensor in state.items()}
    phrases = [f"dict {len(theirs)}"]
    if not ours or ours.keys() == theirs.keys():
        pass
    elif _with_prefix(theirs, ours):
        phrases.append("names with a prefix")
    elif _with_prefix(ours, theirs):
        phrases.append("names without a prefix")
    elif list(ours.values()) == list(theirs.values()):
        phrases.append("other names of the same shapes")
    yield state, Row("state_dict", ["state_dict"], phrases)


def _with_prefix(longer: dict[str, str], shorter: dict[str, str]) -> bool:
    """Are the names of one those of the other, behind one prefix?"""
    first, other = next(iter(longer)), next(iter(shorter))
    prefix = first.removesuffix(other)
    return first.endswith("." + other) and longer.keys() == {prefix + name for name in shorter}
