"""The table of PyTorch's messages (facts/origins.json.gz), as the matcher reads it.

tools/origins/table.py makes the table and says what it holds; docs/assets/origins-table.js is the
twin. A template is a text with holes, `{}` or `{:int}`, and doubled braces. Its parts are sought
as a wording's are, with the same matcher: literals, holes, rare words, no regular expressions.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple, TypedDict, cast, overload

from .answer import Part, Patterns, WordingEntry
from .clean import WORD, normalise, strip_prefix, words
from .wording import HOLES

#: Where a checkout has the table.
FILE = Path("facts", "origins.json.gz")
#: Of the table's format.
VERSION = 3
#: Letters of a template that are sought. The rest of a long message adds nothing, and is often
#: cut off.
SOUGHT = 160
#: Rare words of a template by which it is found: where a wrapped line has cut one of them, the
#: other still leads to it.
ANCHORS = 2
_WORD = "".join(sorted(WORD))
#: Stands for a hole, and glues to the words beside it.
_HOLE = "__hole__"


class Template(NamedTuple):
    """A row of the table; `file` and `exception` are places in its lists, -1 where unknown."""

    text: str
    file: int
    line: int  # 0 or less where unknown
    function: str  # named as in its module or library
    exception: int
    condition: str
    first: int  # release; ~first where those before it were not read
    last: int


class Lists(TypedDict):
    """What both twins go by: `origins.LISTS`."""

    left_out: list[str]
    behind: list[str]
    rewritten: list[str]
    kept: list[str]
    source: str
    documented: str
    issues: str


class Table(TypedDict):
    """The table as its file holds it."""

    version: int
    notice: str
    releases: list[str]
    python: list[str]  # releases whose Python was read
    native: list[str]  # whose libraries of macOS were read
    linux: list[str]  # whose libraries of Linux were read
    files: list[str]
    classes: list[str]
    public: dict[str, str]  # name in its module -> the name that people know
    lists: Lists  # for the twin
    templates: list[list[Any]]  # a column for each field of `Template`


class Message(dict[str, list[Part]]):
    """A text that PyTorch prints: to the matcher a wording, whose parts are made when they are
    first asked for, since those of most never are."""

    def __init__(self, text: str, number: int, rows: Rows):
        super().__init__()
        self.text, self._number, self._rows = text, number, rows

    @cached_property
    def places(self) -> list[Template]:
        """Where it is written, of the newest release first."""
        found = self._rows.of(self._number)
        places = [Template._make([self.text, *row]) for row in found]
        return sorted(places, key=lambda place: -place.last)

    def __missing__(self, key: str) -> list[Part]:
        if key != "parts":
            raise KeyError(key)
        self[key] = parts(self.text)
        return self[key]


class Rows:
    """The fields of templates but their texts, read when a text is found: most are never."""

    def __init__(self, packed: str):
        self._packed = packed

    def of(self, number: int) -> list[tuple[Any, ...]]:
        """The rows of a text."""
        ends, columns = self._read
        begin = ends[number - 1] if number else 0
        return [tuple(column[row] for column in columns) for row in range(begin, ends[number])]

    @cached_property
    def _read(self) -> tuple[list[int], list[list[Any]]]:
        ends, columns = json.loads(self._packed)
        return ends, columns


class Messages(Sequence[Message]):
    """The texts of a packed table, each a message when it is first asked for."""

    def __init__(self, packed: Packed):
        self._texts, self._rows = packed["texts"].split("\0"), Rows(packed["rows"])
        self._made: dict[int, Message] = {}

    def __len__(self) -> int:
        return len(self._texts)

    @overload
    def __getitem__(self, number: int) -> Message: ...
    @overload
    def __getitem__(self, number: slice) -> Sequence[Message]: ...
    def __getitem__(self, number: int | slice) -> Message | Sequence[Message]:
        if isinstance(number, slice):
            return [self[at] for at in range(*number.indices(len(self)))]
        if number not in self._made:
            self._made[number] = Message(self._texts[number], number, self._rows)
        return self._made[number]


class Anchors(Mapping[str, list[int]]):
    """Rare words, and the numbers of the texts that each leads to, read when one is met."""

    def __init__(self, words: str, numbers: str):
        self._numbers = dict(zip(words.split(" "), numbers.split(" "), strict=True))

    def __getitem__(self, word: str) -> list[int]:
        return [int(number) for number in self._numbers[word].split(",")]

    def __contains__(self, word: object) -> bool:
        return word in self._numbers

    def __iter__(self) -> Iterator[str]:
        return iter(self._numbers)

    def __len__(self) -> int:
        return len(self._numbers)


class Packed(TypedDict):
    """The table as an installed package holds it: long texts, which JSON reads at once; what is in
    them is read when it is asked for."""

    notice: str
    texts: str  # joined by NUL
    rows: str  # JSON: for each text, where its rows end; the fields of `Template` but its text
    anchors: tuple[str, str]  # joined by blanks: words, and for each the numbers of its texts
    numbered: list[str]
    releases: list[str]
    files: list[str]
    classes: list[str]
    public: dict[str, str]


class Origins(Patterns):
    """The table, ready to be asked."""

    messages: Sequence[Message]
    releases: list[str]
    files: list[str]
    classes: list[str]
    public: dict[str, str]


def rows(table: Table) -> Iterator[Template]:
    """The templates of a table, one by one."""
    return map(Template._make, zip(*table["templates"], strict=True))


def pack(table: Table) -> Packed:
    """A table with its words counted, once for all who will ask it."""
    by_text: dict[str, list[Template]] = {}
    for template in rows(table):
        by_text.setdefault(template.text, []).append(template)
    together = [template for places in by_text.values() for template in places]
    ends = [*accumulate(len(places) for places in by_text.values())]
    columns = [list(column) for column in zip(*together, strict=True)][1:]
    anchors = _anchors([_words(text) for text in by_text])
    return {
        "notice": table.get("notice", ""),
        "texts": "\0".join(by_text),
        "rows": json.dumps([ends, columns], ensure_ascii=False, separators=(",", ":")),
        "anchors": (
            " ".join(anchors),
            " ".join(",".join(map(str, numbers)) for numbers in anchors.values()),
        ),
        "numbered": [word for word in anchors if not word.isalpha() and _has_digit(word)],
        "releases": table["releases"],
        "files": table["files"],
        "classes": table["classes"],
        "public": table["public"],
    }


def ready(packed: Packed) -> Origins:
    """The table as the matcher reads it, and for each text the places in which it stands."""
    messages = Messages(packed)
    return {
        "holes": {kind: list(hole) for kind, hole in HOLES.items()},
        "traces": {},
        "wordings": cast("list[WordingEntry]", messages),
        "messages": messages,
        "anchors": Anchors(*packed["anchors"]),
        "numbered": packed["numbered"],
        "releases": packed["releases"],
        "files": packed["files"],
        "classes": packed["classes"],
        "public": packed["public"],
    }


def load(table: Table) -> Origins:
    """A table, packed and made ready at once."""
    return ready(pack(table))


def _has_digit(word: str) -> bool:
    return any(c in "0123456789" for c in word)


def _anchors(vocabularies: list[set[str]]) -> dict[str, list[int]]:
    """The rarest words of each message -> the numbers of the messages that they lead to."""
    frequency = Counter(word for vocabulary in vocabularies for word in vocabulary)
    fit = [word for word in frequency if len(word) > 2 and _HOLE not in word and not word.isdigit()]
    fit.sort(key=lambda word: (frequency[word], -len(word), word))
    rank = {word: at for at, word in enumerate(fit)}
    anchors: dict[str, list[int]] = {}
    for number, vocabulary in enumerate(vocabularies):
        for word in sorted(rank.keys() & vocabulary, key=rank.__getitem__)[:ANCHORS]:
            anchors.setdefault(word, []).append(number)
    return anchors


def _words(text: str) -> set[str]:
    """The words at a template's beginning; those glued to the value of a hole hold _HOLE."""
    text = text.replace("{{", " ").replace("{:int}", _HOLE).replace("{}", _HOLE)
    beginning = words(text[:SOUGHT])
    return set(beginning if len(text) <= SOUGHT else beginning[:-1])


def parts(text: str) -> list[Part]:
    """A template as the matcher takes it: literals and ["", kind] in turn, a literal first.

    Its lines are as those of a text are when they are compared: without a logger's prefix, with
    single blanks. What varies at its beginning is left out, with the rest of a word that it is
    glued to. A hole takes anything where the matcher could not tell its end.
    """
    lines = [
        " ".join(filter(None, strip_prefix(line).split(" ")))
        for line in normalise(text).split("\n")
    ]
    first, *rest = "\n".join(lines).strip("\n").replace("{{", "\0").split("{")
    made: list[Part] = []
    left = SOUGHT
    for number, piece in enumerate([f"}}{first}", *rest]):
        kind, _, literal = piece.partition("}")
        literal = literal.replace("}}", "}").replace("\0", "{")
        if made:
            _add_hole(made, kind[1:], literal)
        elif number:
            literal = literal.lstrip(_WORD).lstrip(" \n")
        if len(literal) > left and (end := _cut(literal, left)) < len(literal):
            literal = literal[:end].rstrip(" \n")
            return [*made, literal, ["", "line"]] if literal else [*made[:-1], ["", "line"]]
        left = max(0, left - len(literal))
        made += [literal] if literal else []
    if made and isinstance(made[-1], str):
        made[-1] = made[-1].rstrip(" \n")
    return made if made[-1:] != [""] else made[:-1]


def _add_hole(made: list[Part], kind: str, literal: str) -> None:
    """Add a hole before a literal; two holes in a row are one, which takes anything."""
    if not isinstance(made[-1], str):
        made[-1] = ["", "line"]
        return
    told = kind in HOLES and not (literal and literal[0] in HOLES[kind][0])
    made.append(["", kind if told else "line"])


def _cut(literal: str, left: int) -> int:
    """Where a literal of more than `left` letters is cut: behind a word, where its line goes on.

    A hole stands for the rest of the line, and no hole takes nothing: before a line's end, or
    before a full stop alone, none would ever match.
    """
    end = left
    while True:
        end = len(literal) - len(literal[end:].lstrip(_WORD))
        if end == len(literal) or literal[end:].partition("\n")[0].strip(" ,."):
            return end
        end += 1


def module_of(file: str) -> str:
    """`torch/amp/__init__.py` is torch.amp."""
    return file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def qualified(file: str, function: str) -> str:
    """The name of a function with that of its module, where it is Python's."""
    return f"{module_of(file)}.{function}".removesuffix(".") if file.endswith(".py") else function


def defined(public: dict[str, str], name: str) -> str:
    """The public function or class that a name is, or is a part of; "" where there is none."""
    while name and name not in public:
        name = name.rpartition(".")[0]
    return name
