"""Where in PyTorch its messages are written, and in which releases: the table that `find.origins` reads, made from wheels.

The file is {"version", "notice", "releases", "python", "native", "files", "names", "classes", "conditions", "templates"}. A template is
[text, file, line, name, class, condition, first, last]: indices into those lists, -1 where it is not known; file and line are those of the release `last`, the
newest that has the text. It is sorted by text; of a text that stands in many places, the most public are kept.
"""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile

from ..find import origins
from . import origins_native, origins_python
from .origins_python import Site
from .problem import BadInput

VERSION = origins.VERSION
FILE = Path("facts", "origins.json.gz")
NOTICE = (
    "Messages, names and conditions of PyTorch, Copyright (c) Facebook, Inc. and its affiliates, and all contributors; BSD-3-Clause: "
    "https://github.com/pytorch/pytorch/blob/main/LICENSE"
)
#: Places kept of one text.
PLACES = 3
#: Characters kept of a text: a longer message is known by its beginning.
LONG = 240
#: Folders whose messages only PyTorch's own tests print.
TESTS = ("torch/testing/_internal/", "torch/test/")
PACKAGES = ("torch/", "functorch/")
#: Libraries that are read: those of the macOS wheels. `origins_native` says why.
LIBRARIES = tuple(f"torch/lib/lib{name}.dylib" for name in ("c10", "torch_cpu", "torch_python"))


#: Where a text stands: file, line, function, class, condition.
Place = tuple[str, int, str, str, str]
#: What of a place stands in a list of its own: column -> name of the list.
_LISTS = {0: "files", 2: "names", 3: "classes", 4: "conditions"}


@dataclass
class Release:
    """What one release prints: places by file, of its Python and of its libraries; `native` is None where no library was read.

    Attributes:
        strings: the libraries' tables of strings, each string between NULs.
    """

    version: str
    python: list[tuple[str, Site]] = field(default_factory=list)
    native: list[tuple[str, Site]] | None = None
    strings: bytes = b""


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
                found, strings = origins_native.sites(content(name))
            except ValueError as error:
                raise BadInput(f"{source}: {name}: {error}; name a wheel for macosx_arm64") from None
            release.native = (release.native or []) + found
            release.strings += b"\0" + strings
    return release


def version(source: Path) -> str:
    """The release of a wheel, by its name, or of an installed torch."""
    if source.is_dir():
        try:
            return _version((source / "version.py").read_text(encoding="utf-8"))
        except OSError as error:
            raise BadInput(f"{source} holds no installed torch ({error})") from None
    parts = source.name.split("-")
    if not source.name.endswith(".whl") or parts[0] != "torch" or len(parts) < 5:
        raise BadInput(f"{source} is no wheel of torch, such as torch-2.13.0-cp311-none-macosx_11_0_arm64.whl")
    return parts[1].partition("+")[0]


def _version(source: str) -> str:
    """2.13.0 of `__version__ = '2.13.0+cpu'`."""
    for line in source.splitlines():
        if line.startswith("__version__"):
            return line.split("'" if "'" in line else '"')[1].partition("+")[0]
    raise BadInput("torch/version.py names no version")


def order(version: str) -> tuple[int, ...]:
    """By which releases are sorted."""
    return tuple(int(part) for part in version.split(".") if part.isdigit())


def add(table: dict[str, Any] | None, release: Release) -> dict[str, Any]:
    """The table with one release more, which is newer than all in it; of that release alone, if there is none yet.

    Raises:
        BadInput: the release is not newer.
    """
    table = table or {name: [] for name in ("releases", "python", "native", "templates", *_LISTS.values())}
    if table["releases"] and order(release.version) <= order(table["releases"][-1]):
        raise BadInput(
            f"torch {release.version} is not newer than {table['releases'][-1]}, the last release in the table: make it anew, the oldest release first"
        )
    number = len(table["releases"])
    # Python and libraries are read apart: a message may have moved from one to the other, and a release may be without libraries.
    places: dict[tuple[str, bool], list[Place]] = {}
    spans: dict[tuple[str, bool], tuple[int, int]] = {}
    for text, *place, first, last in table["templates"]:
        for column, name in _LISTS.items():
            place[column] = table[name][place[column]] if place[column] >= 0 else ""
        key = (text, place[0].endswith(".py"))
        places.setdefault(key, []).append(tuple(place))
        spans[key] = (first, last)
    found: dict[tuple[str, bool], list[Place]] = {}
    # A check in a header stands in a library as often as the header was included.
    for python, sites in ((True, set(release.python)), (False, set(release.native or []))):
        for file, site in sites:
            if origins.tells(text := cut(site.text), file):
                found.setdefault((text, python), []).append((file, site.line, site.name, site.kind, site.condition))
    for key, those in found.items():
        places[key] = _most_public(those)
        spans[key] = (spans[key][0] if key in spans else number, number)
    # What is no longer seen to be printed, but whose literals are all there, was not followed to its call: the message stays, and its place is not known.
    for (text, python), those in places.items():
        if not python and spans[text, python][1] == number - 1 and release.native is not None and _stands(text, release.strings):
            places[text, python] = [("", -1, "", those[0][3], "")]
            spans[text, python] = (spans[text, python][0], number)
    rows = sorted(([key[0], *place, *spans[key]] for key, those in places.items() for place in those), key=lambda row: (row[0], row[1:3]))
    made: dict[str, Any] = {
        "version": VERSION,
        "notice": NOTICE,
        "releases": [*table["releases"], release.version],
        "python": [*table["python"], *([release.version] if release.python else [])],
        "native": [*table["native"], *([release.version] if release.native is not None else [])],
    }
    for column, name in _LISTS.items():
        made[name] = sorted({row[column + 1] for row in rows} - {""})
        numbers = {value: at for at, value in enumerate(made[name])} | {"": -1}
        for row in rows:
            row[column + 1] = numbers[row[column + 1]]
    return made | {"templates": rows}


def _stands(text: str, strings: bytes) -> bool:
    """Is every literal of a template a string of its own in a library, but for a blank at its end?"""
    literals = text.replace("{:int}", "\0").replace("{}", "\0").replace("{{", "{").replace("}}", "}").split("\0")
    ends = (b"", b" ", b"\n")
    return all(any(b"\0" + literal.encode() + end + b"\0" in strings for end in ends) for literal in literals if literal) and len(text) < LONG


def cut(text: str) -> str:
    """A text as the table holds it: a hole stands for what is beyond LONG."""
    if len(text) > LONG:
        end = text.rfind(" ", 0, LONG)
        text = text[: end if end > 0 else LONG]
        if text.rfind("{") > text.rfind("}"):
            text = text[: text.rfind("{")]
        text += "{}"
    return text


def _most_public(places: list[Place]) -> list[Place]:
    """One place a function, at most PLACES of them: those with the fewest underscores before a name first; files that were not generated."""
    by_name: dict[tuple[str, str], Place] = {}
    for place in sorted(places):
        by_name.setdefault((place[0], place[2]), place)

    def hidden(place: Place) -> tuple[bool, int, Place]:
        return place[0].startswith("build/"), sum(part.startswith("_") for part in place[2].split(".")), place

    return sorted(by_name.values(), key=hidden)[:PLACES]


def as_bytes(made: dict[str, Any]) -> bytes:
    """The file: the same bytes for the same table. Gzip, since browsers read it as well."""
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
