"""What a run tells: its progress, what failed or was skipped, and the record of it."""

from __future__ import annotations

import datetime
import sys
import threading
from typing import TypeVar

from ..content.evidence import OUTCOMES, Evidence
from .judge import Run
from .machine import Machine, versions

AnyRun = TypeVar("AnyRun", bound=Run)
#: Lines of a cell's output that are shown.
SHOWN = 15


class Progress:
    """A bar on a terminal; nothing elsewhere."""

    def __init__(self, total: int):
        self.total, self.done, self.failed = total, 0, 0
        self.lock = threading.Lock()
        self.terminal = sys.stderr.isatty()

    def step(self, run: Run) -> None:
        with self.lock:
            self.done += 1
            self.failed += run.outcome == "failed"
            if self.terminal:
                full = 30 * self.done // max(1, self.total)
                failed = f", {self.failed} failed" if self.failed else ""
                print(
                    f"\r\x1b[K[{'#' * full}{'.' * (30 - full)}] {self.done}/{self.total}{failed}"
                    f"  {run.symptom.id}: {run.cell.name}",
                    end="",
                    file=sys.stderr,
                    flush=True,
                )

    def close(self) -> None:
        if self.terminal:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def show(runs: list[Run]) -> None:
    """Print of each run how it ended, and what it printed if it passed."""
    for run in runs:
        print(f"{run.outcome} {run.symptom.id}: {run.cell.name}, {run.seconds:.1f} s")
        if run.outcome == "passed":
            _print_end_of(run)


def report(runs: list[Run], machine: Machine, device: str, seconds: float) -> None:
    """Print what was skipped, what failed, and the counts; `seconds` is what all took."""
    skipped: dict[tuple[str, str], list[str]] = {}
    for run in runs:
        if run.outcome == "skipped":
            skipped.setdefault((run.symptom.id, run.why), []).append(run.cell.name)
    for (ident, why), names in skipped.items():
        print(f"SKIPPED {ident}: {why} ({', '.join(names)})")
    for run in runs:
        if run.outcome == "failed":
            place = f"{run.symptom.snippet.file.name}:{run.cell.line}"
            print(f"FAILED {run.symptom.id}: {run.cell.name} ({place}): {run.why}")
            _print_end_of(run)
    count = {outcome: sum(run.outcome == outcome for run in runs) for outcome in OUTCOMES}
    where = machine.device_name if device == "cuda" else "CPU"
    print(
        f"torch {machine.torch} on {where}, Python {machine.python}: "
        f"{len(runs)} cells in {seconds:.1f} s"
    )
    print("cells: " + ", ".join(f"{number} {outcome}" for outcome, number in count.items()))


def whole(runs: list[AnyRun]) -> list[AnyRun]:
    """The runs of pages of which every cell ended; says how many pages the time did not suffice
    for."""
    left = {run.symptom.id for run in runs if not run.outcome}
    if left:
        print(f"{len(left)} pages were not done in this time; with --missing the next run goes on")
    return [run for run in runs if run.symptom.id not in left]


def _print_end_of(run: Run) -> None:
    for line in run.output.strip().splitlines()[-SHOWN:]:
        print(f"    | {line}")


def today() -> str:
    """As records have it: `2026-11-22`, in UTC."""
    return datetime.datetime.now(datetime.timezone.utc).date().isoformat()


def evidence_of(runs: list[Run], machine: Machine, device: str) -> Evidence:
    """What a run recorded.

    A symptom none of whose cells could run is recorded as skipped, with the reason.
    """
    python = ".".join(machine.python.split(".")[:2])
    name = machine.device_name if device == "cuda" else "CPU"
    record = Evidence(machine.torch, python, device, name, machine.cuda)
    for run in runs:
        snippet = run.symptom.snippet
        entry = record.symptoms.setdefault(
            snippet.stem,
            {
                "hash": snippet.hash,
                "date": today(),
                "python": machine.python,
                "platform": machine.platform,
                "cells": {},
            },
        )
        entry["cells"][run.cell.name] = run.as_record()
    for entry in record.symptoms.values():
        cells = entry["cells"].values()
        if all(cell["outcome"] == "skipped" for cell in cells):
            entry["skipped"] = "; ".join(sorted({cell["why"] for cell in cells}))
            entry["cells"] = {}
    ran = {run.symptom.stem: run.symptom.snippet for run in runs if run.outcome != "skipped"}
    for stem, snippet in ran.items():
        if packages := versions(snippet.packages):
            record.symptoms[stem]["packages"] = packages
    return record
