"""What pictures are drawn of: boxes and texts on a plane, and numbers as a message prints them.

docs/assets/drawing.js is the twin.
"""

from __future__ import annotations

import math
from typing import Any

#: Sizes of a shape and digits of a number beyond which nothing is drawn.
MOST_SIZES, MOST_DIGITS = 8, 13
UNITS = {
    **{"bytes": 0, "B": 0, "KiB": 1, "KB": 1, "MiB": 2, "MB": 2},
    **{"GiB": 3, "GB": 3, "TiB": 4, "TB": 4},
}
#: Width of one character, and of a box around some.
CHAR, PADDING = 8, 14

#: ["rect", x, y, width, height, class] or ["text", x, y, anchor, class, text], in CSS pixels.
Shape = list[Any]
#: Shapes, and the same as lines of a terminal; None where the values are missing, are no numbers,
#: or contradict the message.
Drawing = tuple[list[Shape], list[str]] | None


def right(shape: list[Any]) -> int:
    if shape[0] == "rect":
        return int(shape[1] + shape[3])
    width = wide(shape[5])
    return int(shape[1] + {"start": width, "middle": math.ceil(width / 2), "end": 0}[shape[3]])


def columns(text: str) -> int:
    """Of a text in a terminal: a Chinese character takes two."""
    return sum(2 if ord(c) > 0x2E7F else 1 for c in text)


def wide(text: str) -> int:
    """Width of a text in pixels."""
    return CHAR * columns(text)


def rect(x: int, y: int, width: int, height: int, kind: str) -> list[Any]:
    return ["rect", x, y, width, height, kind]


def text(x: int, y: int, text: str, kind: str = "", anchor: str = "middle") -> list[Any]:
    return ["text", x, y, anchor, kind, text]


def whole(text: str | None) -> int | None:
    """A whole number that is not negative, or None."""
    text = text or ""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= MOST_DIGITS else None


def wholes(names: list[str], values: dict[str, str]) -> list[int] | None:
    found = [whole(values.get(name)) for name in names]
    return None if None in found else [number for number in found if number is not None]


def sizes_of(text: str | None) -> list[str] | None:
    """The sizes of `64, 3, 7, 7`, as texts; -1 may be one."""
    sizes = [size.strip(" ") for size in (text or "").removesuffix(",").split(",")]
    good = all(size == "-1" or whole(size) is not None for size in sizes)
    return sizes if good and len(sizes) <= MOST_SIZES else None


def scaled(number: int, largest: int, least: int, most: int) -> int:
    return least + (number * (most - least)) // max(largest, 1)


def gibibytes(text: str | None) -> float | None:
    """`23.69 GiB` in GiB."""
    number, _, unit = (text or "").partition(" ")
    whole, _, part = number.partition(".")
    if (
        not whole.isascii()
        or not whole.isdigit()
        or (part and not (part.isascii() and part.isdigit()))
        or len(number) > MOST_DIGITS
        or unit not in UNITS
    ):
        return None
    return float(number) * 1024.0 ** (UNITS[unit] - 3)


def printed(number: float) -> str:
    """GiB as a person reads them, below one as MiB."""
    if number < 1:
        return f"{math.floor(number * 1024 + 0.5)} MiB"
    hundredths = math.floor(number * 100 + 0.5)
    return f"{hundredths // 100}.{hundredths % 100:02} GiB"
