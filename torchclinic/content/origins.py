"""Where in PyTorch its messages are written, and in which releases: the table that `find.origins` reads, made from wheels.

The file is {"version", "notice", "releases", "python", "native", "linux", "files", "classes", "public", "templates"}. Templates are eight columns, which pack to a
fifth less than rows: texts, files, lines, functions, classes, conditions, first and last releases. Files, classes and releases are places in those lists, -1 where
it is not known; a function of Python is named as in its module, one of C++ as in its library; file and line are those of the last release, the newest that has the
text. ~first stands for `first` where the releases before it were not read for such a text: Linux's libraries were not. Sorted by file and line; of a text that
stands in many places, the most public are kept. "public" tells the public name of a function or class of the newest release by the name that it is defined under.
"""

from __future__ import annotations

import gzip
import json
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile

from ..find import origins
from . import origins_library, origins_native, origins_public, origins_python
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
#: Strings that a literal may be made of, and letters of each: a stream is written to piece by piece.
PIECES, PIECE = 4, 6
#: Folders whose messages only PyTorch's own tests print.
TESTS = ("torch/testing/_internal/", "torch/test/")
PACKAGES = ("torch/", "functorch/")
#: Libraries that are read, of wheels for ARM64, as `origins_native` says: of macOS, and of Linux.
MACOS = tuple(f"torch/lib/lib{name}.dylib" for name in ("c10", "torch_cpu", "torch_python"))
LINUX = tuple(f"torch/lib/lib{name}.so" for name in ("c10", "c10_cuda", "torch_cpu", "torch_cuda", "torch_cuda_linalg", "torch_python"))


#: Where a text stands: file, line, function, class, condition.
Place = tuple[str, int, str, str, str]
#: What of a place stands in a list of its own: column -> name of the list.
_LISTS = {0: "files", 3: "classes"}


@dataclass
class Release:
    """What one release prints: places by file, of its Python, of macOS's libraries and of Linux's; None of a system whose libraries were not read.

    Attributes:
        strings: those of the libraries, sorted, of two letters and more.
        public: what `origins_public.public` knows.
    """

    version: str
    python: list[tuple[str, Site]] = field(default_factory=list)
    native: list[tuple[str, Site]] | None = None
    linux: list[tuple[str, Site]] | None = None
    strings: list[bytes] = field(default_factory=list)
    public: dict[str, str] = field(default_factory=dict)

    def __or__(self, other: Release) -> Release:
        """What two wheels of one release print. Their Python is the same: that of the first is taken."""
        if self.version != other.version:
            raise BadInput(f"torch {self.version} and {other.version} are two releases")
        native = self.native if self.native is not None else other.native
        linux = self.linux if self.linux is not None else other.linux
        strings = sorted({*self.strings, *other.strings})
        return Release(self.version, self.python or other.python, native, linux, strings, self.public or other.public)


def read(source: Path) -> Release:
    """What a wheel prints, or an installed torch by its folder.

    Raises:
        BadInput: it is neither.
    """
    if source.is_dir():
        root = source.parent
        names = [file.relative_to(root).as_posix() for file in sorted(source.rglob("*")) if file.suffix in (".py", ".dylib", ".so")]
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
    modules: dict[str, origins_public.Module] = {}
    strings: set[bytes] = set()
    for name in names:
        if name.endswith(".py") and name.startswith(PACKAGES) and not name.startswith(TESTS):
            tree, module = origins_python.parse(content(name).decode("utf-8")), origins.module_of(name)
            release.python += [(name, site) for site in origins_python.sites(tree, module)]
            modules[module] = origins_public.read(tree, name)
        elif name in MACOS or name in LINUX:
            data = content(name)
            if origins_library.for_x86(data):
                continue  # an installed torch: its Python is read
            try:
                found, texts = origins_native.sites(data)
            except ValueError as error:
                raise BadInput(f"{source}: {name}: {error}; name a wheel for macosx_arm64 or manylinux_aarch64") from None
            if name in MACOS:
                release.native = (release.native or []) + found
            else:
                release.linux = (release.linux or []) + found
            strings |= texts
    release.strings = sorted(strings)
    release.public = origins_public.public(modules)
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


def add(table: dict[str, Any] | None, release: Release, older: Mapping[str, list[bytes]] | None = None) -> dict[str, Any]:
    """The table with one release more, which is newer than all in it; of that release alone, if there is none yet.

    Args:
        older: the strings of older releases, by their version, of those that were read as well.

    Raises:
        BadInput: the release is not newer.
    """
    table = table or {name: [] for name in ("releases", "python", "native", "linux", "templates", *_LISTS.values())} | {"public": {}}
    if table["releases"] and order(release.version) <= order(table["releases"][-1]):
        raise BadInput(
            f"torch {release.version} is not newer than {table['releases'][-1]}, the last release in the table: make it anew, the oldest release first"
        )
    number = len(table["releases"])
    # Python and libraries are read apart: a message may have moved from one to the other, and a release may be without libraries.
    places: dict[tuple[str, bool], list[Place]] = {}
    spans: dict[tuple[str, bool], tuple[int, int]] = {}
    for text, *place, first, last in origins.rows(table):
        for column, name in _LISTS.items():
            place[column] = table[name][place[column]] if place[column] >= 0 else ""
        key = (text, place[0].endswith(".py"))
        places.setdefault(key, []).append(tuple(place))
        spans[key] = (first, last)
    found: dict[tuple[str, bool], list[Place]] = {}
    # A check in a header stands in a library as often as the header was included.
    for python, sites in ((True, set(release.python)), (False, {*(release.native or []), *_whole(release)})):
        for file, site in sites:
            if origins.tells(text := cut(site.text), file):
                name = site.name.removeprefix(origins.module_of(file)).removeprefix(".") if python else site.name
                found.setdefault((text, python), []).append((file, site.line, name, site.kind, site.condition))
    apple = {cut(site.text) for _, site in release.native or []}
    for (text, python), those in found.items():
        places[text, python] = _most_public(those)
        if (text, python) not in spans:
            spans[text, python] = (number if python else _since(text, table, older or {}, text in apple), number)
        spans[text, python] = (spans[text, python][0], number)
    # What is no longer seen to be printed, but whose literals are all there, was not followed to its call: the message stays, and its place is not known.
    for (text, python), those in places.items():
        if not python and spans[text, python][1] == number - 1 and _stands(text, release.strings):
            places[text, python] = [("", -1, "", those[0][3], "")]
            spans[text, python] = (spans[text, python][0], number)
    rows = sorted(([key[0], *place, *spans[key]] for key, those in places.items() for place in those), key=lambda row: (row[1:3], row))
    names = dict.fromkeys(origins.qualified(row[1], row[3]) for row in rows)
    made: dict[str, Any] = {
        "version": VERSION,
        "notice": NOTICE,
        "releases": [*table["releases"], release.version],
        "python": [*table["python"], *([release.version] if release.python else [])],
        "native": [*table["native"], *([release.version] if release.native is not None else [])],
        "linux": [*table["linux"], *([release.version] if release.linux is not None else [])],
    }
    for column, name in _LISTS.items():
        made[name] = sorted({row[column + 1] for row in rows} - {""})
        numbers = {value: at for at, value in enumerate(made[name])} | {"": -1}
        for row in rows:
            row[column + 1] = numbers[row[column + 1]]
    columns = [list(column) for column in zip(*rows, strict=True)]
    return made | {"public": _named(release.public or table["public"], names), "templates": columns}


def _named(public: dict[str, str], names: Iterable[str]) -> dict[str, str]:
    """Of the public names those of what messages are written in."""
    found = filter(None, (origins.defined(public, name) for name in names))
    return {name: public[name] for name in dict.fromkeys(found)}


def _whole(release: Release) -> list[tuple[str, Site]]:
    """What Linux's libraries print, less what is only the beginning of a text that macOS's have in the same file: there the reader lost the rest."""
    texts: dict[str, list[str]] = {}
    for file, text in sorted({(file, site.text) for file, site in release.native or []}):
        texts.setdefault(file, []).append(text)

    def cut_off(file: str, text: str) -> bool:
        known = texts.get(file, [])
        at = bisect_right(known, text)
        return at < len(known) and known[at].startswith(text)

    return [(file, site) for file, site in release.linux or [] if not cut_off(file, site.text)]


def _since(text: str, table: dict[str, Any], older: Mapping[str, list[bytes]], apple: bool) -> int:
    """The first release of a message of C++ that no release in the table was seen to print: where its literals stand, it was there, and not followed to its call.

    Args:
        apple: macOS's libraries have it too.

    Returns: ~first, where the release before was not read for it.
    """
    releases, first = table["releases"], len(table["releases"])
    while first and _stands(text, older.get(releases[first - 1], [])):
        first -= 1
    before = releases[first - 1] if first else ""
    return first if not first or older.get(before) and (apple or before in table["linux"]) else ~first


def _stands(text: str, strings: list[bytes]) -> bool:
    """Is every literal of a template a string of its own in a library, or several, one written after the other? The last of a text that was cut begins one."""
    literals = [literal.encode() for literal in text.replace("{:int}", "\0").replace("{}", "\0").replace("{{", "{").replace("}}", "}").split("\0")]
    was_cut = literals.pop(-2) if len(text) > LONG * 3 // 4 and not literals[-1] else b""
    return bool(strings) and _written(was_cut, strings, True) and all(_written(literal, strings, False) for literal in literals if len(literal) > 1)


def _written(literal: bytes, strings: list[bytes], cut: bool, pieces: int = PIECES) -> bool:
    """Is a literal a string, but for a blank at its end, or made of so many pieces? `cut`: the last need only begin one."""

    def next_of(start: bytes) -> bytes:
        at = bisect_left(strings, start)
        return strings[at] if at < len(strings) else b""

    if cut and next_of(literal).startswith(literal) or any(next_of(literal + end) == literal + end for end in (b"", b" ", b"\n")):
        return True
    ends = range(PIECE, len(literal) - PIECE + 1) if pieces > 1 else ()
    return any(next_of(literal[:end]) == literal[:end] and _written(literal[end:], strings, cut, pieces - 1) for end in ends)


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
        return place[0].startswith("build/"), sum(part.startswith("_") for part in origins.qualified(place[0], place[2]).split(".")), place

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
