"""Matching: where in a text the wordings of an index stand. No regular expressions; linear in the text, whatever it holds."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate
from typing import Any

from .clean import WORD, is_source, plain, printed_type, strip_prefix

_NO_DIGITS = {ord(digit): None for digit in "0123456789"}
#: Lines read before and after a line that holds an anchor: a wrapped message has its rare words in one of them.
CONTEXT = 4
#: Lines with the same anchor beyond which the word alone is not enough, and places of one wording that are read in one segment.
FREQUENT = 64
#: Places of one segment at which a wording is tried: a text that begins a message more often and never ends it is no message.
TRIES = 1000
#: Characters that are split into words at once.
STRETCH = 1000
#: Characters of a line that are read: its two halves are its beginning and its end. Nothing prints a longer line, but a file may be one.
LONG = 200_000
#: Letters below which a wording is not sought in squeezed text, where words have no ends.
SQUEEZABLE = 16


def occurrences(index: dict[str, Any], clean: str, lines: list[str]) -> list[dict[str, Any]]:
    """Every place where a wording is printed: wording, line (from 0), values, what stands before and after it in its line ("" through squeezed text)."""
    anchors = index["anchors"]
    found: list[dict[str, Any]] = []
    stands: dict[str, bool] = {}  # texts of conditions -> whether they stand in the paste
    for start, end in _segments(_anchor_lines(index, clean, lines), len(lines)):
        numbers, texts, source = _read(lines, start, end)
        joined = "\n".join(texts)
        present = _distinct_words(plain(joined))
        squeezed = ""
        ends: dict[bool, list[int]] = {}  # where each line ends, in the joined and in the squeezed text
        for candidate in sorted({number for word in anchors.keys() & present for number in anchors[word]}):
            wording = index["wordings"][candidate]
            here = _match_all(index, wording, wording["parts"], joined, False)
            through_squeeze = False
            if not here and _letters(wording["parts"]) >= SQUEEZABLE:
                squeezed = squeezed or joined.replace("\n", "").replace(" ", "")
                parts = [part.replace(" ", "") if isinstance(part, str) else part for part in wording["parts"]]
                here = _match_all(index, wording, parts, squeezed, True)
                through_squeeze = True
            if not here or not _conditions(index.get("traces", {}), wording, clean, stands):
                continue
            if through_squeeze not in ends:
                ends[through_squeeze] = list(accumulate(len(text.replace(" ", "")) if through_squeeze else len(text) + 1 for text in texts))
            for at, stop, values in here:
                offsets = ends[through_squeeze]
                row = bisect_right(offsets, at)
                if source[row] or not _when(wording, values):
                    continue
                column = at - (offsets[row - 1] if row else 0)
                before = texts[row] if through_squeeze else texts[row][:column]
                found.append(
                    {
                        "wording": candidate,
                        "line": numbers[row],
                        "values": values,
                        "start": at,
                        "stop": stop,
                        "segment": start,
                        "squeezed": through_squeeze,
                        "before": "" if through_squeeze else before,
                        "after": "" if through_squeeze else joined[stop : (joined.find("\n", stop) + 1 or len(joined) + 1) - 1],
                        "type": printed_type(before),
                        "letters": _letters(wording["parts"]),
                    }
                )
    return found


def _distinct_words(plain: str) -> set[str]:
    """What stands between blanks, each once. A stretch that comes again is not split again; one list of all words would cost more still."""
    stretches: set[str] = set()
    at = 0
    while at < len(plain):
        end = plain.find(" ", at + STRETCH)
        end = end if end >= 0 else len(plain)
        stretches.add(plain[at:end])
        at = end
    found: set[str] = set()
    for stretch in stretches:
        found.update(stretch.split())
    return found


def _anchor_lines(index: dict[str, Any], clean: str, lines: list[str]) -> list[int]:
    """Numbers (from 0) of the lines that hold an anchor, ascending.

    A word that stands in many lines leads nowhere by itself: there a wording's longest literal must stand as it is, and of the lines
    that hold it the first and the last are read. That bounds what a hostile text can cost.
    """
    spaced = f" {plain(clean)} "
    # Most of a log is the same words over and over, with other numbers: without digits few are left to compare.
    there = _distinct_words(spaced.translate(_NO_DIGITS))
    present = list(index["anchors"].keys() & there)
    present += [word for word in index.get("numbered", index["anchors"]) if not word.isalpha() and word not in there and word.translate(_NO_DIGITS) in there]
    if not present:
        return []
    starts = [0, *accumulate(len(line) + 1 for line in lines)]
    found: set[int] = set()
    for word in present:
        numbers = _lines_with(word, spaced, starts, FREQUENT + 1)
        if len(numbers) > FREQUENT:
            numbers = []
            for number in index["anchors"][word]:
                literal = max((part for part in index["wordings"][number]["parts"] if isinstance(part, str)), key=len)
                at = end = -1
                for _ in range(FREQUENT // 2):
                    at = clean.find(literal, at + 1)
                    if at < 0:
                        break
                    numbers.append(bisect_right(starts, at) - 1)
                    at = starts[numbers[-1] + 1] - 1
                end = len(clean)
                for _ in range(FREQUENT // 2 if at >= 0 else 0):
                    end = clean.rfind(literal, 0, end)
                    if end < 0:
                        break
                    numbers.append(bisect_right(starts, end) - 1)
                    end = starts[numbers[-1]]
        found.update(numbers)
    return sorted(found)


def _lines_with(word: str, plain: str, starts: list[int], most: int) -> list[int]:
    """Numbers of the first `most` lines in which `word` stands alone: between blanks, which `plain` has at its ends, too."""
    found: list[int] = []
    word = f" {word} "
    at = plain.find(word)  # of the blank before the word, which is where the word begins in the text without that first blank
    while at >= 0 and len(found) < most:
        found.append(bisect_right(starts, at) - 1)
        at = plain.find(word, starts[found[-1] + 1])  # the rest of the line need not be searched
    return found


def _segments(wanted: list[int], count: int) -> list[tuple[int, int]]:
    """Ranges of line numbers around the wanted ones, merged where they touch."""
    segments: list[tuple[int, int]] = []
    for number in wanted:
        start, end = max(0, number - CONTEXT), min(count, number + CONTEXT + 1)
        if segments and start <= segments[-1][1]:
            segments[-1] = (segments[-1][0], end)
        else:
            segments.append((start, end))
    return segments


def _letters(parts: list[Any]) -> int:
    """Literal characters of a wording, without blanks: how much it tells."""
    return sum(len(part.replace(" ", "")) for part in parts if isinstance(part, str))


def _read(lines: list[str], start: int, end: int) -> tuple[list[int], list[str], list[bool]]:
    """Cleaned lines of a segment: their numbers, their texts (single blanks), and whether each is quoted source code."""
    numbers: list[int] = []
    texts: list[str] = []
    source: list[bool] = []
    previous = ""
    for number in range(start, end):
        line = lines[number]
        if len(line) > LONG:
            line = line[: LONG // 2] + line[-LONG // 2 :]
        # A traceback inside a repr or a JSON string: one line with written-out line ends.
        for piece in line.split("\\n") if line.count("\\n") > 1 else [line]:
            text = strip_prefix(piece)
            if "  " in text:
                text = " ".join(text.split())
            numbers.append(number)
            texts.append(text)
            source.append(is_source(text, previous))
            if text:
                previous = text
    return numbers, texts, source


def _conditions(traces: dict[str, list[str]], wording: dict[str, Any], clean: str, stands: dict[str, bool]) -> bool:
    def has(text: str) -> bool:
        if text not in stands:
            stands[text] = any(trace in clean for trace in traces.get(text, (text,)))
        return stands[text]

    near, unless = wording.get("near"), wording.get("unless")
    return (not near or any(map(has, near))) and not (unless and any(map(has, unless)))


def _when(wording: dict[str, Any], values: dict[str, str]) -> bool:
    when = wording.get("when")
    if not when:
        return True
    return (_device(values.get(when[1], "")) != _device(values.get(when[2], ""))) == (when[0] == "differ")


def _device(value: str) -> str:
    """The device that a tensor type's name speaks of: torch.cuda.FloatTensor, CUDAHalfType, mps:0."""
    lower = value.lower()
    return next((name for name in ("cuda", "mps", "xpu", "hip", "xla", "meta", "npu", "hpu", "mlu", "musa", "privateuse", "dml") if name in lower), "cpu")


def _match_all(index: dict[str, Any], wording: dict[str, Any], parts: list[Any], text: str, squeezed: bool) -> list[tuple[int, int, dict[str, str]]]:
    """All places where `parts` stand in `text`: (start, stop, values)."""
    # A glance for every literal first: it spares the walk from each place where a message only begins.
    if not all(part in text for part in parts if isinstance(part, str)):
        return []
    found = []
    first = parts[0]
    at = text.find(first)
    for _ in range(TRIES):
        if at < 0 or len(found) == FREQUENT:
            break
        made = _match_at(index["holes"], parts, text, at, squeezed)
        if made and (squeezed or _whole_words(text, at, made[0], first, parts[-1])):
            found.append((at, *made))
            at = text.find(first, max(made[0], at + 1))
        else:
            at = text.find(first, at + 1)
    return found


def _whole_words(text: str, start: int, stop: int, first: str, last: Any) -> bool:
    """Neither end of the match lies inside a word."""
    if start and first[0] in WORD and text[start - 1] in WORD:
        return False
    return not (stop < len(text) and isinstance(last, str) and last[-1] in WORD and text[stop] in WORD)


def _match_at(holes: dict[str, Any], parts: list[Any], text: str, at: int, squeezed: bool) -> tuple[int, dict[str, str]] | None:
    """Walk literals and holes from `at`; (stop, values), or None."""
    values: dict[str, str] = {}
    for position, part in enumerate(parts):
        if isinstance(part, str):
            if not text.startswith(part, at):
                return None
            at += len(part)
            continue
        name, kind = part
        table, cap = holes[kind]
        following = parts[position + 1] if position + 1 < len(parts) else None
        if following is not None and (squeezed or kind in ("line", "bytes")):
            # Without blanks the end of a value is where the next literal begins; so it is where a value holds what literals begin with.
            end = text.find(following, at, at + cap + len(following))
            if end < 0:
                return None
            value = text[at:end]
            if "\n" in value if kind == "line" else value.strip(table + " "):
                return None
        elif kind == "line":
            end = text.find("\n", at, at + cap)
            end = end if end >= 0 else min(len(text), at + cap)
        else:
            rest = text[at : at + cap]
            end = at + len(rest) - len(rest.lstrip(table))
        value = text[at:end].strip(" ,.")
        if not value:
            return None
        if name and not (squeezed and (kind == "line" or following is None)):
            values[name] = value
        at = end
    return at, values
