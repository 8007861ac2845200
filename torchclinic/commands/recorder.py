"""Dumps of PyTorch's Flight Recorder in a folder of stacks, as `torchfrtrace` reads them."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

from ..find.clean import DIGITS

#: How torch calls what its `torchfrtrace` runs.
MODULE = "torch.distributed.flight_recorder.fr_trace"
#: Seconds that it may take, bytes of a dump, lines of an answer.
PATIENCE, LARGE, LINES = 120, 256 << 20, 30


class Plain(pickle.Unpickler):
    """Reads what is made of numbers, texts, lists and dicts; anything else may run a program."""

    def find_class(self, module: str, name: str) -> Any:
        raise pickle.UnpicklingError(f"{module}.{name}")


def dumps(folder: Path) -> list[Path]:
    """Files of a folder that are dumps of the recorder, one for each rank."""
    named = [file for file in sorted(folder.iterdir()) if file.name[-1:] in DIGITS]
    return [file for file in named if file.is_file() and _is_dump(file)]


def _is_dump(file: Path) -> bool:
    try:
        if file.stat().st_size > LARGE:
            return False
        with file.open("rb") as opened:
            held = Plain(opened).load()
    except Exception:  # no pickle, or one that would run a program
        return False
    return isinstance(held, dict) and "entries" in held and "version" in held


def command(files: list[Path]) -> list[str]:
    """Compares the calls of the ranks."""
    prefix = files[0].name.rstrip(DIGITS)
    return [sys.executable, "-m", MODULE, str(files[0].parent), "--prefix", prefix]


def compared(files: list[Path]) -> str:
    """What torchfrtrace prints; "" where torch, or it, is not there."""
    try:
        done = subprocess.run(
            command(files), capture_output=True, text=True, errors="replace", timeout=PATIENCE
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    if "No module named" in done.stderr:
        return ""
    return "\n".join((done.stdout + done.stderr).strip().splitlines()[-LINES:])
