"""What changed, by release: old code and what takes its place (facts/changed.yml, written by hand),
and since when PyTorch's files hold our wordings (facts/since.json, made by
`python -m tools.origins --since`)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from . import yamlfile
from .collection import Catalogue
from .problem import line_of
from .snippet import Case
from .symptom import Symptom

OLD_CODE = Path("facts", "changed.yml")
SINCE = Path("facts", "since.json")


@dataclass(frozen=True)
class OldCode:
    """A piece of a break, and the piece of its fix that takes its place."""

    symptom: Symptom
    case: Case
    old: str
    new: str


def old_code(catalogue: Catalogue) -> Iterator[OldCode]:
    """Rows of facts/changed.yml. One that does not stand in the cells that it names, so that no run
    is behind it, is left out and reported in `catalogue.problems`."""
    file = catalogue.root / OLD_CODE
    if not file.is_file():  # a small project of a test
        return
    text = file.read_text(encoding="utf-8")
    by_id = {symptom.id: symptom for symptom in catalogue.symptoms.values()}
    for place, pair in yamlfile.load(text, file, 1, catalogue.problems).items():
        page, _, name = place.rpartition("/")
        case = by_id[page].snippet.cases.get(name) if page in by_id else None
        wrong = _wrong(case, pair)
        if wrong:
            catalogue.problems.add(file, line_of(text, place), f"{place}: {wrong}")
        elif case:
            yield OldCode(by_id[page], case, *pair)


def _wrong(case: Case | None, pair: object) -> str:
    """What is wrong with a row, and what to do; "" for nothing."""
    if not (isinstance(pair, list) and len(pair) == 2 and all(isinstance(x, str) for x in pair)):
        return "write [a piece of the break, a piece of the fix]"
    if case is None:
        return "no such case; `catalogue --list` names those of every page"
    for kind, piece in zip(("break", "fix"), pair, strict=True):
        if kind not in case.cells or piece not in case.cells[kind].source:
            return f"its {kind} does not hold {piece!r}; copy a piece of the cell as it stands"
    return ""


def since(root: Path) -> dict[str, dict[str, list[str]]]:
    """By symptom and wording: the first release that has it, and the last; "" where the oldest or
    the newest one that was read has it."""
    file = root / SINCE
    read: dict[str, dict[str, list[str]]] = (
        json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    )
    return read
