"""Evidence: what one run of the snippets recorded on one machine."""

from __future__ import annotations

import gzip
import json
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, TypedDict

from .kept import Kept
from .problem import Problems
from .snippet import Case, Snippet

VERSION = 2
#: The torch release that the pages are written for and CI runs; constraints.txt pins it.
RELEASE = "2.13.0"
#: The Python whose runs the pages show where several have run the same.
PYTHON = "3.11"
OUTCOMES = ("passed", "failed", "skipped")


class CellRecord(TypedDict, total=False):
    """One cell; a field without a value is left out. evidence/README.md describes them."""

    outcome: str
    why: str
    exception: str
    message: str
    traceback: str
    output: str
    live: str
    date: str
    seconds: float
    hash: str


class _SymptomRecord(TypedDict):
    hash: str
    date: str
    python: str
    platform: str
    cells: dict[str, CellRecord]


class SymptomRecord(_SymptomRecord, total=False):
    """The cells of a symptom by name, in the order of the snippet, and on what they ran."""

    packages: dict[str, str]
    skipped: str


#: Texts that name a person or a machine: home folders, addresses of mail.
_PRIVATE = re.compile(
    r"(?:/home/|/Users/|/root/|[A-Z]:\\{1,2}Users\\{1,2})[\w.-]*"
    # Only from where a word begins: from each of its letters would take as long as all else.
    r"|(?<![\w.+-])[\w.+-]+@[\w-]{1,64}\.[a-z]{2,}"
)


@dataclass
class Evidence:
    """One file: everything that ran on one torch, one Python and one kind of device.

    Attributes:
        torch, python, device, device_name, cuda: the environment; `python` is a release such as
            `3.11`, `cuda` the toolkit's version or "".
        symptoms: by stem.
    """

    torch: str
    python: str
    device: str
    device_name: str
    cuda: str = ""
    symptoms: dict[str, SymptomRecord] = field(default_factory=dict)

    @property
    def environment(self) -> str:
        return f"{self.torch}-py{self.python}-{self.device_slug}"

    @property
    def file(self) -> str:
        """Its name.

        What a run of `nox -s versions` writes as a whole is compressed. The record of the pages'
        own release is not, since every pull request adds to it and git must merge that; nor is one
        from a GPU, which its owner reads before sending it.
        """
        plain = self.device != "cpu" or (self.torch, self.python) == (RELEASE, PYTHON)
        return f"{self.environment}.json" + ("" if plain else ".gz")

    @property
    def device_slug(self) -> str:
        """`cpu`, or the GPU's name as a file name: `nvidia-h200`."""
        name = "cpu" if self.device == "cpu" else self.device_name.lower()
        return "-".join("".join(c if c.isalnum() else " " for c in name).split())

    def status(self, snippet: Snippet) -> str:
        """What it says of a snippet's code of today.

        `passed`, `partly` (nothing failed, some cells were skipped), `failed`, `skipped`, `stale`
        (ran before the last change) or `absent`.
        """
        entry = self.symptoms.get(snippet.stem)
        if entry is None:
            return "absent"
        if entry["hash"] != snippet.hash:
            return "stale"
        if "skipped" in entry:
            return "skipped"
        outcomes = {cell["outcome"] for cell in entry["cells"].values()}
        return "failed" if "failed" in outcomes else "partly" if "skipped" in outcomes else "passed"

    def lacks(self, snippet: Snippet) -> list[str]:
        """Programs and vain attempts of today's code that it has no run of."""
        entry = self.symptoms.get(snippet.stem)
        if entry is None or "skipped" in entry:
            return []
        return [name for name in snippet.later if self.cell(snippet, name) is None]

    def summary(self, snippet: Snippet) -> dict[str, str]:
        """`status`, and where there is an entry `date`, and `skipped`."""
        entry = self.symptoms.get(snippet.stem)
        summary = {"status": self.status(snippet)}
        if entry:
            summary["date"] = entry["date"]
            if "skipped" in entry:
                summary["skipped"] = entry["skipped"]
        return summary

    def printed(self, snippet: Snippet, case: Case) -> str:
        """What the break of a case printed; "" where it did not run, or prints nothing."""
        if case.silent or "break" not in case.cells:
            return ""
        cell = self.cell(snippet, f"break {case.name}") or {}
        return cell.get("traceback") or cell.get("output") or ""

    def live(self, snippet: Snippet, case: Case) -> str:
        """What the program knew when the break of a case ended it; "" where none was recorded."""
        return (self.cell(snippet, f"break {case.name}") or {}).get("live", "")

    def cell(self, snippet: Snippet, name: str) -> CellRecord | None:
        """What was recorded of a cell of this very code, with all of its output."""
        entry = self.symptoms.get(snippet.stem)
        if entry is None or entry["hash"] != snippet.hash:
            return None
        cell = entry["cells"].get(name)
        if cell and cell.get("hash", "") != snippet.later.get(name, ""):
            return None
        # The file leaves the output out where it is just the traceback.
        return cell and {**cell, "output": cell.get("output", cell.get("traceback", ""))}

    def as_json(self) -> dict[str, Any]:
        return {"version": VERSION, **vars(self), "symptoms": dict(sorted(self.symptoms.items()))}


def read(file: Path) -> Evidence:
    """Raises: OSError, ValueError (neither JSON nor compressed JSON, or of another version)."""
    held = file.read_bytes()
    try:
        data = json.loads(gzip.decompress(held) if file.suffix == ".gz" else held)
    except (EOFError, zlib.error) as error:
        raise ValueError(f"not compressed as it should be: {error}") from None
    if (version := data.get("version")) != VERSION:
        raise ValueError(f"evidence of version {version}; this program reads version {VERSION}")
    return Evidence(**{entry.name: data[entry.name] for entry in fields(Evidence)})


def read_all(folder: Path, problems: Problems) -> list[Evidence]:
    """Every evidence file.

    CPU first, then the release and the Python that the pages are written for, then the newest.
    """
    files = sorted([*folder.glob("*.json"), *folder.glob("*.json.gz")])
    with Kept(problems.root, "evidence") as kept:
        records = [kept.read(problems, _checked, file) for file in files]
    return sorted(filter(None, records), key=_order)


def _checked(file: Path, problems: Problems) -> Evidence | None:
    """What a file holds; None if it cannot be read, which is reported as all that is wrong."""
    try:
        record = read(file)
    except (OSError, ValueError, KeyError) as error:
        how = "record it anew with `python -m torchclinic verify --record`"
        problems.add(file, 0, f"no evidence that can be read ({error}); {how}")
        return None
    if file.name != record.file:
        packed = f"{file.name}.gz" == record.file
        how = f"run `gzip -n {file.name}`" if packed else f"rename it to {record.file}"
        problems.add(file, 0, f"holds the evidence of {record.environment}; {how}")
    for text in complaints(record):
        problems.add(file, 0, text)
    return record


def _order(record: Evidence) -> tuple[Any, ...]:
    torch, python = (
        (release != ours, [-int(part) for part in release.split(".") if part.isdigit()])
        for release, ours in ((record.torch, RELEASE), (record.python, PYTHON))
    )
    return record.device != "cpu", *torch, *python


def complaints(record: Evidence) -> Iterator[str]:
    """What a record may not hold: evidence also comes from machines of strangers.

    Other fields than evidence/README.md names, outcomes that are none, paths and names of the
    machine.
    """
    for stem, entry in record.symptoms.items():
        yield from _complaints_of(stem, entry, record.python)


def _complaints_of(stem: str, entry: SymptomRecord, python: str) -> Iterator[str]:
    cells = entry.get("cells") or {}
    names = {f"`{stem}`, `{name}`": cell for name, cell in cells.items()}
    for name in sorted(SymptomRecord.__required_keys__ - set(entry)):
        yield f"`{stem}` lacks `{name}`: record it anew"
    for what, held, known in [
        (f"`{stem}`", set(entry), set(SymptomRecord.__annotations__)),
        *((what, set(cell), set(CellRecord.__annotations__)) for what, cell in names.items()),
    ]:
        for name in sorted(held - known):
            yield f"{what} has a field `{name}` that evidence/README.md does not name: take it out"
    told = f"{entry.get('hash')} {entry.get('date')}"
    if not re.fullmatch(r"[0-9a-f]{12} \d{4}-\d\d-\d\d", told):
        form = "`hash` is 12 hex digits, `date` a day such as 2026-11-02"
        yield f"`{stem}`: {form}: record it anew"
    if not str(entry.get("python", "")).startswith(f"{python}."):
        where = f"it belongs into a file of its own, not into that of {python}"
        yield f"`{stem}` ran on Python {entry.get('python')}: {where}"
    for what, cell in names.items():
        if cell.get("outcome") not in OUTCOMES:
            yield f"{what}: the outcome is passed, failed or skipped"
    if private := _PRIVATE.search(json.dumps(entry)):
        how = "replace it by `…`, and say so when you send it"
        yield f"`{stem}` holds `{private[0]}`, which names a person or a machine: {how}"


def merge(folder: Path, new: Evidence) -> Path:
    """Add to the file of this environment what a run recorded; returns the file.

    It keeps the symptoms that did not run. What a run skipped does not replace what was recorded of
    the same code before: packages are installed in one environment and not in the other.
    """
    file = folder / new.file
    if file.exists():
        symptoms = dict(read(file).symptoms)
        for stem, entry in new.symptoms.items():
            before = symptoms.get(stem)
            same = before and before["hash"] == entry["hash"]
            symptoms[stem] = _with_what_ran(before, entry) if before and same else entry
        new.symptoms = symptoms
    folder.mkdir(parents=True, exist_ok=True)
    text = (json.dumps(new.as_json(), indent=1, ensure_ascii=False) + "\n").encode()
    whole = file.with_suffix(".part")  # who cuts the run off here keeps the old file
    whole.write_bytes(gzip.compress(text, mtime=0) if file.suffix == ".gz" else text)
    whole.replace(file)
    return file


def _with_what_ran(before: SymptomRecord, entry: SymptomRecord) -> SymptomRecord:
    """A symptom's new entry, of the same code.

    Cells that were skipped now and passed before stand in it as they did, with the day on which
    they ran.
    """
    passed = {name: cell for name, cell in before["cells"].items() if cell["outcome"] == "passed"}
    if "skipped" in entry:
        # What failed before is asked for no more: its need was named since.
        failed = any(cell["outcome"] == "failed" for cell in before["cells"].values())
        return before if passed and not failed else entry
    merged: SymptomRecord = {**entry, "cells": dict(entry["cells"])}
    for name, cell in entry["cells"].items():
        if cell["outcome"] == "skipped" and name in passed:
            merged["cells"][name] = {"date": before["date"], **passed[name]}
    if packages := {**before.get("packages", {}), **entry.get("packages", {})}:
        merged["packages"] = packages
    return merged
