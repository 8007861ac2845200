"""What a served site was made from: which files have changed, while it is served or since it was
built, and what is shown of them at once."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Iterator
from hashlib import sha256
from importlib import metadata
from pathlib import Path
from typing import TypedDict

from .. import LANGUAGES

WATCHED = (
    *("docs", "snippets", "evidence", "facts", "tests/data/threads", "torchclinic", "overrides"),
    *("mkdocs.yml", "mkdocs.zh.yml"),
)
#: Seconds in which an editor or a branch switch writes many files.
SETTLE = 0.2


def copy_assets(root: Path, out: Path, changed: list[str]) -> None:
    """Put styles, scripts and pictures that changed into the built site, as they are: the build
    that follows makes them lighter."""
    for name in changed:
        file = Path(name)
        if file.is_file() and file.is_relative_to(root / "docs" / "assets"):
            for language in LANGUAGES:
                target = out / language / file.relative_to(root / "docs")
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(file, target)


def pages_of(root: Path, changed: list[str]) -> set[str]:
    """The pages that show these files most of all, as build.refresh takes them; none if any of the
    files belongs to more than its pages."""
    pages = set()
    for name in changed:
        file = Path(name).relative_to(root)
        if not Path(name).is_file():
            return set()
        if file.parts[0] == "docs" and file.parts[1] in LANGUAGES and file.suffix == ".md":
            pages.add(file.relative_to("docs").as_posix())
        elif file.parts[0] == "snippets" and file.suffix == ".py" and len(file.parts) == 3:
            for language in LANGUAGES:
                page = f"{file.parts[1]}/{file.stem}.md"
                pages |= {f"{language}/{page}", f"{language}/notebooks/{page}"}
        else:
            return set()
    return pages


def snapshot(root: Path) -> dict[str, int]:
    """When each watched file was last written."""
    return dict(_times(root))


def _times(root: Path) -> Iterator[tuple[str, int]]:
    for name in WATCHED:
        path = root / name
        for file in path.rglob("*") if path.is_dir() else [path]:
            try:
                if file.is_file() and "__pycache__" not in file.parts:
                    yield str(file), file.stat().st_mtime_ns
            except OSError:  # gone while we looked
                continue


def after_change(root: Path, seen: dict[str, int]) -> list[str]:
    """The files that have changed since. Waits for a change to be over: an editor or a branch
    switch writes many files."""
    if snapshot(root) == seen:
        return []
    time.sleep(SETTLE)
    now = snapshot(root)
    return sorted(name for name in now.keys() | seen.keys() if now.get(name) != seen.get(name))


# ---- from one run to the next


class Kept(TypedDict):
    """What a built site was made from; beside it."""

    made_for: str
    files: dict[str, str]  # path -> digest; "" if it has changed since


def _kept_file(out: Path) -> Path:
    return out.with_name(f"{out.name}.json")


def _made_for(address: str) -> str:
    """What else a site depends on."""
    versions = (f"{name} {metadata.version(name)}" for name in ("mkdocs", "mkdocs-material"))
    return ", ".join([address, *versions])


def digests(root: Path) -> dict[str, str]:
    """Of each watched file, by its path."""
    return {name: sha256(Path(name).read_bytes()).hexdigest() for name in snapshot(root)}


def keep(out: Path, address: str, files: dict[str, str]) -> None:
    """Note what a site was built from: digests, by path."""
    kept: Kept = {"made_for": _made_for(address), "files": files}
    _kept_file(out).write_text(json.dumps(kept), encoding="utf-8")


def changed_since(root: Path, out: Path, address: str) -> list[str] | None:
    """The files that have changed since `out` was built; None if nothing there can be shown."""
    file = _kept_file(out)
    if not file.is_file() or not (out / "index.html").is_file():
        return None
    kept: Kept = json.loads(file.read_text(encoding="utf-8"))
    if kept["made_for"] != _made_for(address):
        return None
    before, now = kept["files"], digests(root)
    return sorted(name for name in {*before, *now} if before.get(name) != now.get(name))


def forget(out: Path, files: list[str]) -> None:
    """Note that a site shows something else of these files than what it was built from."""
    file = _kept_file(out)
    if file.is_file():
        kept: Kept = json.loads(file.read_text(encoding="utf-8"))
        kept["files"] |= dict.fromkeys(files, "")
        file.write_text(json.dumps(kept), encoding="utf-8")
