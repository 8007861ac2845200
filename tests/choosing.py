"""The tables of the tips about choosing, and the record of the run that they show."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from typing import Any

from torchclinic import ROOT

PROGRAM = ROOT / "docs/programs/choosing.py"
RECORD: dict[str, Any] = json.loads(PROGRAM.with_suffix(".json").read_text(encoding="utf-8"))
#: Part of the record -> the tip and the section that show it.
PLACES = {
    "augmentation": ("tools/around-pytorch", "augmentation"),
    "runtime": ("compile-export/export-and-aot", "choose"),
    "tracker": ("tools/log-a-run", "cost"),
}
#: Of processor time: other work on the machine does not move them far.
STEADY = {
    "augmentation": ("flip", "blur", "training"),
    "runtime": ("resnet18", "encoder"),
}
#: What differed this much when it was recorded keeps its order anywhere.
APART = 5


def section(language: str, part: str) -> str:
    tip, anchor = PLACES[part]
    text = (ROOT / f"docs/{language}/tips/{tip}.md").read_text(encoding="utf-8")
    return re.split(r"^## ", text.partition(f"{{#{anchor}}}")[2], maxsplit=1, flags=re.MULTILINE)[0]


def numbers(text: str) -> list[list[float]]:
    """Of each row of the first table that holds numbers, the cells that are some."""
    rows = [
        [
            float(cell.replace(",", ""))
            for cell in map(str.strip, line.split("|"))
            if re.fullmatch(r"[\d.,]+", cell)
        ]
        for line in text.splitlines()
        if line.startswith("|")
    ]
    return [row for row in rows if row]


def again(part: str) -> dict[str, dict[str, float]]:
    """The rows of a new, short run."""
    command = [sys.executable, str(PROGRAM), part, "--rounds", "9"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    rows: dict[str, dict[str, float]] = json.loads(done.stdout.splitlines()[-1])["rows"]
    return rows
