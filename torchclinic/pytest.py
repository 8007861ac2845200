"""`pytest -p torchclinic.pytest`: a section of the summary says what the failures are, one entry for each symptom with the tests that met it."""

from __future__ import annotations

from typing import Any

from .commands import explain, knowledge
from .commands.terminal import language_of_locale, printable
from .content import words
from .content.problem import BadInput

#: Tests that an entry names.
NAMED = 10


def pytest_terminal_summary(terminalreporter: Any) -> None:
    try:
        lines = _summary(terminalreporter)
    except BadInput as error:
        lines = [f"torchclinic: {error}"]
    except Exception:  # the tests' own result is what counts
        return
    if lines:
        terminalreporter.section("Torch Clinic")
        for line in lines:
            terminalreporter.write_line(line)


def _summary(reporter: Any) -> list[str]:
    """The entries, in the order in which their symptoms were met."""
    reports = [report for outcome in ("error", "failed") for report in reporter.stats.get(outcome, []) if getattr(report, "longreprtext", "")]
    if not reports:
        return []
    known = knowledge.load()
    language = language_of_locale()
    entries: dict[str, explain.Explanation] = {}
    tests: dict[str, list[str]] = {}
    for report in reports:
        found = explain.explain(known, report.longreprtext[-explain.KEPT :], language)
        if found.lines:
            entries.setdefault(found.symptom, found)
            tests.setdefault(found.symptom, []).append(printable(str(report.nodeid)))
    lines = []
    for stem, found in entries.items():
        names = list(dict.fromkeys(tests[stem]))
        lines += [*found.lines, *(f"  {name}" for name in names[:NAMED])]
        lines += [words.of(language, "below")["more"].format(count=len(names) - NAMED)] if len(names) > NAMED else []
    return lines
