"""Runs cells, several at a time, each in a process of its own, to its end or to its limit."""

from __future__ import annotations

import contextlib
import json
import math
import os
import re
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from .. import ROOT
from ..find.answer import Index
from . import client, isolate
from .cell import Job
from .client import Process
from .judge import Run, judge
from .machine import Machine, cores, is_importable, true_of
from .report import AnyRun, Progress

#: Resident memory of a cell and all its children, in bytes. A CUDA context takes some GiB alone.
MEMORY = {"cpu": 4 << 30, "cuda": 16 << 30}
#: Characters of output that are kept of a cell; the end is where errors stand.
KEPT = 20_000
#: A cell that used a smaller share of a core than this, for as long as its limit, hangs. However
#: busy the machine, who has something to do gets more.
IDLE = 0.01
#: How many times its limit of processor time a cell may take by the clock.
SLOWEST = 10
#: Seconds in which a wrong version may do nothing, and how many times its limit it may take by the
#: clock (some wait in a loop): to hang is to be caught.
HANGS, SLOWEST_WRONG = 15.0, 2
#: A port as examples of torch.distributed write it.
_PORT = re.compile(r"\b29\d{3}\b")
#: Of a stack that a cell prints: what stands below its own first frame.
_HOUSE = re.compile(
    r'^  File "<string>", line 1, in <module>\n(?: {4}.*\n)?'
    r'(?:  File "torchclinic/run/\w+\.py", line \d+, in \w+\n(?: {4}.*\n)*)+',
    re.MULTILINE,
)
_PAGE = os.sysconf("SC_PAGE_SIZE")
_TICKS = os.sysconf("SC_CLK_TCK")


def perform(
    table: Index,
    runs: Sequence[AnyRun],
    machine: Machine,
    *,
    device: str = "cpu",
    jobs: int = 0,
    until: float = math.inf,
    ended: Callable[[AnyRun], None] = lambda run: None,
) -> None:
    """Run and judge each of `runs`; what the machine lacks is skipped, with its reason.

    Args:
        table: the index in which what a cell prints is looked up.
        jobs: how many at a time; from the number of cores if 0.
        until: of `time.monotonic()`: none begins later, and stays without an outcome.
        ended: called after each that ran, from several threads.
    """
    _skip_what_lacks(runs, machine, device)
    pending = [run for run in runs if not run.outcome]
    progress = Progress(len(pending))
    if refused := isolate.refused():
        print(
            f"torchclinic: cells are not fully shut in, this system refuses namespaces ({refused})",
            file=sys.stderr,
        )
    stop, ports = threading.Event(), threading.Lock()

    def work(run: AnyRun) -> None:
        # Without a network of their own, cells that name a port take turns.
        turn = refused and _PORT.search(run.symptom.snippet.text)
        with ports if turn else contextlib.nullcontext():
            if stop.is_set() or time.monotonic() > until:
                return
            run_cell(run, device, namespaces=not refused)
            if not run.outcome:
                judge(run, table)
            ended(run)
            progress.step(run)

    # What is about the GPU (its memory, its clock) has it for itself, and is what only it can run.
    alone = [run for run in pending if device == "cuda" and "cuda" in run.needs]
    beside = [run for run in pending if device != "cuda" or "cuda" not in run.needs]
    for batch, at_a_time in ((alone, 1), (beside, jobs or at_once(device))):
        with ThreadPoolExecutor(at_a_time) as pool:
            try:
                list(pool.map(work, batch))
            except KeyboardInterrupt:
                stop.set()
                client.stop()
                raise
    progress.close()


def at_once(device: str) -> int:
    """How many cells run at a time. On a GPU each has a context of its own, of some 100 MiB."""
    return cores() if device == "cpu" else min(8, cores())


def _skip_what_lacks(runs: Sequence[Run], machine: Machine, device: str) -> None:
    """Set the outcome of each run: "skipped" where the machine lacks what it needs, else ""."""
    packages = {
        need: is_importable(need.removeprefix("package:"))
        for run in runs
        for need in run.needs
        if need.startswith("package:")
    }
    skips = {id(run): run.symptom.snippet.cases[run.cell.case].skips for run in runs}
    conditions = {condition for skip in skips.values() for condition, _ in skip}
    true = true_of({*conditions, *packages.values()})
    for run in runs:
        reasons = [machine.lacks(need, device) for need in run.needs]
        reasons += [
            f"needs the package {need.removeprefix('package:')}"
            for need in run.needs
            if need in packages and packages[need] not in true
        ]
        reasons += [reason for condition, reason in skips[id(run)] if condition in true]
        run.why = next((reason for reason in reasons if reason), "")
        run.outcome = "skipped" if run.why else ""


def run_cell(run: Run, device: str, namespaces: bool) -> None:
    """Run one cell to its end, or to its limit; fills everything but the judgement."""
    snippet = run.symptom.snippet
    with tempfile.TemporaryDirectory(prefix="torchclinic-", ignore_cleanup_errors=True) as folder:
        file, output, result = (Path(folder, name) for name in (f"{snippet.stem}.py", "out", "end"))
        file.write_text(snippet.program(run.cell, run.instead), encoding="utf-8")
        # A tip says itself what is made on the GPU.
        default = "cpu" if run.cell.kind == "block" else device
        process = client.server().start(
            Job(str(file), str(output), str(result), default, namespaces)
        )
        limit = snippet.timeout
        idle, slowest = (min(limit, HANGS), SLOWEST_WRONG) if run.instead else (limit, SLOWEST)
        over = _wait(process, limit, idle, slowest * limit, MEMORY[device])
        run.seconds = process.seconds
        if output.exists():
            printed = output.read_text(encoding="utf-8", errors="replace")
            run.output = without_paths(printed, folder)[-KEPT:]
        if result.exists():
            end = json.loads(result.read_text(encoding="utf-8"))
            run.exception = end["exception"]
            run.message = without_paths(end["message"], folder)
            run.traceback = without_paths(end["traceback"], folder)[-KEPT:]
            run.live = end.get("live", "") if run.cell.kind == "break" else ""
        elif process.pid < 0:
            over = "could not be started: the process that starts cells has ended"
        elif not over:
            over = f"died with exit status {process.status} before it could report"
            if process.status < 0:
                over += f" ({signal.Signals(-process.status).name})"
        if over:
            run.end(over)


def _wait(process: Process, limit: float, idle: float, longest: float, memory: int) -> str:
    """Wait for a cell; one that is over a limit is ended. Says over which; "" for none.

    Args:
        limit: seconds of processor time.
        idle: seconds in which it may do nothing.
        longest: seconds that it may take by the clock.
        memory: bytes.
    """
    started = idle_since = time.monotonic()
    seen = 0.0  # seconds of processor time, at `idle_since`
    while not process.ended.wait(0.25):
        now = time.monotonic()
        family = _family(process.pid)
        seconds = sum(family.values())
        over = ""
        if seconds > limit:
            over = f"used {limit:g} s of processor time: it never ends, or needs a `timeout:`"
        elif _resident(family, process.pid) > memory:
            over = f"took more than {memory >> 30} GiB of memory"
        elif seconds - seen > IDLE * idle:
            idle_since, seen = now, seconds
        elif family and now - idle_since > idle:
            over = f"still running after {idle:g} s in which it did nothing: it hangs"
        if now - started > longest:
            over = f"still running after {longest:g} s: it hangs"
        if over and not process.ended.is_set():
            _end(process)
            return over
    return ""


def _family(leader: int) -> dict[int, float]:
    """The process of a cell and all below it; of each the processor seconds that it used.

    Its own, and those of its children that have ended. Nothing where there is no /proc.
    """
    parents, seconds = {}, {}
    try:
        entries = os.listdir("/proc")
    except OSError:
        return {}
    for entry in entries:
        if entry.isdigit():
            try:
                stat = Path("/proc", entry, "stat").read_text(encoding="utf-8", errors="replace")
            except OSError:
                continue
            # pid (name) state ppid …: the name may hold blanks and brackets
            fields = stat.rpartition(")")[2].split()
            parents[int(entry)] = int(fields[1])
            seconds[int(entry)] = sum(map(int, fields[11:15])) / _TICKS
    family = [leader] if leader in parents else []
    for pid in family:  # grows
        family += [child for child, parent in parents.items() if parent == pid]
    return {pid: seconds[pid] for pid in family}


def _resident(family: Iterable[int], leader: int) -> int:
    """Resident bytes of some processes. Shared pages count once, with the leader."""
    total = 0
    for pid in family:
        try:
            pages = Path("/proc", str(pid), "statm").read_text(encoding="utf-8").split()
        except OSError:
            continue
        if len(pages) > 2:
            total += int(pages[1]) - (0 if pid == leader else int(pages[2]))
    return total * _PAGE


def _end(process: Process) -> None:
    """End a cell: its leader ends what is below it; what is left after a while is killed."""
    with contextlib.suppress(ProcessLookupError):  # it has just ended
        os.kill(process.pid, signal.SIGTERM)
    if process.ended.wait(15):
        return
    for pid in _family(process.pid) or [process.pid]:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    process.ended.wait()


def without_paths(text: str, folder: str) -> str:
    """Text as it would look anywhere: no path of this machine, and none of our own frames."""
    folder, real = folder.rstrip(os.sep), os.path.realpath(folder)
    for path, shown in ((real + os.sep, ""), (folder + os.sep, ""), (folder, ".")):
        text = text.replace(path, shown)
    prefixes = {sys.prefix, sys.base_prefix}
    places = {*sys.path, str(ROOT), *prefixes, *map(os.path.realpath, prefixes)}
    for path in sorted(places, key=len, reverse=True):
        if len(path) > 3:
            text = text.replace(path + os.sep, "")
    home = str(Path.home())
    text = text.replace(home, "~") if len(home) > 1 else text
    # Addresses in memory, and names that Python's tempfile makes, differ from run to run.
    text = re.sub(r"\btmp[a-z0-9_]{8}\b", "tmp…", re.sub(r"\b0x[0-9a-f]{6,}\b", "0x…", text))
    return _HOUSE.sub("", text)
