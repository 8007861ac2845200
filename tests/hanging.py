"""Starts the programs of hang_programs.py, asks where they stand until they stand still, and records
it: `python tests/hanging.py NAME…`."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from torchclinic.commands import processes
from torchclinic.find import hang

HERE = Path(__file__).parent
PROGRAMS, DUMPS = HERE / "hang_programs.py", HERE / "data" / "hangs"
#: Verdicts on programs of which something moves.
MOVE = ("works", "late", "worker-slow", "compile", "server")
#: Seconds after which a program is given up: far more than any takes on a busy machine.
PATIENCE = 1500


def command(name: str, ranks: int, argument: str = "1") -> list[str]:
    """How a program is started; with `ranks` by torchrun, of which -1 is the first of two machines,
    alone."""
    launcher = [sys.executable, "-m", "torch.distributed.run"]
    if ranks < 0:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = str(free.getsockname()[1])
        alone = ["--nnodes=2", "--node-rank=0", "--master-addr=127.0.0.1", f"--master-port={port}"]
        return [*launcher, *alone, str(PROGRAMS), name]
    if ranks:
        return [
            *launcher,
            "--standalone",
            f"--nproc-per-node={ranks}",
            str(PROGRAMS),
            name,
            argument,
        ]
    return [sys.executable, str(PROGRAMS), name, argument]


@contextmanager
def started(
    name: str, ranks: int, log: Path, argument: str = "1"
) -> Iterator[subprocess.Popen[bytes]]:
    """A program of these, with all that it started ended at the end."""
    with log.open("wb") as out:
        child = subprocess.Popen(
            command(name, ranks, argument),
            stdin=subprocess.PIPE,
            stdout=out,
            stderr=out,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
        )
    try:
        yield child
    finally:
        for one in reversed(processes.tree(processes.every(), [child.pid])):
            os.kill(one.pid, 9)
        child.communicate()


def stands(child: subprocess.Popen[bytes], wanted: str, who: list[str] | None) -> processes.Dump:
    """Its stacks, as soon as they have this verdict.

    Raises:
        AssertionError: it ended, or has another verdict still when patience ends.
        PermissionError: this machine lets nobody look.
    """
    found, end = None, time.monotonic() + PATIENCE
    while True:
        assert time.monotonic() < end, found
        assert child.poll() is None, "it has ended"
        tree = processes.tree(processes.every(), [child.pid])
        dump = processes.dump(tree, 1.0, False)
        if "not permitted" in dump.why or "ermission denied" in dump.why:
            raise PermissionError(dump.why)
        call = hang.roll_call(dump.text)
        found = call["verdict"] if call else None
        moves = call and any(group["works"] for group in call["groups"])
        if "frozen importlib" in dump.text:  # it has not begun
            continue
        if not found or found["name"] != wanted or (who is not None and found["who"] != who):
            continue
        if not moves or wanted in MOVE:  # else it is on its way there
            return dump


def plain(text: str) -> str:
    """Stacks without what is this machine's own: folders, its name, numbers of processes."""
    paths = sysconfig.get_paths()
    for folder, name in (
        (paths["purelib"], "/venv/lib/python3.11/site-packages"),
        (paths["stdlib"], "/usr/lib/python3.11"),
        (str(PROGRAMS), "train.py"),
        (sys.executable, "/venv/bin/python"),
        (tempfile.gettempdir(), "/tmp"),
    ):
        text = text.replace(folder, name)
    text = text.replace(" (train.py:", " (/home/me/train.py:")
    text = re.sub(r"host=\S+", "host=node1", text)
    text = re.sub(r"\(/\S*/bin/python3\.11\)", "(/usr/bin/python3.11)", text)
    order = dict.fromkeys(re.findall(r"^# torchclinic pid=(\d+)", text, re.M))
    for number, pid in enumerate(order):
        text = re.sub(rf"\b{pid}\b", f"#{100 + number}", text)
    text = re.sub(r"#(1\d\d)\b", r"\1", text)
    return re.sub(r"parent=(?!1\d\d\b)\d+", "parent=1", text)


def main(names: list[str]) -> None:
    from test_hang import VERDICTS

    for name in names:
        wanted, who, ranks = VERDICTS[name]
        with (
            tempfile.TemporaryDirectory() as folder,
            started(name, ranks, Path(folder, "log")) as child,
        ):
            dump = stands(child, wanted, who)
        (DUMPS / f"{name}.txt").write_text(plain(dump.text), encoding="utf-8")
        print(name, wanted, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
