"""A pasted text, cleaned, and what is asked of it again and again: lines, words, frames."""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property
from itertools import accumulate

from .clean import plain, printed_type, strip_prefix

#: One of these stands in a line that names a place of a traceback: Python's, IPython's, an older
#: IPython's.
PLACES = ('File "', "File ~", "File /", "Cell In", "-->", ".py in ")
#: With these such a line begins, without its prefix; or it holds the last of PLACES.
FRAMES = ("File ", "Cell In", "--")


class Pasted:
    """
    Attributes:
        clean: what `clean.normalise` makes of a paste.
        lines: of it.
    """

    def __init__(self, clean: str) -> None:
        self.clean, self.lines = clean, clean.split("\n")
        self._said: dict[str, bool] = {}

    @cached_property
    def starts(self) -> list[int]:
        """Where each line begins; behind the last, where one more would begin."""
        return [0, *accumulate(len(line) + 1 for line in self.lines)]

    def line_at(self, offset: int) -> int:
        return bisect_right(self.starts, offset) - 1

    @cached_property
    def spaced(self) -> str:
        """The words, where they stand, with blanks for all else and one more at both ends."""
        return f" {plain(self.clean)} "

    @cached_property
    def _kinds(self) -> bytes:
        """The lines without their digits, each once: most of a log is the same few, counting."""
        bare = self.clean.encode("utf-8", "surrogatepass").translate(None, b"0123456789")
        return b"\n%b\n" % b"\n".join(set(bare.split(b"\n")))

    @cached_property
    def words(self) -> set[str]:
        """The words without their digits."""
        return set(plain(self._kinds.decode("utf-8", "surrogatepass")).split())

    def says(self, text: str) -> bool:
        """Does this stand in the text?"""
        if text not in self._said:
            self._said[text] = self._may_say(text) and text in self.clean
        return self._said[text]

    def _may_say(self, text: str) -> bool:
        """False where the kinds of lines, which are soon searched, rule it out."""
        bare = text.encode("utf-8", "surrogatepass").translate(None, b"0123456789")
        return all(line in self._kinds for line in bare.split(b"\n"))

    def lines_with(self, word: str, most: int) -> list[int]:
        """Numbers of the first `most` lines in which `word` stands alone."""
        numbers: list[int] = []
        word = f" {word} "
        # Where the blank before the word stands in `spaced`, there the word stands in the text.
        at = self.spaced.find(word)
        while at >= 0 and len(numbers) < most:
            numbers.append(self.line_at(at))
            at = self.spaced.find(word, self.starts[numbers[-1] + 1])
        return numbers

    def first_and_last(self, literal: str, most: int) -> list[int]:
        """Numbers of the first and the last `most` lines in which `literal` begins."""
        numbers: list[int] = []
        if not self.says(literal):
            return numbers
        at = -1
        for _ in range(most):
            at = self.clean.find(literal, at + 1)
            if at < 0:
                return numbers
            numbers.append(self.line_at(at))
            at = self.starts[numbers[-1] + 1] - 1
        end = len(self.clean)
        for _ in range(most):
            end = self.clean.rfind(literal, 0, end)
            if end < 0:
                break
            numbers.append(self.line_at(end))
            end = self.starts[numbers[-1]]
        return numbers

    @cached_property
    def frames(self) -> str:
        """The lines of tracebacks that name a place, each with the line of code below it."""
        marked: set[int] = set()
        for mark in PLACES:
            at = self.clean.find(mark)
            while at >= 0:
                number = self.line_at(at)
                marked.add(number)
                at = self.clean.find(mark, self.starts[number + 1] - 1)
        kinds: dict[str, bool] = {}  # line -> does it name a place?
        kept: list[str] = []
        for number in sorted(marked):
            line = self.lines[number]
            if line not in kinds:
                kinds[line] = _names_place(strip_prefix(line))
            if not kinds[line]:
                continue
            kept.append(line)
            if number + 1 < len(self.lines) and number + 1 not in marked:
                below = self.lines[number + 1]
                if not printed_type(strip_prefix(below)):
                    kept.append(below)
        return "\n".join(kept)


def _names_place(text: str) -> bool:
    return text.startswith(FRAMES) or PLACES[-1] in text
