"""How the functions that raise or warn are given their message, file, line and function."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from .demangle import function_name
from .library import Library
from .machine_state import Imported, State, Value
from .template import HOLE, INT, Piece, Site, percent, template

#: Endings of the files whose names a check prints, and what their paths begin with in PyTorch's
#: tree.
SOURCES = (".cpp", ".cc", ".cxx", ".c", ".h", ".hpp", ".mm", ".cu", ".cuh")
TREE = re.compile(
    r"(?:^|/)("
    r"(?:build/|third_party/)?"
    r"(?:aten/src|c10|torch/csrc|torch/custom_class|torch/library|caffe2"
    r"|third_party|build|functorch)"
    r"[/_.].*)$"
)
#: Lines that a file may have.
LINES = 100_000


@dataclass(frozen=True)
class Call:
    """A call of a function that raises or warns.

    Attributes:
        address: of the instruction.
        name: the function's, demangled.
        state: when it is called.
    """

    library: Library
    address: int
    name: str
    state: State

    @property
    def kind(self) -> str:
        """Of a constructor, the class."""
        return self.name.partition("(")[0].rpartition("::")[2]

    def given(self, register: int) -> Value | None:
        return self.state.registers.get(register)


#: What a call prints: the file as in PyTorch's tree or "", and the rest.
Read = Callable[[Call], Iterator[tuple[str, Site]]]


def reader(name: str) -> Read | None:
    """How the arguments of a function are read, by its demangled name; None of one that neither
    raises nor warns."""
    head = name.partition("(")[0]
    if head == "c10::detail::torchCheckFail":
        return _check
    if head == "c10::detail::torchInternalAssertFail":
        return _assertion
    if head == "c10::Warning::Warning":
        return _warning
    if "::" in head and "SourceLocation" in name and head.endswith("Error"):
        return _exception
    if name.endswith("(char const*, ...)") and head.startswith("torch::"):
        return _formatted
    if head.startswith("std::runtime_error"):
        return _runtime_error
    if head.startswith(("_PyErr_", "PyErr_")):
        return _python_error
    return None


def path(file: str) -> str:
    """A file as PyTorch's tree has it."""
    match = TREE.search(file.replace("\\", "/"))
    return match[1] if match else ""


def _message(call: Call, register: int) -> list[Piece]:
    """A message that is handed over as a literal, or as the place of a string; [] where neither is
    known."""
    value, state = call.given(register), call.state
    literal = call.library.literal(value)
    if literal is not None:
        return [literal]
    if not isinstance(value, tuple):
        return []
    if pieces := state.strings.get(value):
        return pieces
    # GCC writes out what takes a stream's text: it is the string that was begun after all was
    # written.
    begun = state.begun.get(value)
    return begun if begun and len(state.streams) == 1 and begun in state.streams.values() else []


def _site(
    call: Call, location: tuple[Value | None, ...], pieces: list[Piece], kind: str
) -> Iterator[tuple[str, Site]]:
    """A message with its place.

    Args:
        location: function, file, line.
    """
    name, file, line = (
        call.library.literal(location[0]),
        call.library.literal(location[1]),
        location[2],
    )
    if name is None or not file or not file.endswith(SOURCES) or not path(file):
        return
    if isinstance(line, int) and 0 < line < LINES and pieces:
        yield path(file), Site(template(pieces), line, name, kind, "")


def _elsewhere(call: Call, pieces: list[Piece], kind: str) -> Iterator[tuple[str, Site]]:
    """A message whose file is not in the library: only the function that it is in."""
    if pieces:
        name = function_name(call.library.symbol(call.address))
        if "<" in name or " " in name:  # what a template or a lambda is called
            name = ""
        yield "", Site(template(pieces), -1, name, kind, "")


def _arguments(call: Call) -> tuple[Value | None, ...]:
    """The location, given one by one."""
    return call.given(0), call.given(1), call.given(2)


def _structure(call: Call, register: int) -> tuple[Value | None, ...]:
    """The location, given as a c10::SourceLocation."""
    place = call.given(register)
    if not isinstance(place, tuple):
        return None, None, None
    return tuple(call.state.stack.get((place[0], place[1] + offset)) for offset in (0, 8, 16))


def _check(call: Call) -> Iterator[tuple[str, Site]]:
    yield from _site(call, _arguments(call), _message(call, 3), "RuntimeError")


def _assertion(call: Call) -> Iterator[tuple[str, Site]]:
    printed = call.library.literal(call.given(3)) or ""
    condition, mark, _ = printed.partition(" INTERNAL ASSERT FAILED at ")
    if mark:
        pieces: list[Piece] = [f'{condition}{mark}"', HOLE, '":', INT]
        pieces += [", please report a bug to PyTorch. ", *_message(call, 4)]
        yield from _site(call, _arguments(call), pieces, "RuntimeError")


def _warning(call: Call) -> Iterator[tuple[str, Site]]:
    variant = call.given(1)  # which of its types stands in the upper half
    kinds = {0: "UserWarning", 1: "DeprecationWarning"}
    kind = kinds.get(variant >> 32, "") if isinstance(variant, int) else ""
    yield from _site(call, _structure(call, 2), _message(call, 3), kind)


def _exception(call: Call) -> Iterator[tuple[str, Site]]:
    kind = "" if call.kind == "Error" else call.kind
    yield from _site(call, _structure(call, 1), _message(call, 2), kind)


def _formatted(call: Call) -> Iterator[tuple[str, Site]]:
    yield from _elsewhere(call, percent(_message(call, 1)), call.kind)


def _runtime_error(call: Call) -> Iterator[tuple[str, Site]]:
    yield from _elsewhere(call, _message(call, 1), "RuntimeError")


def _python_error(call: Call) -> Iterator[tuple[str, Site]]:
    exception, pieces = call.given(0), _message(call, 1)
    kind = exception.symbol.partition("PyExc_")[2] if isinstance(exception, Imported) else ""
    yield from _elsewhere(call, percent(pieces) if "Format" in call.name else pieces, kind)
