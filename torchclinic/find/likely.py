"""Wordings that a text nearly prints: retyped, in another case, without its numbers, or cut short.

Words are compared, in their order, without case, numbers and punctuation. All words of a wording
must stand close together in one line, or its first words at the end of one, where no other
symptom's wording begins with them. Asked only where nothing is printed as it is.
docs/assets/likely.js is the twin.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, TypedDict

from .clean import is_source, plain, printed_type, strip_prefix

if TYPE_CHECKING:
    from .answer import Index, WordingEntry

#: Lines that are read of the beginning of a text, where a title stands, and of its end.
BEGIN, END = 40, 260
#: Characters of a line that are read.
LONG = 500
#: Words and letters below which a wording says too little to be believed with mistakes in it.
WORDS, LETTERS = 3, 16
#: The same of its beginning alone.
HEAD_WORDS, HEAD_LETTERS = 4, 20
#: Letters of a wording that tell whose it is without another sign.
PLENTY = 30
#: What PyTorch raises and few others do.
RAISED = ("RuntimeError", "OutOfMemoryError", "AcceleratorError")
#: Words that may stand between two words of a wording, all together a part of how many it has.
BETWEEN = 0.6
#: Ways to write one thing.
ALIKE = (
    *((" cant ", " can not "), (" dont ", " do not "), (" doesnt ", " does not ")),
    *(("can't", "can not"), ("cannot", "can not"), ("n't", " not"), ("it's", "it is")),
)
#: Stands between wordings where many are read at once; a word of none.
BOUNDARY = "__next_wording__"
_DIGITS = "0123456789"
_SMALL = {capital: capital + 32 for capital in range(ord("A"), ord("Z") + 1)}


class Likely(TypedDict):
    symptom: str
    wording: int
    line: int  # from 0
    text: str  # that line, cleaned
    whole: bool  # all words of the wording, not its first words alone


def begins(index: Index) -> dict[str, list[int]]:
    """The first words of wordings -> their numbers; of remarks and of other than ASCII none."""
    texts = [
        "" if wording.get("role") == "remark" else _text(wording) for wording in index["wordings"]
    ]
    # As one text: of thousands a call each would take longer than all else.
    joined = f" {BOUNDARY} ".join(text if text.isascii() else "" for text in texts)
    found: dict[str, list[int]] = {}
    number, first = 0, True
    for word in telling(joined):
        if word == BOUNDARY:
            number, first = number + 1, True
        elif first:
            found.setdefault(word, []).append(number)
            first = False
    return found


class Likeness:
    """The words of an index's wordings, each wording's when they are first asked for."""

    def __init__(self, index: Index, begins_: Mapping[str, list[int]] | None = None):
        """Args:
        begins_: what `begins` gives of the index, where it was kept.
        """
        self.index = index
        self.begins = begins(index) if begins_ is None else begins_
        self.words = _Words(index)

    def find(self, clean: str, lines: list[str]) -> list[Likely]:
        """The symptoms whose wordings stand in these lines nearly, those that tell most first."""
        found: dict[str, tuple[tuple[bool, int, int], Likely]] = {}
        for number, text in _read(lines):
            line = telling(text)
            for start, word in enumerate(line):
                for candidate in self.begins.get(word, ()):
                    if not (matched := self._matched(candidate, line, start)):
                        continue
                    wording = self.index["wordings"][candidate]
                    letters = sum(map(len, self.words[candidate][:matched]))
                    whole = matched == len(self.words[candidate])
                    plenty = letters >= PLENTY
                    told = line[start : start + matched] == self.words[candidate][:matched]
                    signed = told and (whole or plenty) and _raised_by_torch(wording, text)
                    if not self._allowed(wording, signed, whole and plenty, clean):
                        continue
                    key = (whole, letters, number)
                    if wording["symptom"] not in found or found[wording["symptom"]][0] < key:
                        found[wording["symptom"]] = (
                            key,
                            {
                                "symptom": wording["symptom"],
                                "wording": candidate,
                                "line": number,
                                "text": text,
                                "whole": whole,
                            },
                        )
        ordered = sorted(found.values(), key=lambda item: item[0], reverse=True)
        return [likely for _, likely in ordered]

    def _matched(self, candidate: int, line: list[str], start: int) -> int:
        """How many words of a wording stand in the line from `start` on; 0 if too few."""
        words = self.words[candidate]
        count = skipped = skipped_at = 0
        at = start
        for word in words:
            while at < len(line) and line[at] != word and skipped <= BETWEEN * len(words):
                at += 1
                skipped += 1
            if at >= len(line) or line[at] != word:
                break
            at, count, skipped_at = at + 1, count + 1, skipped
        letters = sum(map(len, words[:count]))
        if count == len(words):
            enough = count >= WORDS and letters >= LETTERS
            return count if enough and self._one_symptom(words, whole=True) else 0
        # What follows may say otherwise, but the piece of a word at the end of what was cut.
        rest = line[start + count + skipped_at :]
        ends = not rest or (len(rest) == 1 and words[count].startswith(rest[0]))
        cut = ends or letters >= PLENTY
        if not cut or skipped_at > 1 or count < HEAD_WORDS or letters < HEAD_LETTERS:
            return 0
        return count if self._one_symptom(words[:count], whole=False) else 0

    def _one_symptom(self, words: list[str], whole: bool) -> bool:
        """Is there one symptom alone whose wordings begin with these words, or are `whole` they?"""
        alike = (n for n in self.begins[words[0]] if self.words[n][: len(words)] == words)
        symptoms = {
            self.index["wordings"][number]["symptom"]
            for number in alike
            if not whole or len(self.words[number]) == len(words)
        }
        return len(symptoms) == 1

    def _allowed(self, wording: WordingEntry, signed: bool, plenty: bool, clean: str) -> bool:
        """Do the conditions of the wording hold?

        One that says little, or that other programs print too, asks for signs of a model's code,
        or of PyTorch's own exceptions.
        """
        near, unless = wording.get("near"), wording.get("unless", [])
        asks = (unless or not plenty) and not signed
        if asks and not self._any(["model-code"], clean):
            return False
        return (not near or self._any(near, clean)) and not self._any(
            [*unless, "gpu-programs"], clean
        )

    def _any(self, names: Iterable[str], clean: str) -> bool:
        traces = self.index["traces"]
        return any(text in clean for name in names for text in traces.get(name, (name,)))


class _Words(dict[int, list[str]]):
    """The number of a wording -> its words."""

    def __init__(self, index: Index):
        super().__init__()
        self._wordings = index["wordings"]

    def __missing__(self, number: int) -> list[str]:
        self[number] = telling(_text(self._wordings[number]))
        return self[number]


def _text(wording: WordingEntry) -> str:
    return " ".join(part for part in wording["parts"] if isinstance(part, str))


def _raised_by_torch(wording: WordingEntry, line: str) -> bool:
    """Does a line begin with an exception that few others raise, and may the wording have it?"""
    type_ = printed_type(line)
    return type_ in RAISED and type_ in (wording.get("exception", type_), *wording.get("also", []))


def telling(text: str) -> list[str]:
    """The words of a text that are compared: in small letters, without numbers and sizes."""
    text = f" {text.translate(_SMALL)} "
    for said, same in ALIKE:
        text = text.replace(said, same)
    return [word for word in plain(text).split() if word.strip(_DIGITS + "x")]


def _read(lines: list[str]) -> list[tuple[int, str]]:
    """Numbered lines that may hold a message, cleaned: no frames and no quoted code."""
    numbers = [*range(min(len(lines), BEGIN)), *range(max(BEGIN, len(lines) - END), len(lines))]
    read = []
    previous = ""
    for number in numbers:
        text = strip_prefix(lines[number][:LONG])
        if text and not is_source(text, previous) and not text.startswith('File "'):
            read.append((number, text))
        previous = text or previous
    return read
