"""The table of PyTorch's messages (facts/origins.json.gz), as the matcher reads it.

tools/origins/table.py makes the table and says what it holds; docs/assets/origins-table.js is the
twin. A template is a text with holes, `{}` or `{:int}`, and doubled braces. Its parts are sought
as a wording's are, with the same matcher: literals, holes, rare words, no regular expressions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast
from zlib import crc32

from .blocks import Blocks, split
from .clean import WORD, normalise, strip_prefix, words
from .wording import HOLES

if TYPE_CHECKING:
    from .answer import Origins, Part, Table, WordingEntry

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
#: Texts of an entry of a packed table, and entries among which its rare words are spread: an error
#: whose words are not PyTorch's should read little of it.
BLOCK, BUCKETS = 16, 256
#: Of a table, what a packed one holds as it is.
LISTED = ("notice", "releases", "files", "classes", "public")
#: The table as an installed package holds it, by name: what is `LISTED`, `numbered` (rare words
#: with digits), `texts` in blocks (each with its rows: the fields of `Template` but its text),
#: `anchors/N` (rare words, and the numbers of their texts).
Packed = Mapping[str, Any]
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


class Message(dict[str, "list[Part]"]):
    """A text that PyTorch prints: to the matcher a wording, whose parts are made when they are
    first asked for, since those of most never are."""

    def __init__(self, text: str, rows: list[list[Any]]):
        super().__init__()
        self.text, self._rows = text, rows

    @cached_property
    def places(self) -> list[Template]:
        """Where it is written, of the newest release first."""
        places = [Template._make([self.text, *row]) for row in self._rows]
        return sorted(places, key=lambda place: -place.last)

    def __missing__(self, key: str) -> list[Part]:
        if key != "parts":
            raise KeyError(key)
        self[key] = parts(self.text)
        return self[key]


class Messages(Blocks[Message]):
    """The texts of a packed table, each a message when it is first asked for."""

    def __init__(self, packed: Packed):
        super().__init__(packed, "texts")
        self._made: dict[int, Message] = {}

    def __getitem__(self, number: Any) -> Any:
        if isinstance(number, slice):
            return super().__getitem__(number)
        if number not in self._made:
            text, rows = super().__getitem__(number)
            self._made[number] = Message(text, rows)
        return self._made[number]


class Anchors(Mapping[str, list[int]]):
    """Rare words, and the numbers of the texts that each leads to."""

    def __init__(self, packed: Packed):
        self._packed = packed

    def __getitem__(self, word: str) -> list[int]:
        numbers: list[int] = self._packed[_bucket(word)][word]
        return numbers

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and word in self._packed[_bucket(word)]

    def __iter__(self) -> Iterator[str]:
        for bucket in range(BUCKETS):
            yield from self._packed[f"anchors/{bucket}"]

    def __len__(self) -> int:
        return sum(1 for _ in self)


def _bucket(word: str) -> str:
    return f"anchors/{crc32(word.encode()) % BUCKETS}"


def rows(table: Table) -> Iterator[Template]:
    """The templates of a table, one by one."""
    return map(Template._make, zip(*table["templates"], strict=True))


def pack(table: Table) -> dict[str, Any]:
    """A table with its words counted, once for all who will ask it; as `Packed`."""
    by_text: dict[str, list[list[Any]]] = {}
    for template in rows(table):
        by_text.setdefault(template.text, []).append(list(template[1:]))
    texts = [*by_text.items()]
    anchors = _anchors([_words(text) for text in by_text])
    packed: dict[str, Any] = {name: table.get(name, "") for name in LISTED}
    packed["numbered"] = [word for word in anchors if not word.isalpha() and _has_digit(word)]
    packed |= split(texts, "texts", BLOCK)
    packed |= {f"anchors/{bucket}": {} for bucket in range(BUCKETS)}
    for word, numbers in anchors.items():
        packed[_bucket(word)][word] = numbers
    return packed


def ready(packed: Packed) -> Origins:
    """The table as the matcher reads it, and for each text the places in which it stands."""
    messages = Messages(packed)
    return {
        "holes": {kind: list(hole) for kind, hole in HOLES.items()},
        "traces": {},
        "wordings": cast("list[WordingEntry]", messages),
        "messages": messages,
        "anchors": Anchors(packed),
        "numbered": packed["numbered"],
        "packed": packed,
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
