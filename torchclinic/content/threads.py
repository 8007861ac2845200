"""Threads in which people met a symptom: which row of its table of causes was the matter in each.

`tests/data/threads/<stem>.jsonl` holds a thread a line; its `row` is null where the page lacks it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

from .problem import Problems

FOLDER = "tests/data/threads"


class Thread(NamedTuple):
    """What was printed, and the row of the table of causes that was the matter."""

    text: str
    row: str


def read(root: Path, problems: Problems) -> dict[str, list[Thread]]:
    """The threads of each stem, those whose row its page lacks left out."""
    threads: dict[str, list[Thread]] = {}
    for file in sorted((root / FOLDER).glob("*.jsonl")):
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            try:
                thread = json.loads(line)
                text, row = str(thread["text"]), str(thread["row"] or "")
            except (ValueError, KeyError, TypeError) as error:
                problems.add(file, number, f"this line is no thread: {error}")
                continue
            if row:
                threads.setdefault(file.stem, []).append(Thread(text, row))
    return threads
