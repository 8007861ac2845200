"""What to ask the search about a text that no wording knows: its title and what it says went wrong.

docs/assets/ladder.js holds the twin.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from .clean import is_source, plain, printed_type, strip_prefix

#: Lines of a text's beginning and of its end among which the telling ones are sought.
BEGIN, END = 60, 200
#: Characters of a query.
LONG = 200
#: Pages that are named at most, and results of one query that count.
NAMED, COUNTED = 3, 8
#: Lines that are also asked as one query, since what one says the other tells apart.
TOGETHER = 6
#: Marks around what people quote, and what stands before and behind such a quote.
MARKS, OUTSIDE = ('"', "'", "`"), " ,.:;!?()"
#: First lines of a text whose quotes are asked, and words of one.
QUOTED, WORDS = 3, 2
ERRORS = ("rror", "\u9519", "\u5f02\u5e38")
#: What a sentence holds that says what went wrong without an error, and what ends a sentence.
TROUBLE = (
    *("RAM", "memory", "illed", "rash", "hang", "stuck", "freez", "slow", " nan", "NaN", "`nan`"),
    *(
        "\u5185\u5b58",
        "\u663e\u5b58",
        "\u5361\u4f4f",
        "\u5361\u6b7b",
        "\u6740\u6b7b",
        "\u5f88\u6162",
    ),
)
STOPS = (". ", "? ", "! ", "\u3002", "\uff1f", "\uff01")
FRAMES = ('File "', "Traceback (most recent", "^", "~", "[")

#: Without one of these, or of trouble, in a text a page that covers a query badly is no help.
SIGNS = (
    *("torch", "Torch", "GPU", "gpu", "CUDA", "cuda", "HIP", "XPU", "MPS", "NCCL", "rain", "odel"),
    *("ensor", "poch", "heckpoint", "radient", "ptimizer", "batch", "loss", "Loss"),
    *("eterministic", "orward", "\u68af\u5ea6", "\u8bad\u7ec3", "\u663e\u5361", "\u6a21\u578b"),
)

#: A query -> the pages found, best first, by their ids, each with what it scores, and whether
#: nothing fits it well.
Search = Callable[[str], tuple[Sequence[tuple[str, float]], bool]]


def queries(lines: Sequence[str]) -> list[str]:
    """What says most of a text: its first lines, each and together, the last two of an error, and
    what is quoted.

    Of one that prints no error the first sentence below its title that speaks of trouble, where
    it is not asked already.
    """
    prose = _prose(lines)
    typed = [text for text in prose if printed_type(text)]
    spoken = [text for text in prose if any(word in text for word in ERRORS)]
    said = [quote for text in prose[:QUOTED] for quote in quotes(text[: 4 * LONG])]
    chosen = [*prose[:1], *typed[-1:], *spoken[-1:], *prose[1:2], *said[:QUOTED]]
    if not typed:
        told = next((one for one in _sentences(prose[1:]) if any(map(one.count, TROUBLE))), "")
        chosen += [told] if told and not prose[1].startswith(told) else []
    whole = " ".join(prose[:TOGETHER])[: 2 * LONG]
    return list(dict.fromkeys([*(text[:LONG] for text in chosen), whole]))


def about(lines: Sequence[str], search: Search) -> list[str]:
    """At most three pages that the text may be about, best first: never a match.

    Queries with rare words, and pages that have many of them, score most, and so count most.
    """
    scores: dict[str, float] = {}
    signed = any(sign in line for line in lines for sign in (*SIGNS, *TROUBLE))
    for query in queries(lines):
        pages, weak = search(query)
        if weak and not signed:
            continue
        for page, score in pages[:COUNTED]:
            scores[page] = scores.get(page, 0.0) + score
    return sorted(scores, key=lambda page: -scores[page])[:NAMED]


def quotes(text: str) -> list[str]:
    """What stands between two marks of a line: a message that its writer quotes."""
    found, at = [], 0
    while at < len(text):
        mark = text[at]
        end = text.find(mark, at + 1) if mark in MARKS and text[at - 1 : at] in OUTSIDE else -1
        if end < 0 or text[end + 1 : end + 2] not in OUTSIDE:
            at += 1
            continue
        inside = text[at + 1 : end]
        if len(plain(inside).split()) >= WORDS:
            found.append(inside)
        at = end + 1
    return found


def _sentences(prose: Sequence[str]) -> Iterator[str]:
    for text in prose:
        cut = text[: 4 * LONG]
        for stop in STOPS:
            cut = cut.replace(stop, "\n")
        yield from cut.split("\n")


def _prose(lines: Sequence[str]) -> list[str]:
    """The lines of beginning and end that are no frames and no code, cleaned."""
    numbers = [*range(min(len(lines), BEGIN)), *range(max(BEGIN, len(lines) - END), len(lines))]
    prose: list[str] = []
    previous = ""
    for number in numbers:
        text = strip_prefix(lines[number])
        if text and not text.startswith(FRAMES) and not is_source(text, previous):
            prose.append(text)
        previous = text or previous
    return prose
