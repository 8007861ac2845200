"""`torchclinic lookup --follow`: each error of a growing log, once, as soon as it is written."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..content.problem import BadInput
from ..find import lookup
from ..find.answer import Answer
from . import paste, source, terminal
from .decode import HEAD, decode, wide
from .knowledge import Knowledge

#: Bytes of a growing log that are looked at again with what is new: an error that was half written
#: is found whole.
WINDOW = 50_000
#: Seconds between two looks at a file.
PAUSE = 0.3


def follow(known: Knowledge, name: str, language: str, as_json: bool) -> int:
    """Report until interrupted (or, for standard input, until it ends); the exit status."""
    log, told = _Log(), False
    try:
        for data in _pieces(name, log):
            log.add(data)
            for answer in log.new(known):
                told = True
                if as_json:
                    print(json.dumps(answer), flush=True)
                else:
                    shown = terminal.render(known, answer, language, sys.stdout.isatty())
                    print(f"{shown}\n", flush=True)
    except KeyboardInterrupt:
        pass
    return 0 if told else 1


class _Log:
    """The end of a log, and what was told of it.

    Attributes:
        dropped: lines that stand no more in `data`.
        ended: is what was read last all that there is for now?
        block: bytes that were read last.
    """

    def __init__(self) -> None:
        self.seen: set[tuple[str, int]] = set()
        self.ended = False
        self.block = 0
        self.clear()

    def clear(self) -> None:
        """The log begins anew; its lines are counted from there."""
        self.data, self.utf16, self.dropped = b"", "", 0
        self.seen.clear()

    def add(self, data: bytes) -> None:
        if not self.dropped and len(self.data) < HEAD:
            self.utf16 = wide((self.data + data)[:HEAD])
        self.data += data
        self.block = len(data)

    def new(self, known: Knowledge) -> Iterator[Answer]:
        """Errors not yet told, with their line in the log, each as an answer of its own."""
        # A line of which more may come could be another error then.
        whole = len(self.data) if self.ended else self._after_line(len(self.data))
        read = paste.unpack(decode(self.data[:whole], self.utf16))
        # While it lags behind, wordings alone: the lower rungs may wait for what comes now.
        lags = self.block >= source.BLOCK
        look = lookup.lookup(known.index, read.text) if lags else known.look_up(read.text, False)
        answer = read.place(look)
        for hit in answer["hits"]:
            if self._is_new(hit["symptom"], hit):
                alone: Answer = {**answer, "hits": [hit]}
                yield alone if answer["status"] == "likely" else {**alone, "status": "match"}
        if "origin" in answer and self._is_new(answer["origin"]["message"], answer["origin"]):
            yield answer
        cut = self._after_line(max(0, len(self.data) - WINDOW))
        self.dropped += decode(self.data[:cut], self.utf16).count("\n")
        self.data = self.data[cut:]

    def _is_new(self, what: str, found: Any) -> bool:
        """Is it? Its line is counted from the log's beginning from here on."""
        found["line"] += self.dropped
        key = what, found["line"]
        new = key not in self.seen
        self.seen.add(key)
        return new

    def _after_line(self, before: int) -> int:
        """Where the last line that ends before a place ends."""
        end = "\n".encode(self.utf16 or "utf-8")
        at = self.data.rfind(end, 0, before)
        while at > 0 and at % len(end):  # half of one character and half of the next
            at = self.data.rfind(end, 0, at + len(end) - 1)
        return at + len(end) if at >= 0 else 0


def _pieces(name: str, log: _Log) -> Iterator[bytes]:
    """What is written to a log, as it comes, also behind a rotation: into a new file of the name,
    or from the beginning of one that was cut."""
    if name == "-":
        with source.opened(name) as pipe:
            while data := pipe.read1(source.BLOCK):  # type: ignore[attr-defined]
                yield data
        log.ended = True
        yield b""
        return
    file = _open(name)
    while True:
        data = file.read(source.BLOCK)
        if data or not log.ended:
            log.ended = not data
            yield data
        elif _is_another(name, file):
            file.close()
            file = _open(name)
            log.clear()
        else:
            time.sleep(PAUSE)


def _open(name: str) -> Any:
    try:
        return Path(name).open("rb")
    except OSError as error:
        raise BadInput(f"{name} cannot be read ({error.strerror})") from None


def _is_another(name: str, file: Any) -> bool:
    try:
        now = Path(name).stat()
    except OSError:  # moved away, and not there anew yet
        return False
    own = os.fstat(file.fileno())
    return (now.st_dev, now.st_ino) != (own.st_dev, own.st_ino) or now.st_size < file.tell()
