"""Which row of a page's table of causes serves most readers whose text tells no cause.

Threads say which row is met most, those whose text decides for none, as the reader's; where too
few are known, or no row is met by half of them, the first row that leads to a fix, which is the
page's quick fix: the table's order is made from more than is kept, but nothing calls that row the
most met. Of a page with several wordings, a row counts that is not known to print only others, by
its recorded breaks, its samples and its threads.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from ..find import lookup, rank
from ..find.answer import Index
from .evidence import Evidence
from .index import Met
from .snippet import Snippet
from .symptom import Symptom

#: Threads that decide for no row below which they say nothing about what is met most, and how many
#: more than that first row another must have to stand before it.
ENOUGH, LEAD = 6, 2


@dataclass
class _Known:
    """What is known of one wording.

    Attributes:
        prints: rows that print it.
        met: rows of the threads that do, in a text that decides for none.
    """

    prints: set[str] = field(default_factory=set)
    met: Counter[str] = field(default_factory=Counter)


def of_wordings(symptom: Symptom, evidence: Collection[Evidence], alone: Index) -> list[Met]:
    """For each wording of a symptom the row that most readers of it are served by.

    Args:
        alone: an index of this symptom and no other.
    """
    rows = [cause.row for cause in symptom.snippet.causes]
    cases = symptom.snippet.cases
    broken = {name for name, case in cases.items() if not case.unbroken}
    fixed = {cause.row for cause in symptom.snippet.causes if cause.case in broken}
    if len(rows) < 2 and not symptom.threads:
        return [(row, ()) for row in rows]
    shown = [rank.shown(wording["parts"]) for wording in alone["wordings"]]
    known = {wording: _Known() for wording in shown}
    texts = [(text, row, True) for text, row in symptom.threads]
    texts += [(text, row, False) for text, row in set(_texts(symptom.snippet, evidence))]
    for text, row, is_thread in texts:
        if hits := lookup.lookup(alone, text)["hits"]:
            of = known[hits[0]["wording"]]
            of.prints.add(row)
            if hits[0]["cause"] is None:
                of.met[row] += is_thread
    everywhere = sum((of.met for of in known.values()), Counter[str]())
    silent = set(rows).difference(*(of.prints for of in known.values()))
    chosen = []
    for wording in shown:
        prints, met = known[wording].prints, known[wording].met
        # Of a wording that nothing is known to print, each row may be the reader's.
        printing = [row for row in rows if row in prints | silent] if prints else rows
        chosen.append(_chosen(printing, met if met.total() >= ENOUGH else everywhere, fixed))
    return chosen


def _chosen(rows: Sequence[str], met: Counter[str], fixed: Collection[str]) -> Met:
    """The row that half of enough threads met, where it leads clearly; else the first with a fix.

    Args:
        fixed: rows that lead to a fix.
    """
    first = next((row for row in rows if row in fixed), rows[0])
    row = max((first, *rows), key=lambda row: met[row])
    leads = all(met[row] > met[other] for other in rows if other != row)
    leads = leads and (row == first or met[row] >= met[first] + LEAD)
    if met.total() >= ENOUGH and 2 * met[row] >= met.total() and leads:
        return row, (met[row], met.total())
    return first, ()


def _texts(snippet: Snippet, evidence: Iterable[Evidence]) -> Iterator[tuple[str, str]]:
    """What recorded breaks and samples of rows print, each with its row."""
    rows: dict[str, str] = {}
    for cause in snippet.causes:
        rows.setdefault(cause.case, cause.row)
        if cause.sample:
            yield cause.sample, cause.row
    for record in evidence:
        for case in snippet.cases.values():
            if case.name in rows and (text := record.printed(snippet, case)):
                yield text, rows[case.name]
