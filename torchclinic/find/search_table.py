"""The index of the search, ready to be asked; made by torchclinic/content/search_index.py.

docs/assets/search-table.js is the twin.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import TypedDict

from .terms import terms

#: How much a term stands out on a page, at most.
LEVELS = 31


class SearchIndex(TypedDict):
    """The index as its file holds it. The site has `texts` in a file of their own, since results
    are shown before it is there.
    """

    version: int
    language: str
    docs: list[tuple[str, str, str, int]]  # id, address, title, prior in percent
    texts: list[tuple[str, list[tuple[str, str]]]]  # summary, [(anchor, heading)] of each document
    terms: str  # with a blank between them, as are postings
    #: For each term pairs of characters, `!` being 0: how many documents further (a `~` before:
    #: 90 more), and the level.
    postings: str
    #: The first synonyms of each document, with a blank between them: pairs of characters for each
    #: term, its number / 90 and the rest.
    phrases: list[str]
    groups: list[list[str]]  # words of one meaning
    traditional: tuple[str, str]  # characters, the simplified ones in their places
    stop: tuple[str, str]  # `terms.STOP` and `terms.STOP_HAN`, for the twin


class _Postings(Mapping[str, list[tuple[int, int]]]):
    """Term -> [(document, level)], decoded when it is asked for: of thousands a query has a few."""

    def __init__(self, coded: Iterable[tuple[str, str]]):
        self._coded = dict(coded)
        self._decoded: dict[str, list[tuple[int, int]]] = {}

    def __getitem__(self, term: str) -> list[tuple[int, int]]:
        if term not in self._decoded:
            self._decoded[term] = _decode(self._coded[term])
        return self._decoded[term]

    def __contains__(self, term: object) -> bool:
        return term in self._coded

    def __iter__(self) -> Iterator[str]:
        return iter(self._coded)

    def __len__(self) -> int:
        return len(self._coded)


class SearchTable:
    """An index, made ready to be asked."""

    def __init__(self, index: SearchIndex):
        self.docs = index["docs"]
        self.texts = index["texts"]
        self.traditional = dict(zip(*index["traditional"], strict=True))
        self.terms = index["terms"].split(" ")
        coded = index["postings"].split(" ")
        self.postings = _Postings(zip(self.terms, coded, strict=True))
        self._phrases = index["phrases"]
        self.groups = [
            [terms(text, self.traditional) for text in group] for group in index["groups"]
        ]

    @cached_property
    def alike(self) -> dict[str, list[tuple[list[str], int]]]:
        """First term of a member of a group -> [(all its terms, the group's number)]."""
        alike: dict[str, list[tuple[list[str], int]]] = {}
        for number, group in enumerate(self.groups):
            for member in group:
                alike.setdefault(member[0], []).append((member, number))
        return alike

    def rarity(self, term: str) -> float:
        """How much a term tells.

        Rounded: logarithms differ in their last digit between machines.
        """
        pages = len(self.postings.get(term, "-"))
        told = math.log(1 + (len(self.docs) - pages + 0.5) / (pages + 0.5))
        return math.floor(told * 64 + 0.5) / 64

    def phrases(self, doc: int) -> list[list[str]]:
        """The terms of a document's title, and of each of its synonyms."""
        codes = self._phrases[doc].split(" ")
        return [
            terms(self.docs[doc][2], self.traditional),
            *([self.terms[number] for number in _numbers(code)] for code in codes),
        ]


def _numbers(code: str) -> list[int]:
    return [
        90 * (ord(high) - 33) + ord(low) - 33
        for high, low in zip(code[::2], code[1::2], strict=True)
    ]


def _decode(coded: str) -> list[tuple[int, int]]:
    """[(document, level)]."""
    postings, doc = [], 0
    steps = iter(coded)
    for step in steps:
        if step == "~":
            doc += 90
            continue
        doc += ord(step) - 33
        postings.append((doc, ord(next(steps)) - 33))
    return postings
