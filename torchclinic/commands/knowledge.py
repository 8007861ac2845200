"""The finished knowledge, wherever a command runs, without YAML and without reading a page.

An installed package carries it as files in torchclinic/data/, which hatch_build.py wrote into the wheel. A checkout keeps the same files
in .cache/, and makes them anew when anything that they are made from has changed. Where there is neither, nothing is answered: `load` raises.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .. import ROOT
from ..content.problem import BadInput

#: Of the files' format; content/knowledge.py describes it.
VERSION = 2
#: One file each: what lookup and fix answer from, what verify runs, the pages as plain Markdown (for show), the search's index of each language.
PARTS = ("answers", "snippets", "pages", "search")
DATA = ROOT / "torchclinic" / "data"
#: Where PyTorch's messages come from: of a checkout; the wheel has it in DATA. content/origins.py makes it.
ORIGINS = Path("facts", "origins.json.gz")
CACHE = ".cache"
#: Folders of a checkout that the parts are made from, and endings of the files in them that count.
SOURCES = ("snippets", "docs/en", "docs/zh", "docs/figures", "docs/programs", "facts", "evidence", "torchclinic")
ENDINGS = (".py", ".md", ".yml", ".json")


def program() -> str:
    """What a reader types: an installed package has a command of its own."""
    return "torchclinic" if DATA.is_dir() else "python -m torchclinic"


@dataclass
class Knowledge:
    """What is known.

    Attributes:
        index: what `find.lookup.lookup` reads; both languages.
        symptoms: by stem, what answers need; content/knowledge.py describes the entries. Messages without a page are among them.
        tips: by stem, as symptoms, without cases.
        redirects: id that a page had -> its id of today.
    """

    index: dict[str, Any]
    symptoms: dict[str, dict[str, Any]]
    tips: dict[str, dict[str, Any]]
    redirects: dict[str, str]
    _parts: dict[str, dict[str, Any]] = field(default_factory=dict, repr=False)
    _origins: list[dict[str, Any] | None] = field(default_factory=list, repr=False)

    def find(self, name: str, *, tips: bool = False) -> dict[str, Any]:
        """The entry of a symptom, by `topic/stem` or `stem`; with `tips`, also of a tip, by `tips/topic/stem`.

        Raises:
            BadInput: there is none; names the nearest ids.
        """
        name = self.redirects.get(name, name)
        entries = [*self.symptoms.values(), *(self.tips.values() if tips else ())]
        by_name = {entry["id"]: entry for entry in entries}
        for stem, entry in self.symptoms.items():
            by_name.setdefault(stem, entry)
        if name not in by_name:
            import difflib

            near = difflib.get_close_matches(name, by_name, 6, 0.5)
            ids = list(dict.fromkeys(by_name[one]["id"] for one in near))[:3]
            hint = f"did you mean {', '.join(ids)}?" if ids else "an id is topic/stem, as `lookup` prints it behind the title"
            raise BadInput(f"no {'page' if tips else 'symptom'} `{name}`; {hint}")
        return by_name[name]

    def page(self, entry: dict[str, Any], language: str) -> str:
        """The whole page of an entry as plain Markdown, with links relative to the site's root.

        Raises:
            BadInput: the message is known, but its page is not written.
        """
        pages = self._part("pages")
        if entry["id"] not in pages:
            docs = f" Official documentation: {', '.join(entry['docs'])}" if entry.get("docs") else ""
            raise BadInput(f"the message of {entry['id']} is known; its page is not written yet.{docs}")
        return pages[entry["id"]][language]

    def snippets(self) -> dict[str, dict[str, Any]]:
        """What verify runs, by stem: {"topic", "text", "facts"}."""
        return self._part("snippets")

    def search_index(self, language: str) -> dict[str, Any]:
        """What `find.search.Searcher` reads."""
        return self._part("search")[language]

    def origins(self) -> dict[str, Any] | None:
        """What `find.origins.origin` reads, loaded when it is first asked for; None where this copy holds none."""
        if not self._origins:
            self._origins.append(_read_origins())
        return self._origins[0]

    def look_up(self, text: str) -> dict[str, Any]:
        """What `find.lookup.lookup` answers. Where no symptom matches and PyTorch writes such a message, status is "origin", and origin what `find.origins.origin` gives."""
        from ..find import lookup

        return self.with_origin(lookup.lookup(self.index, text), text)

    def with_origin(self, result: dict[str, Any], text: str) -> dict[str, Any]:
        """An answer of the lookup for this text, with the origin where there is no match."""
        if result["status"] != "none" or not (origins := self.origins()):
            return result
        from ..find.origins import origin

        found = origin(origins, text)
        return {**result, "status": "origin", "origin": found} if found else result

    def _part(self, name: str) -> dict[str, Any]:
        if name not in self._parts:
            self._parts[name] = _read(name)
        return self._parts[name]


def load() -> Knowledge:
    """The knowledge of the installed package, or of the checkout.

    Raises:
        BadInput: this copy has neither, or nothing in it can be read; says what to do.
    """
    known = Knowledge(**_read("answers"))
    if not known.index["wordings"]:
        raise BadInput("no symptom of this checkout can be read; `python -m torchclinic catalogue` says why")
    return known


def _read_origins() -> dict[str, Any] | None:
    import gzip

    from ..find import origins

    file = next((file for file in (DATA / ORIGINS.name, ROOT / ORIGINS) if file.exists()), None)
    if file is None:
        return None
    try:
        table = json.loads(gzip.decompress(file.read_bytes()))
    except (OSError, EOFError, ValueError) as error:
        raise BadInput(f"{file} cannot be read ({error}): install torchclinic anew, or, in a checkout, make it with `nox -s origins`") from None
    return origins.load(table) if table.get("version") == origins.VERSION else None


def in_checkout() -> bool:
    """Does this package lie in a checkout, with the files that everything is made from?"""
    return (ROOT / "snippets").is_dir() and (ROOT / "facts").is_dir()


def need_checkout(command: str) -> None:
    """Raises: BadInput, unless this package lies in a checkout."""
    if not in_checkout():
        raise BadInput(
            f"`{command}` works on Torch Clinic's own files, which an installed package has not: run `python -m torchclinic {command}` in a checkout"
        )


def _read(part: str) -> dict[str, Any]:
    if (DATA / f"{part}.json").exists():
        try:
            found = json.loads((DATA / f"{part}.json").read_bytes())
        except (OSError, ValueError) as error:
            raise BadInput(f"{DATA / part}.json cannot be read ({error}): install torchclinic anew") from None
        if found.get("version") != VERSION:
            raise BadInput(f"{DATA / part}.json is of another version than this program: install torchclinic anew")
        return found["data"]
    if in_checkout():
        return _cached(part)
    raise BadInput(
        f"this copy of torchclinic ({ROOT / 'torchclinic'}) holds no knowledge: neither its finished data nor the files that it is made from. "
        "Install it from a checkout, `python -m pip install .`, or from a wheel that was built there"
    )


def _cached(part: str) -> dict[str, Any]:
    """A part from the checkout's cache, made anew if anything has changed since."""
    file = ROOT / CACHE / f"{part}.json"
    now = key()
    try:
        found = json.loads(file.read_bytes())
        if (found["key"], found["version"]) != (now, VERSION):
            found = {}
    except (OSError, ValueError, KeyError, TypeError):
        found = {}  # none yet, or not ours
    if not found:
        from . import maker

        found = dressed(maker.make(part), now, len(maker.problems()))
        _write(file, found)
    if count := found["problems"]:
        print(f"torchclinic: the catalogue has {count} problem{'s' * (count > 1)}; `python -m torchclinic catalogue` lists them", file=sys.stderr)
    return found["data"]


def dressed(data: dict[str, Any], key: str = "", problems: int = 0) -> dict[str, Any]:
    """A part as its file holds it.

    Args:
        problems: rules that the files break; what they are about may be missing.
    """
    return {"key": key, "version": VERSION, "problems": problems, "data": data}


def _write(file: Path, content: dict[str, Any]) -> None:
    """As a whole or not at all: another process may write or read the same file now. Without a cache things are slow, not wrong."""
    import threading

    new = file.with_name(f"{file.name}.{os.getpid()}-{threading.get_ident()}")
    try:
        file.parent.mkdir(exist_ok=True)
        new.write_text(json.dumps(content, ensure_ascii=False, separators=(",", ":")), encoding="utf-8")
        new.replace(file)
    except OSError:
        with contextlib.suppress(OSError):
            new.unlink()


def key() -> str:
    """Changes whenever a file changes that the parts are made from: names, sizes and times of all of them."""
    import hashlib

    found = []
    for source in SOURCES:
        _list(str(ROOT / source), found)
    return hashlib.sha256("\n".join(sorted(found)).encode("utf-8", "surrogateescape")).hexdigest()


def _list(folder: str, found: list[str]) -> None:
    try:
        entries = list(os.scandir(folder))
    except OSError:
        return
    for entry in entries:
        if entry.is_dir():
            if entry.name != "__pycache__":
                _list(entry.path, found)
        elif entry.name.endswith(ENDINGS):
            facts = entry.stat()
            found.append(f"{entry.path} {facts.st_size} {facts.st_mtime_ns}")
