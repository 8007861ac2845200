"""The finished knowledge, wherever a command runs, without YAML and without reading a page.

An installed package carries it as files in torchclinic/data/, which hatch_build.py wrote into the
wheel. A checkout keeps the same files in .cache/, and makes them anew when anything that they are
made from has changed. Where there is neither, nothing is answered: `load` raises.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from .. import ROOT
from ..content.problem import BadInput
from ..find.blocks import Blocks
from . import entries
from .entries import Entries

if TYPE_CHECKING:
    from pathlib import Path

    from ..content.finished import SnippetEntry, SymptomEntry, TipEntry
    from ..find.answer import Answer, Index, Origin, Origins
    from ..find.likely import Likeness
    from ..find.search_table import SearchIndex, SearchTable

#: Of the files' format; content/finished.py describes it.
VERSION = 5
#: One file each: what lookup and fix answer from, what verify runs, the pages as plain Markdown
#: (for show), the search's index of each language, PyTorch's own messages.
PARTS = ("answers", "snippets", "pages", "search", "origins")
DATA = ROOT / "torchclinic" / "data"
CACHE = ".cache"
#: Folders of a checkout that the parts are made from, and endings of the files in them that count.
SOURCES = (
    *("snippets", "docs/en", "docs/zh", "docs/figures", "docs/programs", "facts", "evidence"),
    *("tests/data/threads", "torchclinic"),
)
ENDINGS = (".py", ".md", ".yml", ".json", ".jsonl")

_E = TypeVar("_E", bound="SymptomEntry | TipEntry")


def program() -> str:
    """What a reader types: an installed package has a command of its own."""
    return "torchclinic" if DATA.is_dir() else "python -m torchclinic"


class Knowledge:
    """What is known.

    Attributes:
        index: what `find.lookup.lookup` reads; both languages.
        symptoms: by stem, what answers need.
        tips: by stem, as symptoms, without cases.
        redirects: id that a page had -> its id of today.
        site: its address, with a slash at its end; "" where this copy does not know it.
        day: of the newest run that the pages tell of, "" if unknown.
        begins: what `find.likely.begins` gives of the index, where it was kept.
    """

    def __init__(
        self,
        index: Index,
        symptoms: Mapping[str, SymptomEntry],
        tips: Mapping[str, TipEntry],
        redirects: Mapping[str, str],
        site: str = "",
        day: str = "",
        begins: Mapping[str, list[int]] | None = None,
    ):
        self.index, self.symptoms, self.tips = index, symptoms, tips
        self.redirects, self.site, self.day = redirects, site, day
        self._begins = begins
        self._parts: dict[str, Entries] = {}
        self._origins: list[Origins | None] = []
        self._likeness: Likeness | None = None
        self._searched: dict[str, SearchTable] = {}

    def find(self, name: str) -> SymptomEntry:
        """The entry of a symptom, by `topic/stem` or `stem`.

        Raises:
            BadInput: there is none; names the nearest ids.
        """
        if tip := self._tips().get(name):
            raise BadInput(f"{tip['id']} is a tip: it has no causes to choose from, show its page")
        return self._named(name, self.symptoms, "symptom")

    def find_page(self, name: str) -> SymptomEntry | TipEntry:
        """The same, and the entry of a tip, by `tips/topic/stem`, `tips/stem` or `stem`."""
        pages: dict[str, SymptomEntry | TipEntry] = {**self._tips(), **self.symptoms}
        return self._named(name, pages, "page")

    def _tips(self) -> dict[str, TipEntry]:
        return {
            name: tip
            for stem, tip in self.tips.items()
            for name in (stem, f"tips/{stem}", tip["id"])
        }

    def _named(self, name: str, pages: Mapping[str, _E], kind: str) -> _E:
        name = self.redirects.get(name, name)
        by_name = {**{page["id"]: page for page in pages.values()}, **pages}
        if name in by_name:
            return by_name[name]
        import difflib

        near = difflib.get_close_matches(name, by_name, 6, 0.5)
        ids = list(dict.fromkeys(by_name[close]["id"] for close in near))[:3]
        hint = (
            f"did you mean {', '.join(ids)}?"
            if ids
            else "an id is topic/stem, as an answer names it behind the title"
        )
        raise BadInput(f"no {kind} `{name}`; {hint}")

    def page(self, entry: SymptomEntry | TipEntry, language: str) -> str:
        """The whole page of an entry as plain Markdown, with links relative to the site's root."""
        text: str = self._part("pages")[entry["id"]][language]
        return text

    def snippets(self) -> Mapping[str, SnippetEntry]:
        """What verify runs, by stem."""
        return self._part("snippets")

    def search_index(self, language: str) -> SearchIndex:
        """What `find.search_table.SearchTable` reads."""
        index: SearchIndex = self._part("search")[language]
        return index

    def origins(self) -> Origins | None:
        """What `find.origins.origin` reads, loaded when it is first asked for; None where a
        checkout has none."""
        if not self._origins:
            from ..find.origins_table import ready

            packed = self._part("origins")
            self._origins.append(ready(packed) if packed else None)
        return self._origins[0]

    def look_up(self, text: str, search: bool = True, origins: bool = True) -> Answer:
        """What `find.ladder.climb` answers: the lookup, and below it the lower rungs.

        Args:
            search: may look for pages; where nobody would be shown them, their index stays unread.
            origins: may ask PyTorch's own messages.
        """
        from ..find import ladder

        find = self._search if search else (lambda query: ([], True))
        origin = self._origin if origins else (lambda text: None)
        with entries.uncollected():
            return ladder.climb(self.index, self.likeness, text, origin, find)

    def title(self, name: str, language: str) -> str:
        """Of the page of an id that `_search` gave."""
        stem = name.rpartition("/")[2]
        page: Any = self.tips[stem] if stem in self.tips else self.symptoms[stem]
        return str(page["texts"][language]["title"])

    def likeness(self) -> Likeness:
        """What finds wordings that a text nearly prints, made once."""
        if self._likeness is None:
            from ..find.likely import Likeness

            self._likeness = Likeness(self.index, self._begins)
        return self._likeness

    def _origin(self, text: str) -> Origin | None:
        from ..find.origins import origin

        origins = self.origins()
        return origin(origins, text) if origins else None

    def _search(self, query: str) -> tuple[list[tuple[str, float]], bool]:
        """The pages of symptoms and tips for a query, in the language that it is written in."""
        from ..find.search import search
        from ..find.search_table import SearchTable

        language = "zh" if any("\u4e00" <= letter <= "\u9fff" for letter in query) else "en"
        if language not in self._searched:
            self._searched[language] = SearchTable(self.search_index(language))
        table = self._searched[language]
        found = search(table, query)
        pages = [(table.docs[hit["doc"]][0], hit["score"]) for hit in found["hits"]]
        return [page for page in pages if "/" in page[0]], found["weak"]

    def _part(self, name: str) -> Entries:
        if name not in self._parts:
            self._parts[name] = _read(name)
        return self._parts[name]


def load() -> Knowledge:
    """The knowledge of the installed package, or of the checkout.

    Raises:
        BadInput: this copy has neither, or nothing in it can be read; says what to do.
    """
    answers = _read("answers")
    if "index" not in answers or not answers["wordings"][0]:
        raise BadInput(
            "no symptom of this checkout can be read; `python -m torchclinic catalogue` says why"
        )
    index: Index = answers["index"] | {
        "symptoms": answers.below("index/"),
        "wordings": Blocks(answers, "wordings"),
    }
    symptoms = answers.below("symptoms/")
    return Knowledge(index, symptoms, **answers["rest"])


def in_checkout() -> bool:
    """Does this package lie in a checkout, with the files that everything is made from?"""
    return (ROOT / "snippets").is_dir() and (ROOT / "facts").is_dir()


def need_checkout(command: str) -> None:
    """Raises: BadInput, unless this package lies in a checkout."""
    if not in_checkout():
        raise BadInput(
            f"`{command}` works on Torch Clinic's own files, which an installed package has not: "
            f"run `python -m torchclinic {command}` in a checkout"
        )


def _read(part: str) -> Entries:
    file = DATA / f"{part}.jsonl"
    if file.exists():
        try:
            head, content = entries.read(file)
        except (OSError, ValueError) as error:
            raise BadInput(f"{file} cannot be read ({error}): install torchclinic anew") from None
        if head.get("version") != VERSION:
            raise BadInput(
                f"{file} is of another version than this program: install torchclinic anew"
            )
        return content
    if in_checkout():
        return _cached(part)
    raise BadInput(
        f"this copy of torchclinic ({ROOT / 'torchclinic'}) holds no knowledge: neither its "
        "finished data nor the files that it is made from. Install it from a checkout, "
        "`python -m pip install .`, or from a wheel that was built there"
    )


def _cached(part: str) -> Entries:
    """A part from the checkout's cache, made anew if anything has changed since."""
    file = ROOT / CACHE / f"{part}.jsonl"
    now = key()
    try:
        head, content = entries.read(file)
        fresh = (head["key"], head["version"]) == (now, VERSION)
    except (OSError, ValueError, KeyError):
        fresh = False  # none yet, or not ours
    if not fresh:
        from ..site import knowledge_parts as maker

        head, content = _write(file, maker.make(part), key=now, problems=len(maker.problems()))
    if count := head["problems"]:
        print(
            f"torchclinic: the catalogue has {count} problem{'s' * (count > 1)}; "
            "`python -m torchclinic catalogue` lists them",
            file=sys.stderr,
        )
    return content


def packed(data: Mapping[str, Any], **head: Any) -> bytes:
    """A part as its file holds it."""
    return entries.write(data, version=VERSION, **head)


def _write(file: Path, data: Mapping[str, Any], **head: Any) -> tuple[dict[str, Any], Entries]:
    """As a whole or not at all: another process may write or read the same file now. Without a
    cache things are slow, not wrong."""
    import threading

    text = packed(data, **head)
    new = file.with_name(f"{file.name}.{os.getpid()}-{threading.get_ident()}")
    try:
        file.parent.mkdir(exist_ok=True)
        new.write_bytes(text)
        new.replace(file)
    except OSError:
        with contextlib.suppress(OSError):
            new.unlink()
    return entries.parsed(text)


def key() -> str:
    """Changes whenever a file changes that the parts are made from: names, sizes and times of all
    of them."""
    import hashlib

    files = [line for source in SOURCES for line in _files(str(ROOT / source))]
    return hashlib.sha256("\n".join(sorted(files)).encode("utf-8", "surrogateescape")).hexdigest()


def _files(folder: str) -> list[str]:
    """Name, size and time of each file below a folder."""
    lines: list[str] = []
    try:
        inside = list(os.scandir(folder))
    except OSError:
        return lines
    for entry in inside:
        if entry.is_dir():
            if entry.name != "__pycache__":
                lines += _files(entry.path)
        elif entry.name.endswith(ENDINGS):
            facts = entry.stat()
            lines.append(f"{entry.path} {facts.st_size} {facts.st_mtime_ns}")
    return lines
