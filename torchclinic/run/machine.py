"""What the machine at hand offers; asked in other processes: this one stays without torch."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib import metadata

from ..content import changes
from .environment import environment


class NoTorch(Exception):
    """torch cannot be imported here."""


@dataclass
class Machine:
    """The torch, Python and devices that cells run on.

    Attributes:
        torch: its release, without a local part such as `+cu130`.
        cuda: release of CUDA that torch was built with, "" for none.
        device_name: of the first GPU; "CPU" where there is none.
    """

    torch: str
    cuda: str
    gpus: int
    device_name: str
    python: str = field(default_factory=lambda: ".".join(map(str, sys.version_info[:3])))
    platform: str = field(default_factory=lambda: f"{sys.platform} {os.uname().machine}")

    def lacks(self, need: str, device: str) -> str:
        """Why `need` is not met, packages aside; "" if it is."""
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
        return ""


def ask_machine() -> Machine:
    """Raises: NoTorch."""
    program = (
        "import json, torch; n = torch.cuda.device_count() if torch.cuda.is_available() else 0;"
        "print(json.dumps([torch.__version__.split('+')[0], torch.version.cuda or '', n,"
        " torch.cuda.get_device_name(0) if n else 'CPU']))"
    )
    asked = _python(program)
    if asked.returncode:
        last = (asked.stderr.strip().splitlines() or ["no output"])[-1]
        raise NoTorch(
            f"`import torch` fails in {sys.executable}: {last}. "
            "Install it first: python -m pip install torch"
        )
    return Machine(*json.loads(asked.stdout.splitlines()[-1]))


def is_importable(package: str) -> str:
    """The condition, for `true_of`, that a package can be imported; its name may be dotted."""
    return f"__import__('importlib.util').util.find_spec({package!r})"


def true_of(conditions: set[str]) -> set[str]:
    """Those Python expressions that hold in a cell's interpreter, as pytest would find out."""
    if not conditions:
        return set()
    program = (
        "import json, sys\n"
        "def holds(condition):\n"
        "    try: return eval(condition)\n"
        "    except ModuleNotFoundError: return False\n"  # the parent package of a dotted name
        "print(json.dumps([condition for condition in json.load(sys.stdin) if holds(condition)]))"
    )
    asked = _python(program, json.dumps(sorted(conditions)))
    asked.check_returncode()
    return set(json.loads(asked.stdout.splitlines()[-1]))


def _python(program: str, text: str = "") -> subprocess.CompletedProcess[str]:
    """Run a program in the interpreter and the environment that cells have."""
    return subprocess.run(
        [sys.executable, "-c", program],
        input=text,
        capture_output=True,
        encoding="utf-8",
        env=environment(),
        check=False,
    )


def versions(packages: list[str]) -> dict[str, str]:
    """The distributions that these packages came in, with their versions.

    Nothing for a name that several share, as NVIDIA's wheels do `nvidia`.
    """
    releases: dict[str, str] = {}
    installed = list(metadata.distributions()) if packages else []
    for package in packages:
        parts = tuple(package.split("."))
        owners = {
            owner.name: owner.version
            for owner in installed
            if any(file.parts[: len(parts)] == parts for file in owner.files or ())
        }
        if len(owners) == 1:
            releases.update(owners)
    return releases


def cores() -> int:
    """Cores that this process may use: fewer than the machine has, under `taskset` for one."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@contextlib.contextmanager
def busy() -> Iterator[None]:
    """Twice as much work beside ours as there are cores."""
    # Not for ever, if this process is killed.
    program = "import os; parent = os.getppid()\nwhile os.getppid() == parent: pass"
    loops = [subprocess.Popen([sys.executable, "-c", program]) for _ in range(2 * cores())]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()
