"""A message as a template: its literals, with `{}` for a value, `{:int}` for a whole number, and
`{{` for a brace. Both readers, of Python and of libraries, make these."""

from __future__ import annotations

import string
from dataclasses import dataclass

#: A literal as it is, or a hole.
Piece = str | tuple[str]
HOLE, INT = ("",), ("int",)


@dataclass(frozen=True)
class Site:
    """One place that prints.

    Attributes:
        text: the template.
        line: from 1; -1 where it is not known.
        name: qualified name of the function, or of the module.
        kind: class of the exception or warning as printed, without its module; "log" of a log
            line; "" where it is not known.
        condition: of the `if` directly above, as source; "" where there is none, or a long one.
    """

    text: str
    line: int
    name: str
    kind: str
    condition: str


def template(pieces: list[Piece]) -> str:
    """The text of a template; neighbouring holes are one."""
    parts: list[str] = []
    for piece in pieces:
        if isinstance(piece, str):
            parts.append(piece.replace("{", "{{").replace("}", "}}"))
        elif parts and parts[-1] in ("{}", "{:int}"):
            parts[-1] = "{}"
        else:
            parts.append("{:int}" if piece == INT else "{}")
    return "".join(parts).strip()


def literals(text: str) -> list[str]:
    """What stands between a template's holes, as it is printed."""
    flat = text.replace("{:int}", "\0").replace("{}", "\0")
    return flat.replace("{{", "{").replace("}}", "}").split("\0")


def percent(pieces: list[Piece]) -> list[Piece]:
    """`%` filled in: `%d` is a whole number, all else a hole."""
    filled: list[Piece] = []
    for piece in pieces:
        filled += _percent(piece) if isinstance(piece, str) else [piece]
    return [piece for piece in filled if piece]


def _percent(text: str) -> list[Piece]:
    pieces: list[Piece] = []
    at = 0
    while (mark := text.find("%", at)) >= 0:
        pieces.append(text[at:mark])
        end = mark + 1
        if text[end : end + 1] == "(":
            end = text.find(")", end) + 1 or len(text)
        start = end
        while text[end : end + 1] and text[end] in "#0- +123456789.*l":
            end += 1
        kind = text[end : end + 1]
        if kind == "%" and end == mark + 1:
            pieces.append("%")
        elif kind and kind in "diouxXeEfFgGcrsa":
            pieces.append(INT if kind in "di" and end == start else HOLE)
        else:  # a percent sign that formats nothing
            pieces.append(text[mark : end + 1])
        at = end + 1
    return [*pieces, text[at:]]


def formatted(pieces: list[Piece]) -> list[Piece]:
    """`str.format` filled in; [] where the text is no format."""
    filled: list[Piece] = []
    for piece in pieces:
        if not isinstance(piece, str):
            filled.append(piece)
            continue
        try:
            for literal, field, spec, _ in string.Formatter().parse(piece):
                filled.append(literal)
                if field is not None:
                    filled.append(INT if spec == "d" else HOLE)
        except ValueError:
            return []
    return [piece for piece in filled if piece]
