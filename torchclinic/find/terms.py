"""Terms: what the words of a text are to the search. Standard library only; docs/assets/terms.js is
the twin.

Case, accents and traditional characters are folded. A Latin word counts in its parts and whole
(`weights_only`, `DataLoader`), without its ending; Chinese counts in pairs of characters. What only
makes a question of it is dropped. Of Unicode's tables only NFKD is used: the twins must agree.
"""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

#: Characters of one word that are read; the rest is cut off.
LONGEST = 40
#: Words and, of Chinese, beginnings of words that are dropped; the index carries them to the twin.
STOP = (
    "a about after all an and any are as at be because been before being but by can cannot could"
    " did do does doing don done during for from get getting gets got had has have having help here"
    " hi how i if in into is it its just like make me my need no of on or other our please should"
    " so some still such than that the their them then there these they this those to too try"
    " trying up us use used using very via want was way we were what when where which while who why"
    " will with without would you your doesn isn didn won aren wasn ve ll re"
)
STOP_HAN = (
    "是什么原因|什么原因|怎么回事|怎么解决|如何解决|解决方法|解决办法|怎么处理|怎么办|为什么|怎么样|"
    "是不是|有没有|什么意思|怎么|如何|什么|怎样|哪个|哪些|哪里|多少|请问|为何|为啥|一下|一个|"
    "的|了|吗|呢|是|吧|啊|我|请"
)
#: Above every Latin term, below every Chinese one.
HAN = "{"
_STOP = frozenset(STOP.split())
_STOP_HAN = re.compile(STOP_HAN)
_RUN = re.compile(r"[A-Za-z0-9_]+|[\u3400-\u9fff]+")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_MARKS = re.compile(r"[\u0300-\u036f]")


class Run(NamedTuple):
    """A word of a text, or a row of Chinese characters."""

    parts: list[str]  # its terms: ["grid", "sampl"]
    whole: str = ""  # "gridsampl"; "" of one piece
    bare: str = ""  # "gridsample"; "" of Chinese


def fold(text: str, traditional: dict[str, str]) -> str:
    """Full-width and other forms as plain ones, without accents, in simplified characters."""
    plain = _MARKS.sub("", unicodedata.normalize("NFKD", text))
    return "".join([traditional.get(c, c) for c in plain])


def stem(word: str) -> str:
    """A word without the commonest English endings.

    >>> [stem(word) for word in ("batches", "stopped", "quantisation", "copies", "loss")]
    ['batch', 'stop', 'quantiz', 'copy', 'loss']
    """
    if len(word) < 4 or not word.isalpha():
        return word
    if word.endswith("ies") and len(word) > 4:
        word = word[:-3] + "y"
    elif word.endswith("sses"):
        word = word[:-2]
    elif word.endswith("s") and word[-2] not in ("si" if len(word) == 4 else "siu"):
        word = word[:-1]
    for ending in ("ing", "ed"):
        rest = word.removesuffix(ending)
        if rest != word and len(rest) > 2 and any(c in "aeiouy" for c in rest):
            word = rest[:-1] if rest[-1] == rest[-2] and rest[-1] not in "lsz" else rest
            break
    if word.endswith(("sion", "tion")) and len(word) > 5:
        word = word[:-3]
    if len(word) > 4 and word.endswith("e"):
        word = word[:-1]
    if word.endswith(("izat", "isat")):
        word = word[:-2]
    return word[:-2] + "iz" if len(word) > 4 and word.endswith("is") else word


def runs(text: str, traditional: dict[str, str]) -> list[Run]:
    """The words of a text without stop words."""
    found: list[Run] = []
    for run in _RUN.findall(fold(text, traditional)):
        if run[0] > "z":
            found += [Run(pairs(piece)) for piece in _STOP_HAN.sub(" ", run).split()]
            continue
        bare = run.replace("_", "")[:LONGEST].lower()
        if not bare or bare in _STOP or _is_small(bare):
            continue
        parts = [part.lower() for part in _PART.findall(run[: 2 * LONGEST])]
        told = [stem(part) for part in parts if len(part) > 2 and part not in _STOP]
        if len(parts) > 1 and told:
            found.append(Run(told, stem(bare), bare))
        else:
            found.append(Run([stem(bare)], "", bare))
    return found


def pairs(han: str) -> list[str]:
    """The pairs of neighbours of Chinese characters; one alone as it is."""
    return [han[at : at + 2] for at in range(len(han) - 1)] or [han]


def _is_small(word: str) -> bool:
    """A letter, or a number that says nothing."""
    return len(word) == 1 or (len(word) == 2 and word.isdigit())


def terms(text: str, traditional: dict[str, str] | None = None) -> list[str]:
    """The terms of a text in order, without wholes."""
    return [term for run in runs(text, traditional or {}) for term in run.parts]
