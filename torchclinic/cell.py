"""Runs one cell in the process it is called in. Imported by the forkserver; imports torch and nothing else of weight."""

from __future__ import annotations

import json
import os
import sys
import traceback
import types
from typing import NamedTuple


class Job(NamedTuple):
    """One cell to run: the program's file, where its output and its result go, and the default device."""

    file: str
    output: str
    result: str
    device: str


def main(job: Job) -> None:
    """Run `job.file` as `__main__`, everything printed into `job.output`, and write how it ended into `job.result`."""
    os.setsid()  # a session of its own: what it starts can be found and ended with it
    os.chdir(os.path.dirname(job.file))
    output = os.open(job.output, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.dup2(output, 1)
    os.dup2(output, 2)
    sys.stdout = os.fdopen(1, "w", buffering=1, encoding="utf-8", errors="backslashreplace", closefd=False)
    sys.stderr = os.fdopen(2, "w", buffering=1, encoding="utf-8", errors="backslashreplace", closefd=False)
    # A real module with a real file: tracebacks show the snippet's own lines, and child processes can find it.
    module = types.ModuleType("__main__")
    module.__file__ = job.file
    sys.modules["__main__"] = module
    sys.argv = [job.file]
    sys.path.insert(0, os.path.dirname(job.file))
    ended = {"exception": "", "message": "", "traceback": ""}
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
        ended = {"exception": type(error).__qualname__, "message": str(error), "traceback": text}
    sys.stdout.flush()
    with open(job.result + ".part", "w", encoding="utf-8") as file:
        json.dump(ended, file)
    os.replace(job.result + ".part", job.result)
