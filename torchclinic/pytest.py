"""`pytest -p torchclinic.pytest`: a section of the summary says what the failures are, one entry
for each cause of a symptom with what the program knew and the tests that met it."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import pytest

from .commands import explain, knowledge, live_child
from .commands.child import KEPT
from .commands.terminal import printable
from .content import words
from .content.problem import BadInput

#: Tests that an entry names.
NAMED = 10
#: Of a report: what the program knew when its test failed.
FACTS = "torchclinic_facts"


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(call: Any) -> Generator[None, Any, None]:
    outcome = yield
    try:
        report = outcome.get_result()
        if report.failed and call.excinfo is not None:
            setattr(report, FACTS, live_child.facts_of(call.excinfo.value))
    except Exception:  # another plugin's, or ours: pytest goes on as without this one
        return


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
    reports = [
        report
        for outcome in ("error", "failed")
        for report in reporter.stats.get(outcome, [])
        if getattr(report, "longreprtext", "")
    ]
    if not reports:
        return []
    known = knowledge.load()
    language = words.language_of_locale()
    entries: dict[tuple[str, str], list[str]] = {}
    tests: dict[tuple[str, str], list[str]] = {}
    for report in reports:
        facts = getattr(report, FACTS, "")
        printed = report.longreprtext[-KEPT:] + (f"\n{facts}" if facts else "")
        entry = explain.explain(known, printed, language)
        if entry.lines:
            key = entry.symptom, entry.cause
            entries.setdefault(key, [*entry.lines, *facts.splitlines()])
            tests.setdefault(key, []).append(printable(str(report.nodeid)))
    lines = []
    for key, shown in entries.items():
        names = list(dict.fromkeys(tests[key]))
        lines += [*shown, *(f"  {name}" for name in names[:NAMED])]
        if len(names) > NAMED:
            lines.append(words.of(language, "below")["more"].format(count=len(names) - NAMED))
    return lines
