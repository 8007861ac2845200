"""Pictures of the reader's own numbers: shapes and bytes of a message, drawn. docs/assets/picture.js is the twin.

A symptom's header says what is drawn from which holes, `picture: [product, m, k, k2, n]`; of several, `picture: [[sizes, right, target, tensor], [axis, dim, a, b]]`,
the first whose values the paste holds. A picture is boxes and texts on a plane 320 wide, whose classes the style colours, and the same as lines of a terminal.
Whoever pastes a number of 400 digits gets no picture.
"""

from __future__ import annotations

import math
from typing import Any

#: kind -> the holes it draws, in order; of `sizes` any number of shapes after the side on which they are flush.
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
#: Sizes of a shape, digits of a number and letters of a value beyond which nothing is drawn; boxes of a stack.
MOST_SIZES, MOST_DIGITS, MOST_LETTERS, MOST_BOXES = 8, 13, 200, 6
UNITS = {"bytes": 0, "B": 0, "KiB": 1, "KB": 1, "MiB": 2, "MB": 2, "GiB": 3, "GB": 3, "TiB": 4, "TB": 4}
#: Width of one character, and of a box around some.
CHAR, PADDING = 8, 14


def draw(pictures: list[list[str]], values: dict[str, str], words: dict[str, str]) -> dict[str, Any] | None:
    """The first of `pictures` whose values are there.

    Args:
        words: the names of what `memory` and `channels` draw, in the reader's language.

    Returns:
        {"width", "height", "shapes": [["rect", x, y, width, height, class] | ["text", x, y, anchor, class, text]], "lines": [text]}, in CSS pixels; None where
        the values are missing, are no numbers, or contradict the message.
    """
    values = {name: text.strip(" ") for name, text in values.items() if len(text) <= MOST_LETTERS}
    for kind, *names in pictures:
        made = _DRAW[kind](names, values, words)
        if made:
            shapes, lines = made
            right = max(_right(shape) for shape in shapes)
            bottom = max(shape[2] + (shape[4] if shape[0] == "rect" else 4) for shape in shapes)
            return {"width": right + 4, "height": bottom + 4, "shapes": shapes, "lines": lines}
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
        return f"`[{', '.join([kind, *(name.upper() for name in KINDS[kind])])}]` names the holes of a wording"
    unknown = [name for name in names if name not in holes]
    return f"no wording has a hole `{unknown[0]}`; there are {', '.join(sorted(holes)) or 'none'}" if unknown else ""


def _right(shape: list[Any]) -> int:
    if shape[0] == "rect":
        return int(shape[1] + shape[3])
    wide = _wide(shape[5])
    return int(shape[1] + {"start": wide, "middle": math.ceil(wide / 2), "end": 0}[shape[3]])


def _wide(text: str) -> int:
    """Width of a text in pixels: a Chinese character takes two columns."""
    return sum(CHAR * 2 if ord(c) > 0x2E7F else CHAR for c in text)


def _rect(x: int, y: int, width: int, height: int, kind: str) -> list[Any]:
    return ["rect", x, y, width, height, kind]


def _text(x: int, y: int, text: str, kind: str = "", anchor: str = "middle") -> list[Any]:
    return ["text", x, y, anchor, kind, text]


def _int(text: str | None) -> int | None:
    """A whole number that is not negative, or None."""
    text = text or ""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= MOST_DIGITS else None


def _ints(names: list[str], values: dict[str, str]) -> list[int] | None:
    found = [_int(values.get(name)) for name in names]
    return None if None in found else [number for number in found if number is not None]


def _shape(text: str | None) -> list[str] | None:
    """The sizes of `64, 3, 7, 7`, as texts; -1 may be one."""
    sizes = [size.strip(" ") for size in (text or "").removesuffix(",").split(",")]
    good = all(size == "-1" or _int(size) is not None for size in sizes)
    return sizes if good and len(sizes) <= MOST_SIZES else None


def _scaled(number: int, largest: int, least: int, most: int) -> int:
    return least + (number * (most - least)) // max(largest, 1)


def _product(names: list[str], values: dict[str, str], words: dict[str, str]) -> Any:
    """Two matrices, the sizes that must be equal on the edges that meet."""
    numbers = _ints(names, values)
    if numbers is None or numbers[1] == numbers[2]:
        return None
    m, k, k2, n = numbers
    top, left = 22, _wide(str(m)) + 10
    width, height = _scaled(k, max(k, k2), 30, 100), _scaled(m, max(m, n), 30, 80)
    left2 = left + width + 26 + _wide(str(k2))
    width2, height2 = _scaled(n, max(m, n), 30, 80), _scaled(k2, max(k, k2), 30, 100)
    bottom = top + max(height, height2) + 22
    shapes = [
        _rect(left, top, width, height, "box"),
        _rect(left, top - 2, width, 4, "no"),
        _text(left + width // 2, top - 8, str(k), "no"),
        _text(left - 6, top + height // 2 + 5, str(m), "", "end"),
        _text(left + width + 12, top + 24, "@"),
        _rect(left2, top, width2, height2, "box"),
        _rect(left2 - 2, top, 4, height2, "no"),
        _text(left2 - 6, top + height2 // 2 + 5, str(k2), "no", "end"),
        _text(left2 + width2 // 2, top - 8, str(n)),
        _text(left, bottom, f"{k} ≠ {k2}", "no", "start"),
    ]
    return shapes, [f"{m} x [{k}]  @  [{k2}] x {n}", f"{k} ≠ {k2}"]


def _sizes(names: list[str], values: dict[str, str], words: dict[str, str]) -> Any:
    """Shapes below each other, flush on one side, the sizes marked that do not fit: on the right a 1 fits all, as in broadcasting."""
    side, *holes = names
    rows = [_shape(values.get(hole)) for hole in holes]
    if any(row is None for row in rows):
        return None
    found = [row for row in rows if row is not None]
    columns = max(map(len, found))
    placed = [[""] * (columns - len(row)) + row if side == "right" else row + [""] * (columns - len(row)) for row in found]
    apart = [
        len({row[at] for row in placed if row[at] and not (side == "right" and row[at] == "1")}) > 1 or (side == "left" and not all(row[at] for row in placed))
        for at in range(columns)
    ]
    if not any(apart):
        return None
    label = max(map(_wide, holes)) + 10
    widths = [max(_wide(row[at]) for row in placed) + PADDING for at in range(columns)]
    starts = [label + sum(widths[:at]) + 4 * at for at in range(columns)]
    shapes = []
    for line, (hole, row) in enumerate(zip(holes, placed, strict=True)):
        y = 4 + 44 * line
        shapes.append(_text(label - 8, y + 18, hole, "name", "end"))
        for at, size in enumerate(row):
            if size:
                shapes.append(_rect(starts[at], y, widths[at], 26, "no" if apart[at] else "box"))
                shapes.append(_text(starts[at] + widths[at] // 2, y + 18, size, "no" if apart[at] else ""))
            if line and apart[at] and row[at] and placed[line - 1][at]:
                shapes.append(_text(starts[at] + widths[at] // 2, y - 4, "≠", "no"))
    letters = [max(len(row[at]) for row in placed) + 2 * apart[at] for at in range(columns)]
    name = max(map(len, holes))
    return shapes, [
        f"{hole:>{name}}  " + " ".join((f"[{size}]" if apart[at] and size else size).rjust(letters[at]) for at, size in enumerate(row)).rstrip()
        for hole, row in zip(holes, placed, strict=True)
    ]


def _axis(names: list[str], values: dict[str, str], words: dict[str, str]) -> Any:
    """Two tensors of which the message tells the sizes at one dimension."""
    numbers = _ints(names, values)
    if numbers is None or numbers[1] == numbers[2] or numbers[0] >= MOST_SIZES:
        return None
    dim, *sizes = numbers
    label = max(map(_wide, names[1:])) + 10
    wide = max(_wide(str(size)) for size in sizes) + PADDING
    start = label + dim * 30
    shapes = [_text(start + wide // 2, 14, f"dim {dim}")]
    for line, (hole, size) in enumerate(zip(names[1:], sizes, strict=True)):
        y = 22 + 44 * line
        shapes.append(_text(label - 8, y + 18, hole, "name", "end"))
        for at in range(dim):
            shapes += [_rect(label + at * 30, y, 26, 26, "faint"), _text(label + at * 30 + 13, y + 18, "·", "faint")]
        shapes += [_rect(start, y, wide, 26, "no"), _text(start + wide // 2, y + 18, str(size), "no")]
        shapes.append(_text(start + wide + 8, y + 18, "…", "faint", "start"))
    shapes.append(_text(start + wide // 2, 62, "≠", "no"))
    name, digits = max(map(len, names[1:])), max(len(str(size)) for size in sizes) + 2
    before = "· " * dim
    lines = [f"{hole:>{name}}  {before}{f'[{size}]':>{digits}} …" for hole, size in zip(names[1:], sizes, strict=True)]
    return shapes, [*lines, f"dim {dim}: {sizes[0]} ≠ {sizes[1]}"]


def _channels(names: list[str], values: dict[str, str], words: dict[str, str]) -> Any:
    """Channels that came and channels that the layer was built for, as two stacks of sheets."""
    numbers = _ints(names, values)
    if numbers is None or numbers[0] == numbers[1]:
        return None
    shapes = []
    for column, (number, kind, name) in enumerate(zip(numbers, ("no", "box"), ("got", "want"), strict=True)):
        left = 4 + 160 * column
        sheets = min(number, MOST_BOXES)
        shapes += [_rect(left + 8 * at, 4 + 6 * (MOST_BOXES - sheets + at), 56, 44, kind) for at in range(sheets)]
        shapes.append(_text(left, 100, f"{words[name]} {number}", "no" if kind == "no" else "", "start"))
    return shapes, [f"{words['got']} [{numbers[0]}]  ≠  {words['want']} {numbers[1]}"]


def _tiles(names: list[str], values: dict[str, str], words: dict[str, str]) -> Any:
    """Tensors beside each other, of which one is too tall or too short to be joined."""
    numbers = _ints(names[:3], values)
    if numbers is None or numbers[0] == numbers[1] or not numbers[2]:
        return None
    want, got, place = numbers
    largest = max(want, got)
    first, left = max(0, place - 2), _wide(str(want)) + 10
    tall = {number: _scaled(number, largest, 24, 90) for number in (want, got)}
    shapes = [_text(left - 6, 20 + tall[want] // 2 + 5, str(want), "", "end")]
    for column, number in enumerate(range(first, place + 1)):
        x, kind, height = left + 52 * column, "no" if number == place else "box", tall[got if number == place else want]
        shapes += [_rect(x, 20, 50, height, kind), _text(x + 25, 14, str(number), "name")]
    end = left + 52 * (place - first + 1)
    shapes.append(_text(end + 6, 20 + tall[got] // 2 + 5, str(got), "no", "start"))
    dim = _int(values.get(names[3])) if len(names) > 3 else None
    if dim is not None:
        shapes.append(_text(left, 20 + max(tall.values()) + 20, f"dim {dim} →", "name", "start"))
    return shapes, [
        "  ".join(f"{number}: {f'[{got}]' if number == place else want}" for number in range(first, place + 1)) + (f"   (dim {dim})" if dim is not None else "")
    ]


def _parts(names: list[str], values: dict[str, str], words: dict[str, str]) -> Any:
    """A number of elements, and the boxes of the wanted shape that it would have to fill."""
    elements, sizes = _int(values.get(names[0])), _shape(values.get(names[1]))
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
        for line, (number, text, kind) in enumerate([(elements, str(elements), "no"), (box, f"{factors} = {box}" if len(sizes) > 1 else factors, "box")]):
            shapes += [
                _rect(4, 4 + 46 * line, _scaled(number, max(elements, box), 6, 300), 18, kind),
                _text(4, 38 + 46 * line, text, "no" if line == 0 else "", "start"),
            ]
        return shapes, [f"[{elements}] ≠ {factors}" + (f" = {box}" if len(sizes) > 1 else "")]
    full, rest = elements // box, elements % box
    drawn = min(full, 4)
    shapes = [_rect(4 + 56 * at, 4, 54, 26, "box") for at in range(drawn)]
    shapes += [_text(4 + 56 * at + 27, 22, "…" if full > 4 and at == 2 else str(box) if _wide(str(box)) <= 52 else "") for at in range(drawn)]
    shapes += [_rect(4 + 56 * drawn, 4, _scaled(rest, box, 6, 54), 26, "no")]
    sentence = f"{elements} = {full} × {box} + {rest}"
    shapes.append(_text(4, 52, sentence, "no", "start"))
    return shapes, [f"{elements} = {full} x {box} + [{rest}]"]


def _strides(names: list[str], values: dict[str, str], words: dict[str, str]) -> Any:
    """Where the first elements lie in memory, in the order in which a view would read them; marked those that do not follow the one before."""
    read = [_shape(values.get(name)) for name in names]
    if read[0] is None or read[1] is None or len(read[0]) != len(read[1]) or "-1" in read[0] + read[1]:
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
    width = max(_wide(str(place)) for place in places) + PADDING
    shapes = []
    for number, place in enumerate(places):
        kind = "no" if apart[number] else ""
        shapes += [_rect(4 + (width + 2) * number, 4, width, 26, kind or "box"), _text(4 + (width + 2) * number + width // 2, 22, str(place), kind)]
    shapes.append(_text(4, 48, words["places"], "name", "start"))
    return shapes, [f"{words['places']}: " + " ".join(f"[{place}]" if apart[number] else str(place) for number, place in enumerate(places)) + " …"]


def _bytes(text: str | None) -> float | None:
    """`23.69 GiB` in GiB."""
    number, _, unit = (text or "").partition(" ")
    whole, _, part = number.partition(".")
    if not whole.isascii() or not whole.isdigit() or (part and not (part.isascii() and part.isdigit())) or len(number) > MOST_DIGITS or unit not in UNITS:
        return None
    return float(number) * 1024.0 ** (UNITS[unit] - 3)


def _size(number: float) -> str:
    """GiB as a person reads them, below one as MiB."""
    if number < 1:
        return f"{math.floor(number * 1024 + 0.5)} MiB"
    hundredths = math.floor(number * 100 + 0.5)
    return f"{hundredths // 100}.{hundredths % 100:02} GiB"


def _memory(names: list[str], values: dict[str, str], words: dict[str, str]) -> Any:
    """The card as one bar: other processes, this one's, what PyTorch holds, what is free; below it what was asked for."""
    asked, total, free = (_bytes(values.get(name)) for name in ("size", "total", "free"))
    if asked is None or not total or free is None or free > total:
        return None
    used, unused, reserved, mine = (_bytes(values.get(name)) for name in ("used", "cached", "reserved", "mine"))
    if unused is None and reserved is not None and used is not None:
        unused = reserved - used
    held = (used or 0.0) + max(unused or 0.0, 0.0)
    taken = total - free
    if held > taken * 1.02:
        return None
    process = held if mine is None else min(max(mine, held), taken)
    parts = [("others", taken - process), ("context", process - held), ("used", used or 0.0), ("unused", max(unused or 0.0, 0.0)), ("free", free)]
    if mine is None:  # what CUDA itself takes cannot be told from what other processes take
        parts[:2] = [("rest", taken - held)]
    if used is None and mine is None:
        parts = [("taken", taken), ("free", free)]
    parts = [(name, size) for name, size in parts if size >= total / 500 or name == "free"]
    shapes: list[list[Any]] = []
    x = 4
    for name, size in parts:
        width = max(2, math.floor(size / total * 300))
        shapes.append(_rect(x, 4, width, 22, name))
        if name == "free":
            # What does not fit goes over the edge; twice the card is drawn at most.
            shapes.append(_rect(x, 30, max(2, math.floor(min(asked / total, 0.5) * 300)), 8, "no"))
        x += width
    rows = [*parts, ("asked", asked)]
    lines = []
    name_width = max(_wide(words[name]) for name, _ in rows) // CHAR
    for line, (name, size) in enumerate(rows):
        y = 62 + 22 * line
        label = words[name]
        shapes += [
            _rect(4, y - 10, 12, 12, "no" if name == "asked" else name),
            _text(24, y, f"{label}  {_size(size)}", "no" if name == "asked" else "", "start"),
        ]
        bar = "#" * min(30, math.floor(size / total * 30 + 0.5))
        lines.append(f"{label}{' ' * (name_width - _wide(label) // CHAR)}  {_size(size):>11}  {bar + ('>' if size > total else '')}")
    return shapes, lines


_DRAW = {"product": _product, "sizes": _sizes, "axis": _axis, "channels": _channels, "tiles": _tiles, "parts": _parts, "strides": _strides, "memory": _memory}
