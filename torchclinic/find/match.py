"""Matching: where in a text the wordings of an index stand. Linear in the text, whatever it holds.

No regular expressions: a wording is walked literal by literal. docs/assets/match.js is the twin.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from .clean import DIGITS, WORD, is_source, printed_type, strip_prefix, words
from .pasted import Pasted

if TYPE_CHECKING:
    from .answer import Holes, Occurrence, Part, Patterns, WordingEntry

#: Lines read before and after a line that holds an anchor: a wrapped message has its rare words in
#: one of them.
CONTEXT = 4
#: Lines with the same anchor beyond which the word alone is not enough, and places of one wording
#: that are read in one segment.
FREQUENT = 64
#: Places of one segment at which a wording is tried: a text that begins a message more often and
#: never ends it is no message.
TRIES = 1000
#: Characters of a line that are read: its two halves are its beginning and its end. Nothing prints
#: a longer line, but a file may be one.
LONG = 200_000
#: Letters below which a wording is not sought in squeezed text, where words have no ends.
SQUEEZABLE = 16
#: What a tensor type or a device is named by: torch.cuda.FloatTensor, CUDAHalfType, mps:0.
DEVICES = (
    *("cuda", "mps", "xpu", "hip", "xla", "meta"),
    *("npu", "hpu", "mlu", "musa", "privateuse", "dml"),
)
#: Where a wording begins and ends, and the values of its holes.
Span = tuple[int, int, dict[str, str]]
_NO_DIGITS = {ord(digit): None for digit in DIGITS}


def occurrences(index: Patterns, pasted: Pasted) -> list[Occurrence]:
    """Every place where a wording is printed."""
    anchors = index["anchors"]
    places: list[Occurrence] = []
    for start, end in _ranges(_anchor_lines(index, pasted), len(pasted.lines)):
        segment = _Segment(pasted.lines, start, end)
        present = anchors.keys() & set(words(segment.joined))
        for number in sorted({number for word in present for number in anchors[word]}):
            places += _of_wording(index, number, segment, pasted)
    return places


def _of_wording(
    index: Patterns, number: int, segment: _Segment, pasted: Pasted
) -> Iterator[Occurrence]:
    """Where a segment prints one wording: as it is, else through squeezed text."""
    wording = index["wordings"][number]
    parts, letters = wording["parts"], _letters(wording["parts"])
    squeezed = False
    spans = _spans(index["holes"], parts, segment.joined, squeezed)
    if not spans and letters >= SQUEEZABLE:
        squeezed = True
        parts = [part.replace(" ", "") if isinstance(part, str) else part for part in parts]
        spans = _spans(index["holes"], parts, segment.squeezed, squeezed)
    if not spans or not _stands(index["traces"], wording, pasted):
        return
    for start, stop, values in spans:
        row, column = segment.place(start, squeezed)
        if segment.source[row] or not _when(wording, values):
            continue
        line = segment.texts[row]
        yield {
            "wording": number,
            "line": segment.numbers[row],
            "values": values,
            "start": start,
            "stop": stop,
            "segment": segment.start,
            "squeezed": squeezed,
            "before": "" if squeezed else line[:column],
            "after": "" if squeezed else segment.joined[stop:].partition("\n")[0],
            "type": printed_type(line if squeezed else line[:column]),
            "letters": letters,
        }


def _anchor_lines(index: Patterns, pasted: Pasted) -> list[int]:
    """Numbers (from 0) of the lines that hold an anchor, ascending.

    A word that stands in many lines leads nowhere by itself: there a wording's longest literal must
    stand as it is, and of the lines that hold it the first and the last are read. That bounds what
    a hostile text can cost.
    """
    present = [
        *(index["anchors"].keys() & pasted.words),
        *(word for word in index["numbered"] if word.translate(_NO_DIGITS) in pasted.words),
    ]
    lines: set[int] = set()
    for word in present:
        numbers = pasted.lines_with(word, FREQUENT + 1)
        if len(numbers) <= FREQUENT:
            lines.update(numbers)
            continue
        for number in index["anchors"][word]:
            parts = index["wordings"][number]["parts"]
            literal = max((part for part in parts if isinstance(part, str)), key=len)
            lines.update(pasted.first_and_last(literal, FREQUENT // 2))
    return sorted(lines)


def _ranges(wanted: list[int], count: int) -> list[tuple[int, int]]:
    """Ranges of line numbers around the wanted ones, merged where they touch."""
    ranges: list[tuple[int, int]] = []
    for number in wanted:
        start, end = max(0, number - CONTEXT), min(count, number + CONTEXT + 1)
        if ranges and start <= ranges[-1][1]:
            ranges[-1] = (ranges[-1][0], end)
        else:
            ranges.append((start, end))
    return ranges


class _Segment:
    """Lines of a text, cleaned.

    Attributes:
        start: number of its first line.
        numbers: of its lines; one line may be several texts.
        texts: without prefixes, with single blanks.
        source: is it quoted code?
    """

    def __init__(self, lines: list[str], start: int, end: int) -> None:
        self.start = start
        self.numbers: list[int] = []
        self.texts: list[str] = []
        self.source: list[bool] = []
        previous = ""
        for number in range(start, end):
            for piece in _pieces(lines[number]):
                text = strip_prefix(piece)
                if "  " in text:
                    text = " ".join(text.split())
                self.numbers.append(number)
                self.texts.append(text)
                self.source.append(is_source(text, previous))
                previous = text or previous
        self.joined = "\n".join(self.texts)

    @cached_property
    def squeezed(self) -> str:
        return self.joined.replace("\n", "").replace(" ", "")

    @cached_property
    def _ends(self) -> list[int]:
        """Where each text ends, in `joined`."""
        return list(accumulate(len(text) + 1 for text in self.texts))

    @cached_property
    def _squeezed_ends(self) -> list[int]:
        return list(accumulate(len(text.replace(" ", "")) for text in self.texts))

    def place(self, offset: int, squeezed: bool) -> tuple[int, int]:
        """(number of the text, offset in it) of an offset in `joined` or in `squeezed`."""
        ends = self._squeezed_ends if squeezed else self._ends
        row = bisect_right(ends, offset)
        return row, offset - (ends[row - 1] if row else 0)


def _pieces(line: str) -> list[str]:
    if len(line) > LONG:
        line = line[: LONG // 2] + line[-LONG // 2 :]
    # A traceback inside a repr or a JSON string: one line with written-out line ends.
    return line.split("\\n") if line.count("\\n") > 1 else [line]


def _letters(parts: list[Part]) -> int:
    """Literal characters of a wording, without blanks: how much it tells."""
    return sum(len(part.replace(" ", "")) for part in parts if isinstance(part, str))


def _stands(traces: dict[str, list[str]], wording: WordingEntry, pasted: Pasted) -> bool:
    """Does a text hold what must stand near a wording, and nothing that must not?"""

    def says(name: str) -> bool:
        return any(map(pasted.says, traces.get(name, (name,))))

    near, unless = wording.get("near"), wording.get("unless")
    return (not near or any(map(says, near))) and not (unless and any(map(says, unless)))


def _when(wording: WordingEntry, values: dict[str, str]) -> bool:
    """Are the devices that two values name the same, or different ones, as the wording asks?"""
    if "when" not in wording:
        return True
    relation, *holes = wording["when"]
    first, second = (_device(values.get(hole, "").lower()) for hole in holes)
    return (first != second) == (relation == "differ")


def _device(value: str) -> str:
    return next((name for name in DEVICES if name in value), "cpu")


def _spans(holes: Holes, parts: list[Part], text: str, squeezed: bool) -> list[Span]:
    """All places where `parts` stand in `text`."""
    # A glance for every literal first: it spares the walk from each place where a message only
    # begins.
    if not all(part in text for part in parts if isinstance(part, str)):
        return []
    spans: list[Span] = []
    first, last = str(parts[0]), parts[-1]  # a wording begins with a literal
    at = text.find(first)
    for _ in range(TRIES):
        if at < 0 or len(spans) == FREQUENT:
            break
        span = _span_at(holes, parts, text, at, squeezed)
        if span and (squeezed or _whole_words(text, at, span[1], first, last)):
            spans.append(span)
            at = text.find(first, max(span[1], at + 1))
        else:
            at = text.find(first, at + 1)
    return spans


def _whole_words(text: str, start: int, stop: int, first: str, last: Part) -> bool:
    """Neither end of the match lies inside a word."""
    if start and first[0] in WORD and text[start - 1] in WORD:
        return False
    return not (
        stop < len(text) and isinstance(last, str) and last[-1] in WORD and text[stop] in WORD
    )


def _span_at(holes: Holes, parts: list[Part], text: str, start: int, squeezed: bool) -> Span | None:
    """Walk literals and holes from `start`."""
    values: dict[str, str] = {}
    at = start
    for part, following in zip(parts, [*parts[1:], None], strict=True):
        if isinstance(part, str):
            if not text.startswith(part, at):
                return None
            at += len(part)
            continue
        name, kind = part
        end = _hole_end(holes[kind], kind, following, text, at, squeezed)
        value = text[at:end].strip(" ,.") if end is not None else ""
        if end is None or not value:
            return None
        if name and not (squeezed and (kind == "line" or following is None)):
            values[name] = value
        at = end
    return start, at, values


def _hole_end(
    hole: list[Any], kind: str, following: Part | None, text: str, at: int, squeezed: bool
) -> int | None:
    """Where the value of a hole ends that begins at `at`; None where it cannot be one."""
    table: str = hole[0]
    cap: int = hole[1]
    if isinstance(following, str) and (squeezed or kind in ("line", "bytes")):
        # Without blanks the end of a value is where the next literal begins; so it is where a
        # value holds what literals begin with.
        end = text.find(following, at, at + cap + len(following))
        if end < 0:
            return None
        value = text[at:end]
        foreign = "\n" in value if kind == "line" else value.strip(table + " ") != ""
        return None if foreign else end
    if kind == "line":
        end = text.find("\n", at, at + cap)
        return end if end >= 0 else min(len(text), at + cap)
    rest = text[at : at + cap]
    return at + len(rest) - len(rest.lstrip(table))
