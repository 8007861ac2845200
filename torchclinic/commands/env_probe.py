"""What `torchclinic env` asks programs: a Python and its packages, torch, the driver.

Nothing here imports torch: a process of its own does, with a time limit.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from dataclasses import dataclass
from typing import NamedTuple, TypedDict, cast

from ..content.problem import BadInput

#: What the Python in question is asked: the standard library alone, and on 3.8 as well.
ASK_PYTHON = """
import os, sys
here = os.path.realpath(os.getcwd())  # a file there may have the name of a module
sys.path[:] = [path for path in sys.path if path and os.path.realpath(path) != here]
import importlib.metadata as metadata, json, struct
packages = {}
for package in metadata.distributions():
    name = (package.metadata["Name"] or "").lower().replace("_", "-")
    if name in NAMES:
        url = package.read_text("direct_url.json") or ""
        folder = str(package.locate_file(""))
        if folder not in [other[0] for other in packages.setdefault(name, [])]:
            packages[name].append([folder, package.version, list(package.requires or []), url])
versions = {}
for name in ("torch", "torchvision"):
    for path in sys.path:
        try:
            with open(os.path.join(path, name, "version.py"), encoding="utf-8") as file:
                versions.setdefault(name, file.read(20000))
        except (OSError, ValueError):
            pass
print(json.dumps({
    "version": ".".join(map(str, sys.version_info[:3])), "executable": sys.executable,
    "prefix": sys.prefix, "base": sys.base_prefix, "bits": struct.calcsize("P") * 8,
    "path": sys.path, "packages": packages, "versions": versions,
}))
"""
#: What only torch knows: asked away from the working directory. CUDA is started for what it says.
ASK_TORCH = """
import sys
sys.path[:] = [path for path in sys.path if path]
import json
import torch
facts = {"version": torch.__version__, "file": torch.__file__, "archs": []}
facts.update(cuda=torch.version.cuda, hip=torch.version.hip)
facts.update(xpu=getattr(torch.version, "xpu", None))
if hasattr(torch._C, "_cuda_getArchFlags") and (facts["cuda"] or facts["hip"]):
    facts["archs"] = torch._C._cuda_getArchFlags().split()
if torch.cuda.is_available():
    torch.cuda.init()
print("TORCH " + json.dumps(facts))
"""


class Build(TypedDict, total=False):
    """What a package was built for: releases of CUDA, ROCm and oneAPI, None where it was not."""

    cuda: str | None
    hip: str | None
    xpu: str | None


class Package(NamedTuple):
    """An installed distribution: its folder, and what its metadata say."""

    folder: str
    version: str
    requires: list[str]
    url: str


@dataclass
class Python:
    """A Python: where it is, and what is installed for it.

    Attributes:
        base: the prefix of the Python that a virtual environment was made from.
        path: where it looks for modules, without the working directory.
        packages: by name; several where several are installed, the one that is imported first.
        builds: of torch and torchvision, as their version.py says.
    """

    version: str
    executable: str
    prefix: str
    base: str
    bits: int
    path: list[str]
    packages: dict[str, list[Package]]
    builds: dict[str, Build]

    def release(self, name: str) -> str:
        """The version of an installed package; "" if it is not there."""
        packages = self.packages.get(name)
        return packages[0].version if packages else ""


class Torch(TypedDict):
    """What torch says of itself; `archs` are those that it has code for, as `sm_80`."""

    version: str
    file: str
    cuda: str | None
    hip: str | None
    xpu: str | None
    archs: list[str]


@dataclass
class Driver:
    """What nvidia-smi says.

    Attributes:
        version, cuda: of the driver, and the newest CUDA that it serves; "" where it does not say.
        fails: the last line of an nvidia-smi that failed.
        gpus: name and compute capability of each ("" where an old nvidia-smi does not know it).
    """

    version: str
    cuda: str
    fails: str
    gpus: list[tuple[str, str]]


def ask_python(python: str, names: list[str]) -> Python:
    """Raises: BadInput, the program is no Python that answers."""
    status, out, err = call([python, "-c", f"NAMES = {names!r}\n{ASK_PYTHON}"])
    try:
        facts = json.loads(out.splitlines()[-1])
        versions = facts.pop("versions")
        packages = {
            name: [Package(*entry) for entry in entries]
            for name, entries in facts.pop("packages").items()
        }
        builds = {name: assignments(source) for name, source in versions.items()}
        return Python(**facts, packages=packages, builds=builds)
    except (ValueError, IndexError, LookupError, TypeError, AttributeError):
        why = last_line(err) or f"exit status {status}"
        raise BadInput(
            f"`{python}` does not answer as a Python of 3.8 or newer does ({why})"
        ) from None


def ask_torch(python: str, timeout: float) -> tuple[Torch | None, int | None, str]:
    """What torch says, None where it cannot be imported; exit status and complaints as in `call`.

    Args:
        timeout: seconds that `import torch` may take.
    """
    status, out, err = call([python, "-c", ASK_TORCH], timeout)
    answers = [line for line in out.splitlines() if line.startswith("TORCH {")]
    return json.loads(answers[-1][6:]) if answers and not status else None, status, err


def ask_driver() -> Driver | None:
    """None where there is no nvidia-smi."""
    program = shutil.which("nvidia-smi")
    if not program:
        return None
    status, head, err = call([program])
    if status != 0:
        return Driver("", "", last_line(head + err) or ending(status or 0), [])
    version = re.search(r"Driver Version: *([\d.]+)", head)
    cuda = re.search(r"CUDA [\w ]*Version: *([\d.]+)", head)
    gpus = []
    for fields in ("name,compute_cap", "name"):
        status, out, _ = call([program, f"--query-gpu={fields}", "--format=csv,noheader"])
        if status == 0:
            rows = [row.partition(",") for row in out.splitlines() if row.strip()]
            gpus = [
                (name.strip(), sm.strip() if re.fullmatch(r" *\d+\.\d+ *", sm) else "")
                for name, _, sm in rows
            ]
            break
    return Driver(version[1] if version else "", cuda[1] if cuda else "", "", gpus)


def call(command: list[str], timeout: float = 30) -> tuple[int | None, str, str]:
    """Exit status, what it printed and what it complained of.

    Args:
        timeout: in seconds; None is the status of what takes longer.
    """
    try:
        done = subprocess.run(
            command, capture_output=True, timeout=timeout, check=False, stdin=subprocess.DEVNULL
        )
    except subprocess.TimeoutExpired as error:
        return None, decoded(error.stdout), decoded(error.stderr)
    except OSError as error:
        return 126, "", str(error)
    return done.returncode, decoded(done.stdout), decoded(done.stderr)


def decoded(printed: bytes | None) -> str:
    return (printed or b"").decode("utf-8", "replace")


def last_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1][:300] if lines else ""


def ending(status: int) -> str:
    return f"exit status {status}" if status >= 0 else f"signal {-status}"


def assignments(source: str) -> Build:
    """`cuda = '12.8'` of a version.py, read and not run."""
    pairs = re.findall(r"^(cuda|hip|xpu)\b[^=\n]*= *(\S+)", source, re.MULTILINE)
    return cast(
        Build, {name: None if value == "None" else value.strip("'\"") for name, value in pairs}
    )
