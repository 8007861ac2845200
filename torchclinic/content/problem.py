"""A broken rule: where it is, what is wrong, and what to do about it."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple


class Problem(NamedTuple):
    """One broken rule.

    Attributes:
        file: path relative to the project's root.
        line: 1-based; 0 where the whole file is meant.
        message: what is wrong and what to do.
        stops: nothing of the file is run until it is mended.
    """

    file: str
    line: int
    message: str
    stops: bool = False

    def __str__(self) -> str:
        line = f":{self.line}" if self.line else ""
        return f"{self.file}{line}: {self.message}"


class Problems(list[Problem]):
    """Collects problems, so that all of them are reported at once."""

    def __init__(self, root: Path):
        super().__init__()
        self.root = root

    def add(self, file: Path, line: int, message: str) -> None:
        inside = file.is_relative_to(self.root)
        name = file.relative_to(self.root).as_posix() if inside else str(file)
        self.append(Problem(name, line, message))


class BadInput(Exception):
    """What was asked for cannot be done; the message says what to do."""


def line_of(text: str, word: str) -> int:
    """The first line, from 1, that holds a word; 1 where none does."""
    return next((number for number, line in enumerate(text.splitlines(), 1) if word in line), 1)


def line_beginning(text: str, *starts: str) -> int:
    """The first line, from 1, that begins with one of these; 1 where none does."""
    lines = enumerate(text.splitlines(), 1)
    return next((number for number, line in lines if line.startswith(starts)), 1)
