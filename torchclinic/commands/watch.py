"""`torchclinic run --hang SECONDS`: the roll-call of a command that stands still, or of which some
processes stood still when it was ended."""

from __future__ import annotations

import os
import shutil
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..content import words
from ..content.problem import BadInput
from ..find.hang import LAUNCHERS
from . import hang, knowledge, live_child, prepared, processes, roll_call, terminal

FOLDER = "TORCHCLINIC_HANG_DIR"


@contextmanager
def watching(seconds: float, language: str) -> Iterator[Watch]:
    """Until it ends, watch what this process starts.

    Raises:
        BadInput: it cannot; says why.
    """
    if not seconds > 0:
        raise BadInput("--hang takes the seconds of silence, as in `run --hang 600 COMMAND …`")
    if not processes.available():
        raise BadInput("--hang works on Linux only")
    folder = tempfile.mkdtemp(prefix="torchclinic-hang-")
    watch = Watch(seconds, language, folder)
    try:
        with live_child.startup(FOLDER, folder):
            yield watch
    finally:
        watch.over.set()
        if not watch.told:
            shutil.rmtree(folder, ignore_errors=True)


class Watch:
    """Watches the processes below this one; once none of them has printed or computed for so many
    seconds, prints the roll-call, and keeps the stacks in a file. They go on."""

    #: Share of a processor that is nothing.
    QUIET = 0.02

    def __init__(self, seconds: float, language: str, folder: str):
        self.seconds, self.language, self.folder = seconds, language, folder
        self.told = False
        self.over = threading.Event()
        threading.Thread(target=self._watch, daemon=True).start()

    def ended(self) -> None:
        """The command has failed: say where those of its processes stood that a signal ended."""
        text = prepared.left(self.folder)
        if not self.told and "most recent call first" in text:
            self._say("ended", text, self.folder)

    def _watch(self) -> None:
        # Signals are for the thread that waits for the command.
        signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        since, before = time.monotonic(), self._spent()
        while not self.over.wait(min(self.seconds / 4, 15)):
            spent, now = self._spent(), time.monotonic()
            moved = spent[0] - before[0] > self.QUIET * (now - since) or spent[1] != before[1]
            if moved or spent[2] != before[2]:
                since, before = now, spent
            elif now - since >= self.seconds:
                return self._quiet()

    def _below(self) -> list[processes.Process]:
        known = processes.every()
        found = processes.tree(known, [os.getpid()])
        return [one for one in found if one.pid != os.getpid()]

    def _spent(self) -> tuple[float, int, list[int]]:
        """Processor time, bytes printed to files and pipes, and processes."""
        below = self._below()
        return (
            sum(one.time for one in below),
            sum(processes.printed(one.pid) for one in below if not _launches(one)),
            [one.pid for one in below],
        )

    def _quiet(self) -> None:
        found = processes.dump(processes.ranks_first(self._below()), hang.APART, False)
        file = hang.save(found.text, Path(self.folder))
        more = [hang.refusal(found, self.language)] if found.refused else []
        self._say("quiet", found.text, str(file), more)

    def _say(self, why: str, stacks: str, file: str, more: list[str] | None = None) -> None:
        self.told = True
        text = words.of(self.language, "hang")
        answer = knowledge.load().look_up(stacks)
        call = answer.get("hang")
        lines = [text[why].format(seconds=f"{self.seconds:g}", file=file), *(more or [])]
        lines += roll_call.said(call, self.language) if call else [text["nothing"]]
        for hit in answer["hits"][:1]:
            lines.append(f"{hit['title'][self.language]}  ({hit['topic']}/{hit['symptom']})")
        print("\n".join(map(terminal.printable, lines)), file=sys.stderr, flush=True)


def _launches(one: processes.Process) -> bool:
    """Does it write for itself, not for a reader, as long as it runs?"""
    return any(name in one.command for name in LAUNCHERS)
