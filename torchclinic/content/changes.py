"""What breaks print on other machines: messages side by side, by torch release and device, as the evidence has them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..find import lookup
from . import index
from .catalogue import Catalogue, Symptom
from .evidence import Evidence
from .snippet import Cell

#: How `verify` says that a break did not break, so that the symptom is not there, and that a fix did not cure.
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
    """The different messages that a break ended in, numbers aside; one entry if all machines agree, none if none ran the code of today."""
    found: dict[str, tuple[str, list[str]]] = {}
    for record in catalogue.evidence:
        if text := message(record, symptom, name):
            found.setdefault(_NUMBER.sub("#", text), (text, []))[1].append(record.environment)
    return [Printed(text, tuple(where)) for text, where in found.values()]


@dataclass(frozen=True)
class Span:
    """Releases of torch between which runs have shown a wording; "" where no run beyond lacks it.

    Attributes:
        since: the oldest that printed it, if an older one ran the same break and printed other words.
        until: the newest that printed it, if a newer one ran the same break and printed other words.
    """

    since: str = ""
    until: str = ""


def spans(catalogue: Catalogue, symptom: Symptom) -> dict[str, Span]:
    """Of each wording that some releases print and others do not (by its text): when. Only runs on the CPU are compared: a GPU prints other words.

    Nothing is known of releases that were not run.
    """
    breaks = [cell for cell in symptom.snippet.runs if cell.kind == "break"]
    if all(len(printed(catalogue, symptom, cell.name)) < 2 for cell in breaks):
        return {}
    table = catalogue.index()
    names = {index.shown(wording): wording.text for wording in symptom.snippet.wordings}
    shown: dict[str, set[str]] = {}
    ran: dict[str, set[str]] = {}
    for cell in breaks:
        texts: dict[str, str] = {}
        for record in catalogue.evidence:
            if record.device == "cpu" and (text := message(record, symptom, cell.name)):
                texts.setdefault(record.torch, text)  # of several Pythons the first in the catalogue's order
        for torch, text in texts.items():
            for hit in lookup.lookup(table, text)["hits"]:
                if hit["symptom"] == symptom.stem:
                    shown.setdefault(names[hit["wording"]], set()).add(torch)
                    ran.setdefault(names[hit["wording"]], set()).update(texts)
    found: dict[str, Span] = {}
    for text, these in shown.items():
        first, last = min(these, key=release), max(these, key=release)
        span = Span(
            first if any(release(other) < release(first) for other in ran[text]) else "",
            last if any(release(other) > release(last) for other in ran[text]) else "",
        )
        if span != Span():
            found[text] = span
    return found


def fails(catalogue: Catalogue, symptom: Symptom, cell: Cell) -> tuple[list[Evidence], list[Evidence]]:
    """The records in which a check or fix did not do what it must although its break did, and all in which both ran.

    What was too slow or too big there says nothing; nor does the proof of a command, which asks more of a release than the command does.
    """
    failed, ran = [], []
    for record in catalogue.evidence if cell.kind in ("check", "fix") else ():
        broke, done = (record.cell(symptom.snippet, name) or {} for name in (f"break {cell.case}", cell.name))
        if broke.get("outcome") == "passed" and done.get("outcome") in ("passed", "failed"):
            ran.append(record)
            if done["outcome"] == "failed" and (done.get("exception") or done.get("why", "").startswith(STILL)):
                failed.append(record)
    return failed, ran


def spared(catalogue: Catalogue, symptom: Symptom, broken: Cell) -> tuple[list[Evidence], list[Evidence]]:
    """The records in which a break ended as if nothing were wrong, and all in which it ran. A fault that is injected says nothing of a release."""
    if any(need.startswith("fault:") for need in symptom.snippet.needs_of(broken.case)):
        return [], []
    silent = symptom.snippet.cases[broken.case].silent
    ran = [(record, done) for record in catalogue.evidence if (done := record.cell(symptom.snippet, broken.name)) and done["outcome"] != "skipped"]
    return [
        record
        for record, done in ran
        if done["outcome"] == "failed" and (done.get("exception") == "AssertionError" if silent else done.get("why", "").startswith(QUIET))
    ], [record for record, _ in ran]


def release(torch: str) -> list[int]:
    """`2.13.0` as numbers that compare."""
    return [int("".join(filter(str.isdigit, part)) or 0) for part in torch.split(".")]


def message(record: Evidence, symptom: Symptom, name: str) -> str:
    """`Exception: message` of a recorded cell; "" if it raised nothing, did not run, or has changed since."""
    cell = record.cell(symptom.snippet, name) or {}
    return f"{cell['exception']}: {cell.get('message', '')}".strip() if cell.get("exception") else ""


def report(catalogue: Catalogue) -> list[str]:
    """Lines that say which breaks print what where, for every break on which the machines differ."""
    lines = []
    for symptom in catalogue.symptoms.values():
        for cell in symptom.snippet.runs:
            texts = printed(catalogue, symptom, cell.name) if cell.kind == "break" else []
            if len(texts) > 1:
                lines.append(f"{symptom.id}: {cell.name}")
                lines += [f"  {', '.join(one.where)}\n    " + one.text.replace("\n", "\n    ") for one in texts]
    return lines
