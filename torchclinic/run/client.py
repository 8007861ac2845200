"""Starts the `server` beside this process, and has it fork a process for each cell."""

from __future__ import annotations

import atexit
import contextlib
import itertools
import json
import subprocess
import sys
import threading

from .. import ROOT
from .cell import Job
from .environment import environment


class Process:
    """A cell's process.

    Attributes:
        pid: -1 if it could not be started.
        status: when it has ended, its exit status, or -n if signal n ended it.
        seconds: when it has ended, the processor time of all that ran in it.
    """

    def __init__(self) -> None:
        self.started, self.ended = threading.Event(), threading.Event()
        self.pid, self.status, self.seconds = -1, -1, 0.0


class Server:
    """The process that cells are forked from."""

    def __init__(self) -> None:
        program = f"import sys; sys.path[0] = sys.argv[1]; from {__package__} import server; "
        self.process = subprocess.Popen(
            [sys.executable, "-c", program + "server.serve()", str(ROOT)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment(),
            start_new_session=True,  # Ctrl-C is ours
        )
        assert self.process.stdin and self.process.stdout
        self.input, self.output = self.process.stdin, self.process.stdout
        self.lock = threading.Lock()
        self.numbers = itertools.count()
        self.running: dict[int, Process] = {}
        self.open = True
        threading.Thread(target=self._listen, daemon=True).start()

    def start(self, job: Job) -> Process:
        """Fork a process for a job; returns when it runs."""
        process = Process()
        with self.lock:
            if self.open:
                number = next(self.numbers)
                self.running[number] = process
                self._write(json.dumps([number, *job]).encode() + b"\n")
            else:
                process.started.set()
                process.ended.set()
        process.started.wait()
        return process

    def close(self) -> None:
        """End the server, and what runs in it."""
        with self.lock:
            self.open = False
            with contextlib.suppress(BrokenPipeError):
                self.input.close()

    def _write(self, line: bytes) -> None:
        with contextlib.suppress(BrokenPipeError):  # it has ended: so have all jobs
            self.input.write(line)
            self.input.flush()

    def _listen(self) -> None:
        for line in self.output:
            number, *facts = json.loads(line)
            if len(facts) == 1:
                self.running[number].pid = facts[0]
                self.running[number].started.set()
            else:
                process = self.running.pop(number)
                process.status, process.seconds = facts
                process.ended.set()
        with self.lock:
            self.open = False
            for process in self.running.values():
                process.started.set()
                process.ended.set()


_server: Server | None = None
_starting = threading.Lock()


def server() -> Server:
    """The server of this process, started when it is first asked for."""
    global _server
    with _starting:
        if _server is None or not _server.open:
            _server = Server()
        return _server


@atexit.register
def stop() -> None:
    """End the server, and what runs in it, if it has been started."""
    if _server is not None:
        _server.close()
