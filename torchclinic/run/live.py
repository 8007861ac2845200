"""What a program knew when it died: shapes, dtypes, devices, modes of what the failing line uses.

A few lines of text in one form, which `find/live` reads below a traceback:

    What the program knew:
      self.fc  layer       Linear; in_features=1176; out_features=10; weight=float32 [10, 1176]; cpu
      x        left,input  float32 [8, 864]; cpu; grad

a name as the reader's line has it, its roles, and phrases. They are gathered when an exception has
ended the program, without importing torch and without running anybody's code. `live_things` says
what is read of a tensor or a module, `live_source` what the reader's own source says.
"""

from __future__ import annotations

import sys
from collections import OrderedDict
from collections.abc import Callable, Iterator
from itertools import chain
from types import TracebackType
from typing import Any

from ..find.live import HEAD
from . import live_error
from .live_source import Place, around, gives, goes_into_backward, through
from .live_things import THINGS, Reader, Row, own, registered
from .live_tree import Step

#: Characters of all lines, and rows.
LONGEST, ROWS = 2000, 10
#: Variables that are shown where the line itself does not say what was computed.
LOCALS = 5
#: Frames of the user's own code that are read, innermost first.
FRAMES = 4
#: Words of an error that is about the values of an index.
OF_INDEX = ("index", "out of range", "out of bounds", "Target")
#: Words of an error that is about values which are no numbers, or out of a range.
OF_VALUES = ("inf", "nan", "between 0 and 1", "to satisfy the constraint")
#: The roles of what the failing expression takes, in its order.
PLACES = ("left", "right", "third", "fourth")
#: Calls of which the line tells little: what they compute was made before.
LATER = ("backward", "step")


def gather(error: BaseException, is_users: Callable[[str], bool]) -> str:
    """The lines for an exception that has just ended a program or a cell.

    Args:
        is_users: is a file the user's own code?

    Returns:
        lines that end in a line end; "" without torch, and where nothing is known.
    """
    try:
        return text_of(_gathered(error, is_users))
    except Exception:  # the reader's own error is what counts
        return ""


def text_of(rows: list[Row]) -> str:
    """The rows as lines with aligned columns, as many as LONGEST takes."""
    shown = [(row.name, ",".join(row.roles) or "-", "; ".join(row.phrases)) for row in rows]
    if not shown:
        return ""
    name, roles = (max(len(row[at]) for row in shown) for at in (0, 1))
    text = HEAD + "\n"
    for row in shown:
        line = f"  {row[0]:{name}}  {row[1]:{roles}}  {row[2]}"
        if len(text) + len(line) < LONGEST:
            text += line.rstrip() + "\n"
    return text


def _gathered(error: BaseException, is_users: Callable[[str], bool]) -> list[Row]:
    torch = sys.modules.get("torch")
    if torch is None or not isinstance(vars(torch).get("Tensor"), type):
        return []
    steps = list(_steps(error.__traceback__))
    users = [at for at, step in enumerate(steps) if is_users(step.frame.f_code.co_filename)]
    if not users:
        return []
    said = str(error.args[:1])
    about = (any(word in said for word in words) for words in (OF_INDEX, OF_VALUES))
    reader = Reader(torch, *about)
    mine = [steps[at] for at in users[::-1][:FRAMES]]
    inside = steps[users[-1] + 1 :]
    told = chain(live_error.rows(reader, error, inside), _rows(reader, mine, inside))
    return _merged(told)[:ROWS]


def _steps(trace: TracebackType | None) -> Iterator[Step]:
    while trace is not None:
        yield Step(trace.tb_frame, trace.tb_lineno, trace.tb_lasti)
        trace = trace.tb_next


def _merged(things: Iterator[tuple[Any, Row]]) -> list[Row]:
    """One row for each thing, with all its roles, under the name that came first."""
    rows: dict[int, Row] = {}
    kept = []  # what is still referred to keeps its id
    for thing, row in things:
        kept.append(thing)
        known = rows.setdefault(id(thing), row)
        if known is not row:
            known.roles.extend(role for role in row.roles if role not in known.roles)
            known.phrases.extend(text for text in row.phrases if text not in known.phrases)
    return list(rows.values())


def _rows(reader: Reader, mine: list[Step], inside: list[Step]) -> Iterator[tuple[Any, Row]]:
    """What is known, what matters most first: (thing, its row).

    Args:
        mine: frames of the user's own code, innermost first.
        inside: the frames below them.
    """
    place, places, computed, first = Place(mine[0]), iter(PLACES), False, ""
    for name, thing in place.operands():
        computed = computed or (reader.is_tensor(thing) and not place.calls(*LATER))
        kept = reader.is_module(thing) or reader.role(thing)
        told = place.since(name) if not kept else through(thing) if place.hands_to(name) else []
        if row := reader.row(name, thing, [], told):
            row.roles.extend([] if kept else [next(places, "value")])
            if first and place.made_after(name, first):
                row.phrases.append("made after the left")
            first = first or name
            yield thing, row
    for name, thing, role in _of_torch(reader, inside):
        if row := reader.row(name, thing, [role], []):
            yield thing, row
    seen: set[str] = set()
    optimizers: set[int] = set()
    for step in mine:
        for name, thing in list(step.frame.f_locals.items())[:THINGS]:
            role = reader.role(thing)
            optimizers |= {id(thing)} if role == "optimizer" else set()
            if role and role not in seen and not name.startswith("_"):
                seen.add(role)
                told = gives(own(thing).get("dataset")) if role == "loader" else []
                if row := reader.row(name, thing, [role], told):
                    yield thing, row
    several = ["several optimizers"] if len(optimizers) > 1 else []
    several += ["has the saved names"] if _same_names(mine[0].frame.f_locals) else []
    several += ["goes into backward"] if goes_into_backward(mine, place) else []
    several += ["calls itself by another name"] if place.is_itself() else []
    yield place, Row("torch", ["run"], [*reader.run(), *around(mine), *several])
    values = list(mine[0].frame.f_locals.items())[:THINGS]
    held = [] if computed else [item for item in values if reader.holds_tensors(item[1])]
    held.sort(key=lambda item: not reader.is_computed(item[1]))  # of these a gradient may fail
    for name, thing in held[:LOCALS]:
        if row := reader.row(name, thing, ["local"], place.since(name)):
            yield thing, row


def _same_names(names: dict[str, Any]) -> bool:
    """Does a checkpoint in a frame hold the names of a model in it?"""
    values = list(names.values())[:THINGS]
    held = [part for value in values if type(value) is dict for part in value.values()]
    states = [set(part.keys()) for part in held if type(part) in (dict, OrderedDict)]
    models = [
        {name for name, _ in registered(value)} for value in values if "_modules" in own(value)
    ]
    return bool(models) and all(model and model in states for model in models)


def _of_torch(reader: Reader, inside: list[Step]) -> Iterator[tuple[str, Any, str]]:
    """The layer of torch.nn that failed, and the arguments of the innermost function of torch.nn:
    (name, thing, role)."""
    selves = [step.frame.f_locals.get("self") for step in inside]
    if layers := [thing for thing in selves if reader.is_layer(thing)]:
        yield "layer", layers[-1], "layer"
    frames = [step.frame for step in inside if "_call" not in step.frame.f_code.co_name]
    of_nn = [frame for frame in frames if "/torch/nn/" in _slashed(frame.f_code.co_filename)]
    for frame in of_nn[-1:]:
        for name in frame.f_code.co_varnames[: frame.f_code.co_argcount]:
            thing = frame.f_locals.get(name)
            if reader.is_tensor(thing) and not reader.is_parameter(thing):
                yield name, thing, name
    for frame in frames[:1]:
        thing = frame.f_locals.get("module")
        if "/nn/parallel/" in _slashed(frame.f_code.co_filename) and reader.is_module(thing):
            yield "module", thing, "wrapped"


def _slashed(file: str) -> str:
    return file.replace("\\", "/")
