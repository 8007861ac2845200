"""Pictures of elements, of places and of bytes in memory.

docs/assets/drawn-memory.js is the twin.
"""

from __future__ import annotations

import math

from .drawing import (
    CHAR,
    MOST_DIGITS,
    MOST_SIZES,
    PADDING,
    Drawing,
    Shape,
    gibibytes,
    printed,
    rect,
    scaled,
    sizes_of,
    text,
    whole,
    wide,
)


def parts(names: list[str], values: dict[str, str], words: dict[str, str]) -> Drawing:
    """A number of elements, and the boxes of the wanted shape that it would have to fill."""
    elements, sizes = whole(values.get(names[0])), sizes_of(values.get(names[1]))
    if not elements or sizes is None:
        return None
    box, open_sizes = 1, sizes.count("-1")
    for size in sizes:
        box *= 1 if size == "-1" else int(size)
        if box > 10**MOST_DIGITS:
            return None
    if not box or open_sizes > 1 or (elements % box == 0 if open_sizes else elements == box):
        return None
    factors = " × ".join(size for size in sizes if size != "-1")
    if not open_sizes:
        shapes = []
        for line, (number, said, kind) in enumerate(
            [
                (elements, str(elements), "no"),
                (box, f"{factors} = {box}" if len(sizes) > 1 else factors, "box"),
            ]
        ):
            shapes += [
                rect(4, 4 + 46 * line, scaled(number, max(elements, box), 6, 300), 18, kind),
                text(4, 38 + 46 * line, said, "no" if line == 0 else "", "start"),
            ]
        return shapes, [f"[{elements}] ≠ {factors}" + (f" = {box}" if len(sizes) > 1 else "")]
    full, rest = elements // box, elements % box
    drawn = min(full, 4)
    shapes = [rect(4 + 56 * at, 4, 54, 26, "box") for at in range(drawn)]
    shapes += [
        text(
            4 + 56 * at + 27,
            22,
            "…" if full > 4 and at == 2 else str(box) if wide(str(box)) <= 52 else "",
        )
        for at in range(drawn)
    ]
    shapes += [rect(4 + 56 * drawn, 4, scaled(rest, box, 6, 54), 26, "no")]
    sentence = f"{elements} = {full} × {box} + {rest}"
    shapes.append(text(4, 52, sentence, "no", "start"))
    return shapes, [f"{elements} = {full} x {box} + [{rest}]"]


def strides(names: list[str], values: dict[str, str], words: dict[str, str]) -> Drawing:
    """Where the first elements lie in memory, in the order in which a view would read them; marked
    those that do not follow the one before.
    """
    read = [sizes_of(values.get(name)) for name in names]
    if (
        read[0] is None
        or read[1] is None
        or len(read[0]) != len(read[1])
        or "-1" in read[0] + read[1]
    ):
        return None
    shape, strides = ([int(size) for size in row] for row in (read[0], read[1]))
    if 0 in shape:
        return None
    places, at = [0], [0] * len(shape)
    for _ in range(MOST_SIZES - 1):
        for axis in reversed(range(len(shape))):
            at[axis] += 1
            if at[axis] < shape[axis]:
                break
            at[axis] = 0
        else:
            break  # all of them
        places.append(sum(one * stride for one, stride in zip(at, strides, strict=True)))
    apart = [number > 0 and place != places[number - 1] + 1 for number, place in enumerate(places)]
    if not any(apart):
        return None
    width = max(wide(str(place)) for place in places) + PADDING
    shapes = []
    for number, place in enumerate(places):
        kind = "no" if apart[number] else ""
        shapes += [
            rect(4 + (width + 2) * number, 4, width, 26, kind or "box"),
            text(4 + (width + 2) * number + width // 2, 22, str(place), kind),
        ]
    shapes.append(text(4, 48, words["places"], "name", "start"))
    return shapes, [
        f"{words['places']}: "
        + " ".join(
            f"[{place}]" if apart[number] else str(place) for number, place in enumerate(places)
        )
        + " …"
    ]


def memory(names: list[str], values: dict[str, str], words: dict[str, str]) -> Drawing:
    """The card as one bar: other processes, this one's, what PyTorch holds, what is free; below it
    what was asked for.
    """
    asked, total, free = (gibibytes(values.get(name)) for name in ("size", "total", "free"))
    if asked is None or not total or free is None or free > total:
        return None
    used, unused, reserved, mine = (
        gibibytes(values.get(name)) for name in ("used", "cached", "reserved", "mine")
    )
    if unused is None and reserved is not None and used is not None:
        unused = reserved - used
    held = (used or 0.0) + max(unused or 0.0, 0.0)
    taken = total - free
    if held > taken * 1.02:
        return None
    process = held if mine is None else min(max(mine, held), taken)
    parts = [
        ("others", taken - process),
        ("context", process - held),
        ("used", used or 0.0),
        ("unused", max(unused or 0.0, 0.0)),
        ("free", free),
    ]
    if mine is None:  # what CUDA itself takes cannot be told from what other processes take
        parts[:2] = [("rest", taken - held)]
    if used is None and mine is None:
        parts = [("taken", taken), ("free", free)]
    parts = [(name, size) for name, size in parts if size >= total / 500 or name == "free"]
    shapes: list[Shape] = []
    x = 4
    for name, size in parts:
        width = max(2, math.floor(size / total * 300))
        shapes.append(rect(x, 4, width, 22, name))
        if name == "free":
            # What does not fit goes over the edge; twice the card is drawn at most.
            shapes.append(rect(x, 30, max(2, math.floor(min(asked / total, 0.5) * 300)), 8, "no"))
        x += width
    rows = [*parts, ("asked", asked)]
    lines = []
    name_width = max(wide(words[name]) for name, _ in rows) // CHAR
    for line, (name, size) in enumerate(rows):
        y = 62 + 22 * line
        label = words[name]
        shapes += [
            rect(4, y - 10, 12, 12, "no" if name == "asked" else name),
            text(24, y, f"{label}  {printed(size)}", "no" if name == "asked" else "", "start"),
        ]
        bar = "#" * min(30, math.floor(size / total * 30 + 0.5))
        gap = " " * (name_width - wide(label) // CHAR)
        over = ">" if size > total else ""
        lines.append(f"{label}{gap}  {printed(size):>11}  {bar}{over}")
    return shapes, lines
