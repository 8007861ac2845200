"""`python -m tools.origins`: the table of PyTorch's own messages, made from wheels and compared
with our wordings."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import reduce
from pathlib import Path

from torchclinic import ROOT
from torchclinic.content import catalogue, changed
from torchclinic.content.catalogue import Catalogue
from torchclinic.content.problem import BadInput
from torchclinic.find import origins as find_origins
from torchclinic.find import origins_table
from torchclinic.find.answer import Table
from torchclinic.find.lookup import lookup
from torchclinic.find.origins import LISTS
from torchclinic.find.wording import Wording

from . import release, since, wordings
from . import table as tables
from .release import Release


def main(argv: list[str] | None = None) -> int:
    """Returns: the exit status, 2 on input that cannot be used."""
    command = argparse.ArgumentParser(
        prog="python -m tools.origins",
        description="PyTorch's own messages: where they are written, in which releases, and which"
        " of them we cover",
    )
    command.add_argument(
        "wheels",
        nargs="*",
        type=Path,
        metavar="WHEEL",
        help="read these wheels, folders of them, or an installed `torch` folder, into the table;"
        " libraries are read of wheels for ARM64: macosx_arm64 and manylinux_aarch64",
    )
    command.add_argument(
        "--table",
        type=Path,
        default=ROOT / tables.FILE,
        metavar="FILE",
        help=f"{tables.FILE.as_posix()} if left out",
    )
    what = command.add_mutually_exclusive_group()
    what.add_argument(
        "--missing",
        nargs="?",
        const="",
        metavar="PASTES.jsonl",
        help="list the newest release's messages that no wording covers, those that pastes hold"
        " most first",
    )
    what.add_argument(
        "--lists",
        action="store_true",
        help="write what the site's scripts go by (find/origins.py, LISTS) into the table anew",
    )
    what.add_argument(
        "--moved",
        action="store_true",
        help="list the wordings that an older release has and the newest has not, with the message"
        " nearest to each",
    )
    what.add_argument(
        "--since",
        action="store_true",
        help="write facts/since.json anew: since and until when releases have our wordings",
    )
    command.add_argument(
        "--limit",
        type=int,
        default=50,
        metavar="N",
        help="lines of --missing; 50 if left out, 0 for all",
    )
    try:
        return _run(command.parse_args(argv))
    except BadInput as error:
        print(f"origins: {error}", file=sys.stderr)
        return 2


def _run(options: argparse.Namespace) -> int:
    if options.wheels:
        return _read(options.wheels, options.table)
    table = tables.load(options.table)
    if options.lists:
        options.table.write_bytes(tables.as_bytes(table | {"lists": LISTS}))
    if options.missing is not None:
        return _missing(table, options.missing, options.limit)
    if options.moved:
        return _moved(table)
    if options.since:
        found = since.since(table, catalogue.load(lint=False))
        text = json.dumps(found, indent=0, ensure_ascii=False, sort_keys=True)
        (ROOT / changed.SINCE).write_text(text + "\n", encoding="utf-8")
    _summary(table, options.table)
    return 0


def _read(sources: list[Path], file: Path) -> int:
    """Add the releases of wheels to the table, the oldest first. Of those that it has already the
    newest is read for its strings, which tell what is new in the next."""
    table = tables.load(file) if file.exists() else None
    by_version = _by_version(sources)
    known = [version for version in by_version if table and version in table["releases"]]
    for version in known:
        print(f"torch {version} is in the table already")
    new = [version for version in by_version if version not in known]
    older: dict[str, list[bytes]] = {}
    chosen = [*known[-1:], *new] if new else []
    for read in _releases([by_version[version] for version in chosen]):
        older[read.version] = read.strings
        if read.version in known:
            continue
        table = tables.add(table, read, older)
        native, linux = (len(sites or ()) for sites in (read.native, read.linux))
        print(
            f"torch {read.version}: {len(read.python)} places in Python, {native} in macOS's"
            f" libraries, {linux} in Linux's",
            flush=True,
        )
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(tables.as_bytes(table))
    if table:
        _summary(table, file)
    return 0


def _by_version(sources: list[Path]) -> dict[str, list[Path]]:
    """Release -> its wheels, the oldest first."""
    wheels: list[Path] = []
    for source in sources:
        folder = source.is_dir() and source.name != "torch"
        wheels += sorted(source.glob("*.whl")) if folder else [source]
    if not wheels:
        raise BadInput(f"no wheel lies in {', '.join(map(str, sources))}")
    by_version: dict[str, list[Path]] = {}
    for wheel in sorted(wheels, key=lambda wheel: release.order(release.version(wheel))):
        by_version.setdefault(release.version(wheel), []).append(wheel)
    return by_version


def _releases(wheels: list[list[Path]]) -> Iterator[Release]:
    """What each release prints, by its wheels; as many wheels are read at once as there are
    processors."""
    with ProcessPoolExecutor(min(os.cpu_count() or 1, sum(map(len, wheels)) or 1)) as pool:
        reading = [[pool.submit(release.read, wheel) for wheel in parts] for parts in wheels]
        while reading:  # what is done with is kept nowhere
            yield reduce(Release.__or__, (wheel.result() for wheel in reading.pop(0)))


def _summary(table: Table, file: Path) -> None:
    newest = len(table["releases"]) - 1
    lasts = {
        (row[0], row[1] >= 0 and table["files"][row[1]].endswith(".py")): row[7]
        for row in origins_table.rows(table)
    }
    for python, name in ((True, "Python"), (False, "C++")):
        of_kind = [last for (_, is_python), last in lasts.items() if is_python == python]
        now = f"{of_kind.count(newest)} of them in {table['releases'][-1]}"
        print(f"{name}: {len(of_kind)} messages, {now}")
    for name, releases in (
        ("Python", table["python"]),
        ("macOS's libraries", table["native"]),
        ("Linux's libraries", table["linux"]),
    ):
        span = f"{releases[0]} to {releases[-1]} ({len(releases)} releases)" if releases else ""
        print(f"{name}: read in {span or 'no release'}")
    print(f"{len(table['templates'][0])} places; {file.stat().st_size / 1000:.0f} kB")


def _wordings(catalogue: Catalogue) -> list[tuple[str, Wording]]:
    """Each wording of ours, with the stem of its symptom."""
    return [
        (symptom.stem, wording)
        for symptom in catalogue.symptoms.values()
        for wording in symptom.snippet.wordings
    ]


def _missing(table: Table, pastes: str, limit: int) -> int:
    met: Counter[str] = Counter()
    ours = catalogue.load(lint=False)
    if pastes:
        index, loaded = ours.index(), origins_table.load(table)
        for text in _texts(Path(pastes)):
            if lookup(index, text)["status"] == "none":
                if origin := find_origins.origin(loaded, text):
                    met[origin["message"]] += 1
    missing = wordings.missing(table, _wordings(ours), met)
    for count, message in missing[: limit or None]:
        print(f"{count or '':>4} {message.text!r}  {message.place}")
    print(
        f"{len(missing)} messages of torch {table['releases'][-1]} that no wording covers"
        + (f", {sum(1 for count, _ in missing if count)} met in pastes" if pastes else "")
    )
    return 0


def _texts(file: Path) -> list[str]:
    """The texts of a file of pastes: one JSON object a line, with `text`."""
    try:
        return [
            json.loads(line)["text"]
            for line in file.read_text(encoding="utf-8").splitlines()
            if line.strip()
        ]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BadInput(
            f"{file} is no file of pastes ({error!r}): each line is a JSON object with `text`"
        ) from None


def _moved(table: Table) -> int:
    ours = catalogue.load(lint=False)
    printed = [
        (record.torch, cell.get("output") or cell.get("traceback", ""))
        for record in ours.evidence
        for entry in record.symptoms.values()
        for cell in entry.get("cells", {}).values()
    ]
    moved = wordings.moved(table, _wordings(ours), printed)
    for wording in moved:
        near = "nothing in it is near"
        if wording.nearest:
            near = f"now perhaps {wording.nearest.text!r}, {wording.nearest.place}"
        print(f"{wording.stem}: {wording.wording.text!r}: last in torch {wording.last}; {near}")
    print(
        f"{len(moved)} wordings stand in an older release and no longer in torch"
        f" {table['releases'][-1]}"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
