"""Causes, checked: what a case's break prints must be looked up as that case.

Every condition must be met by something real, and every wording's sample found.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import count
from typing import TYPE_CHECKING

from ..find import lookup
from ..find.answer import Hit, Index
from ..find.wording import Wording
from . import firsts, index
from .evidence import Evidence
from .kept import Kept, digest
from .problem import Problems
from .snippet import Snippet

if TYPE_CHECKING:
    from .collection import Catalogue

First = Callable[[str], Hit | None]


def wrong(snippet: Snippet, case: str, hit: Hit) -> str:
    """Why a hit is not what the break of `case` must be looked up as; "" where it is.

    A text that cannot tell its case may be answered with the table, or with a leaning, if the
    header says why; it is never claimed for another case.
    """
    cause = hit["cause"]
    if cause and cause["case"] == case:
        return ""
    if cause and not cause["leaning"]:
        how = "make that row's condition say more"
        return f"what it printed is decided for the cause `{cause['row']}`: {how}"
    if any(row.undecided for row in snippet.causes if row.case == case):
        return ""
    what = f"leans to the cause `{cause['row']}`" if cause else "tells no cause"
    how = f"say in the header why the text cannot tell (`causes: {{{case}: {{undecided: …}}}}`)"
    return f"what it printed {what}: give the row a condition, or {how}"


def neighbours(catalogue: Catalogue, stem: str) -> set[str]:
    """A symptom and those that an edit of it may touch.

    They share words by which the lookup finds lines, outrank each other, or are related.
    """
    table, near = catalogue.table, {stem}
    owners = [wording["symptom"] for wording in table["wordings"]]
    for numbers in table["anchors"].values():
        sharing = {owners[number] for number in numbers}
        if stem in sharing:
            near |= sharing
    for symptom in catalogue.symptoms.values():
        idents = (*symptom.snippet.outranks, *symptom.snippet.related)
        named = {ident.rpartition("/")[2] for ident in idents}
        if symptom.stem == stem:
            near |= named
        elif stem in named:
            near.add(symptom.stem)
    return near & set(catalogue.symptoms)


def check(catalogue: Catalogue, stems: Collection[str] | None = None) -> None:
    """Look up every wording's sample, every recorded break of today's code, every row's sample.

    Reports breaks looked up as another case, notes that are no longer needed, conditions that
    nothing meets.

    Args:
        stems: the symptoms that are looked at (see `neighbours`); all of them for None.
    """
    table = catalogue.table
    known, numbers = digest(json.dumps(table)), count()
    with Kept(catalogue.root, "causes") as kept:
        for stem, symptom in catalogue.symptoms.items():
            snippet = symptom.snippet
            numbered = [(next(numbers), wording) for wording in snippet.wordings]
            if stems is None or stem in stems:
                recorded = [
                    (record.environment, record.symptoms.get(stem)) for record in catalogue.evidence
                ]
                here = (known, str(snippet.file), snippet.text, json.dumps(recorded))
                check = partial(_check, snippet, catalogue.evidence, table, numbered)
                kept.of(catalogue.problems, check, *here)


def _check(
    snippet: Snippet,
    evidence: list[Evidence],
    table: Index,
    wordings: list[tuple[int, Wording]],
    problems: Problems,
) -> None:
    """Report what is wrong in one symptom's prints. `wordings`: with their numbers in `table`."""
    first = cache(partial(_first, table))
    outcome = _outcome(snippet, evidence, first)
    recorded = bool({record.status(snippet) for record in evidence} - {"absent", "stale"})
    for line, message in (
        *index.lint(table, snippet.stem, wordings),
        *outcome.wrong_breaks(snippet),
        *_wrong_rows(snippet, outcome, recorded, first),
        *firsts.headline(snippet, first),
    ):
        problems.add(snippet.file, line, message)


@dataclass
class _Outcome:
    """What the lookup makes of all that a snippet's breaks printed.

    Attributes:
        rows: that were told.
        told: case -> did what it printed tell it, on one machine or another.
        wrongs: (case, why) -> environments.
    """

    rows: set[str] = field(default_factory=set)
    told: dict[str, set[bool]] = field(default_factory=dict)
    wrongs: dict[tuple[str, str], list[str]] = field(default_factory=dict)

    def wrong_breaks(self, snippet: Snippet) -> Iterator[tuple[int, str]]:
        for (case, why), where in self.wrongs.items():
            line = snippet.cases[case].cells["break"].line
            yield line, f"`break {case}` on {', '.join(where)}: {why}"


def _outcome(snippet: Snippet, evidence: list[Evidence], first: First) -> _Outcome:
    outcome = _Outcome()
    for record in evidence:
        for case in snippet.cases.values():
            text, known = record.printed(snippet, case), record.live(snippet, case)
            for live in ("", known) if known else ("",):
                hit = first(text + live) if text else None
                if hit is None or hit["symptom"] != snippet.stem:
                    continue  # not run there; what is looked up as another symptom, verify reports
                cause = hit["cause"]
                if not live:
                    tells = cause is not None and cause["case"] == case.name
                    outcome.told.setdefault(case.name, set()).add(tells)
                if cause:
                    outcome.rows.add(cause["row"])
                if why := wrong(snippet, case.name, hit):
                    outcome.wrongs.setdefault((case.name, why), []).append(record.environment)
    return outcome


def _wrong_rows(
    snippet: Snippet, outcome: _Outcome, recorded: bool, first: First
) -> Iterator[tuple[int, str]]:
    """Rows whose sample is looked up as another, that nothing meets, or that need no excuse."""
    for cause in snippet.causes:
        if cause.sample:
            hit = first(cause.sample)
            told = hit["cause"] if hit and hit["symptom"] == snippet.stem else None
            row = told["row"] if told else ""
            outcome.rows.add(row)
            if row != cause.row:
                told_as = row or "no cause"
                yield cause.line, f"the sample of the row `{cause.row}` is looked up as {told_as}"
        if cause.undecided and outcome.told.get(cause.case) == {True}:
            why = "what its break printed tells the cause"
            yield cause.line, f"row `{cause.row}`: `undecided` is needed no more: {why}"
        conditional = cause.decides or cause.leans
        if recorded and conditional and cause.row not in outcome.rows and len(snippet.causes) > 1:
            message = "no recorded break and no `sample` meets its condition; give it a `sample`"
            yield cause.line, f"row `{cause.row}`: {message}"


def _first(table: Index, text: str) -> Hit | None:
    hits = lookup.lookup(table, text)["hits"]
    return hits[0] if hits else None
