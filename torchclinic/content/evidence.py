"""Evidence: what one run of the snippets recorded on one machine."""

from __future__ import annotations

import gzip
import json
import re
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .problem import Problems
from .snippet import Snippet

VERSION = 2
#: The torch release that the pages are written for and CI runs; constraints.txt pins it.
RELEASE = "2.13.0"
#: The Python whose runs the pages show where several have run the same.
PYTHON = "3.11"
OUTCOMES = ("passed", "failed", "skipped")


#: What an entry and a cell may hold, and must: evidence also comes from machines of strangers.
_ENTRY = {"hash": True, "date": True, "python": True, "platform": True, "packages": False, "cells": True, "skipped": False}
_CELL = {"outcome": True, **dict.fromkeys(["why", "exception", "message", "traceback", "output", "date", "seconds"], False)}
#: Texts that name a person or a machine: home folders, addresses of mail.
_PRIVATE = re.compile(r"(?:/home/|/Users/|/root/|[A-Z]:\\{1,2}Users\\{1,2})[\w.-]*|[\w.+-]{1,64}@[\w-]{1,64}\.[a-z]{2,}")


@dataclass
class Evidence:
    """One file: everything that ran on one torch, one Python and one kind of device.

    Attributes:
        torch, python, device, device_name, cuda: the environment; `python` is a release such as `3.11`, `cuda` the toolkit's version or "".
        symptoms: stem -> {"hash", "date", "python", "platform", "packages", "cells" or "skipped"}; the format is described in evidence/README.md.
    """

    torch: str
    python: str
    device: str
    device_name: str
    cuda: str = ""
    symptoms: dict[str, dict[str, Any]] = field(default_factory=dict)

    @property
    def environment(self) -> str:
        return f"{self.torch}-py{self.python}-{self.device_slug}"

    @property
    def file(self) -> str:
        """Its name.

        What a run of `nox -s versions` writes as a whole is compressed. The record of the pages' own release is not, since every pull request adds to it
        and git must merge that; nor is one from a GPU, which its owner reads before sending it.
        """
        plain = self.device != "cpu" or (self.torch, self.python) == (RELEASE, PYTHON)
        return f"{self.environment}.json" + ("" if plain else ".gz")

    @property
    def device_slug(self) -> str:
        """`cpu`, or the GPU's name as a file name: `nvidia-h200`."""
        if self.device == "cpu":
            return "cpu"
        return "-".join("".join(c if c.isalnum() else " " for c in self.device_name.lower()).split())

    def status(self, snippet: Snippet) -> str:
        """`passed`, `partly` (nothing failed, some cells were skipped), `failed`, `skipped`, `stale` (ran before the last change) or `absent`."""
        entry = self.symptoms.get(snippet.stem)
        if entry is None:
            return "absent"
        if entry["hash"] != snippet.hash:
            return "stale"
        if "skipped" in entry:
            return "skipped"
        outcomes = {cell["outcome"] for cell in entry["cells"].values()}
        return "failed" if "failed" in outcomes else "partly" if "skipped" in outcomes else "passed"

    def summary(self, snippet: Snippet) -> dict[str, Any]:
        entry = self.symptoms.get(snippet.stem) or {}
        return {"status": self.status(snippet), **{key: entry[key] for key in ("date", "skipped") if key in entry}}

    def cell(self, snippet: Snippet, name: str) -> dict[str, Any] | None:
        """What was recorded of a cell, with all of its output, unless the snippet has changed since."""
        entry = self.symptoms.get(snippet.stem)
        if entry is None or entry["hash"] != snippet.hash:
            return None
        cell = entry.get("cells", {}).get(name)
        # The file leaves the output out where it is just the traceback.
        return cell and {**cell, "output": cell.get("output", cell.get("traceback", ""))}

    def as_json(self) -> dict[str, Any]:
        return {
            "version": VERSION,
            "torch": self.torch,
            "python": self.python,
            "device": self.device,
            "device_name": self.device_name,
            "cuda": self.cuda,
            "symptoms": dict(sorted(self.symptoms.items())),
        }


def read(file: Path) -> Evidence:
    """Raises: OSError, ValueError (neither JSON nor compressed JSON, or of another version)."""
    held = file.read_bytes()
    try:
        data = json.loads(gzip.decompress(held) if file.suffix == ".gz" else held)
    except (EOFError, zlib.error) as error:
        raise ValueError(f"not compressed as it should be: {error}") from None
    if data.get("version") != VERSION:
        raise ValueError(f"evidence of version {data.get('version')}; this program reads version {VERSION}")
    return Evidence(data["torch"], data["python"], data["device"], data["device_name"], data["cuda"], data["symptoms"])


def read_all(folder: Path, problems: Problems) -> list[Evidence]:
    """Every evidence file; CPU first, then the release and the Python that the pages are written for, then the newest."""
    found = []
    for file in sorted([*folder.glob("*.json"), *folder.glob("*.json.gz")]):
        try:
            made = read(file)
        except (OSError, ValueError, KeyError) as error:
            problems.add(file, 0, f"no evidence that can be read ({error}); record it anew with `python -m torchclinic verify --record`")
            continue
        if file.name != made.file:
            how = f"run `gzip -n {file.name}`" if f"{file.name}.gz" == made.file else f"rename it to {made.file}"
            problems.add(file, 0, f"holds the evidence of {made.environment}; {how}")
        for text in complaints(made):
            problems.add(file, 0, text)
        found.append(made)
    return sorted(
        found, key=lambda made: (made.device != "cpu", made.torch != RELEASE, _newest_first(made.torch), made.python != PYTHON, _newest_first(made.python))
    )


def _newest_first(release: str) -> list[int]:
    return [-int(part) for part in release.split(".") if part.isdigit()]


def complaints(made: Evidence) -> list[str]:
    """What a record may not hold: other fields than evidence/README.md names, outcomes that are none, paths and names of the machine."""
    found = []
    for stem, entry in made.symptoms.items():
        cells = entry.get("cells") or {}
        for what, held, fields in [(f"`{stem}`", entry, _ENTRY), *((f"`{stem}`, `{name}`", cell, _CELL) for name, cell in cells.items())]:
            found += [f"{what} lacks `{name}`: record it anew" for name, needed in fields.items() if needed and name not in held]
            found += [f"{what} has a field `{name}` that evidence/README.md does not name: take it out" for name in held if name not in fields]
        if not re.fullmatch("[0-9a-f]{12}", str(entry.get("hash"))) or not re.fullmatch(r"\d{4}-\d\d-\d\d", str(entry.get("date"))):
            found.append(f"`{stem}`: `hash` is 12 hex digits, `date` a day such as 2026-11-02: record it anew")
        if not str(entry.get("python", "")).startswith(f"{made.python}."):
            found.append(f"`{stem}` ran on Python {entry.get('python')}: it belongs into a file of its own, not into that of {made.python}")
        found += [f"`{stem}`, `{name}`: the outcome is passed, failed or skipped" for name, cell in cells.items() if cell.get("outcome") not in OUTCOMES]
        if private := _PRIVATE.search(json.dumps(entry)):
            found.append(f"`{stem}` holds `{private[0]}`, which names a person or a machine: replace it by `…`, and say so when you send it")
    return found


def merge(folder: Path, new: Evidence) -> Path:
    """Add to the file of this environment what a run recorded, keeping the symptoms that did not run; returns the file.

    What a run skipped does not replace what was recorded of the same code before: packages are installed in one environment and not in the other.
    """
    file = folder / new.file
    if file.exists():
        old = read(file)
        kept = dict(old.symptoms)
        for stem, entry in new.symptoms.items():
            before = kept.get(stem)
            kept[stem] = _with_what_ran(before, entry) if before and before["hash"] == entry["hash"] else entry
        new.symptoms = kept
    folder.mkdir(parents=True, exist_ok=True)
    text = (json.dumps(new.as_json(), indent=1, ensure_ascii=False) + "\n").encode()
    whole = file.with_suffix(".part")  # who cuts the run off here keeps the old file
    whole.write_bytes(gzip.compress(text, mtime=0) if file.suffix == ".gz" else text)
    whole.replace(file)
    return file


def _with_what_ran(before: dict[str, Any], entry: dict[str, Any]) -> dict[str, Any]:
    """A symptom's new entry, in which cells that were skipped now and passed before stand as they did, with the day on which they ran."""
    passed = {name: cell for name, cell in before.get("cells", {}).items() if cell["outcome"] == "passed"}
    if "skipped" in entry:
        # What failed before is asked for no more: its need was named since.
        failed = any(cell["outcome"] == "failed" for cell in before.get("cells", {}).values())
        return before if passed and not failed else entry
    cells = dict(entry["cells"])
    for name, cell in passed.items():
        if cells[name]["outcome"] == "skipped":
            cells[name] = {"date": before["date"], **cell}
    packages = {**before.get("packages", {}), **entry.get("packages", {})}
    return {**entry, **({"packages": packages} if packages else {}), "cells": cells}
