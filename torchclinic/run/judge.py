"""A run of one cell, and whether it did what a cell of its kind must."""

from __future__ import annotations

import re
import tempfile
from dataclasses import dataclass
from os import sep

from ..content import causes, changes, code, evidence
from ..content.evidence import CellRecord
from ..content.snippet import FAULT, Cell
from ..content.symptom import Symptom
from ..content.tip import Tip
from ..find import lookup
from ..find.answer import Hit, Index
from .machine import Machine

#: How an older torch says that it cannot do yet what a break asks for.
NEWER = ("unexpected keyword argument", "not yet supported for", "not implemented for 'Half'")


@dataclass(eq=False)
class Run:
    """What one cell did.

    Attributes:
        outcome: "passed", "failed" or "skipped"; "" before it ran.
        why: what was wrong, or the reason for skipping; "" if passed.
        exception, message, traceback: of the exception that ended it, "" if none did.
        output: what it printed (traceback included), paths of this machine removed.
        live: of a break, what the program knew when it died (run/live.py).
        seconds: processor time, of all that it started too.
        instead: a source that runs in the cell's place; "" for the cell as it stands.
    """

    symptom: Symptom | Tip
    cell: Cell
    outcome: str = ""
    why: str = ""
    exception: str = ""
    message: str = ""
    traceback: str = ""
    output: str = ""
    live: str = ""
    seconds: float = 0.0
    instead: str = ""

    @property
    def needs(self) -> tuple[str, ...]:
        return self.symptom.snippet.needs_of(self.cell.case)

    def end(self, why: str = "", outcome: str = "failed") -> None:
        """Set the outcome: passed, unless there is a reason."""
        self.outcome, self.why = (outcome, why) if why else ("passed", "")

    def as_record(self) -> CellRecord:
        later = self.symptom.snippet.later
        own: CellRecord = {"hash": later[self.cell.name]} if self.cell.name in later else {}
        if self.outcome == "skipped":
            return {"outcome": self.outcome, "why": self.why, **own}
        record: CellRecord = {"outcome": self.outcome, **own}
        for name in ("why", "exception", "message", "traceback"):
            if text := getattr(self, name):
                record[name] = text
        if self.output and self.output != self.traceback:  # usually it printed nothing else
            record["output"] = self.output
        if self.live:
            record["live"] = self.live
        record["seconds"] = round(self.seconds, 2)
        return record


def judge(run: Run, table: Index) -> None:
    """Set the outcome of a cell that came to its end. `table`: the index for the lookup."""
    # Of a break the traceback counts: a CUDA kernel prints its assertion, the symptom of another
    # page, before it.
    breaks = run.cell.kind in ("break", "unfixed")
    text = run.traceback if breaks and run.traceback else run.output
    hits = lookup.lookup(table, text)["hits"]
    why = ""
    if run.cell.kind == "break":
        why = _why_no_break(run, hits[0] if hits else None)
    elif run.cell.kind == "unfixed":
        why = _why_not_broken(run, hits[0] if hits else None)
    elif run.cell.kind == "wrong":
        why = _why_it_helps(run)
    elif run.exception:
        why = f"raised {run.exception}: {run.message[:300]}"
    elif run.cell.kind in ("fix", "proof", "use") and any(
        hit["symptom"] == run.symptom.stem for hit in hits
    ):
        why = f"{changes.STILL} that it is to cure"
    folder = re.escape(tempfile.gettempdir() + sep)
    if not why and (path := re.search(folder + r"[^\s'\"]*", run.output)):
        why = (
            f"printed {path[0]}, a path of this machine, which would stand on the page: "
            "write into the working directory"
        )
    run.end(why)


def _why_no_break(run: Run, first: Hit | None) -> str:
    """Why a break does not end in its symptom; "" if it does.

    Args:
        first: what the lookup says first of what it printed.
    """
    snippet, name = run.symptom.snippet, run.cell.case
    if snippet.cases[name].silent:
        return run.exception and (
            "must assert the bad behaviour itself and end quietly, "
            f"but raised {run.exception}: {run.message[:200]}"
        )
    if not run.exception and not run.output.strip():
        return (
            f"{changes.QUIET} and printed nothing: a break ends in the symptom "
            "(or is `silent: true` and asserts the bad behaviour itself)"
        )
    if first is None and not run.exception:
        return (
            f"{changes.QUIET}, and what it printed is no known message: a break ends in the symptom"
        )
    if first is None or first["symptom"] != snippet.stem:
        looked_up = first["symptom"] if first else "no match"
        return f"what it printed is looked up as {looked_up}, not as {snippet.stem}"
    # A warning ends no program; an injected fault may be shown by what a child process printed.
    quietly = first["exception"].endswith("Warning") or any(
        need.startswith(FAULT) for need in run.needs
    )
    return causes.wrong(snippet, name, first) or (
        "" if run.exception or quietly else "printed the message but raised nothing"
    )


def _why_not_broken(run: Run, first: Hit | None) -> str:
    """Why a program without the fix does not have the symptom; "" if it has."""
    snippet, name = run.symptom.snippet, run.cell.case
    if snippet.cases[name].silent:
        return "" if run.exception else "asserts nothing that is wrong without the fix"
    if first is None or first["symptom"] != snippet.stem:
        looked_up = first["symptom"] if first else "no match"
        return f"without the fix what it printed is looked up as {looked_up}, not as {snippet.stem}"
    cause = first["cause"]
    if cause and not cause["leaning"] and cause["case"] != name:
        return f"without the fix what it printed is decided for the cause `{cause['row']}`"
    return ""


def _why_it_helps(run: Run) -> str:
    """Why what is tried in vain is no such thing: it passes, or fails by a slip."""
    snippet = run.symptom.snippet
    if not snippet.proof_of(run.cell) and code.asserts(run.cell.source):  # it says what it costs
        return run.exception and f"raised {run.exception}: {run.message[:300]}"
    if not run.exception:
        return (
            "it helps: the proof of the fix passes" if snippet.proof_of(run.cell) else "it passes"
        )
    return f"a slip: {run.message}" if run.exception == "NameError" else ""


def skip_what_is_newer(runs: list[Run], machine: Machine) -> None:
    """An older torch may lack a name that a symptom's code uses.

    Then what failed of that case says nothing about it. `runs` are all of one symptom.
    """
    if changes.release(machine.torch) >= changes.release(evidence.RELEASE):
        return
    failed = [run for run in runs if run.outcome == "failed"]
    for broke in [run for run in failed if run.cell.kind == "break"]:
        if broke.exception in ("ImportError", "ModuleNotFoundError", "AttributeError") or any(
            words in broke.message for words in NEWER
        ):
            first_line = broke.message.splitlines()[0]
            for run in failed:
                if run.cell.case == broke.cell.case:
                    run.end(f"needs a newer torch: {broke.exception}: {first_line}", "skipped")
