"""Processes of this user, as Linux tells of them in /proc, and their stacks, by py-spy."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Collection, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from ..find.stacks import MARK
from . import prepared

PROC, GROUPS = Path("/proc"), Path("/sys/fs/cgroup")
#: Seconds that one call of py-spy may take.
PATIENCE = 60
#: Numbers of the system's calls that say what a program in native code waits for.
CALLS = {
    "x86_64": {"0": "read", "1": "write", "2": "open", "202": "lock", "257": "open"},
    "aarch64": {"56": "open", "63": "read", "64": "write", "98": "lock"},
}

#: Parts of the names of the kernel's functions in which a process waits (/proc/PID/wchan; root may
#: read all of them, /proc/PID/stack), for where its call is not told. Those of drives are from the
#: kernel's sources, not from a run.
WAITS = {
    **dict.fromkeys(("nfs", "rpc_wait", "fuse", "cifs", "ceph", "lustre"), "drive"),
    **{"futex": "lock", "pipe_read": "read", "pipe_write": "write", "wait_for_partner": "open"},
}


class Process(NamedTuple):
    pid: int
    parent: int
    state: str  # R, S, D, T, Z …
    time: float  # of processors, in seconds
    command: str


class Dump(NamedTuple):
    """What is known of the stacks of processes: one text, as `find.hang` reads it."""

    text: str
    refused: set[int]  # processes that py-spy may not attach to
    why: str  # what py-spy said of the first of them


def available() -> bool:
    """Does this system tell of its processes?"""
    return PROC.joinpath("self/stat").exists()


def every() -> dict[int, Process]:
    """This user's processes (root: all), by number."""
    return {
        one.pid: one
        for entry in PROC.iterdir()
        if entry.name.isdecimal() and (one := _process(int(entry.name)))
    }


def _process(pid: int) -> Process | None:
    try:
        if os.getuid() not in (0, (PROC / str(pid)).stat().st_uid):
            return None
        # The name of a process, in brackets, may hold anything.
        rest = _read(pid, "stat").rpartition(")")[2].split()
        command = _read(pid, "cmdline").replace("\0", " ").strip()
        ticks = int(rest[11]) + int(rest[12])
        return Process(pid, int(rest[1]), rest[0], ticks / os.sysconf("SC_CLK_TCK"), command)
    except (OSError, IndexError, ValueError):  # it has ended
        return None


def _read(pid: int, name: str) -> str:
    return (PROC / str(pid) / name).read_bytes().decode(errors="replace")


def tree(known: dict[int, Process], roots: Iterable[int]) -> list[Process]:
    """These processes, and all below them."""
    found, left = dict.fromkeys(roots), list(roots)
    while left:
        parent = left.pop()
        below = [one.pid for one in known.values() if one.parent == parent and one.pid not in found]
        found.update(dict.fromkeys(below))
        left += below
    return [known[pid] for pid in found if pid in known]


def with_torch(known: dict[int, Process]) -> list[Process]:
    """Those that have loaded torch, and what was started by them; without this very process and
    those that started it."""
    above, pid = set(), os.getpid()
    while pid in known:
        above.add(pid)
        pid = known[pid].parent
    roots = [pid for pid in known if pid not in above and _has_torch(pid)]
    return [one for one in tree(known, roots) if one.pid not in above]


def _has_torch(pid: int) -> bool:
    return _has_loaded(pid, "libtorch_cpu", "libtorch_python")


def _has_loaded(pid: int, *libraries: str) -> bool:
    try:
        maps = _read(pid, "maps")
    except OSError:
        return False
    return any(name in maps for name in libraries)


def pyspy() -> str | None:
    beside = Path(sys.executable).with_name("py-spy")
    return str(beside) if beside.is_file() else shutil.which("py-spy")


def dump(processes: list[Process], seconds: float, native: bool) -> Dump:
    """Two dumps of each process, some seconds apart, and what /proc tells between them."""
    program = pyspy()
    stacks = Stacks(program, native)
    with ThreadPoolExecutor(max(4, os.cpu_count() or 1)) as pool:
        alive = [one for one in processes if one.state not in "ZX" and _is_python(one)]
        first = dict(zip(alive, pool.map(stacks.of, alive), strict=True))
        begin = {one.pid: (time.monotonic(), _process(one.pid)) for one in processes}
        time.sleep(seconds)
        marks = {one: _mark(one, *begin[one.pid]) for one in processes}
        second = dict(zip(alive, pool.map(stacks.of, alive), strict=True))
    parts = []
    for one in processes:
        parts += [marks[one], first.get(one, ""), marks[one], second.get(one, "")]
    return Dump("\n".join(filter(None, parts)) + "\n", stacks.refused, stacks.why)


class Stacks:
    """py-spy and, where it is not there or refused, what prepared processes write down."""

    def __init__(self, program: str | None, native: bool):
        self.program, self.native = program, native
        self.refused: set[int] = set()
        self.why = ""

    def of(self, one: Process) -> str:
        """The stacks of a process; its command alone where they cannot be had."""
        if text := self._seen(one):
            return text
        if answer := prepared.ask(one.pid) if one.state not in "Tt" else "":
            self.refused.discard(one.pid)
        return f"Process {one.pid}: {one.command}\n{answer}".rstrip()

    def _seen(self, one: Process) -> str:
        if self.program is None:
            self._refuse(one, "")
            return ""
        # A stopped one would be let go on by ptrace; this reads its memory alone.
        still = ["--nonblocking"] if one.state in "Tt" else []
        native = ["--native"] if self.native and not still else []
        command = [self.program, "dump", "--full-filenames", *native, *still, "--pid", str(one.pid)]
        try:
            done = subprocess.run(command, capture_output=True, timeout=PATIENCE)
        except (OSError, subprocess.TimeoutExpired) as error:
            self._refuse(one, str(error))
            return ""
        if done.returncode and _process(one.pid):
            self._refuse(one, done.stderr.decode(errors="replace").strip())
        return done.stdout.decode(errors="replace").rstrip()

    def _refuse(self, one: Process, why: str) -> None:
        if one.pid not in self.refused:
            self.refused.add(one.pid)
            self.why = self.why or why.splitlines()[0][:300] if why else self.why


def _is_python(one: Process) -> bool:
    try:
        return "python" in (PROC / str(one.pid) / "exe").readlink().name
    except OSError:
        return True  # py-spy will say


def _mark(one: Process, since: float, before: Process | None) -> str:
    """The line above a dump: what no stack tells."""
    now, passed = _process(one.pid), max(time.monotonic() - since, 0.01)
    told: dict[str, object] = {"pid": one.pid, "parent": one.parent, "host": socket.gethostname()}
    told |= _environment(one.pid)
    told["state"] = now.state if now else "X"
    if now and before:
        told["cpu"] = f"{max(now.time - before.time, 0) / passed:.2f}"
    if killed := _killed(one.pid):
        told["oom"] = killed
    waits = _waits(one.pid)
    if call := waits if waits == "drive" else _call(one.pid) or waits:
        told["call"] = call
    if _has_loaded(one.pid, "libcuda.so", "/dev/nvidia", "libamdhip64"):
        told["gpu"] = 1
    return MARK + " ".join(f"{name}={str(value).replace(' ', '_')}" for name, value in told.items())


def _environment(pid: int) -> dict[str, int]:
    names = {"RANK": "rank", "WORLD_SIZE": "world", "SLURM_PROCID": "rank"}
    try:
        pairs = (entry.partition("=") for entry in _read(pid, "environ").split("\0"))
        told = {name: value for name, _, value in pairs if name in names and value.isdecimal()}
    except OSError:
        return {}
    return {names[name]: int(told[name]) for name in sorted(told, reverse=True)}


def _call(pid: int) -> str:
    """What its main thread asks of the system: a value of CALLS; "input" where it reads what a
    person would type; "" for all else, or where that is not told."""
    try:
        number, *arguments = _read(pid, "syscall").split()
    except (OSError, ValueError):
        return ""
    name = CALLS.get(os.uname().machine, {}).get(number, "")
    return "input" if name == "read" and arguments[:1] == ["0x0"] else name


def _waits(pid: int) -> str:
    """The same, as the kernel names its own functions; it tells this of more processes."""
    for file in ("wchan", "stack"):
        try:
            names = _read(pid, file)
        except OSError:
            continue
        if what := next((what for part, what in WAITS.items() if part in names), ""):
            return what
    return ""


def _killed(pid: int) -> int:
    """How many processes of its cgroup the kernel has ended for want of memory."""
    try:
        lines = _read(pid, "cgroup").splitlines()
    except OSError:
        return 0
    for _, kinds, path in (line.split(":", 2) for line in lines if line.count(":") > 1):
        if kinds not in ("", "memory"):
            continue
        # In a container its own group stands at the root, whatever the path says.
        for folder in (GROUPS / kinds / path.lstrip("/"), GROUPS / kinds):
            try:
                file = folder / ("memory.oom_control" if kinds else "memory.events")
                told = dict(line.split() for line in file.read_text().splitlines())
                return int(told["oom_kill"])
            except (OSError, ValueError, KeyError):
                continue
    return 0


def printed(pid: int) -> int:
    """Bytes that a process has written to files and pipes; 0 where that is not told."""
    try:
        lines = _read(pid, "io").splitlines()
        return int(next(line for line in lines if line.startswith("wchar")).split()[1])
    except (OSError, StopIteration, IndexError, ValueError):
        return 0


def ranks_first(processes: Collection[Process]) -> list[Process]:
    return sorted(processes, key=lambda one: ("rank" not in _environment(one.pid), one.pid))
