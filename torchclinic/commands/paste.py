"""What a file or a pipe holds as text to look up: bytes decoded, JSON unpacked, and of a huge log its end."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from ..content.problem import BadInput

#: Bytes of a log that are looked up: its end, since that is where a program dies.
LIMIT = 16 << 20
#: How deep JSON is unpacked, and JSON that stands in a string of JSON.
DEPTH = 8


@dataclass
class Paste:
    """A text, and how its lines lie in what was read.

    Attributes:
        skipped: bytes before the text that were not read.
        lines: for each line of the text the number (from 1) of the line that it stood in; [] where they are the same.
    """

    text: str
    skipped: int = 0
    lines: list[int] = field(default_factory=list)

    def place(self, result: dict[str, Any]) -> dict[str, Any]:
        """The result of a lookup in `text`, with the lines counted as in what was read."""
        for hit in [*result["hits"], *([result["origin"]] if "origin" in result else [])] if self.lines else []:
            hit["line"] = self.lines[hit["line"] - 1]
        return result


def read(name: str) -> Paste:
    """A file, or standard input for `-`.

    Raises:
        BadInput: it cannot be read.
    """
    if name == "-":
        return unpack(*_end_of_pipe(sys.stdin.buffer))
    try:
        with Path(name).open("rb") as file:
            return unpack(*_end_of_file(file))
    except OSError as error:
        raise BadInput(
            f"{name} cannot be read ({error.strerror}). Give a file, or pipe the text in: `python train.py 2>&1 | python -m torchclinic lookup`"
        ) from None


def _end_of_file(file: BinaryIO) -> tuple[str, int]:
    if not file.seekable():  # a named pipe
        return _end_of_pipe(file)
    head = file.read(200)
    size = file.seek(0, os.SEEK_END)
    skipped = max(0, size - LIMIT) & ~1  # UTF-16 has two bytes a character
    file.seek(skipped)
    return _text(file.read(size - skipped), encoding(head), skipped)


def _end_of_pipe(pipe: Any) -> tuple[str, int]:
    head, pieces, size, skipped = b"", [], 0, 0
    while data := pipe.read(1 << 20):
        head = head or data[:200]
        pieces.append(data)
        size += len(data)
        while size - len(pieces[0]) >= LIMIT:
            size -= len(pieces[0])
            skipped += len(pieces.pop(0))
    return _text(b"".join(pieces), encoding(head), skipped)


def _text(data: bytes, name: str, skipped: int) -> tuple[str, int]:
    """What was cut in the middle begins with its next line; a line that never ends is taken as it is."""
    text = data.decode(name, "replace")
    return text[text.find("\n") + 1 :] if skipped else text, skipped


def encoding(head: bytes) -> str:
    """UTF-8, or UTF-16 as PowerShell writes it."""
    if head[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return "utf-16-le" if head[0] == 0xFF else "utf-16-be"
    return "utf-16-le" if head[1:200:2].count(0) > len(head[1:200:2]) // 2 else "utf-8"


def decode(data: bytes) -> str:
    """Text from the bytes of a paste; bytes that are no text become U+FFFD."""
    return data.decode(encoding(data[:200]), "replace")


def unpack(text: str, skipped: int = 0) -> Paste:
    """A text with its JSON opened: an error file of torchrun (TORCHELASTIC_ERROR_FILE), log lines of JSON, tracebacks escaped in one line.

    Of each JSON object the strings with more than one word stay, in their order, with real line ends. Everything else is left as it is.
    """
    if text.lstrip("\ufeff \t\r\n")[:1] in ("{", "[") and (found := _strings(text)):
        joined = "\n".join(found)
        return Paste(joined, skipped, [1] * (joined.count("\n") + 1))
    if "}" not in text:
        return Paste(text, skipped)
    opened: list[str] = []
    lines: list[int] = []
    for number, line in enumerate(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), 1):
        start = line.find("{")
        found = _strings(line[start:]) if start >= 0 and line.rstrip().endswith("}") else []
        pieces = "\n".join([line[:start], *found]).split("\n") if found else [line]
        opened += pieces
        lines += [number] * len(pieces)
    return Paste("\n".join(opened), skipped, lines)


def _strings(text: str) -> list[str]:
    """Strings of more than one word in a JSON text; [] if it is none."""
    try:
        value = json.loads(text.lstrip("\ufeff"))
    except (ValueError, RecursionError):
        return []
    found: list[str] = []
    _collect(value, found, DEPTH)
    return found


def _collect(value: Any, found: list[str], depth: int) -> None:
    if not depth:
        return
    if isinstance(value, str):
        value = value.replace("\r\n", "\n").replace("\r", "\n")  # as the lookup does, so that both count the same lines
        inside = value.strip()
        if inside[:2] == '{"' and inside[-1:] == "}" and (deeper := _strings(inside)):
            found += deeper
        elif (" " in inside or "\n" in value) and any(c.isalpha() for c in inside):
            found.append(value.rstrip("\n"))
    elif isinstance(value, (dict, list)):
        for item in value.values() if isinstance(value, dict) else value:
            _collect(item, found, depth - 1)
