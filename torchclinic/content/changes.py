"""What breaks print on other machines, by torch release and device, as the evidence has it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..find import lookup
from . import index
from .evidence import Evidence
from .snippet import Cell
from .symptom import Symptom

if TYPE_CHECKING:
    from .collection import Catalogue

#: How `verify` says that a break did not break, and that a fix did not cure.
QUIET = "ended without an error"
STILL = "still prints the message"
_NUMBER = re.compile(r"\d+(?:\.\d+)*")


@dataclass(frozen=True)
class Printed:
    """One message of one break, and where it was printed.

    Attributes:
        text: `Exception: message`, as the first machine of `where` printed it.
        where: environments that printed it, in the catalogue's order (`2.13.0-py3.11-cpu`, …).
    """

    text: str
    where: tuple[str, ...]


def printed(catalogue: Catalogue, symptom: Symptom, name: str) -> list[Printed]:
    """The different messages that a break ended in, numbers aside.

    One entry if all machines agree, none if none ran the code of today.
    """
    messages: dict[str, tuple[str, list[str]]] = {}
    for record in catalogue.evidence:
        if text := message(record, symptom, name):
            messages.setdefault(_NUMBER.sub("#", text), (text, []))[1].append(record.environment)
    return [Printed(text, tuple(where)) for text, where in messages.values()]


@dataclass(frozen=True)
class Span:
    """Releases of torch between which runs have shown a wording; "" where no run beyond lacks it.

    Attributes:
        since: the oldest that printed it, if an older one ran the break and printed other words.
        until: the newest that printed it, if a newer one ran the break and printed other words.
    """

    since: str = ""
    until: str = ""


def spans(catalogue: Catalogue, symptom: Symptom) -> dict[str, Span]:
    """Of each wording that some releases print and others do not, by its text: when.

    Only runs on the CPU are compared: a GPU prints other words. Nothing is known of releases that
    were not run.
    """
    if all(len(printed(catalogue, symptom, cell.name)) < 2 for cell in _breaks(symptom)):
        return {}
    shown, ran = shown_by(catalogue, symptom)
    by_text: dict[str, Span] = {}
    for text, printers in shown.items():
        first, last = min(printers, key=release), max(printers, key=release)
        span = Span(
            first if any(release(other) < release(first) for other in ran[text]) else "",
            last if any(release(other) > release(last) for other in ran[text]) else "",
        )
        if span != Span():
            by_text[text] = span
    return by_text


def shown_by(
    catalogue: Catalogue, symptom: Symptom
) -> tuple[dict[str, set[str]], dict[str, set[str]]]:
    """Of each wording that a run on the CPU showed, by its text: the releases whose breaks printed
    it; and those that ran these breaks."""
    names = {index.shown(wording): wording.text for wording in symptom.snippet.wordings}
    shown: dict[str, set[str]] = {}
    ran: dict[str, set[str]] = {}
    for cell in _breaks(symptom):
        texts: dict[str, str] = {}
        for record in catalogue.evidence:
            if record.device == "cpu" and (text := message(record, symptom, cell.name)):
                # Of several Pythons the first in the catalogue's order.
                texts.setdefault(record.torch, text)
        for text in dict.fromkeys(texts.values()):
            for hit in lookup.lookup(catalogue.table, text)["hits"]:
                if hit["symptom"] == symptom.stem:
                    printers = {torch for torch, said in texts.items() if said == text}
                    shown.setdefault(names[hit["wording"]], set()).update(printers)
                    ran.setdefault(names[hit["wording"]], set()).update(texts)
    return shown, ran


def _breaks(symptom: Symptom) -> list[Cell]:
    return [cell for cell in symptom.snippet.runs if cell.kind == "break"]


def fails(
    catalogue: Catalogue, symptom: Symptom, cell: Cell
) -> tuple[list[Evidence], list[Evidence]]:
    """Records in which a check or fix failed although its break did what it must.

    What was too slow or too big there says nothing; nor does the proof of a command, which asks
    more of a release than the command does.

    Returns:
        Those, and all in which both ran.
    """
    failed, ran = [], []
    for record in catalogue.evidence if cell.kind in ("check", "fix") else ():
        broken = record.cell(symptom.snippet, f"break {cell.case}")
        cured = record.cell(symptom.snippet, cell.name)
        if not broken or not cured:
            continue
        if broken["outcome"] == "passed" and cured["outcome"] in ("passed", "failed"):
            ran.append(record)
            tells = cured.get("exception") or cured.get("why", "").startswith(STILL)
            if cured["outcome"] == "failed" and tells:
                failed.append(record)
    return failed, ran


def spared(
    catalogue: Catalogue, symptom: Symptom, broken: Cell
) -> tuple[list[Evidence], list[Evidence]]:
    """Records in which a break ended as if nothing were wrong.

    A fault that is injected says nothing of a release.

    Returns:
        Those, and all in which it ran.
    """
    if any(need.startswith("fault:") for need in symptom.snippet.needs_of(broken.case)):
        return [], []
    silent = symptom.snippet.cases[broken.case].silent
    quiet, ran = [], []
    for record in catalogue.evidence:
        cell = record.cell(symptom.snippet, broken.name)
        if not cell or cell["outcome"] == "skipped":
            continue
        ran.append(record)
        raised, why = cell.get("exception"), cell.get("why", "")
        ended = raised == "AssertionError" if silent else why.startswith(QUIET)
        if cell["outcome"] == "failed" and ended:
            quiet.append(record)
    return quiet, ran


def release(torch: str) -> list[int]:
    """`2.13.0` as numbers that compare."""
    return [int("".join(filter(str.isdigit, part)) or 0) for part in torch.split(".")]


def message(record: Evidence, symptom: Symptom, name: str) -> str:
    """`Exception: message` of a recorded cell.

    "" if it raised nothing, did not run, or has changed since.
    """
    cell = record.cell(symptom.snippet, name)
    if not cell or "exception" not in cell:
        return ""
    return f"{cell['exception']}: {cell.get('message', '')}".strip()


def report(catalogue: Catalogue) -> list[str]:
    """Lines that say which breaks print what where, for every break on which machines differ."""
    lines = []
    for symptom in catalogue.symptoms.values():
        for cell in symptom.snippet.runs:
            messages = printed(catalogue, symptom, cell.name) if cell.kind == "break" else []
            if len(messages) > 1:
                lines.append(f"{symptom.id}: {cell.name}")
                for said in messages:
                    text = said.text.replace("\n", "\n    ")
                    lines.append(f"  {', '.join(said.where)}\n    {text}")
    return lines
