"""What a file or a pipe holds as text to look up: of a huge log its end, with JSON unpacked."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from ..find.answer import Answer
from . import source
from .decode import decode, wide

#: Bytes of a log that are looked up: its end, since that is where a program dies.
LIMIT = 16 << 20
#: How deep JSON is unpacked, and JSON that stands in a string of JSON.
DEPTH = 8
_ENDS = ("}", "} ", "}\t")


class Paste(NamedTuple):
    """A text, and how its lines lie in what was read.

    Attributes:
        skipped: bytes before the text that were not read.
        lines: for each line of the text the number (from 1) of the line that it stood in; () where
            they are the same.
    """

    text: str
    skipped: int = 0
    lines: Sequence[int] = ()

    def place(self, answer: Answer) -> Answer:
        """The answer of a lookup in `text`, with the lines counted as in what was read."""
        if self.lines:
            for hit in answer["hits"]:
                hit["line"] = self.lines[hit["line"] - 1]
            if "origin" in answer:
                answer["origin"]["line"] = self.lines[answer["origin"]["line"] - 1]
        return answer


def read(name: str) -> Paste:
    """A file, or standard input for `-`: its end, where it is long.

    Raises:
        BadInput: it cannot be read.
    """
    with source.opened(name) as file:
        data, head, skipped = source.end_of(file, LIMIT)
    text = decode(data, wide(head))
    # What was cut in the middle begins with its next line; one that never ends is taken as it is.
    return unpack(text[text.find("\n") + 1 :] if skipped else text, skipped)


def unpack(text: str, skipped: int = 0) -> Paste:
    """A text with its JSON opened: an error file of torchrun (TORCHELASTIC_ERROR_FILE), log lines
    of JSON, tracebacks escaped in one line.

    Of each JSON object the strings with more than one word stay, in their order, with real line
    ends. Everything else is left as it is.
    """
    if text.lstrip("\ufeff \t\r\n")[:1] in ("{", "[") and (strings := _strings(text)):
        joined = "\n".join(strings)
        return Paste(joined, skipped, [1] * (joined.count("\n") + 1))
    text = text.replace("\r\n", "\n")
    if "}" not in text and "\r" not in text:
        return Paste(text, skipped)
    opened: list[str] = []
    lines: list[int] = []
    for number, line in enumerate(text.split("\n"), 1):
        # A progress bar goes back to the beginning of its line: that ends none (`grep -n`).
        for shown in line.split("\r"):
            start = shown.find("{")
            strings = _strings(shown[start:]) if start >= 0 and shown.endswith(_ENDS) else []
            pieces = "\n".join([shown[:start], *strings]).split("\n") if strings else [shown]
            opened += pieces
            lines += [number] * len(pieces)
    return Paste("\n".join(opened), skipped, lines)


def _strings(text: str) -> list[str]:
    """Strings of more than one word in a JSON text; [] if it is none."""
    try:
        value = json.loads(text.lstrip("\ufeff"))
    except (ValueError, RecursionError):
        return []
    strings: list[str] = []
    _collect(value, strings, DEPTH)
    return strings


def _collect(value: Any, strings: list[str], depth: int) -> None:
    if not depth:
        return
    if isinstance(value, str):
        # as the lookup does, so that both count the same lines
        value = value.replace("\r\n", "\n").replace("\r", "\n")
        inside = value.strip()
        if inside[:2] == '{"' and inside[-1:] == "}" and (deeper := _strings(inside)):
            strings += deeper
        elif (" " in inside or "\n" in value) and any(c.isalpha() for c in inside):
            strings.append(value.rstrip("\n"))
    elif isinstance(value, (dict, list)):
        for item in value.values() if isinstance(value, dict) else value:
            _collect(item, strings, depth - 1)
