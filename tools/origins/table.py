"""Where in PyTorch its messages are written, and in which releases: the table that `find.origins`
reads, made from wheels.

The file is {"version", "notice", "releases", "python", "native", "linux", "files", "classes",
"public", "lists", "templates"}. Templates are eight columns, which pack to a fifth less than rows:
texts, files, lines, functions, classes, conditions, first and last releases. Files, classes and
releases are places in those lists, -1 where it is not known; a function of Python is named as in
its module, one of C++ as in its library; file and line are those of the last release, the newest
that has the text. ~first stands for `first` where the releases before it were not read for such a
text: Linux's libraries were not. Sorted by file and line; of a text that stands in many places, the
most public are kept. "public" tells the public name of a function or class of the newest release by
the name that it is defined under; "lists" is what the site's scripts go by.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, cast

from torchclinic.content.problem import BadInput
from torchclinic.find import origins_table
from torchclinic.find.answer import Table
from torchclinic.find.origins import LISTS

from . import spans, telling
from .release import Release, order
from .template import Site

VERSION = origins_table.VERSION
FILE = origins_table.FILE
NOTICE = (
    "Messages, names and conditions of PyTorch, Copyright (c) Facebook, Inc. and its affiliates,"
    " and all contributors; BSD-3-Clause: "
    "https://github.com/pytorch/pytorch/blob/main/LICENSE"
)
#: Places kept of one text.
PLACES = 3

#: Where a text stands: file, line, function, class, condition.
Place = tuple[str, int, str, str, str]
#: A text, of Python or not: both are read apart, since a message may have moved from one to the
#: other, and a release may be without libraries.
Text = tuple[str, bool]
#: What of a place stands in a list of its own: column -> name of the list.
_LISTS = {0: "files", 3: "classes"}
_EMPTY = ("releases", "python", "native", "linux", "templates", *_LISTS.values())


def add(
    table: Table | None, release: Release, older: Mapping[str, list[bytes]] | None = None
) -> Table:
    """The table with one release more, which is newer than all in it; of that release alone, if
    there is none yet.

    Args:
        older: the strings of older releases, by their version, of those that were read as well.

    Raises:
        BadInput: the release is not newer.
    """
    table = table or cast(Table, {name: [] for name in _EMPTY} | {"public": {}})
    if table["releases"] and order(release.version) <= order(table["releases"][-1]):
        raise BadInput(
            f"torch {release.version} is not newer than {table['releases'][-1]}, the last release"
            " in the table: make it anew, the oldest release first"
        )
    number = len(table["releases"])
    places, lasting = _known(table)
    in_macos = {spans.cut(site.text) for _, site in release.native or []}
    for (text, python), seen in _printed(release).items():
        places[text, python] = _most_public(seen)
        if (text, python) in lasting:
            first = lasting[text, python][0]
        elif python:
            first = number
        else:
            releases, linux = table["releases"], table["linux"]
            first = spans.since(text, releases, linux, older or {}, text in in_macos)
        lasting[text, python] = (first, number)
    # What is no longer seen to be printed, but whose literals are all there, was not followed to
    # its call: the message stays, and its place is not known.
    for (text, python), seen in places.items():
        first, last = lasting[text, python]
        if not python and last == number - 1 and spans.stands(text, release.strings):
            places[text, python] = [("", -1, "", seen[0][3], "")]
            lasting[text, python] = (first, number)
    rows = sorted(
        ((key[0], *place, *lasting[key]) for key, seen in places.items() for place in seen),
        key=lambda row: (row[1:3], row),
    )
    return _packed(table, release, rows)


def _known(table: Table) -> tuple[dict[Text, list[Place]], dict[Text, tuple[int, int]]]:
    """The places of each text of a table; its first and last release."""
    places: dict[Text, list[Place]] = {}
    lasting: dict[Text, tuple[int, int]] = {}
    for text, file, line, function, kind, condition, first, last in origins_table.rows(table):
        path = table["files"][file] if file >= 0 else ""
        name = table["classes"][kind] if kind >= 0 else ""
        key = (text, path.endswith(".py"))
        places.setdefault(key, []).append((path, line, function, name, condition))
        lasting[key] = (first, last)
    return places, lasting


def _printed(release: Release) -> dict[Text, list[Place]]:
    """The places of each text of a release, as far as it is known by its words."""
    places: dict[Text, list[Place]] = {}
    # A check in a header stands in a library as often as the header was included.
    native = {*(release.native or []), *spans.whole(release)}
    for python, sites in ((True, set(release.python)), (False, native)):
        for file, site in sites:
            text = spans.cut(site.text)
            if telling.tells(text, file):
                place = (file, site.line, _function(file, site, python), site.kind, site.condition)
                places.setdefault((text, python), []).append(place)
    return places


def _function(file: str, site: Site, python: bool) -> str:
    """A function of Python is named as in its module."""
    if not python:
        return site.name
    return site.name.removeprefix(origins_table.module_of(file)).removeprefix(".")


def _packed(
    table: Table,
    release: Release,
    rows: list[tuple[str, str, int, str, str, str, int, int]],
) -> Table:
    """The table of these rows, which hold files and classes by their names."""
    version = [release.version]
    packed: dict[str, Any] = {
        "version": VERSION,
        "notice": NOTICE,
        "releases": table["releases"] + version,
        "python": table["python"] + (version if release.python else []),
        "native": table["native"] + (version if release.native is not None else []),
        "linux": table["linux"] + (version if release.linux is not None else []),
    }
    columns: list[list[Any]] = [list(column) for column in zip(*rows, strict=True)] or [[]] * 8
    for column, name in _LISTS.items():
        values = columns[column + 1]
        packed[name] = sorted({*values} - {""})
        numbers = {value: at for at, value in enumerate(packed[name])} | {"": -1}
        columns[column + 1] = [numbers[value] for value in values]
    names = dict.fromkeys(origins_table.qualified(row[1], row[3]) for row in rows)
    packed["public"] = _named(release.public or table["public"], names)
    return cast(Table, packed | {"lists": LISTS, "templates": columns})


def _named(public: dict[str, str], names: Iterable[str]) -> dict[str, str]:
    """Of the public names those of what messages are written in."""
    defined = filter(None, (origins_table.defined(public, name) for name in names))
    return {name: public[name] for name in dict.fromkeys(defined)}


def _most_public(places: list[Place]) -> list[Place]:
    """One place a function, at most PLACES of them: those with the fewest underscores before a name
    first; files that were not generated."""
    by_name: dict[tuple[str, str], Place] = {}
    for place in sorted(places):
        by_name.setdefault((place[0], place[2]), place)

    def hidden(place: Place) -> tuple[bool, int, Place]:
        names = origins_table.qualified(place[0], place[2]).split(".")
        underscores = sum(name.startswith("_") for name in names)
        return place[0].startswith("build/"), underscores, place

    return sorted(by_name.values(), key=hidden)[:PLACES]


def as_bytes(table: Table) -> bytes:
    """The file: the same bytes for the same table. Gzip, since browsers read it as well."""
    text = json.dumps(table, ensure_ascii=False, separators=(",", ":"))
    return gzip.compress(text.encode(), 9, mtime=0)


def load(file: Path) -> Table:
    """The table of a file.

    Raises:
        BadInput: it cannot be read, or is of another version.
    """
    try:
        table: Table = json.loads(gzip.decompress(file.read_bytes()))
    except (OSError, EOFError, ValueError) as error:
        raise BadInput(f"{file} cannot be read ({error}); `nox -s origins` makes it") from None
    if table.get("version") != VERSION:
        raise BadInput(
            f"{file} is of version {table.get('version')}; this program reads version {VERSION}:"
            " `nox -s origins` makes it anew"
        )
    return table
