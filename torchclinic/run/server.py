"""The process from which cells are forked: it has imported torch and done nothing else.

So a cell starts in milliseconds, where a new interpreter spends seconds on `import torch`. `client`
starts it, with `environment`; nothing else of this machine reaches it.

It reads a job from each line of its input, `[number, *Job]` in JSON, and writes `[number, pid]`
when the job's process has started and `[number, status, seconds]` when it has ended: its exit
status, or -n if signal n ended it, and the processor time of all that ran in it. At the end of its
input it ends what still runs, and itself.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import resource
import select
import signal

from . import cell

#: DistributedDataParallel and torch.compile import torch._dynamo, which takes as long as torch.
PRELOADED = ("torch", "torch._dynamo")


def serve() -> None:
    """Serve standard input until it ends."""
    _reset()
    for name in PRELOADED:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    wake, waker = os.pipe()
    for end in (wake, waker):
        os.set_blocking(end, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(waker)
    running: dict[int, int] = {}  # pid -> number of its job
    rest = b""
    while True:
        ready, _, _ = select.select([0, wake], [], [])
        if wake in ready:
            os.read(wake, 1 << 16)
            _reap(running)
        if 0 in ready:
            read = os.read(0, 1 << 16)
            if not read:
                break
            *lines, rest = (rest + read).split(b"\n")
            for line in lines:
                number, *job = json.loads(line)
                pid = os.fork()
                if not pid:
                    _become_a_cell(cell.Job(*job))
                running[pid] = number
                _tell(number, pid)
    for pid in running:
        os.kill(pid, signal.SIGTERM)


def _reset() -> None:
    """Signals, umask and core files as a fresh login has them, whoever started us."""
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        with contextlib.suppress(OSError, ValueError):  # some systems keep a few for themselves
            signal.signal(number, signal.SIG_DFL)
    for number in (signal.SIGPIPE, signal.SIGXFSZ):  # as Python has them
        signal.signal(number, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.umask(0o022)
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))


def _become_a_cell(job: cell.Job) -> None:
    """Does not return."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    null = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1):
        os.dup2(null, stream)
    try:
        cell.main(job)
    finally:
        os._exit(1)


def _reap(running: dict[int, int]) -> None:
    while running:
        pid, status, used = os.wait4(-1, os.WNOHANG)
        if not pid:
            return
        _tell(running.pop(pid), os.waitstatus_to_exitcode(status), used.ru_utime + used.ru_stime)


def _tell(*fields: float) -> None:
    os.write(1, json.dumps(fields).encode() + b"\n")
