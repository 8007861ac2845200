"""The record of wrong fixes: how many versions of each were tried, and which no proof caught.

Of fixes of snippets, and of blocks of tips.

evidence/mutants/DEVICE.json:

    {"version": 1, "generator": 2, "torch": "2.13.0", "device": "cpu",
     "symptoms": {stem: {"hash": of the snippet's code, "date": day,
                         "cases": {case: {"tried": number, "survived": [names]}}}},
     "tips": {stem: the same; its cases are its blocks, by the section in which they stand}}
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from .problem import Problems
from .snippet import Snippet

VERSION = 1
#: Of the generator of wrong versions (authoring/mutants.py); another one's record is out of date.
GENERATOR = 2
FOLDER = "evidence/mutants"
#: How the name of a wrong version begins: what was done to the fix. Its code follows, behind a
#: colon.
KINDS = ("back", "without", "swap", "raw")


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
    """What was tried on one kind of device; both tables by stem."""

    torch: str
    device: str
    symptoms: dict[str, Entry] = field(default_factory=dict)
    tips: dict[str, Entry] = field(default_factory=dict)

    def table(self, snippet: Snippet) -> dict[str, Entry]:
        """Where the entry of a snippet, or of a tip's blocks, stands."""
        return self.tips if snippet.is_tip else self.symptoms

    def of(self, snippet: Snippet) -> Entry | None:
        """The entry of a snippet's code of today."""
        entry = self.table(snippet).get(snippet.stem)
        return entry if entry and entry.hash == snippet.hash else None

    def counts(self, snippet: Snippet) -> tuple[int, int]:
        """(tried, caught) wrong versions of all fixes, or blocks, of a snippet's code of today."""
        entry = self.of(snippet)
        tried = list(entry.cases.values()) if entry else []
        count = sum(case.tried for case in tried)
        return count, count - sum(len(case.survived) for case in tried)


def read(root: Path, device: str, problems: Problems | None = None) -> Record:
    """The record of a device; an empty one if there is none, or it is out of date."""
    file = root / FOLDER / f"{device}.json"
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
        if (data["version"], data["generator"]) != (VERSION, GENERATOR):
            return Record("", device)
        return Record(
            data["torch"], device, _entries(data["symptoms"]), _entries(data.get("tips", {}))
        )
    except FileNotFoundError:
        return Record("", device)
    except (OSError, ValueError, KeyError, TypeError) as error:
        if problems is not None:
            how = "write it anew with `python -m torchclinic verify --mutate --record`"
            problems.add(file, 0, f"no record that can be read ({error}); {how}")
        return Record("", device)


def _entries(data: dict[str, Any]) -> dict[str, Entry]:
    entries = {}
    for stem, entry in data.items():
        cases = {name: Tried(**tried) for name, tried in entry["cases"].items()}
        entries[stem] = Entry(entry["hash"], entry["date"], cases)
    return entries


def merge(root: Path, new: Record) -> Path:
    """Add what a run tried to the record of its device; returns the file.

    Cases of the same code that this machine had to skip are kept.
    """
    old = read(root, new.device)
    data = {
        "version": VERSION,
        "generator": GENERATOR,
        "torch": new.torch,
        "device": new.device,
        "symptoms": _merged(old.symptoms, new.symptoms),
        "tips": _merged(old.tips, new.tips),
    }
    file = root / FOLDER / f"{new.device}.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return file


def _merged(old: dict[str, Entry], new: dict[str, Entry]) -> dict[str, Any]:
    merged = {**old, **new}
    for stem in set(old) & set(new):
        if old[stem].hash == new[stem].hash:
            cases = {**old[stem].cases, **new[stem].cases}
            merged[stem] = Entry(new[stem].hash, new[stem].date, cases)
    return {stem: asdict(entry) for stem, entry in sorted(merged.items())}


def written(snippet: Snippet, case: str, mutant: str) -> str:
    """A wrong version as `survives` names it: of a tip with its block, of a snippet alone."""
    return f"{case}: {mutant}" if snippet.is_tip else mutant


def needless(snippet: Snippet, record: Record) -> list[str]:
    """Excuses (`survives` in a snippet's header, or a tip's front matter) that are not needed.

    One that says `sometimes: …` is of a race, whose wrong version is caught on one day and not on
    another: it is never needless.
    """
    entry = record.of(snippet)
    messages = []
    for name, case in snippet.cases.items():
        if not entry or name not in entry.cases:
            continue
        field = "`survives`" if snippet.is_tip else f"`survives` of case `{name}`"
        for excused, why in case.survives.items():
            if excused not in entry.cases[name].survived and not why.startswith("sometimes: "):
                why = "which is caught, or is no wrong version of the code: remove it"
                messages.append(f"{field} excuses `{written(snippet, name, excused)}`, {why}")
    return messages


def unexplained(snippet: Snippet, record: Record) -> list[str]:
    """Wrong versions that the record says were not caught, and that no `survives` excuses."""
    entry = record.of(snippet)
    messages = []
    for name, tried in (entry.cases if entry else {}).items():
        for mutant in tried.survived:
            if name not in snippet.cases or mutant in snippet.cases[name].survives:
                continue
            survivor = written(snippet, name, mutant)
            if snippet.is_tip:
                what = "what the block asserts holds for a wrong version of it"
                excuse = f'in the front matter: `survives: {{"{survivor}": why}}`'
            else:
                what = f"the proof of case `{name}` lets a wrong version of the fix pass"
                excuse = f"in the header: `cases: {{{name}: {{survives: {{…}}}}}}`"
            messages.append(f"{what}: `{survivor}`. Make it fail, or excuse it {excuse}")
    return messages


def complaints(snippet: Snippet, record: Record) -> list[str]:
    """What the record says against a snippet's fixes, or a tip's blocks."""
    return [*unexplained(snippet, record), *needless(snippet, record)]
