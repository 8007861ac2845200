"""Runs the cells of snippets, each in a fresh process, and says whether break, check and fix did what they must.

A fresh process is forked from a server that has imported torch and done nothing else (multiprocessing's forkserver), so it starts
in milliseconds where a new interpreter spends seconds on `import torch`. This module itself never imports torch; the cells do, in
`cell.py`. Needs the standard library and torch; Linux or macOS.
"""

from __future__ import annotations

import contextlib
import datetime
import json
import multiprocessing
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from .. import ROOT
from ..content import causes, changes, evidence, mutation
from ..content.snippet import FAULT, Case, Cell
from ..content.symptom import Symptom
from ..content.tip import Tip
from ..find import lookup
from . import cell as cells
from . import isolate
from .mutate import Mutant, mutants, shortened

#: Resident memory of a cell and all its children, in bytes. A CUDA context alone takes some GiB of host memory.
MEMORY = {"cpu": 4 << 30, "cuda": 16 << 30}
#: How an older torch says that it cannot do yet what a break asks for.
NEWER = ("unexpected keyword argument", "not yet supported for", "not implemented for 'Half'")
#: Lines of a cell's output that are shown.
SHOWN = 15
#: Characters of output that are kept of a cell; the end is where errors stand.
KEPT = 20_000


@dataclass(eq=False)
class Run:
    """What one cell did.

    Attributes:
        outcome: "passed", "failed" or "skipped".
        why: what was wrong, or the reason for skipping; "" if passed.
        exception, message, traceback: of the exception that ended it, "" if none did.
        output: what it printed (traceback included), paths of this machine removed.
        seconds: wall time.
        mutant: the wrong version that runs in the cell's place, if one does; "failed" then says that it was caught.
    """

    symptom: Symptom | Tip
    cell: Cell
    outcome: str = ""
    why: str = ""
    exception: str = ""
    message: str = ""
    traceback: str = ""
    output: str = ""
    seconds: float = 0.0
    mutant: Mutant | None = None

    def as_json(self) -> dict[str, Any]:
        kept = {name: getattr(self, name) for name in ("outcome", "why", "exception", "message", "traceback", "output")}
        if self.output == self.traceback:  # the usual case: it printed nothing else
            del kept["output"]
        return {**{name: value for name, value in kept.items() if value}, "seconds": round(self.seconds, 2)}


@dataclass
class Machine:
    """What the machine at hand offers, asked in a process of its own so that this one stays without torch."""

    torch: str
    cuda: str
    gpus: int
    device_name: str
    python: str = field(default_factory=lambda: ".".join(map(str, sys.version_info[:3])))
    platform: str = field(default_factory=lambda: f"{sys.platform} {os.uname().machine}")

    def lacks(self, need: str, device: str) -> str:
        """Why `need` is not met; "" if it is."""
        kind, _, what = need.partition(":")
        if need == "cuda" and device != "cuda":
            return "needs CUDA; run with --device cuda"
        if need == "multi-gpu" and (device != "cuda" or self.gpus < 2):
            return f"needs two GPUs; {self.gpus if device == 'cuda' else 'no'} here"
        if need == "fork" and not hasattr(os, "fork"):
            return "needs fork, which this system has not"
        if need == "compiler" and not any(shutil.which(name) for name in ("cc", "gcc", "clang")):
            return "needs a C compiler"
        if kind == "torch":
            limit = what.removeprefix("<")
            if (changes.release(self.torch) < changes.release(limit)) != (what != limit):
                return f"needs torch {'<' if what != limit else '≥'} {limit}"
        if kind == "package" and not _importable(what):
            return f"needs the package {what}"
        return ""


def _importable(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:  # the parent package of a dotted name
        return False


def _versions(packages: list[str]) -> dict[str, str]:
    """The distributions that these packages came in, with their versions; nothing for a name that several share, as NVIDIA's wheels do `nvidia`."""
    found: dict[str, str] = {}
    installed = list(metadata.distributions()) if packages else []
    for package in packages:
        parts = tuple(package.split("."))
        owners = {made.name: made.version for made in installed if any(file.parts[: len(parts)] == parts for file in made.files or ())}
        if len(owners) == 1:
            found.update(owners)
    return found


class NoTorch(Exception):
    """torch cannot be imported here."""


def ask_machine() -> Machine:
    """Raises: NoTorch."""
    program = (
        "import json, torch; n = torch.cuda.device_count() if torch.cuda.is_available() else 0;"
        "print(json.dumps([torch.__version__.split('+')[0], torch.version.cuda or '', n, torch.cuda.get_device_name(0) if n else 'CPU']))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no output"])[-1]
        raise NoTorch(f"`import torch` fails in {sys.executable}: {last}. Install it first: python -m pip install torch")
    return Machine(*json.loads(done.stdout.strip().splitlines()[-1]))


def run(
    table: dict[str, Any],
    symptoms: list[Symptom],
    *,
    device: str = "cpu",
    record: Path | None = None,
    jobs: int = 0,
    plain: bool = False,
    repeat: int = 1,
    busily: bool = False,
    show: bool = False,
    missing: Path | None = None,
    known: Collection[str] = (),
) -> int:
    """Run the cells of `symptoms` and print the outcome; the exit status (1 if a cell failed, 2 if nothing could run).

    Args:
        table: the index in which what breaks print is looked up.
        record: folder of the evidence into which goes what was seen, each symptom as soon as it is done: a run that is cut off keeps what it did.
        repeat: how often each cell runs; in random order if more than once.
        busily: keep every core at work meanwhile.
        show: print what each cell printed, as a page would show it.
        missing: folder of the evidence; only symptoms are run whose code of today it does not have from this torch, Python and device.
        known: environments that have evidence; of any other the report says how to send it.
    """
    try:
        machine = ask_machine()
    except NoTorch as error:
        print(f"torchclinic: {error}", file=sys.stderr)
        return 2
    if device == "cuda" and not machine.gpus:
        print(f"torchclinic: --device cuda, but torch {machine.torch} sees no GPU here; `nvidia-smi` tells whether there is one", file=sys.stderr)
        return 2
    if missing:
        here = missing / _evidence([], machine, device).file
        had = evidence.read(here) if here.exists() else None
        symptoms = [symptom for symptom in symptoms if not had or had.status(symptom.snippet) in ("absent", "stale")]
    started = time.monotonic()
    with busy(os.cpu_count() or 1) if busily else contextlib.nullcontext():
        runs = execute(table, symptoms, machine, device=device, jobs=jobs, plain=plain, repeat=repeat, record=record)
    seconds = time.monotonic() - started
    for one in runs if show else ():
        print(f"{one.outcome} {one.symptom.id}: {one.cell.name}, {one.seconds:.1f} s")
        for line in one.output.strip().splitlines()[-SHOWN:] if one.outcome == "passed" else ():
            print(f"    | {line}")
    _report(runs, machine, device, seconds)
    made = _evidence(runs, machine, device)
    file = os.path.relpath(evidence.merge(record, made)) if record else f"evidence/{made.file}"
    if record:
        print(f"recorded in {file}")
    if known and made.environment not in known:
        how = "" if record else f"`python -m torchclinic verify{' --device cuda' if device == 'cuda' else ''} --record` writes {file}. "
        print(f"Nobody has recorded torch {made.torch} on Python {made.python} and {made.device_name} yet. {how}To send it: docs/en/lend.md")
    return 1 if any(done.outcome == "failed" for done in runs) else 0


def mutate(table: dict[str, Any], symptoms: list[Symptom | Tip], *, device: str = "cpu", record: Path | None = None, jobs: int = 0) -> int:
    """Run wrong versions of the fixes of `symptoms`, and of the blocks of tips, and print those that nothing caught.

    Returns:
        The exit status: 1 if one was neither caught nor excused.

    A fix or block that fails as it stands fails here as well: what it catches says nothing. A wrong version that is not caught, and an excused one that is,
    are run twice more: it has survived if it does so each time, and its excuse is needless if it is caught each time.

    Args:
        table: the index in which what a cell prints is looked up.
        record: root of the checkout in which is recorded what was tried.
    """
    try:
        machine = ask_machine()
    except NoTorch as error:
        print(f"torchclinic: {error}", file=sys.stderr)
        return 2
    started = time.monotonic()
    runs = []
    for symptom in symptoms:
        for case in symptom.snippet.cases.values():
            if case.mutable:
                runs += [Run(symptom, case.cure), *(Run(symptom, case.cure, mutant=one) for one in _wrong(case))]
    perform(table, runs, machine, device=device, jobs=jobs)
    for _ in range(2):  # clocks take part: what would fail this run is asked three times
        doubtful = [one for one in runs if one.mutant and one.outcome == ("failed" if _is_excused(one) else "passed")]
        for one in doubtful:
            one.outcome = one.why = ""
        if doubtful:
            perform(table, doubtful, machine, device=device, jobs=jobs)
    found = mutation.Record(machine.torch, device)
    today = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
    failed = survived = 0
    for symptom in symptoms:
        own = [one for one in runs if one.symptom is symptom]
        broken = {one.cell.case for one in own if one.mutant is None and one.outcome == "failed"}
        for one in own:
            if one.mutant is None and one.cell.case in broken:
                print(f"FAILED {symptom.id}: {one.cell.name}: {one.why}; its wrong versions say nothing")
                failed += 1
            elif one.mutant is not None and one.outcome == "passed" and not _is_excused(one):
                print(f"SURVIVED {symptom.id}: {one.cell.name}: {one.mutant.name}")
                survived += 1
            elif one.mutant is None and one.outcome == "skipped":
                print(f"SKIPPED {symptom.id}: {one.cell.name}: {one.why}")
        cases = {}
        for name in dict.fromkeys(one.cell.case for one in own if one.outcome != "skipped"):
            tried = [one for one in own if one.mutant is not None and one.cell.case == name]
            cases[name] = mutation.Tried(len(tried), [one.mutant.name for one in tried if one.mutant and one.outcome == "passed"])
        if cases and not broken:
            found.table(symptom.snippet)[symptom.stem] = mutation.Entry(symptom.snippet.hash, today, cases)
            for line in mutation.needless(symptom.snippet, found):
                print(f"NEEDLESS {symptom.id}: {line}")
                failed += 1
    tried = sum(1 for one in runs if one.mutant is not None and one.outcome != "skipped")
    caught = sum(1 for one in runs if one.mutant is not None and one.outcome == "failed")
    failed += survived
    print(f"wrong versions: {tried} tried, {caught} caught, {tried - caught - survived} excused, {failed} to mend, in {time.monotonic() - started:.0f} s")
    if record:
        print(f"recorded in {mutation.merge(record, found).relative_to(record)}")
    return 1 if failed else 0


def _is_excused(one: Run) -> bool:
    return one.mutant is not None and one.mutant.name in one.symptom.snippet.cases[one.cell.case].survives


def _wrong(case: Case) -> list[Mutant]:
    """The wrong versions of a case's fix, or of a tip's block."""
    return shortened(case.cure.source) if case.cure.kind == "block" else mutants(case.cells["break"].source, case.cure.source)


@contextlib.contextmanager
def busy(cores: int) -> Iterator[None]:
    """Keep `cores` cores at work."""
    program = "import os; parent = os.getppid()\nwhile os.getppid() == parent: pass"  # not for ever, if this process is killed
    loops = [subprocess.Popen([sys.executable, "-c", program]) for _ in range(cores)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def execute(
    table: dict[str, Any],
    symptoms: list[Symptom],
    machine: Machine,
    *,
    device: str = "cpu",
    jobs: int = 0,
    plain: bool = False,
    repeat: int = 1,
    record: Path | None = None,
) -> list[Run]:
    """Run every break, check and fix; the runs, in the order of the files. With `record` each symptom is recorded when the last of its cells has run."""
    runs = [Run(symptom, cell) for symptom in symptoms for cell in symptom.snippet.runs for _ in range(repeat)]
    own: dict[str, list[Run]] = {}
    for one in runs:
        own.setdefault(one.symptom.id, []).append(one)
    if repeat > 1:
        random.shuffle(runs)
    lock = threading.Lock()

    def finished(one: Run) -> None:
        with lock:  # two that end at once would both be the last, and write one file
            if all(other.outcome for other in own[one.symptom.id]):
                _skip_what_is_newer(own[one.symptom.id], machine)
                if record:
                    evidence.merge(record, _evidence(own[one.symptom.id], machine, device))

    perform(table, runs, machine, device=device, jobs=jobs, plain=plain, finished=finished)
    return runs


def _skip_what_is_newer(own: list[Run], machine: Machine) -> None:
    """An older torch may lack a name that a symptom's code uses: then what failed of that case says nothing about it."""
    if changes.release(machine.torch) >= changes.release(evidence.RELEASE):
        return
    for broke in [one for one in own if one.cell.kind == "break" and one.outcome == "failed"]:
        if broke.exception in ("ImportError", "ModuleNotFoundError", "AttributeError") or any(words in broke.message for words in NEWER):
            for one in own:
                if one.cell.case == broke.cell.case and one.outcome == "failed":
                    one.outcome, one.why = "skipped", f"needs a newer torch: {broke.exception}: {broke.message.splitlines()[0]}"


def perform(
    table: dict[str, Any],
    runs: list[Run],
    machine: Machine,
    *,
    device: str = "cpu",
    jobs: int = 0,
    plain: bool = False,
    finished: Callable[[Run], None] = lambda one: None,
) -> None:
    """Run and judge each of `runs`, several at a time; what the machine lacks is skipped, with its reason. `finished` is called after each that ran."""
    skips = {id(one): one.symptom.snippet.cases[one.cell.case].skips for one in runs}
    true = _true({condition for found in skips.values() for condition, _ in found})
    for one in runs:
        reasons = [machine.lacks(need, device) for need in one.symptom.snippet.needs_of(one.cell.case)]
        reasons += [reason for condition, reason in skips[id(one)] if condition in true]
        one.why = next((reason for reason in reasons if reason), "")
        one.outcome = "skipped" if one.why else ""
    todo = [one for one in runs if not one.outcome]
    engine = _Plain() if plain else _ForkServer()
    progress = _Progress(len(todo))
    if why := isolate.refused():
        print(f"torchclinic: cells are not fully shut in, this system refuses namespaces ({why})", file=sys.stderr)
    stop = threading.Event()

    def work(one: Run) -> None:
        if not stop.is_set():
            _run_cell(one, engine, device, not why)
            if not one.outcome:
                _judge(one, table)
            finished(one)
            progress.step(one)

    # On a GPU, what is about the GPU (its memory, its clock) has it for itself, after the rest.
    alone = [one for one in todo if device == "cuda" and "cuda" in one.symptom.snippet.needs_of(one.cell.case)]
    workers = jobs or (os.cpu_count() or 1 if device == "cpu" else min(8, os.cpu_count() or 1))
    for batch, at_a_time in (([one for one in todo if one not in alone], workers), (alone, 1)):
        with ThreadPoolExecutor(at_a_time) as pool:
            try:
                list(pool.map(work, batch))
            except KeyboardInterrupt:
                stop.set()
                raise
    progress.close()


def _true(conditions: set[str]) -> set[str]:
    """Those that are true here, as pytest finds out; in a process of its own, since they may import torch."""
    if not conditions:
        return set()
    program = "import json, sys; print(json.dumps([one for one in json.load(sys.stdin) if eval(one)]))"
    done = subprocess.run([sys.executable, "-c", program], input=json.dumps(sorted(conditions)), capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout.splitlines()[-1]))


class _ForkServer:
    """Fresh processes forked from one that has torch imported."""

    startup = 0  # seconds before a cell's own time begins

    def __init__(self) -> None:
        self.context = multiprocessing.get_context("forkserver")
        # DistributedDataParallel and torch.compile import torch._dynamo, which takes longer than torch itself has left.
        self.context.set_forkserver_preload(["torch", "torch._dynamo", "torchclinic.run.cell"])
        self.lock = threading.Lock()

    def start(self, job: cells.Job) -> tuple[int, Any]:
        process = self.context.Process(target=cells.main, args=(job,), daemon=False)
        with self.lock:
            process.start()
        return process.pid, process

    @staticmethod
    def alive(process: Any) -> bool:
        return process.is_alive()

    @staticmethod
    def status(process: Any) -> int:
        process.join()
        return process.exitcode


class _Plain:
    """A new interpreter for every cell: what the forkserver saves is measured against it."""

    startup = 60  # a busy machine takes long to import torch

    def start(self, job: cells.Job) -> tuple[int, Any]:
        root = str(ROOT)
        program = "import sys, json; sys.path.insert(0, sys.argv[1]); from torchclinic.run import cell; cell.main(cell.Job(*json.loads(sys.argv[2])))"
        process = subprocess.Popen([sys.executable, "-c", program, root, json.dumps(list(job))])
        return process.pid, process

    @staticmethod
    def alive(process: Any) -> bool:
        return process.poll() is None

    @staticmethod
    def status(process: Any) -> int:
        return process.wait()


def _run_cell(one: Run, engine: Any, device: str, namespaces: bool) -> None:
    """Run one cell to its end, or to its limit; fills everything but the judgement."""
    snippet = one.symptom.snippet
    with tempfile.TemporaryDirectory(prefix="torchclinic-", ignore_cleanup_errors=True) as folder:
        file = Path(folder, snippet.stem + ".py")
        file.write_text(snippet.program(one.cell, one.mutant.source if one.mutant else ""), encoding="utf-8")
        # A tip says itself what is made on the GPU.
        default = "cpu" if one.cell.kind == "block" else device
        job = cells.Job(str(file), str(Path(folder, "output")), str(Path(folder, "result")), default, namespaces)
        pid, process = engine.start(job)
        started = time.monotonic()  # the server has imported torch by now
        over, weighed = "", started
        while engine.alive(process) and not over:
            time.sleep(0.02)
            now = time.monotonic()
            if now - started > snippet.timeout + engine.startup:
                over = f"still running after {snippet.timeout:g} s: it hangs, or needs a `timeout:` in the header"
            elif now - weighed > 0.25:  # reading /proc costs more than waiting
                weighed = now
                if _memory(pid) > MEMORY[device]:
                    over = f"took more than {MEMORY[device] >> 30} GiB of memory"
        if over:
            _end(pid, lambda: engine.alive(process))
        status = engine.status(process)
        one.seconds = time.monotonic() - started
        output = Path(job.output).read_text(encoding="utf-8", errors="replace") if Path(job.output).exists() else ""
        one.output = _without_paths(output, folder)[-KEPT:]
        if Path(job.result).exists():
            result = json.loads(Path(job.result).read_text(encoding="utf-8"))
            one.exception, one.message = result["exception"], _without_paths(result["message"], folder)
            one.traceback = _without_paths(result["traceback"], folder)[-KEPT:]
        elif not over:
            over = f"died with exit status {status} before it could report" + (f" ({signal.Signals(-status).name})" if status < 0 else "")
        if over:
            one.outcome, one.why = "failed", over


def _judge(one: Run, table: dict[str, Any]) -> None:
    """Did the cell do what its kind must do?"""
    snippet = one.symptom.snippet
    # Of a break the traceback counts: a CUDA kernel prints its assertion, the symptom of another page, before it.
    text = one.traceback if one.cell.kind == "break" and one.traceback else one.output
    hits = lookup.lookup(table, text)["hits"]
    first = hits[0] if hits else None
    why = ""
    if one.cell.kind == "break":
        if snippet.cases[one.cell.case].silent:
            if one.exception:
                why = f"must assert the bad behaviour itself and end quietly, but raised {one.exception}: {one.message[:200]}"
        elif not one.exception and not one.output.strip():
            why = f"{changes.QUIET} and printed nothing: a break ends in the symptom (or is `silent: true` and asserts the bad behaviour itself)"
        elif first is None and not one.exception:
            why = f"{changes.QUIET}, and what it printed is no known message: a break ends in the symptom"
        elif first is None or first["symptom"] != snippet.stem:
            why = f"what it printed is looked up as {first['symptom'] if first else 'no match'}, not as {snippet.stem}"
        elif message := causes.wrong(snippet, one.cell.case, first):
            why = message
        elif not one.exception and not _may_end_quietly(snippet.needs_of(one.cell.case), first["exception"]):
            why = "printed the message but raised nothing"
    elif one.exception:
        why = f"raised {one.exception}: {one.message[:300]}"
    elif one.cell.kind in ("fix", "proof") and any(hit["symptom"] == snippet.stem for hit in hits):
        why = f"{changes.STILL} that it is to cure"
    if not why and (found := re.search(re.escape(tempfile.gettempdir() + os.sep) + r"[^\s'\"]*", one.output)):
        why = f"printed {found[0]}, a path of this machine, which would stand on the page: write into the working directory"
    one.outcome, one.why = ("failed", why) if why else ("passed", "")


def _may_end_quietly(needs: tuple[str, ...], exception: str) -> bool:
    """A warning ends no program; an injected fault may be shown by what a child process printed."""
    return exception.endswith("Warning") or any(need.startswith(FAULT) for need in needs)


def _session(leader: int) -> list[int]:
    """Processes of the session that a cell leads, from /proc; only the leader where there is no /proc."""
    found = []
    try:
        entries = os.listdir("/proc")
    except OSError:
        return [leader]
    for entry in entries:
        if entry.isdigit():
            try:
                # pid (name) state ppid pgrp session: the name may hold blanks and brackets
                fields = Path("/proc", entry, "stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[3]) == leader:
                found.append(int(entry))
    return found


def _memory(leader: int) -> int:
    """Resident bytes of a cell's session; 0 where there is no /proc. Shared pages count once, with the leader."""
    total = 0
    for pid in _session(leader):
        try:
            resident, shared = Path("/proc", str(pid), "statm").read_text(encoding="utf-8").split()[1:3]
        except (OSError, ValueError):
            continue
        total += int(resident) - (0 if pid == leader else int(shared))
    return total * os.sysconf("SC_PAGE_SIZE")


def _end(leader: int, alive: Callable[[], bool]) -> None:
    """End a cell that is over its limit: its leader ends what is below it; what is left of the session is killed."""
    os.kill(leader, signal.SIGTERM)
    deadline = time.monotonic() + 15
    while alive() and time.monotonic() < deadline:
        time.sleep(0.02)
    for pid in _session(leader) if alive() else []:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def _without_paths(text: str, folder: str) -> str:
    """Text as it would look anywhere: no path of this machine."""
    text = text.replace(os.path.realpath(folder) + os.sep, "").replace(folder + os.sep, "").replace(folder, ".")
    for path in sorted({*sys.path, sys.prefix, sys.base_prefix, os.path.realpath(sys.prefix), os.path.realpath(sys.base_prefix)}, key=len, reverse=True):
        if len(path) > 3:
            text = text.replace(path + os.sep, "")
    text = text.replace(str(Path.home()), "~") if len(str(Path.home())) > 1 else text
    # From Python 3.13 on a stack shows the line that started the server of processes, with its path.
    text = re.sub(r"^ +from multiprocessing\.forkserver import main; main\(.*\n", "", text, flags=re.MULTILINE)
    # Addresses in memory, and names that Python's tempfile makes, differ from run to run.
    return re.sub(r"\btmp[a-z0-9_]{8}\b", "tmp…", re.sub(r"\b0x[0-9a-f]{6,}\b", "0x…", text))


class _Progress:
    """A bar on a terminal; a line for each failure elsewhere."""

    def __init__(self, total: int):
        self.total, self.done, self.failed = total, 0, 0
        self.lock = threading.Lock()
        self.terminal = sys.stderr.isatty()

    def step(self, one: Run) -> None:
        with self.lock:
            self.done += 1
            self.failed += one.outcome == "failed"
            if self.terminal:
                full = 30 * self.done // max(1, self.total)
                failed = f", {self.failed} failed" if self.failed else ""
                print(
                    f"\r\x1b[K[{'#' * full}{'.' * (30 - full)}] {self.done}/{self.total}{failed}  {one.symptom.id}: {one.cell.name}",
                    end="",
                    file=sys.stderr,
                    flush=True,
                )

    def close(self) -> None:
        if self.terminal:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def _report(runs: list[Run], machine: Machine, device: str, seconds: float) -> None:
    for one in runs:
        if one.outcome == "failed":
            print(f"FAILED {one.symptom.id}: {one.cell.name} ({one.symptom.snippet.file.name}:{one.cell.line}): {one.why}")
            for line in one.output.strip().splitlines()[-SHOWN:]:
                print(f"    | {line}")
    skipped: dict[tuple[str, str], list[str]] = {}
    for one in runs:
        if one.outcome == "skipped":
            skipped.setdefault((one.symptom.id, one.why), []).append(one.cell.name)
    for (ident, why), names in skipped.items():
        print(f"SKIPPED {ident}: {why} ({', '.join(names)})")
    count = {outcome: sum(1 for one in runs if one.outcome == outcome) for outcome in evidence.OUTCOMES}
    where = machine.device_name if device == "cuda" else "CPU"
    print(f"torch {machine.torch} on {where}, Python {machine.python}: {len(runs)} cells in {seconds:.1f} s")
    print(f"cells: {count['passed']} passed, {count['failed']} failed, {count['skipped']} skipped")


def _evidence(runs: list[Run], machine: Machine, device: str) -> evidence.Evidence:
    """What a run recorded; a symptom none of whose cells could run is recorded as skipped, with the reason."""
    python = ".".join(machine.python.split(".")[:2])
    made = evidence.Evidence(machine.torch, python, device, machine.device_name if device == "cuda" else "CPU", machine.cuda)
    today = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
    for one in runs:
        snippet = one.symptom.snippet
        entry = made.symptoms.setdefault(
            snippet.stem, {"hash": snippet.hash, "date": today, "python": machine.python, "platform": machine.platform, "cells": {}}
        )
        entry["cells"][one.cell.name] = {"outcome": "skipped", "why": one.why} if one.outcome == "skipped" else one.as_json()
    for entry in made.symptoms.values():
        reasons = {cell.get("why", "") for cell in entry["cells"].values() if cell["outcome"] == "skipped"}
        if all(cell["outcome"] == "skipped" for cell in entry["cells"].values()):
            entry["skipped"] = "; ".join(sorted(reasons))
            entry["cells"] = {}
    for snippet in {one.symptom.snippet.stem: one.symptom.snippet for one in runs if one.outcome != "skipped"}.values():
        if versions := _versions(snippet.packages):
            made.symptoms[snippet.stem]["packages"] = versions
    return made
