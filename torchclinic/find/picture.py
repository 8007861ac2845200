"""Pictures of the reader's own numbers: shapes and bytes of a message, drawn.

docs/assets/picture.js is the twin. A symptom's header says what is drawn from which holes,
`picture: [product, m, k, k2, n]`; of several, `picture: [[sizes, right, target, tensor], [axis,
dim, a, b]]`, the first whose values the paste holds. A picture is boxes and texts on a plane 320
wide, whose classes the style colours, and the same as lines of a terminal. Whoever pastes a number
of 400 digits gets no picture.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypedDict

from . import drawn_memory, drawn_sizes
from .drawing import Drawing, Shape, right

#: kind -> the holes it draws, in order; of `sizes` any number of shapes after the side on which
#: they are flush.
KINDS: dict[str, tuple[str, ...]] = {
    "product": ("m", "k", "k2", "n"),
    "sizes": ("side", "shape", "shape"),
    "axis": ("dim", "a", "b"),
    "channels": ("got", "want"),
    "tiles": ("want", "got", "place", "dim"),
    "parts": ("elements", "shape"),
    "strides": ("shape", "strides"),
    "memory": (),
}
#: Each draws these holes, of these values, with these words.
_DRAW: dict[str, Callable[[list[str], dict[str, str], dict[str, str]], Drawing]] = {
    "product": drawn_sizes.product,
    "sizes": drawn_sizes.sizes,
    "axis": drawn_sizes.axis,
    "channels": drawn_sizes.channels,
    "tiles": drawn_sizes.tiles,
    "parts": drawn_memory.parts,
    "strides": drawn_memory.strides,
    "memory": drawn_memory.memory,
}
#: Letters of a value beyond which nothing is drawn.
MOST_LETTERS = 200


class Picture(TypedDict):
    width: int  # in CSS pixels
    height: int
    shapes: list[Shape]
    lines: list[str]  # the same on a terminal


def draw(
    pictures: list[list[str]], values: dict[str, str], words: dict[str, str]
) -> Picture | None:
    """The first of `pictures` whose values are there.

    Args:
        words: the names of what `memory` and `channels` draw, in the reader's language.
    """
    values = {name: text.strip(" ") for name, text in values.items() if len(text) <= MOST_LETTERS}
    for kind, *names in pictures:
        if drawing := _DRAW[kind](names, values, words):
            shapes, lines = drawing
            width = max(right(shape) for shape in shapes)
            bottom = max(shape[2] + (shape[4] if shape[0] == "rect" else 4) for shape in shapes)
            return {"width": width + 4, "height": bottom + 4, "shapes": shapes, "lines": lines}
    return None


def lint(kind: str, names: list[str], holes: set[str]) -> str:
    """What is wrong with a picture as a header has it; "" if nothing is."""
    if kind not in KINDS:
        return f"there is no `{kind}`; there are {', '.join(KINDS)}"
    if kind == "sizes":
        if names[:1] not in (["left"], ["right"]) or len(names) < 3:
            return "`[sizes, SIDE, SHAPE, SHAPE]`: left or right, then two shapes or more"
        names = names[1:]
    elif not len(KINDS[kind]) - (kind == "tiles") <= len(names) <= len(KINDS[kind]):
        example = ", ".join([kind, *(name.upper() for name in KINDS[kind])])
        return f"`[{example}]` names the holes of a wording"
    for name in names:
        if name not in holes:
            return f"no wording has a hole `{name}`; there are {', '.join(sorted(holes)) or 'none'}"
    return ""
