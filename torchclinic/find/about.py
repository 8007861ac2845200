"""What to ask the search about a text that no wording knows: its title and what it says went wrong.

docs/assets/about.js is the twin.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .clean import is_source, printed_type, strip_prefix

#: Lines of a text's beginning and of its end among which the telling ones are sought.
BEGIN, END = 60, 200
#: Characters of a query.
LONG = 200
#: Pages that are named at most, and results of one query that count.
NAMED, COUNTED = 3, 6
#: What a result counts whose query the page covers badly.
WEAK = 0.4
ERRORS = ("rror", "\u9519", "\u5f02\u5e38")
FRAMES = ('File "', "Traceback (most recent", "^", "~", "[")

#: Without one of these in a text, a page that covers a query badly is no help.
SIGNS = (
    *("torch", "Torch", "GPU", "gpu", "CUDA", "cuda", "HIP", "XPU", "MPS", "NCCL", "rain", "odel"),
    *("ensor", "poch", "\u8bad\u7ec3", "\u663e\u5361", "\u6a21\u578b"),
)

#: A query -> the pages found, best first, by their ids, and whether nothing fits it well.
Search = Callable[[str], tuple[Sequence[str], bool]]


def queries(lines: Sequence[str]) -> list[str]:
    """The lines that say most of a text: the first, the second, and the last two of an error."""
    prose = _prose(lines)
    typed = [text for text in prose if printed_type(text)]
    spoken = [text for text in prose if any(word in text for word in ERRORS)]
    chosen = [*prose[:1], *typed[-1:], *spoken[-1:], *prose[1:2]]
    return list(dict.fromkeys(text[:LONG] for text in chosen))


def about(lines: Sequence[str], search: Search) -> list[str]:
    """At most three pages that the text may be about, best first: never a match."""
    scores: dict[str, float] = {}
    signed = any(sign in line for line in lines for sign in SIGNS)
    for query in queries(lines):
        pages, weak = search(query)
        if weak and not signed:
            continue
        for place, page in enumerate(pages[:COUNTED]):
            scores[page] = scores.get(page, 0.0) + (WEAK if weak else 1.0) / (1 + place)
    return sorted(scores, key=lambda page: -scores[page])[:NAMED]


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
