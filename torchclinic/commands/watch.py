"""`torchclinic run --hang SECONDS`: the roll-call of a command that stands still."""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import threading
import time
from pathlib import Path

from ..content import words
from . import hang, knowledge, processes, roll_call, terminal

#: These write for themselves, not for a reader, as long as they run: stands in their command.
LAUNCHERS = ("torchrun", "torch.distributed.run", "accelerate")


class Watch:
    """Watches the processes below this one; once none of them has printed or computed for so many
    seconds, prints the roll-call, and keeps the stacks in a file. They go on."""

    #: Share of a processor that is nothing.
    QUIET = 0.02

    def __init__(self, seconds: float, language: str):
        self.seconds, self.language = seconds, language
        self.done = threading.Event()
        threading.Thread(target=self._watch, daemon=True).start()

    def _watch(self) -> None:
        # Signals are for the thread that waits for the command.
        signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        since, before = time.monotonic(), self._spent()
        while not self.done.wait(min(self.seconds / 4, 15)):
            spent, now = self._spent(), time.monotonic()
            moved = spent[0] - before[0] > self.QUIET * (now - since) or spent[1] != before[1]
            if moved or spent[2] != before[2]:
                since, before = now, spent
            elif now - since >= self.seconds:
                return self._tell()

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

    def _tell(self) -> None:
        found = processes.dump(processes.ranks_first(self._below()), hang.APART, False)
        file = hang.save(found.text, Path(tempfile.mkdtemp(prefix="torchclinic-hang-")))
        text = words.of(self.language, "hang")
        lines = [text["quiet"].format(seconds=f"{self.seconds:g}", file=file)]
        if found.refused or processes.pyspy() is None:
            lines.append(hang.refusal(found, self.language))
        answer = knowledge.load().look_up(found.text)
        call = answer.get("hang")
        lines += roll_call.said(call, self.language) if call else [text["nothing"]]
        for hit in answer["hits"][:1]:
            lines.append(f"{hit['title'][self.language]}  ({hit['topic']}/{hit['symptom']})")
        print("\n".join(map(terminal.printable, lines)), file=sys.stderr, flush=True)


def _launches(one: processes.Process) -> bool:
    return any(name in one.command for name in LAUNCHERS)
