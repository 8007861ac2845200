"""Conditions: what a paste must say for a row of a page's table of causes to be the reader's.

content/condition.py describes how they are written, and makes the nested lists that are read here;
docs/assets/condition.js is the twin. Whatever cannot be known (a value that was not read, that is
no number, is too large, is divided by nothing) makes a comparison neither true nor false, and a
condition that is not true decides nothing. Numbers are IEEE doubles in both twins. There is no
regular expression, and no loop but over what was pasted, once for each text that is sought.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from .clean import DIGITS
from .live import Live
from .pasted import Pasted

#: [kind, *parts]: parts are conditions, values (numbers or lists again), names of holes, or texts.
Tree = list[Any]

#: Sizes of one shape that are read.
SIZES = 64
#: Unit -> power of 1024.
UNITS = {
    "": 0,
    **dict.fromkeys(("b", "byte", "bytes"), 0),
    **dict.fromkeys(("k", "kb", "kib"), 1),
    **dict.fromkeys(("m", "mb", "mib"), 2),
    **dict.fromkeys(("g", "gb", "gib"), 3),
    **dict.fromkeys(("t", "tb", "tib"), 4),
}
_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


class Facts(NamedTuple):
    """What conditions read of one hit.

    Attributes:
        pasted: the whole text.
        values: of the hit.
        every: for each name, all of its values in the paste, in order.
        stems: of all hits.
        live: what the program knew, where the paste says it; its values are in `values`.
    """

    pasted: Pasted
    values: dict[str, str]
    every: dict[str, list[str]]
    stems: set[str]
    live: Live | None = None


def holds(tree: Tree, facts: Facts) -> bool | None:
    """Is it so? None where the paste does not hold what would be needed to know."""
    kind, *parts = tree
    if kind in ("and", "or", "in"):
        decisive = kind != "and"
        answers = (
            (_compare("==", parts[0], literal, facts) for literal in parts[1:])
            if kind == "in"
            else (holds(part, facts) for part in parts)
        )
        return _joined(answers, decisive)
    if kind == "not":
        answer = holds(parts[0], facts)
        return None if answer is None else not answer
    if kind == "paste":
        return any(map(facts.pasted.says, parts))
    if kind == "frames":  # what is in them is in the text, which is soon searched
        return any(facts.pasted.says(part) and _names(facts.pasted.frames, part) for part in parts)
    if kind == "also":
        return any(stem in facts.stems for stem in parts)
    if kind == "live":
        return None if facts.live is None else any(row.issuperset(parts) for row in facts.live.rows)
    if kind == "read":
        return parts[0] in facts.values
    if kind == "begins":
        value = facts.values.get(parts[0])
        return None if value is None else value.startswith(tuple(parts[1:]))
    if kind == "square":
        return _is_square(_number(parts[0], facts))
    return _compare(kind, parts[0], parts[1], facts)


def _names(frames: str, text: str) -> bool:
    """Does a text stand in the frames as words of its own: `ema` in `update_ema(`, not `remaining`?

    A word ends where a capital begins, too: `RNN` stands in `MyRNNCell`.
    """
    begins, ends = text[0] in _LETTERS[:26], text[-1] in _LETTERS
    at = frames.find(text)
    while at >= 0:
        before, behind = frames[at - 1 : at], frames[at + len(text) : at + len(text) + 1]
        joined = begins and before and before in _LETTERS
        if not joined and not (ends and behind and behind in _LETTERS[:26]):
            return True
        at = frames.find(text, at + 1)
    return False


def _joined(answers: Iterable[bool | None], decisive: bool) -> bool | None:
    """`decisive` as soon as one answer is it; None if one is unknown; else the contrary."""
    unknown = False
    for answer in answers:
        if answer is decisive:
            return answer
        unknown = unknown or answer is None
    return None if unknown else not decisive


def _is_square(number: float | None) -> bool | None:
    if number is None:
        return None
    root = float(math.floor(math.sqrt(number) + 0.5)) if number >= 1 else 0.0
    return number >= 1 and root * root == number  # of doubles, as in JavaScript


def _compare(op: str, left: Any, right: Any, facts: Facts) -> bool | None:
    if _is_sizes(left) and _is_sizes(right):
        shapes = _sizes(left, facts), _sizes(right, facts)
        return _equal(op, *shapes) if op in ("==", "!=") else None
    if op in ("==", "!="):
        return _equal(op, *_alike(left, right, facts))
    a, b = _number(left, facts), _number(right, facts)
    if a is None or b is None:
        return None
    return {"<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}[op]


def _equal(op: str, a: object, b: object) -> bool | None:
    return None if a is None or b is None else (a == b) is (op == "==")


def _alike(left: Any, right: Any, facts: Facts) -> tuple[float | str | None, float | str | None]:
    """Both sides as numbers or both as texts; None for what is unknown, or of another kind.

    Beside a text, a value is compared as it was printed; a literal that is no number is another.
    """
    a, b = _either(left, facts), _either(right, facts)
    if a is None or b is None or isinstance(a, float) is isinstance(b, float):
        return a, b
    a, b = _as_printed(left, a, facts), _as_printed(right, b, facts)
    return (a, b) if isinstance(a, float) is isinstance(b, float) else (None, None)


def _as_printed(part: Any, value: float | str, facts: Facts) -> float | str:
    return facts.values[part[1]] if isinstance(part, list) and part[0] == "hole" else value


def _either(part: Any, facts: Facts) -> float | str | None:
    """A number if it is one, else a text."""
    if isinstance(part, list) and part[0] == "text":
        return str(part[1])
    if isinstance(part, list) and part[0] == "hole":
        value = facts.values.get(part[1])
        number = None if value is None else number_of(value)
        return value if number is None else number
    return _number(part, facts)


def _is_sizes(part: Any) -> bool:
    return isinstance(part, list) and part[0] in ("sizes", "slice")


def _number(part: Any, facts: Facts) -> float | None:
    if not isinstance(part, list):
        return float(part)
    kind = part[0]
    if kind in ("hole", "bytes"):
        value = facts.values.get(part[1])
        return None if value is None else number_of(value) if kind == "hole" else bytes_of(value)
    if kind in ("count", "kinds"):
        every = facts.every.get(part[1], [])
        return float(len(every) if kind == "count" else len(set(every)))
    if kind in ("item", "len", "product"):
        sizes = _sizes(part[1], facts)
        if sizes is None:
            return None
        if kind == "len":
            return float(len(sizes))
        if kind == "item":
            return sizes[part[2]] if -len(sizes) <= part[2] < len(sizes) else None
        return _finite(math.prod(sizes, start=1.0))
    if kind in _OPERATIONS:
        a, b = _number(part[1], facts), _number(part[2], facts)
        if a is None or b is None or (kind in ("/", "%") and b == 0):
            return None
        return _finite(_OPERATIONS[kind](a, b))
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


def _sizes(part: Tree, facts: Facts) -> list[float] | None:
    if part[0] == "slice":
        sizes = _sizes(part[1], facts)
        return None if sizes is None else sizes[part[2] : part[3]]
    if part[0] != "sizes":
        return None
    value = facts.values.get(part[1])
    if value is None:
        return None
    pieces = [piece.strip(" ") for piece in value.strip("[]() ").replace("x", ",").split(",")]
    numbers = [number_of(piece) for piece in pieces if piece]
    sizes = [number for number in numbers if number is not None]
    return sizes if len(sizes) == len(numbers) and 0 < len(sizes) <= SIZES else None


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
    return bool(text) and not text.strip(DIGITS)


def bytes_of(text: str) -> float | None:
    """`1.70 GiB`, `20 MB`, `0 bytes`, `359661568`: a number of bytes.

    Units are powers of 1024, as PyTorch prints them.
    """
    text = text.strip(" .,")
    number = text.rstrip(_LETTERS)
    unit, value = text[len(number) :].lower(), number_of(number.rstrip(" "))
    return None if value is None or unit not in UNITS else _finite(value * 1024.0 ** UNITS[unit])
