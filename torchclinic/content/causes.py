"""Causes, checked: what a case's break prints must be looked up as that case, and every condition must be met by something real."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ..find import lookup
from .evidence import Evidence
from .snippet import Snippet


def wrong(snippet: Snippet, case: str, hit: dict[str, Any]) -> str:
    """Why a hit is not what the break of `case` must be looked up as; "" where it is.

    A text that cannot tell its case may be answered with the table, or with a leaning, if the header says why; it is never claimed for another case.
    """
    found = hit["cause"]
    if found and found["case"] == case:
        return ""
    if found and not found["leaning"]:
        return f"what it printed is decided for the cause `{found['row']}`: make that row's condition say more"
    if any(cause.undecided for cause in snippet.causes if cause.case == case):
        return ""
    what = f"leans to the cause `{found['row']}`" if found else "tells no cause"
    return f"what it printed {what}: give the row a condition, or say in the header why the text cannot tell (`causes: {{{case}: {{undecided: …}}}}`)"


def check(snippets: Iterable[Snippet], evidence: list[Evidence], index: dict[str, Any]) -> Iterator[tuple[Snippet, int, str]]:
    """Look up every break that was recorded of the code of today, and every row's sample.

    Yields:
        snippet, line, message: breaks looked up as another case, notes that are no longer needed, conditions that nothing meets.
    """
    for snippet in snippets:
        met: set[str] = set()
        told: dict[str, set[bool]] = {}  # case -> did what it printed tell it, on one machine or another
        recorded = any(record.status(snippet) not in ("absent", "stale") for record in evidence)
        wrongs: dict[tuple[str, str], list[str]] = {}  # case, message -> where
        for record in evidence:
            for case in snippet.cases.values():
                text = "" if case.silent or "break" not in case.cells else (record.cell(snippet, f"break {case.name}") or {})
                text = text and (text.get("traceback") or text.get("output") or "")
                hit = _first(index, text) if text else None
                if hit is None or hit["symptom"] != snippet.stem:
                    continue  # not run there; what is looked up as another symptom, verify reports
                told.setdefault(case.name, set()).add(bool(hit["cause"]) and hit["cause"]["case"] == case.name)
                if hit["cause"]:
                    met.add(hit["cause"]["row"])
                if message := wrong(snippet, case.name, hit):
                    wrongs.setdefault((case.name, message), []).append(record.environment)
        for (case_name, message), where in wrongs.items():
            yield snippet, snippet.cases[case_name].cells["break"].line, f"`break {case_name}` on {', '.join(where)}: {message}"
        for cause in snippet.causes:
            if cause.sample:
                hit = _first(index, cause.sample)
                row = hit["cause"]["row"] if hit and hit["symptom"] == snippet.stem and hit["cause"] else ""
                met.add(row)
                if row != cause.row:
                    yield snippet, cause.line, f"the sample of the row `{cause.row}` is looked up as {row or 'no cause'}"
            if cause.undecided and told.get(cause.case) == {True}:
                yield snippet, cause.line, f"row `{cause.row}`: `undecided` is needed no more: what its break printed tells the cause"
            if recorded and (cause.decides or cause.leans) and cause.row not in met and len(snippet.causes) > 1:
                yield snippet, cause.line, f"row `{cause.row}`: no recorded break and no `sample` meets its condition; give it a `sample`"


def _first(index: dict[str, Any], text: str) -> dict[str, Any] | None:
    hits = lookup.lookup(index, text)["hits"]
    return hits[0] if hits else None
