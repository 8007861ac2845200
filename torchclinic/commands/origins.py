"""`torchclinic origins`: the table of PyTorch's own messages: made from wheels, and compared with our wordings."""

from __future__ import annotations

import argparse
import json
import os
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import reduce
from pathlib import Path
from typing import Any

from .. import ROOT
from ..content import catalogue, origins, origins_ours
from ..content.catalogue import Catalogue
from ..content.origins import Release
from ..content.problem import BadInput
from ..find import origins as find_origins
from ..find.lookup import lookup
from ..find.wording import Wording


def add(commands: Any) -> None:
    command = commands.add_parser("origins", help="PyTorch's own messages: where they are written, in which releases, and which of them we cover")
    command.add_argument(
        "wheels",
        nargs="*",
        type=Path,
        metavar="WHEEL",
        help="read these wheels, folders of them, or an installed `torch` folder, into the table; libraries are read of wheels for ARM64: macosx_arm64 and manylinux_aarch64",
    )
    command.add_argument("--table", type=Path, default=ROOT / origins.FILE, metavar="FILE", help=f"{origins.FILE.as_posix()} if left out")
    what = command.add_mutually_exclusive_group()
    what.add_argument(
        "--missing",
        nargs="?",
        const="",
        metavar="PASTES.jsonl",
        help="list the newest release's messages that no wording covers, those that pastes hold most first",
    )
    what.add_argument(
        "--moved", action="store_true", help="list the wordings that an older release has and the newest has not, with the message nearest to each"
    )
    command.add_argument("--limit", type=int, default=50, metavar="N", help="lines of --missing; 50 if left out, 0 for all")
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    if options.wheels:
        return _read(options.wheels, options.table)
    table = origins.load(options.table)
    if options.missing is not None:
        return _missing(table, options.missing, options.limit)
    if options.moved:
        return _moved(table)
    _summary(table, options.table)
    return 0


def _read(wheels: list[Path], file: Path) -> int:
    """Add the releases of wheels to the table, the oldest first. Of those that it has already the newest is read for its strings, which tell what is new in the next."""
    found = [wheel for given in wheels for wheel in (sorted(given.glob("*.whl")) if given.is_dir() and given.name != "torch" else [given])]
    if not found:
        raise BadInput(f"no wheel lies in {', '.join(map(str, wheels))}")
    table = origins.load(file) if file.exists() else None
    by_version: dict[str, list[Path]] = {}
    for wheel in sorted(found, key=lambda wheel: origins.order(origins.version(wheel))):
        by_version.setdefault(origins.version(wheel), []).append(wheel)
    known = [version for version in by_version if table and version in table["releases"]]
    for version in known:
        print(f"torch {version} is in the table already")
    new = [version for version in by_version if version not in known]
    older: dict[str, list[bytes]] = {}
    for release in _releases([by_version[version] for version in [*known[-1:], *new]] if new else []):
        older[release.version] = release.strings
        if release.version in known:
            continue
        table = origins.add(table, release, older)
        native, linux = (len(sites or ()) for sites in (release.native, release.linux))
        print(f"torch {release.version}: {len(release.python)} places in Python, {native} in macOS's libraries, {linux} in Linux's", flush=True)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(origins.as_bytes(table))
    if table:
        _summary(table, file)
    return 0


def _releases(wheels: list[list[Path]]) -> Iterator[Release]:
    """What each release prints, by its wheels; as many wheels are read at once as there are processors."""
    with ProcessPoolExecutor(min(os.cpu_count() or 1, sum(map(len, wheels)) or 1)) as pool:
        read = [[pool.submit(origins.read, wheel) for wheel in those] for those in wheels]
        while read:
            yield reduce(Release.__or__, (one.result() for one in read.pop(0)))  # what is done with is kept nowhere


def _summary(table: dict[str, Any], file: Path) -> None:
    newest = len(table["releases"]) - 1
    texts = {(row[0], row[1] >= 0 and table["files"][row[1]].endswith(".py")): row[7] for row in find_origins.rows(table)}
    for python, name in ((True, "Python"), (False, "C++")):
        lasts = [last for (_, is_python), last in texts.items() if is_python == python]
        print(f"{name}: {len(lasts)} messages, {lasts.count(newest)} of them in {table['releases'][-1]}")
    for name, releases in (("Python", table["python"]), ("macOS's libraries", table["native"]), ("Linux's libraries", table["linux"])):
        print(f"{name}: read in {f'{releases[0]} to {releases[-1]} ({len(releases)} releases)' if releases else 'no release'}")
    print(f"{len(table['templates'][0])} places; {file.stat().st_size / 1000:.0f} kB")


def _wordings(made: Catalogue) -> list[tuple[str, Wording]]:
    pages = [(one.stem, wording) for one in made.symptoms.values() for wording in one.snippet.wordings]
    return pages + [(one.stem, wording) for one in made.known.values() for wording in one.wordings]


def _missing(table: dict[str, Any], pastes: str, limit: int) -> int:
    met: Counter[str] = Counter()
    made = catalogue.load(lint=False)
    if pastes:
        index, loaded = made.index(), find_origins.load(table)
        for text in _texts(Path(pastes)):
            if lookup(index, text)["status"] == "none":
                met.update(origin["message"] for origin in [find_origins.origin(loaded, text)] if origin)
    found = origins_ours.missing(table, _wordings(made), met)
    for count, message in found[: limit or None]:
        print(f"{count or '':>4} {message.text!r}  {message.place}")
    print(
        f"{len(found)} messages of torch {table['releases'][-1]} that no wording covers"
        + (f", {sum(1 for count, _ in found if count)} met in pastes" if pastes else "")
    )
    return 0


def _texts(file: Path) -> list[str]:
    """The texts of a file of pastes: one JSON object a line, with `text`."""
    try:
        return [json.loads(line)["text"] for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BadInput(f"{file} is no file of pastes ({error!r}): each line is a JSON object with `text`") from None


def _moved(table: dict[str, Any]) -> int:
    made = catalogue.load(lint=False)
    cells = [(record.torch, cell) for record in made.evidence for entry in record.symptoms.values() for cell in entry.get("cells", {}).values()]
    found = origins_ours.moved(table, _wordings(made), [(release, cell.get("output") or cell.get("traceback", "")) for release, cell in cells])
    for one in found:
        near = f"now perhaps {one.nearest.text!r}, {one.nearest.place}" if one.nearest else "nothing in it is near"
        print(f"{one.stem}: {one.wording.text!r}: last in torch {one.last}; {near}")
    print(f"{len(found)} wordings stand in an older release and no longer in torch {table['releases'][-1]}")
    return 0
