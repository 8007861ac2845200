"""Runs the cells of snippets and says whether break, check and fix did what they must.

Needs the standard library and torch; Linux or macOS. `machine` is what there is, `engine` runs a
cell, `judge` says whether it did what it must, `report` tells and records it.
"""

from __future__ import annotations

import contextlib
import math
import os
import random
import sys
import threading
import time
from collections.abc import Collection
from pathlib import Path

from ..content import evidence
from ..content.symptom import Symptom
from ..find.answer import Index
from .engine import perform
from .judge import Run, skip_what_is_newer
from .machine import Machine, NoTorch, ask_machine, busy
from .report import evidence_of, report, whole
from .report import show as show_runs


def run(
    table: Index,
    symptoms: list[Symptom],
    *,
    device: str = "cpu",
    record: Path | None = None,
    jobs: int = 0,
    repeat: int = 1,
    busily: bool = False,
    show: bool = False,
    missing: Path | None = None,
    known: Collection[str] = (),
    until: float = math.inf,
) -> int:
    """Run the cells of `symptoms` and print the outcome.

    Args:
        table: the index in which what breaks print is looked up.
        record: folder of the evidence into which goes what was seen, each symptom as soon as it
            is done: a run that is cut off keeps what it did.
        repeat: how often each cell runs; in random order if more than once.
        busily: keep every core at work meanwhile.
        show: print what each cell printed, as a page would show it.
        missing: folder of the evidence; only symptoms are run whose code of today it does not
            have from this torch, Python and device.
        known: environments that have evidence; of any other the report says how to send it.
        until: of `time.monotonic()`: no cell begins later. A symptom that was not done is not
            recorded, so that `missing` finds it in the next run.

    Returns:
        The exit status: 1 if a cell failed, 2 if nothing could run.
    """
    try:
        machine = ask_machine()
    except NoTorch as error:
        print(f"torchclinic: {error}", file=sys.stderr)
        return 2
    if device == "cuda" and not machine.gpus:
        print(
            f"torchclinic: --device cuda, but torch {machine.torch} sees no GPU here; "
            "`nvidia-smi` tells whether there is one",
            file=sys.stderr,
        )
        return 2
    if missing:
        symptoms = _missing(symptoms, missing / evidence_of([], machine, device).file)
    started = time.monotonic()
    with busy() if busily else contextlib.nullcontext():
        runs = execute(
            table,
            symptoms,
            machine,
            device=device,
            jobs=jobs,
            repeat=repeat,
            record=record,
            until=until,
        )
    seconds = time.monotonic() - started
    runs = whole(runs)
    if show:
        show_runs(runs)
    report(runs, machine, device, seconds)
    here = evidence_of(runs, machine, device)
    file = os.path.relpath(evidence.merge(record, here)) if record else f"evidence/{here.file}"
    if record:
        print(f"recorded in {file}")
    if known and here.environment not in known:
        command = f"verify{' --device cuda' if device == 'cuda' else ''} --record"
        how = "" if record else f"`python -m torchclinic {command}` writes {file}. "
        print(
            f"Nobody has recorded torch {here.torch} on Python {here.python} and "
            f"{here.device_name} yet. {how}To send it: docs/en/lend.md"
        )
    return 1 if any(run.outcome == "failed" for run in runs) else 0


def _missing(symptoms: list[Symptom], file: Path) -> list[Symptom]:
    """Those whose code of today a file of evidence, which need not exist, does not have."""
    if not file.exists():
        return symptoms
    seen = evidence.read(file)
    return [
        symptom
        for symptom in symptoms
        if seen.status(symptom.snippet) in ("absent", "stale") or seen.lacks(symptom.snippet)
    ]


def execute(
    table: Index,
    symptoms: list[Symptom],
    machine: Machine,
    *,
    device: str = "cpu",
    jobs: int = 0,
    repeat: int = 1,
    record: Path | None = None,
    until: float = math.inf,
) -> list[Run]:
    """Run every break, check and fix; the runs, in the order of the files.

    With `record` each symptom is recorded when the last of its cells has run.
    """
    runs = [
        Run(symptom, cell)
        for symptom in symptoms
        for cell in symptom.snippet.runs
        for _ in range(repeat)
    ]
    by_symptom: dict[str, list[Run]] = {}
    for run in runs:
        by_symptom.setdefault(run.symptom.id, []).append(run)
    if repeat > 1:
        random.shuffle(runs)
    lock = threading.Lock()

    def ended(run: Run) -> None:
        with lock:  # two that end at once would both be the last, and write one file
            siblings = by_symptom[run.symptom.id]
            if all(sibling.outcome for sibling in siblings):
                skip_what_is_newer(siblings, machine)
                if record:
                    evidence.merge(record, evidence_of(siblings, machine, device))

    perform(table, runs, machine, device=device, jobs=jobs, until=until, ended=ended)
    return runs
