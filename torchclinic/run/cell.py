"""Runs one cell in the process it is called in, which `server` forks.

Imports torch, and nothing else of weight.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import tempfile
import traceback
import types
from typing import NamedTuple

from . import isolate, live


class Job(NamedTuple):
    """One cell to run.

    Attributes:
        file: the program.
        output: file that takes what it prints.
        result: file that says how it ended; it is missing until then.
        device: where tensors are made by default.
        namespaces: can they shut it in?
    """

    file: str
    output: str
    result: str
    device: str
    namespaces: bool


def main(job: Job) -> None:
    """Run the cell in a child of this process, then end whatever it left running.

    Does not return: this process ends as the child ended.
    """
    os.setsid()  # a session of its own: what it starts can be found and ended with it
    isolate.adopt()
    child = os.fork()
    if not child:
        try:
            run(job)
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        os._exit(0)  # without the exit handlers of the process that it was forked from
    signal.signal(signal.SIGTERM, lambda *_: os.kill(child, signal.SIGKILL))  # it is over its limit
    status = os.waitpid(child, 0)[1]
    isolate.end_children()
    if os.WIFSIGNALED(status):
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        os.kill(os.getpid(), os.WTERMSIG(status))
    os._exit(os.WEXITSTATUS(status))


def run(job: Job) -> None:
    """Run `job.file` as `__main__`, shut in, with a home of its own."""
    folder = os.path.dirname(job.file)
    os.environ.update(
        HOME=folder,
        TMPDIR=folder,
        XDG_CACHE_HOME=folder,
        TORCHINDUCTOR_CACHE_DIR=os.path.join(folder, "inductor"),
    )
    tempfile.tempdir = None  # may have been asked for before
    os.chdir(folder)
    if job.namespaces:
        isolate.enter(folder)
    output = os.open(job.output, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.dup2(output, 1)
    os.dup2(output, 2)
    sys.stdout, sys.stderr = (
        os.fdopen(number, "w", 1, "utf-8", "backslashreplace", closefd=False) for number in (1, 2)
    )
    # A real module with a real file: tracebacks show the snippet's own lines, and child processes
    # can find it.
    module = types.ModuleType("__main__")
    module.__file__ = job.file
    sys.modules["__main__"] = module
    sys.argv = [job.file]
    sys.path.insert(0, os.path.dirname(job.file))
    ended = {"exception": "", "message": "", "traceback": ""}
    if not job.namespaces:
        isolate.guard(folder)
    with open(job.file, encoding="utf-8") as file:
        code = compile(file.read(), job.file, "exec")
    if job.device != "cpu":
        import torch

        torch.set_default_device(job.device)
    try:
        exec(code, module.__dict__)
    except SystemExit as error:
        if error.code not in (None, 0):
            ended = {"exception": "SystemExit", "message": str(error.code), "traceback": ""}
    except BaseException as error:
        # As the interpreter prints it, without the frame of this function.
        error.__traceback__ = error.__traceback__.tb_next if error.__traceback__ else None
        text = "".join(traceback.format_exception(error))
        print(text, end="", file=sys.stderr)
        ended = {
            "exception": type(error).__qualname__,
            "message": str(error),
            "traceback": text,
            "live": live.gather(error, lambda file: file == job.file),
        }
    sys.stdout.flush()
    sys.stderr.flush()
    with open(job.result + ".part", "w", encoding="utf-8") as file:
        json.dump(ended, file)
    os.replace(job.result + ".part", job.result)
