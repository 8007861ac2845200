"""A file of many entries, of which a run reads few: a line of JSON that says what is in it, then an
entry a line, each JSON."""

from __future__ import annotations

import contextlib
import gc
import json
import mmap
from collections.abc import Iterator, Mapping
from itertools import accumulate
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path


class Entries(Mapping[str, Any]):
    """The entries of a file by their names, each parsed when it is first asked for.

    Args:
        begins: where its lines begin, and where the last one ends.
        numbers: of the lines of the entries.
    """

    def __init__(self, text: bytes | mmap.mmap, begins: list[int], numbers: dict[str, int]):
        self._text, self._begins, self._numbers = text, begins, numbers
        self._parsed: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._parsed:
            number = self._numbers[name]
            begin, end = self._begins[number : number + 2]
            self._parsed[name] = _parsed(self._text[begin : end - 1])
        return self._parsed[name]

    def __contains__(self, name: object) -> bool:
        return name in self._numbers

    def __iter__(self) -> Iterator[str]:
        return iter(self._numbers)

    def __len__(self) -> int:
        return len(self._numbers)

    def below(self, prefix: str) -> Entries:
        """Those whose names begin with it, by the rest of their names."""
        chosen = {
            name.removeprefix(prefix): number
            for name, number in self._numbers.items()
            if name.startswith(prefix)
        }
        return Entries(self._text, self._begins, chosen)


def write(entries: Mapping[str, Any], **head: Any) -> bytes:
    """What `read` reads.

    Args:
        head: what is said of all of them.
    """
    rows = {name: _dumped(entry) for name, entry in entries.items()}
    lengths = {name: len(row) for name, row in rows.items()}
    return b"\n".join([_dumped({**head, "lengths": lengths}), *rows.values(), b""])


def read(file: Path) -> tuple[dict[str, Any], Entries]:
    """What is said of a file's entries, and they.

    The file is not read but mapped; another may take its place meanwhile.

    Raises:
        OSError, ValueError: it cannot be read, or is no such file, whole.
    """
    with file.open("rb") as opened:
        return parsed(mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ))


def parsed(text: bytes | mmap.mmap) -> tuple[dict[str, Any], Entries]:
    """The same of what `write` gave.

    Raises:
        ValueError: it is not, or not whole.
    """
    begin = text.find(b"\n") + 1
    head = _parsed(text[:begin])
    if not isinstance(head, dict) or not isinstance(lengths := head.get("lengths"), dict):
        raise ValueError("its first line does not say what is in it")
    begins = [*accumulate((length + 1 for length in lengths.values()), initial=begin)]
    if begins[-1] != len(text):
        raise ValueError("it is cut")
    return head, Entries(text, begins, dict(zip(lengths, range(len(lengths)), strict=True)))


def _dumped(data: Any) -> bytes:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode()


def _parsed(text: bytes) -> Any:
    with uncollected():
        return json.loads(text)


@contextlib.contextmanager
def uncollected() -> Iterator[None]:
    """Without the collector of garbage, which finds none in what is read and doubles the time; in a
    process with torch it takes longer than all else."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()
