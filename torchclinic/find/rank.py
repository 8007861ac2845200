"""Which of the symptoms that a text prints comes first: the cause before what it causes.

Errors come before warnings, both before what merely wraps another error, and of a chain of
exceptions the first. docs/assets/lookup.js is the twin.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from types import SimpleNamespace
from typing import TYPE_CHECKING

from .wording import ROLES

if TYPE_CHECKING:
    from .answer import Index, Occurrence, Part, WordingEntry

CHAINS = (
    "The above exception was the direct cause of the following exception",
    "During handling of the above exception, another exception occurred",
)
#: [role][is it a warning]: what a warning speaks of is seldom why a program died, but it tells
#: more than a wrapper.
RANKS = ((0, 2), (1, 3), (4, 4), (5, 5))


class Candidate(SimpleNamespace):
    """A symptom that a text prints: where it is told best, and what all its prints tell.

    Attributes:
        number: of the wording in the index.
        wording: as a person reads it.
        values: by the names of holes; of the best print, and what only others tell.
        every: all values of each name, in order.
        role: its place in ROLES.
        agrees: the exception class that was printed is one of the wording's.
        block: chains of exceptions that end above it.
        letters: literal letters of the wording.
        outranks: an edge between two symptoms has put it before another.
    """

    symptom: str
    line: int  # from 1
    number: int
    wording: str
    exception: str
    values: dict[str, str]
    every: dict[str, list[str]]
    role: int
    warning: bool
    agrees: bool
    block: int
    letters: int
    outranks: bool = False

    @property
    def level(self) -> tuple[int, bool, int]:
        """Candidates of one level are independent of each other."""
        return RANKS[self.role][self.warning], not self.agrees, self.block

    @property
    def key(self) -> tuple[int, bool, int, int, int]:
        """The smaller, the better."""
        return *self.level, self.line, -self.letters


def ranked(index: Index, occurrences: list[Occurrence], clean: str) -> list[Candidate]:
    """One candidate for each symptom, best first."""
    chains = chain_lines(clean) if occurrences else []
    best: dict[str, Candidate] = {}
    for occurrence in _telling(occurrences):
        wording = index["wordings"][occurrence["wording"]]
        candidate = _candidate(wording, occurrence, bisect_right(chains, occurrence["line"]))
        former = best.setdefault(candidate.symptom, candidate)
        for name, value in occurrence["values"].items():
            former.every.setdefault(name, []).append(value)
        if candidate is former:
            continue
        # What another print of the same symptom told is kept.
        if candidate.key < former.key:
            candidate.every = former.every
            candidate.values = {**former.values, **candidate.values}
            best[candidate.symptom] = candidate
        else:
            former.values = {**candidate.values, **former.values}
    order = sorted(best.values(), key=lambda candidate: (candidate.key, candidate.symptom))
    return _by_edges(index, order)


def _candidate(wording: WordingEntry, occurrence: Occurrence, block: int) -> Candidate:
    exception, printed = wording.get("exception", ""), occurrence["type"]
    return Candidate(
        symptom=wording["symptom"],
        line=occurrence["line"] + 1,
        number=occurrence["wording"],
        wording=shown(wording["parts"]),
        exception=exception,
        values=occurrence["values"],
        every={},
        role=ROLES.index(wording.get("role", "cause")),
        warning=(printed or exception).endswith("Warning"),
        agrees=not printed
        or printed in (wording.get("exception", printed), *wording.get("also", [])),
        block=block,
        letters=occurrence["letters"],
    )


def _by_edges(index: Index, candidates: list[Candidate]) -> list[Candidate]:
    """Explicit edges win over all else. The walk is bounded: a circle of edges cannot hang it."""
    for _ in range(len(candidates)):
        for above in range(len(candidates)):
            symptom = candidates[above].symptom
            for below in range(above + 1, len(candidates)):
                if symptom in index["symptoms"][candidates[below].symptom]["outranks"]:
                    candidates[below].outranks = True
                    candidates.insert(above, candidates.pop(below))
                    break
    return candidates


def chain_lines(clean: str) -> list[int]:
    """Numbers of the lines that say that one exception led to another, ascending."""
    places = []
    for text in CHAINS:
        at = clean.find(text)
        while at >= 0:
            places.append(at)
            at = clean.find(text, at + 1)
    numbers: list[int] = []
    last = line = 0
    for at in sorted(places):
        line += clean.count("\n", last, at)
        last = at
        if line not in numbers[-1:]:
            numbers.append(line)
    return numbers


def _telling(occurrences: list[Occurrence]) -> Iterable[Occurrence]:
    """Without those that lie inside an occurrence of a wording that tells more."""

    def order(place: Occurrence) -> tuple[int, bool, int, int, int, int]:
        letters, number = place["letters"], place["wording"]
        start, stop = place["start"], place["stop"]
        return place["segment"], place["squeezed"], start, -stop, -letters, number

    open_spans: list[Occurrence] = []
    for place in sorted(occurrences, key=order):
        open_spans = [
            span
            for span in open_spans
            if span["segment"] == place["segment"]
            and span["squeezed"] == place["squeezed"]
            and span["stop"] > place["start"]
        ]
        if not any(
            span["stop"] >= place["stop"] and span["letters"] > place["letters"]
            for span in open_spans
        ):
            yield place
        open_spans.append(place)


def ambiguous(candidates: list[Candidate]) -> bool:
    """Two independent errors come first.

    Neither is a warning, a wrapper or a consequence, and no chain or edge orders them.
    """
    if len(candidates) < 2 or candidates[0].outranks:
        return False
    return candidates[0].level == candidates[1].level


def shown(parts: list[Part]) -> str:
    """A wording as a person reads it: holes as \u27e8name\u27e9."""
    return "".join(
        part if isinstance(part, str) else "\u27e8" + part[0] + "\u27e9" for part in parts
    )
