"""Pictures of shapes that do not fit: the sizes of tensors beside each other.

docs/assets/drawn-sizes.js is the twin.
"""

from __future__ import annotations

from .drawing import (
    MOST_SIZES,
    PADDING,
    Drawing,
    columns,
    rect,
    scaled,
    sizes_of,
    text,
    whole,
    wholes,
    wide,
)

#: Boxes of a stack.
MOST_BOXES = 6


#: Holes that have a name in the reader's language: hole -> which of the words.
NAMED = {
    **{"target": "target", "input": "input", "mask": "mask", "tensor": "tensor", "value": "value"},
    **{"places": "selected", "ckpt": "checkpoint", "model": "model", "want": "want", "got": "got"},
}


def _called(holes: list[str], words: dict[str, str]) -> list[str]:
    """What holes are called."""
    return [words.get(NAMED.get(hole, ""), hole) for hole in holes]


def product(names: list[str], values: dict[str, str], words: dict[str, str]) -> Drawing:
    """Two matrices, the sizes that must be equal on the edges that meet."""
    numbers = wholes(names, values)
    if numbers is None or numbers[1] == numbers[2]:
        return None
    m, k, k2, n = numbers
    top, left = 22, wide(str(m)) + 10
    width, height = scaled(k, max(k, k2), 30, 100), scaled(m, max(m, n), 30, 80)
    left2 = left + width + 26 + wide(str(k2))
    width2, height2 = scaled(n, max(m, n), 30, 80), scaled(k2, max(k, k2), 30, 100)
    bottom = top + max(height, height2) + 22
    shapes = [
        rect(left, top, width, height, "box"),
        rect(left, top - 2, width, 4, "no"),
        text(left + width // 2, top - 8, str(k), "no"),
        text(left - 6, top + height // 2 + 5, str(m), "", "end"),
        text(left + width + 12, top + 24, "@"),
        rect(left2, top, width2, height2, "box"),
        rect(left2 - 2, top, 4, height2, "no"),
        text(left2 - 6, top + height2 // 2 + 5, str(k2), "no", "end"),
        text(left2 + width2 // 2, top - 8, str(n)),
        text(left, bottom, f"{k} ≠ {k2}", "no", "start"),
    ]
    return shapes, [f"{m} x [{k}]  @  [{k2}] x {n}", f"{k} ≠ {k2}"]


def sizes(names: list[str], values: dict[str, str], words: dict[str, str]) -> Drawing:
    """Shapes below each other, flush on one side, the sizes marked that do not fit: on the right a
    1 fits all, as in broadcasting.
    """
    side, *holes = names
    rows = [sizes_of(values.get(hole)) for hole in holes]
    holes = _called(holes, words)
    if any(row is None for row in rows):
        return None
    found = [row for row in rows if row is not None]
    count = max(map(len, found))
    placed = [
        [""] * (count - len(row)) + row if side == "right" else row + [""] * (count - len(row))
        for row in found
    ]
    apart = [
        len({row[at] for row in placed if row[at] and not (side == "right" and row[at] == "1")}) > 1
        or (side == "left" and not all(row[at] for row in placed))
        for at in range(count)
    ]
    if not any(apart):
        return None
    label = max(map(wide, holes)) + 10
    widths = [max(wide(row[at]) for row in placed) + PADDING for at in range(count)]
    starts = [label + sum(widths[:at]) + 4 * at for at in range(count)]
    shapes = []
    for line, (hole, row) in enumerate(zip(holes, placed, strict=True)):
        y = 4 + 44 * line
        shapes.append(text(label - 8, y + 18, hole, "name", "end"))
        for at, size in enumerate(row):
            if size:
                shapes.append(rect(starts[at], y, widths[at], 26, "no" if apart[at] else "box"))
                shapes.append(
                    text(starts[at] + widths[at] // 2, y + 18, size, "no" if apart[at] else "")
                )
            if line and apart[at] and row[at] and placed[line - 1][at]:
                shapes.append(text(starts[at] + widths[at] // 2, y - 4, "≠", "no"))
    letters = [max(len(row[at]) for row in placed) + 2 * apart[at] for at in range(count)]
    name = max(map(columns, holes))
    return shapes, [
        f"{' ' * (name - columns(hole))}{hole}  "
        + " ".join(
            (f"[{size}]" if apart[at] and size else size).rjust(letters[at])
            for at, size in enumerate(row)
        ).rstrip()
        for hole, row in zip(holes, placed, strict=True)
    ]


def axis(names: list[str], values: dict[str, str], words: dict[str, str]) -> Drawing:
    """Two tensors of which the message tells the sizes at one dimension."""
    numbers = wholes(names, values)
    if numbers is None or numbers[1] == numbers[2] or numbers[0] >= MOST_SIZES:
        return None
    dim, *sizes = numbers
    holes = _called(names[1:], words)
    label = max(map(wide, holes)) + 10
    width = max(wide(str(size)) for size in sizes) + PADDING
    start = label + dim * 30
    shapes = [text(start + width // 2, 14, f"dim {dim}")]
    for line, (hole, size) in enumerate(zip(holes, sizes, strict=True)):
        y = 22 + 44 * line
        shapes.append(text(label - 8, y + 18, hole, "name", "end"))
        for at in range(dim):
            shapes += [
                rect(label + at * 30, y, 26, 26, "faint"),
                text(label + at * 30 + 13, y + 18, "·", "faint"),
            ]
        shapes += [
            rect(start, y, width, 26, "no"),
            text(start + width // 2, y + 18, str(size), "no"),
        ]
        shapes.append(text(start + width + 8, y + 18, "…", "faint", "start"))
    shapes.append(text(start + width // 2, 62, "≠", "no"))
    name, digits = max(map(columns, holes)), max(len(str(size)) for size in sizes) + 2
    before = "· " * dim
    lines = [
        f"{' ' * (name - columns(hole))}{hole}  {before}{f'[{size}]':>{digits}} …"
        for hole, size in zip(holes, sizes, strict=True)
    ]
    return shapes, [*lines, f"dim {dim}: {sizes[0]} ≠ {sizes[1]}"]


def channels(names: list[str], values: dict[str, str], words: dict[str, str]) -> Drawing:
    """Channels that came and channels that the layer was built for, as two stacks of sheets."""
    numbers = wholes(names, values)
    if numbers is None or numbers[0] == numbers[1]:
        return None
    shapes = []
    for column, (number, kind, name) in enumerate(
        zip(numbers, ("no", "box"), ("got", "want"), strict=True)
    ):
        left = 4 + 160 * column
        sheets = min(number, MOST_BOXES)
        shapes += [
            rect(left + 8 * at, 4 + 6 * (MOST_BOXES - sheets + at), 56, 44, kind)
            for at in range(sheets)
        ]
        shapes.append(
            text(left, 100, f"{words[name]} {number}", "no" if kind == "no" else "", "start")
        )
    return shapes, [f"{words['got']} [{numbers[0]}]  ≠  {words['want']} {numbers[1]}"]


def tiles(names: list[str], values: dict[str, str], words: dict[str, str]) -> Drawing:
    """Tensors beside each other, of which one is too tall or too short to be joined."""
    numbers = wholes(names[:3], values)
    if numbers is None or numbers[0] == numbers[1] or not numbers[2]:
        return None
    want, got, place = numbers
    largest = max(want, got)
    first, left = max(0, place - 2), wide(str(want)) + 10
    tall = {number: scaled(number, largest, 24, 90) for number in (want, got)}
    shapes = [text(left - 6, 20 + tall[want] // 2 + 5, str(want), "", "end")]
    for column, number in enumerate(range(first, place + 1)):
        x, kind, height = (
            left + 52 * column,
            "no" if number == place else "box",
            tall[got if number == place else want],
        )
        shapes += [rect(x, 20, 50, height, kind), text(x + 25, 14, str(number), "name")]
    end = left + 52 * (place - first + 1)
    shapes.append(text(end + 6, 20 + tall[got] // 2 + 5, str(got), "no", "start"))
    dim = whole(values.get(names[3])) if len(names) > 3 else None
    if dim is not None:
        shapes.append(text(left, 20 + max(tall.values()) + 20, f"dim {dim} →", "name", "start"))
    return shapes, [
        "  ".join(
            f"{number}: {f'[{got}]' if number == place else want}"
            for number in range(first, place + 1)
        )
        + (f"   (dim {dim})" if dim is not None else "")
    ]
