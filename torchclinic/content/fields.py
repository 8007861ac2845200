"""Fields that people write in YAML, declared once: a dataclass says what a mapping may hold.

    @dataclass
    class Row:
        see: str = declared(text, needed="say what the reader sees")
        tags: list[str] = declared(texts, [])

`read` makes a Row of what YAML has read, and reports what does not fit with file, line and what to
do. A shape takes the value, the name of its field and its place, and gives the value as it is
used; where it raises ValueError, the message is reported and the field keeps its default.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from .problem import Problems, line_of

T = TypeVar("T")


@dataclass(frozen=True)
class Place:
    """Where a mapping stands, for reports.

    Attributes:
        text: of the file.
        what: what each message begins with.
        line: of all that is reported; 0 where each field has a line of its own.
    """

    file: Path
    text: str
    problems: Problems
    what: str = ""
    line: int = 0

    def add(self, word: str, message: str) -> None:
        """Report at the first line that holds a word."""
        line = self.line or line_of(self.text, word)
        self.problems.add(self.file, line, f"{self.what}{message}")

    def at(self, line: int, message: str) -> None:
        """Report at a line."""
        self.problems.add(self.file, line, message)

    def within(self, what: str, word: str) -> Place:
        """The place of an entry of this mapping."""
        return dataclasses.replace(self, what=what, line=line_of(self.text, word))


Shape = Callable[[Any, str, Place], Any]


def declared(shape: Shape, default: Any = "", *, key: str = "", needed: str = "") -> Any:
    """A field of a dataclass that `read` makes.

    Args:
        key: its name in YAML, where that is no name of Python.
        needed: what is reported where it is missing or empty; "" where it may be.
    """
    rule = {"shape": shape, "key": key, "needed": needed}
    if isinstance(default, (list, dict)):
        return dataclasses.field(default_factory=default.copy, metadata=rule)
    return dataclasses.field(default=default, metadata=rule)


def read(
    kind: type[T],
    written: Mapping[str, Any],
    place: Place,
    of: str = "",
    known: Collection[str] = (),
) -> T:
    """A dataclass of declared fields from its mapping.

    Args:
        of: whose fields these are, for the report of one that is unknown.
        known: the fields that may be written here, where not all may.
    """
    entries = dataclasses.fields(kind)  # type: ignore[arg-type]
    table = {entry.metadata["key"] or entry.name: entry for entry in entries}
    table = {name: entry for name, entry in table.items() if not known or name in known}
    for name in written:
        if name not in table:
            names = ", ".join(sorted(table))
            place.add(f"{name}:", f"unknown field `{name}`{of}; known are {names}")
    values = {}
    for name, entry in table.items():
        value = written.get(name)
        if value is None or value in ("", [], {}):
            if needed := entry.metadata["needed"]:
                place.add(f"{name}:", needed)
            continue
        try:
            values[entry.name] = entry.metadata["shape"](value, name, place)
        except ValueError as error:
            place.add(f"{name}:", str(error))
    return kind(**values)


# ---- shapes


def text(value: Any, name: str, place: Place) -> str:
    """A text; a number is taken as it is written."""
    if isinstance(value, (list, dict)) or not str(value).strip():
        raise ValueError(f"`{name}` is a text")
    return str(value)


def texts(value: Any, name: str, place: Place) -> list[str]:
    """A list of texts, or a single one."""
    if isinstance(value, dict):
        raise ValueError(f"`{name}` is a list of texts: `{name}: [one, another]`")
    return [str(item) for item in value] if isinstance(value, list) else [str(value)]


def table(value: Any, name: str, place: Place) -> dict[str, str]:
    """Texts by name; an entry that is none is reported, and left out."""
    if not isinstance(value, dict):
        raise ValueError(f"`{name}` maps texts to texts")
    kept = {}
    for key, item in value.items():
        if isinstance(key, str) and isinstance(item, str) and item.strip():
            kept[key] = item.strip("\n")
        else:
            how = "quote what YAML reads as another thing"
            place.add(f"{key}:", f"`{name}` maps texts to texts, not {key!r} to {item!r}: {how}")
    return kept


def mapping(value: Any, name: str, place: Place) -> dict[str, Any]:
    """Entries by name, each read on its own."""
    if not isinstance(value, dict):
        raise ValueError(f"`{name}` is a mapping of names to what stands below them")
    return {str(key): item for key, item in value.items()}


def flag(value: Any, name: str, place: Place) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"`{name}` is true or false")
    return value


def seconds(value: Any, name: str, place: Place) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise ValueError(f"{name} is a number of seconds") from None


def anything(value: Any, name: str, place: Place) -> Any:
    return value


def one_of(choices: tuple[str, ...], says: str) -> Shape:
    """One of some words; `says` is what is reported otherwise."""

    def shape(value: Any, name: str, place: Place) -> str:
        if value not in choices:
            raise ValueError(says)
        return str(value)

    return shape
