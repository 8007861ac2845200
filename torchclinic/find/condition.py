"""Conditions: what a paste must say for a row of a page's table of causes to be the reader's. docs/assets/condition.js is the twin.

content/condition.py describes how they are written, and makes the nested lists that are read here. Whatever cannot be known (a value that was not read,
that is no number, is too large, is divided by nothing) makes a comparison neither true nor false, and a condition that is not true decides nothing.
Numbers are IEEE doubles in both twins. There is no regular expression, and no loop but over what was pasted, once for each text that is sought.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from .clean import printed_type, strip_prefix

Tree = list[Any]

#: Sizes of one shape that are read.
SIZES = 64
#: One of these stands in a line that names a place of a traceback: Python's, IPython's, an older IPython's.
_PLACES = ('File "', "File ~", "File /", "Cell In", "-->", ".py in ")
_UNITS = {"": 0, "b": 0, "byte": 0, "bytes": 0, "k": 1, "kb": 1, "kib": 1, "m": 2, "mb": 2, "mib": 2, "g": 3, "gb": 3, "gib": 3, "t": 4, "tb": 4, "tib": 4}


class Paste:
    """What conditions read of one hit: its values, and the whole text."""

    def __init__(self, clean: str, values: dict[str, str], every: dict[str, list[str]], stems: set[str]) -> None:
        """
        Args:
            clean: the paste, cleaned.
            values: of the hit.
            every: for each name, all of its values in the paste, in order.
            stems: of all hits.
        """
        self.clean, self.values, self.every, self.stems = clean, values, every, stems
        self._frames: str | None = None
        self._said: dict[str, bool] = {}

    @property
    def frames(self) -> str:
        """The lines of tracebacks that name a place, each with the line of code below it."""
        if self._frames is None:
            starts: set[int] = set()
            for mark in _PLACES:
                at = self.clean.find(mark)
                while at >= 0:
                    starts.add(self.clean.rfind("\n", 0, at) + 1)
                    end = self.clean.find("\n", at)
                    at = self.clean.find(mark, end) if end >= 0 else -1
            found: dict[int, str] = {}  # by where a line begins
            for start in sorted(starts):
                line = self._line(start)
                text = strip_prefix(line)
                if text.startswith(("File ", "Cell In", "--")) or ".py in " in text:
                    found[start] = line
                    below = start + len(line) + 1
                    if below <= len(self.clean) and below not in starts and not printed_type(strip_prefix(line := self._line(below))):
                        found[below] = line
            self._frames = "\n".join(found.values())
        return self._frames

    def _line(self, start: int) -> str:
        end = self.clean.find("\n", start)
        return self.clean[start : end if end >= 0 else len(self.clean)]

    def says(self, text: str) -> bool:
        """Does this text stand in the paste?"""
        if text not in self._said:
            self._said[text] = text in self.clean
        return self._said[text]


def holds(tree: Tree, paste: Paste) -> bool | None:
    """Is it so? None where the paste does not hold what would be needed to know."""
    kind = tree[0]
    if kind in ("and", "or"):
        unknown = False
        for part in tree[1:]:
            made = holds(part, paste)
            if made is (kind == "or"):
                return made
            unknown = unknown or made is None
        return None if unknown else kind == "and"
    if kind == "not":
        made = holds(tree[1], paste)
        return None if made is None else not made
    if kind == "paste":
        return any(map(paste.says, tree[1:]))
    if kind == "frames":
        return any(text in paste.frames for text in tree[1:])
    if kind == "also":
        return any(stem in paste.stems for stem in tree[1:])
    if kind == "read":
        return tree[1] in paste.values
    if kind == "begins":
        value = paste.values.get(tree[1])
        return None if value is None else value.startswith(tuple(tree[2:]))
    if kind == "square":
        number = _number(tree[1], paste)
        root = 0.0 if number is None or number < 1 else float(math.floor(math.sqrt(number) + 0.5))
        return None if number is None else number >= 1 and root * root == number  # of doubles, as in JavaScript
    if kind == "in":
        made = [_compare("==", tree[1], literal, paste) for literal in tree[2:]]
        return True if True in made else None if None in made else False
    return _compare(kind, tree[1], tree[2], paste)


def _compare(op: str, one: Any, other: Any, paste: Paste) -> bool | None:
    if _is_sizes(one) and _is_sizes(other):
        a, b = _sizes(one, paste), _sizes(other, paste)
        return None if a is None or b is None or op not in ("==", "!=") else (a == b) is (op == "==")
    if op in ("==", "!="):
        a, b = _either(one, paste), _either(other, paste)
        if a is None or b is None:
            return None
        if isinstance(a, float) is not isinstance(b, float):
            # A number beside a text: two values are compared as they were printed; a literal that is no number is another.
            a, b = (paste.values[side[1]] if isinstance(side, list) and side[0] == "hole" else value for side, value in ((one, a), (other, b)))
            if isinstance(a, float) is not isinstance(b, float):
                return None
        return (a == b) is (op == "==")
    a, b = _number(one, paste), _number(other, paste)
    if a is None or b is None:
        return None
    return {"<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}[op]


def _either(part: Any, paste: Paste) -> float | str | None:
    """A number if it is one, else a text."""
    if isinstance(part, list) and part[0] == "text":
        return part[1]
    if isinstance(part, list) and part[0] == "hole":
        value = paste.values.get(part[1])
        number = None if value is None else number_of(value)
        return value if number is None else number
    return _number(part, paste)


def _is_sizes(part: Any) -> bool:
    return isinstance(part, list) and part[0] in ("sizes", "slice")


def _number(part: Any, paste: Paste) -> float | None:
    if not isinstance(part, list):
        return float(part)
    kind = part[0]
    if kind in ("hole", "bytes"):
        value = paste.values.get(part[1])
        return None if value is None else number_of(value) if kind == "hole" else bytes_of(value)
    if kind in ("count", "kinds"):
        every = paste.every.get(part[1], [])
        return float(len(every) if kind == "count" else len(set(every)))
    if kind in ("item", "len", "product"):
        sizes = _sizes(part[1], paste)
        if sizes is None:
            return None
        if kind == "len":
            return float(len(sizes))
        if kind == "item":
            return sizes[part[2]] if -len(sizes) <= part[2] < len(sizes) else None
        return _finite(math.prod(sizes, start=1.0))
    if kind in _OPERATIONS:
        one, other = _number(part[1], paste), _number(part[2], paste)
        if one is None or other is None or (kind in ("/", "%") and other == 0):
            return None
        return _finite(_OPERATIONS[kind](one, other))
    return None


_OPERATIONS: dict[str, Callable[[float, float], float]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "%": math.fmod,
}


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _sizes(part: Tree, paste: Paste) -> list[float] | None:
    if part[0] == "slice":
        sizes = _sizes(part[1], paste)
        return None if sizes is None else sizes[part[2] : part[3]]
    if part[0] != "sizes":
        return None
    value = paste.values.get(part[1])
    if value is None:
        return None
    pieces = [piece.strip(" ") for piece in value.strip("[]() ").replace("x", ",").split(",")]
    found = [number_of(piece) for piece in pieces if piece]
    return [size for size in found if size is not None] if found and len(found) <= SIZES and None not in found else None


def number_of(text: str) -> float | None:
    """A decimal number; None for anything else, and for one that no double holds."""
    body = text[1:] if text[:1] in ("-", "+") else text
    mantissa, e, exponent = body.partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = exponent[1:] if exponent[:1] in ("-", "+") else exponent
    if not _digits(whole + fraction) or (e and not _digits(digits)) or len(text) > 400:
        return None
    return _finite(float(text))


def _digits(text: str) -> bool:
    return bool(text) and not text.strip("0123456789")


def bytes_of(text: str) -> float | None:
    """`1.70 GiB`, `20 MB`, `0 bytes`, `359661568`: a number of bytes; units are powers of 1024, as PyTorch prints them."""
    text = text.strip(" .,")
    number = text.rstrip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
    unit, value = text[len(number) :].lower(), number_of(number.rstrip(" "))
    return None if value is None or unit not in _UNITS else _finite(value * 1024.0 ** _UNITS[unit])
