"""The record of wrong fixes: how many versions of each fix were tried, and which of them no proof caught.

evidence/mutants/DEVICE.json:

    {"version": 1, "generator": 2, "torch": "2.13.0", "device": "cpu",
     "symptoms": {stem: {"hash": of the snippet's code, "date": day, "cases": {case: {"tried": number, "survived": [names]}}}}}
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path

from .problem import Problems
from .snippet import Snippet

VERSION = 1
#: Of the generator of wrong versions (run/mutate.py); a record of another one is out of date.
GENERATOR = 2
FOLDER = "evidence/mutants"


@dataclass
class Tried:
    """The wrong versions of one fix. `survived` names those that passed."""

    tried: int
    survived: list[str]


@dataclass
class Entry:
    hash: str
    date: str
    cases: dict[str, Tried]


@dataclass
class Record:
    """What was tried on one kind of device; `symptoms` by stem."""

    torch: str
    device: str
    symptoms: dict[str, Entry] = field(default_factory=dict)

    def of(self, snippet: Snippet) -> Entry | None:
        """The entry of a snippet's code of today."""
        entry = self.symptoms.get(snippet.stem)
        return entry if entry and entry.hash == snippet.hash else None

    def counts(self, snippet: Snippet) -> tuple[int, int]:
        """(tried, caught) wrong versions of all fixes of a snippet's code of today."""
        entry = self.of(snippet)
        tried = list(entry.cases.values()) if entry else []
        return sum(one.tried for one in tried), sum(one.tried - len(one.survived) for one in tried)


def read(root: Path, device: str, problems: Problems | None = None) -> Record:
    """The record of a device; an empty one if there is none, or it is out of date."""
    file = root / FOLDER / f"{device}.json"
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
        if (data["version"], data["generator"]) != (VERSION, GENERATOR):
            return Record("", device)
        symptoms = {
            stem: Entry(entry["hash"], entry["date"], {name: Tried(**tried) for name, tried in entry["cases"].items()})
            for stem, entry in data["symptoms"].items()
        }
        return Record(data["torch"], device, symptoms)
    except FileNotFoundError:
        return Record("", device)
    except (OSError, ValueError, KeyError, TypeError) as error:
        if problems is not None:
            problems.add(file, 0, f"no record that can be read ({error}); write it anew with `python -m torchclinic verify --mutate --record`")
        return Record("", device)


def merge(root: Path, new: Record) -> Path:
    """Add what a run tried to the record of its device; returns the file."""
    symptoms = {**read(root, new.device).symptoms, **new.symptoms}
    data = {
        "version": VERSION,
        "generator": GENERATOR,
        "torch": new.torch,
        "device": new.device,
        "symptoms": {stem: asdict(entry) for stem, entry in sorted(symptoms.items())},
    }
    file = root / FOLDER / f"{new.device}.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return file


def needless(snippet: Snippet, record: Record) -> list[str]:
    """Excuses (`survives` in the header) that the record does not need any more."""
    entry = record.of(snippet)
    return [
        f"`survives` of case `{name}` excuses `{excused}`, which is caught, or is no wrong version of the fix: remove it"
        for name, case in snippet.cases.items()
        if entry and name in entry.cases
        for excused in case.survives
        if excused not in entry.cases[name].survived
    ]


def unexplained(snippet: Snippet, record: Record) -> list[str]:
    """Wrong versions that the record says were not caught, and that the header does not excuse."""
    entry = record.of(snippet)
    return [
        f"the proof of case `{name}` lets a wrong version of the fix pass: `{survivor}`. Make it fail, or excuse it: `cases: {{{name}: {{survives: {{…}}}}}}`"
        for name, tried in (entry.cases if entry else {}).items()
        for survivor in tried.survived
        if name in snippet.cases and survivor not in snippet.cases[name].survives
    ]
