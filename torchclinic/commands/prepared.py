"""Stacks that a process writes down itself: when it is asked, and when a signal ends it.

`install()` and `run --hang` prepare a process; `torchclinic hang` asks one that is prepared, where
py-spy may not look. Imports nothing of this package: the start-up hook runs it in programs of other
Pythons.
"""

from __future__ import annotations

import faulthandler
import os
import signal
import sys
import time

#: What asks for stacks. Not SIGUSR1: with that Slurm, Lightning and submitit say "save, and end",
#: and a process where it has no handler dies of it.
ASKS = getattr(signal, "SIGRTMIN", 0) + 11
#: In the name of the file that a prepared process has open.
NAME = "torchclinic-stacks"
#: Seconds in which a process answers, and between two looks.
PATIENCE, PAUSE = 5.0, 0.05
#: Looks after which nothing more comes.
QUIET = 4
#: Bytes of an answer that are read.
LARGE = 4 << 20

_folder = ""
_file = -1


def prepare(folder: str = "") -> None:
    """Let this process, and those that it forks, write down where their threads stand.

    Args:
        folder: takes the stacks, also those of the moment at which SIGTERM or an abort ends the
            process; if left out, they stand in memory alone, and are gone with the process.
    """
    global _folder
    if not sys.platform.startswith("linux") or _file >= 0:
        return
    _folder = folder
    _open()
    os.register_at_fork(after_in_child=_open)


def _open() -> None:
    global _file
    former = _file
    try:
        if _folder:
            mode = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
            _file = os.open(f"{_folder}/{NAME}-{os.getpid()}.txt", mode, 0o600)
            os.write(_file, _head().encode())
        else:
            _file = os.memfd_create(NAME)
        faulthandler.register(ASKS, _file)
        if _folder and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
            faulthandler.register(signal.SIGTERM, _file, chain=True)
        if _folder and (former >= 0 or not faulthandler.is_enabled()):
            faulthandler.enable(_file)
    except (OSError, RuntimeError, ValueError):  # no room, no such call: it stays unprepared
        pass
    if former >= 0:
        os.close(former)


def _head() -> str:
    """The line above the stacks, as `find/stacks` reads it."""
    told = {"pid": os.getpid(), "parent": os.getppid(), "host": os.uname().nodename}
    told |= {
        name: value
        for name, variable in (("rank", "RANK"), ("world", "WORLD_SIZE"))
        if (value := os.environ.get(variable, "")).isdecimal()
    }
    return "# torchclinic " + " ".join(f"{name}={value}" for name, value in told.items()) + "\n"


def ask(pid: int) -> str:
    """The stacks that a prepared process writes down for this; "" where it is not prepared, or
    does not answer."""
    from pathlib import Path  # not at the start of every program that is prepared

    process = Path("/proc", str(pid))
    try:
        caught = next(
            line.split()[1]
            for line in (process / "status").read_text(errors="replace").splitlines()
            if line.startswith("SigCgt")
        )
        named = [one for one in (process / "fd").iterdir() if NAME in one.readlink().name]
        if not named or not int(caught, 16) >> (ASKS - 1) & 1:
            return ""
        with named[0].open("rb") as file:
            file.seek(0, os.SEEK_END)
            os.kill(pid, ASKS)
            return _answer(file)
    except (OSError, ValueError, StopIteration):
        return ""


def _answer(file: object) -> str:
    read = file.read  # type: ignore[attr-defined]
    text, quiet, end = b"", 0, time.monotonic() + PATIENCE
    while quiet < QUIET and time.monotonic() < end and len(text) < LARGE:
        time.sleep(PAUSE)
        more: bytes = read(LARGE)
        text += more
        quiet = quiet + 1 if text and not more else 0
    return text.decode(errors="replace").rstrip()


def left(folder: str) -> str:
    """The stacks of the moment at which processes were ended: those of a folder."""
    from pathlib import Path

    texts = []
    for file in sorted(Path(folder).glob(f"{NAME}-*.txt")):
        with file.open("rb") as opened:
            head = opened.readline(1000)
            size = os.fstat(opened.fileno()).st_size
            opened.seek(max(len(head), size - LARGE))
            text = (head + opened.read()).decode(errors="replace")
        # What SIGABRT puts first says "crash"; an abort by NCCL's watchdog is none.
        texts.append(text.replace("Fatal Python error: Aborted", ""))
    return "\n".join(texts)
