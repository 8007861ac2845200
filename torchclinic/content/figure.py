"""Figures on record: which script drew each, and whether that script has changed since.
authoring/figures.py draws them."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

SCRIPTS = "docs/figures"
DRAWN = "docs/assets/figures"


def script_hash(file: Path) -> str:
    """First 12 hex digits of SHA-256 over the script."""
    return hashlib.sha256(file.read_bytes()).hexdigest()[:12]


def alternative(root: Path, name: str, language: str) -> str:
    """What a drawn figure shows, in words, for those who do not see it."""
    record = json.loads((root / DRAWN / f"{name}.json").read_text(encoding="utf-8"))
    return str(record["alt"][language])


def stale(root: Path, name: str) -> str:
    """Why the figure must be made anew; "" if it need not."""
    script, data = root / SCRIPTS / f"{name}.py", root / DRAWN / f"{name}.json"
    if not script.exists():
        return f"there is no {SCRIPTS}/{name}.py"
    if not data.exists():
        return f"it was never drawn: `python -m torchclinic figures {name}`"
    if json.loads(data.read_text(encoding="utf-8"))["script"] != script_hash(script):
        command = f"`python -m torchclinic figures {name}`"
        return f"{SCRIPTS}/{name}.py has changed since it was drawn: {command}"
    return ""
