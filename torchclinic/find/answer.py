"""The shapes of what the lookup reads and of what it answers, as they are in JSON.

content/index.py makes an `Index`; match.py finds `Occurrence`s in a text; lookup.py answers an
`Answer`. docs/assets/types.d.ts has the same for the twins in JavaScript.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypedDict

from .condition import Tree
from .devices import Family
from .failure import Failure
from .hang import RollCall
from .ranks import First

if TYPE_CHECKING:
    from .origins_table import Message, Packed

#: Code of a language ("en", "zh") -> a text in it.
Texts = dict[str, str]
#: Of a wording: a literal, or a hole as [name ("" when nobody needs the value), kind].
Part = str | list[str]
#: Kind of hole -> [the characters it takes, the most of them].
Holes = dict[str, list[Any]]


class _Wording(TypedDict):
    symptom: str
    parts: list[Part]


class WordingEntry(_Wording, total=False):
    """What one wording prints. Texts of conditions are names of `Patterns.traces`, or texts."""

    exception: str
    also: list[str]  # exceptions that carry the same words
    role: str  # "cause" if left out
    near: list[str]  # one of these stands in the paste
    unless: list[str]  # none of these stands in the paste
    when: list[str]  # ["differ" or "same", hole, hole]: of the devices they name


class Patterns(TypedDict):
    """What match.py needs to find wordings."""

    holes: Holes
    traces: dict[str, list[str]]  # name -> the texts, one of which stands for it
    wordings: Sequence[WordingEntry]
    anchors: Mapping[str, list[int]]  # rare word -> numbers of the wordings that it leads to
    numbered: list[str]  # the anchors that hold digits


#: "if" is a word of Python's own, so this part of `CauseEntry` is written as a call.
_Conditions = TypedDict("_Conditions", {"if": Tree, "likely": Tree}, total=False)


class _Cause(TypedDict):
    row: str
    title: Texts


class CauseEntry(_Cause, _Conditions, total=False):
    """A row of a page's table of causes that a paste may decide for, or that is met most often."""

    case: str  # left out where the row leads to another page
    say: Texts  # the diagnosis, where the row has its own


class _Symptom(TypedDict):
    topic: str
    title: Texts
    outranks: list[str]  # stems


class Advice(TypedDict, total=False):
    """What is said of a symptom once a text was found to print it."""

    diagnosis: dict[str, list[str]]  # language -> sentences with {holes}
    pictures: list[list[str]]
    causes: list[CauseEntry]
    # The cause met most often, as [its number, threads of it, threads]: for all wordings, or for
    # each of them. Of few threads, the number alone.
    often: list[list[int]]


class SymptomEntry(_Symptom, Advice, total=False):
    recover: str


class Index(Patterns):
    """What `lookup.lookup` reads."""

    version: int
    tables: dict[str, dict[str, Any]]  # what docs/assets/*.js goes by, by module
    symptoms: Mapping[str, SymptomEntry]
    devices: list[Family]


class Occurrence(TypedDict):
    """A place where a wording is printed."""

    wording: int
    line: int  # from 0
    values: dict[str, str]
    start: int  # in its segment's text
    stop: int
    segment: int  # the line that the segment begins with
    squeezed: bool  # found in text without blanks and line ends
    before: str  # what stands before it in its line; "" if squeezed
    after: str
    type: str  # the exception class at the beginning of its line, or ""
    letters: int  # literal letters of the wording


class Cause(TypedDict):
    """The row of a table of causes that a text decides for."""

    row: str
    case: str
    title: Texts
    leaning: bool  # it is only the most likely one


class Often(TypedDict):
    """The row of a table of causes that most readers are served by."""

    row: str
    case: str
    title: Texts
    threads: list[int]  # of how many it was the matter, of all; [] where too few are known


class _Hit(TypedDict):
    symptom: str
    topic: str
    title: Texts
    recover: str
    line: int  # from 1, of the paste
    raw: str  # that line as pasted
    wording: str  # with its holes as \u27e8name\u27e9
    exception: str
    values: dict[str, str]
    why: list[str]  # codes of reasons
    cause: Cause | None
    often: Often | None  # where the text tells no cause
    row: str  # of the table of causes, shown first; "" where there is no table
    seen_in: list[str]  # stems of wrappers and of consequences


class Hit(_Hit, total=False):
    device: str  # id of the family of the reader's device, where the text tells one


class Place(TypedDict):
    """A place in PyTorch where a message is written."""

    name: str  # qualified, as far as it is known
    function: str  # the name within its file; "" where it has none
    file: str
    number: int  # of its line
    exception: str
    condition: str  # "" where none is known
    first: str  # release
    last: str
    unread: bool  # older releases than the first were not read for it
    public: str  # what people call the function or class, or what it is a part of, or ""
    documentation: str  # a search for that
    source: str  # its address at the newest release that has it
    raised: bool  # the text's traceback ends there


class Origin(TypedDict):
    """Where PyTorch writes what a text prints: what find/origins.py answers."""

    line: int  # from 1, of the text
    raw: str  # that line as pasted
    message: str  # the template, with \u2026 for what varies
    search: str  # of PyTorch's issues for its literal words: it holds nothing of the text
    places: list[Place]  # at most three


class Remark(TypedDict):
    """A warning beside what failed: it stopped nothing."""

    symptom: str
    line: int  # from 1


class _Answer(TypedDict):
    status: Literal["match", "ambiguous", "likely", "none", "empty", "binary", "origin"]
    hits: list[Hit]  # best first
    looked_for: str  # with "none": the line that was looked up, cleaned


class Answer(_Answer, total=False):
    report: str  # with "none": that line redacted
    origin: Origin  # with "origin"
    harmless: list[Remark]
    rung: Literal["sure", "likely", "origin", "cut", "other", "about", "none"]
    first: First  # of several processes the one that failed first
    hang: RollCall  # of dumps: who stands where
    failure: Failure  # of the rungs "cut" and "other"
    about: list[str]  # ids of pages, best first, at most three


class Lists(TypedDict):
    """What both twins of origins.py go by."""

    left_out: list[str]
    behind: list[str]
    rewritten: list[str]
    kept: list[str]
    source: str
    documented: str
    issues: str


class Table(TypedDict):
    """PyTorch's messages, as facts/origins.json.gz holds them."""

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


class Origins(Patterns):
    """The same, ready to be asked."""

    messages: Sequence[Message]
    packed: Packed
