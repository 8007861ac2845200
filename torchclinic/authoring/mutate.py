"""`verify --mutate`: wrong versions of fixes, and of tips' blocks; something must catch each."""

from __future__ import annotations

import math
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from ..content import mutation
from ..content.snippet import Case
from ..content.symptom import Symptom
from ..content.tip import Tip
from ..find.answer import Index
from ..run.engine import perform
from ..run.judge import Run
from ..run.machine import NoTorch, ask_machine
from ..run.report import today, whole
from . import command_mutants
from .mutants import Mutant, mutants, shortened


@dataclass(eq=False)
class Trial(Run):
    """A fix or block as it stands, or a wrong version: one that failed was caught.

    Attributes:
        mutant: name of the wrong version; "" for the code as it stands.
    """

    mutant: str = ""

    @property
    def is_excused(self) -> bool:
        return self.mutant in self.symptom.snippet.cases[self.cell.case].survives

    @property
    def is_doubtful(self) -> bool:
        """Would it fail the run: survived without an excuse, or caught in spite of one?"""
        return bool(self.mutant) and self.outcome == ("failed" if self.is_excused else "passed")


def mutate(
    table: Index,
    pages: list[Symptom | Tip],
    *,
    device: str = "cpu",
    record: Path | None = None,
    jobs: int = 0,
    until: float = math.inf,
) -> int:
    """Run wrong versions of the fixes and blocks of `pages`; print those that nothing caught.

    A fix or block that fails as it stands fails here as well: what it catches says nothing. A
    wrong version that is not caught, and an excused one that is, are run twice more: it has
    survived if it does so each time, and its excuse is needless if it is caught each time.

    Args:
        table: the index in which what a cell prints is looked up.
        record: root of the checkout in which is recorded what was tried.
        until: of `time.monotonic()`: nothing begins later, and a page that was not done is not
            recorded.

    Returns:
        The exit status: 1 if one was neither caught nor excused, 2 if nothing could run.
    """
    try:
        machine = ask_machine()
    except NoTorch as error:
        print(f"torchclinic: {error}", file=sys.stderr)
        return 2
    started = time.monotonic()
    trials = [trial for page in pages for trial in trials_of(page)]
    perform(table, trials, machine, device=device, jobs=jobs, until=until)
    trials = whole(trials)
    for _ in range(2):  # clocks take part: what would fail this run is asked three times
        if doubtful := [trial for trial in trials if trial.is_doubtful]:
            perform(table, doubtful, machine, device=device, jobs=jobs)
    tried = mutation.Record(machine.torch, device)
    by_page: dict[str, list[Trial]] = {}
    for trial in trials:
        by_page.setdefault(trial.symptom.id, []).append(trial)
    to_mend = sum(_report(own[0].symptom, own, tried) for own in by_page.values())
    ran = [trial for trial in trials if trial.mutant and trial.outcome != "skipped"]
    caught = sum(trial.outcome == "failed" for trial in ran)
    excused = sum(trial.outcome == "passed" and trial.is_excused for trial in ran)
    print(
        f"wrong versions: {len(ran)} tried, {caught} caught, {excused} excused, "
        f"{to_mend} to mend, in {time.monotonic() - started:.0f} s"
    )
    if record:
        print(f"recorded in {mutation.merge(record, tried).relative_to(record)}")
    return 1 if to_mend else 0


def trials_of(page: Symptom | Tip) -> list[Trial]:
    """Of each case whose fix is code: it as it stands, then its wrong versions."""
    return [
        Trial(page, case.cure, instead=mutant.source, mutant=mutant.name)
        for case in page.snippet.cases.values()
        if case.mutable or case.commands_run
        for mutant in [Mutant("", ""), *_wrong(case)]
    ]


def _wrong(case: Case) -> list[Mutant]:
    """The wrong versions of a case's fix, or of a tip's block."""
    if case.cure.kind == "block":
        return shortened(case.cure.source)
    if case.commands_run:
        return command_mutants.of(case)
    # Of a fix that is taken out whole nothing is left to run.
    broken = case.cells["break"].source if "break" in case.cells else ""
    wrong = mutants(broken, case.cure.source)
    return [mutant for mutant in wrong if mutant.source]


def _report(page: Symptom | Tip, trials: list[Trial], tried: mutation.Record) -> int:
    """Print what of a page is to be mended or was skipped, and add it to the record.

    Returns:
        How many are to be mended.
    """
    snippet = page.snippet
    broken = {trial.cell.case for trial in trials if not trial.mutant and trial.outcome == "failed"}
    to_mend = 0
    for trial in trials:
        what = f"{page.id}: {trial.cell.name}"
        if not trial.mutant and trial.outcome == "skipped":
            print(f"SKIPPED {what}: {trial.why}")
        elif not trial.mutant and trial.outcome == "failed":
            print(f"FAILED {what}: {trial.why}; its wrong versions say nothing")
            to_mend += 1
        elif trial.mutant and trial.outcome == "passed" and not trial.is_excused:
            print(f"SURVIVED {what}: {trial.mutant}")
            to_mend += 1
    cases = {}
    for name in dict.fromkeys(trial.cell.case for trial in trials if trial.outcome != "skipped"):
        wrong = [trial for trial in trials if trial.cell.case == name and trial.mutant]
        survived = [trial.mutant for trial in wrong if trial.outcome == "passed"]
        cases[name] = mutation.Tried(len(wrong), survived)
    if cases and not broken:
        tried.table(snippet)[page.stem] = mutation.Entry(snippet.hash, today(), cases)
        for line in mutation.needless(snippet, tried):
            print(f"NEEDLESS {page.id}: {line}")
            to_mend += 1
    return to_mend
