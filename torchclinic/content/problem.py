"""A broken rule: where it is, what is wrong, and what to do about it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, order=True)
class Problem:
    """One broken rule.

    Attributes:
        file: path relative to the project's root.
        line: 1-based; 0 where the whole file is meant.
        message: what is wrong and what to do.
    """

    file: str
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.message}" if self.line else f"{self.file}: {self.message}"


class Problems(list[Problem]):
    """Collects problems, so that all of them are reported at once."""

    def __init__(self, root: Path):
        super().__init__()
        self.root = root

    def add(self, file: Path, line: int, message: str) -> None:
        name = file.relative_to(self.root).as_posix() if file.is_relative_to(self.root) else str(file)
        self.append(Problem(name, line, message))


class BadInput(Exception):
    """What was asked for cannot be done; the message says what to do."""
