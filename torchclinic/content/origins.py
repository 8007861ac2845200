"""Where in PyTorch its messages are written, and in which releases: the table that `find.origins` reads, made from wheels.

The file is {"version", "notice", "releases", "python", "native", "files", "names", "classes", "conditions", "templates"}. A template is
[text, file, line, name, class, condition, first, last]: indices into those lists, -1 where it is not known; file and line are those of the release `last`, the
newest that has the text. It is sorted by text; of a text that stands in many places, the most public are kept.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile

from . import origins_native, origins_python
from .origins_python import Site
from .problem import BadInput

VERSION = 1
FILE = Path("facts", "origins.json.gz")
NOTICE = (
    "Messages, names and conditions of PyTorch, Copyright (c) Facebook, Inc. and its affiliates, and all contributors; BSD-3-Clause: "
    "https://github.com/pytorch/pytorch/blob/main/LICENSE"
)
#: Places kept of one text.
PLACES = 3
#: Characters kept of a text: a longer message is known by its beginning.
LONG = 400
#: Folders whose messages only PyTorch's own tests print.
TESTS = ("torch/testing/_internal/", "torch/test/")
PACKAGES = ("torch/", "functorch/")
#: Libraries that are read: those of the macOS wheels. `origins_native` says why.
LIBRARIES = tuple(f"torch/lib/lib{name}.dylib" for name in ("c10", "torch_cpu", "torch_python"))


@dataclass
class Release:
    """What one release prints: places by file, of its Python and of its libraries; `native` is None where no library was read."""

    version: str
    python: list[tuple[str, Site]] = field(default_factory=list)
    native: list[tuple[str, Site]] | None = None


def read(source: Path) -> Release:
    """What a wheel prints, or an installed torch by its folder.

    Raises:
        BadInput: it is neither.
    """
    if source.is_dir():
        root = source.parent
        names = [file.relative_to(root).as_posix() for file in sorted(source.rglob("*")) if file.suffix in (".py", ".dylib")]
        return _read(source, names, lambda name: (root / name).read_bytes())
    try:
        with ZipFile(source) as wheel:
            return _read(source, sorted(wheel.namelist()), wheel.read)
    except (OSError, BadZipFile) as error:
        raise BadInput(f"{source} is no wheel and no folder of an installed torch ({error})") from None


def _read(source: Path, names: list[str], content: Any) -> Release:
    if "torch/version.py" not in names:
        raise BadInput(f"{source} holds no torch/version.py: name wheels of torch, or the folder `torch` of an environment")
    release = Release(_version(content("torch/version.py").decode()))
    for name in names:
        if name.endswith(".py") and name.startswith(PACKAGES) and not name.startswith(TESTS):
            release.python += [(name, site) for site in origins_python.sites(content(name).decode("utf-8"), origins_python.module_of(name))]
        elif name in LIBRARIES:
            try:
                release.native = (release.native or []) + origins_native.sites(content(name))
            except ValueError as error:
                raise BadInput(f"{source}: {name}: {error}; name a wheel for macosx_arm64") from None
    return release


def _version(source: str) -> str:
    """2.13.0 of `__version__ = '2.13.0+cpu'`."""
    for line in source.splitlines():
        if line.startswith("__version__"):
            return line.split("'" if "'" in line else '"')[1].partition("+")[0]
    raise BadInput("torch/version.py names no version")


def order(version: str) -> tuple[int, ...]:
    """By which releases are sorted."""
    return tuple(int(part) for part in version.split(".") if part.isdigit())


def make(releases: Iterable[Release]) -> dict[str, Any]:
    """The table of these releases."""
    releases = sorted(releases, key=lambda release: order(release.version))
    rows: list[list[Any]] = []
    for read in ([release.python for release in releases], [release.native or [] for release in releases]):
        first: dict[str, int] = {}
        places: dict[str, tuple[int, list[tuple[str, Site]]]] = {}
        for number, found in enumerate(read):
            here: dict[str, list[tuple[str, Site]]] = {}
            for file, site in found:
                if text := cut(site.text):
                    here.setdefault(text, []).append((file, site))
            for text, those in here.items():
                first.setdefault(text, number)
                places[text] = (number, those)
        for text, (last, those) in places.items():
            rows += [[text, file, site.line, site.name, site.kind, site.condition, first[text], last] for file, site in _most_public(those)]
    rows.sort(key=lambda row: (row[0], row[1:3]))
    made: dict[str, Any] = {
        "version": VERSION,
        "notice": NOTICE,
        "releases": [release.version for release in releases],
        "python": [release.version for release in releases if release.python],
        "native": [release.version for release in releases if release.native is not None],
    }
    for column, name in ((1, "files"), (3, "names"), (4, "classes"), (5, "conditions")):
        made[name] = sorted({row[column] for row in rows} - {""})
        number = {value: at for at, value in enumerate(made[name])} | {"": -1}
        for row in rows:
            row[column] = number[row[column]]
    return made | {"templates": rows}


def cut(text: str) -> str:
    """A text as the table holds it: not beyond LONG, and whole holes; "" where it says too little to be known by it."""
    if len(text) > LONG:
        end = text.rfind(" ", 0, LONG)
        text = text[: end if end > 0 else LONG]
        if text.rfind("{") > text.rfind("}"):
            text = text[: text.rfind("{")]
        text = text.strip()
    return text if sum(c.isalpha() for c in text) >= 12 else ""


def _most_public(places: list[tuple[str, Site]]) -> list[tuple[str, Site]]:
    """One place a function, at most PLACES of them: those with the fewest underscores before a name first."""
    by_name: dict[tuple[str, str], tuple[str, Site]] = {}
    for file, site in sorted(places, key=lambda place: (place[0], place[1].line)):
        by_name.setdefault((file, site.name), (file, site))
    return sorted(by_name.values(), key=lambda place: (sum(part.startswith("_") for part in place[1].name.split(".")), place[0], place[1].line))[:PLACES]


def as_bytes(made: dict[str, Any]) -> bytes:
    """The file: the same bytes for the same table."""
    return gzip.compress(json.dumps(made, ensure_ascii=False, separators=(",", ":")).encode(), 9, mtime=0)


def load(file: Path) -> dict[str, Any]:
    """The table of a file.

    Raises:
        BadInput: it cannot be read, or is of another version.
    """
    try:
        made = json.loads(gzip.decompress(file.read_bytes()))
    except (OSError, EOFError, ValueError) as error:
        raise BadInput(f"{file} cannot be read ({error}); `nox -s origins` makes it") from None
    if made.get("version") != VERSION:
        raise BadInput(f"{file} is of version {made.get('version')}; this program reads version {VERSION}: `nox -s origins` makes it anew")
    return made
