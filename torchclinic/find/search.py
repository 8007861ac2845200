"""The search: from a few words to the pages about them. docs/assets/search.js is its twin.

1. Words: terms.py.
2. Ways to say it. A word may also be met as two written in one or one in two, as what others call
   it (`groups`), as the beginning of a longer one if it is the last, and, if no page has it, as a
   slip of the fingers.
3. Pages. Each word brings a page how rare it is times how much it stands out there (its level,
   from BM25F, made with the index). Of several ways to say it the best counts. A page that covers
   little of the query counts less; if the best one does, nothing fits well. Of the best pages
   those come first whose title, or one of whose synonyms, is most like the whole query.

The twins must agree on every input: sums run in one order.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from itertools import pairwise
from typing import TypedDict

from .answer import Hit, Index
from .search_table import SearchTable
from .terms import HAN, Run, runs, stem

#: Characters and words of a query that are read: a pasted file is answered by its beginning, or by
#: the lookup.
LETTERS, WORDS = 4000, 40
#: In longer queries no slips are sought: those are pasted, not typed.
TYPED = 12
#: What the other ways to say a word are worth.
ALIKE, LONGER, IN_TWO, ONE_SLIP, TWO_SLIPS = 0.9, 0.7, 0.7, 0.8, 0.6
#: Longer words that a half-typed one is taken for.
FORMS = 40
#: The level at which a page covers a word, the share of the score that needs no coverage, and the
#: coverage below which nothing fits well.
FULL, GIVEN, WEAK = 16, 0.3, 0.6
#: So many of the best pages are looked at more closely.
CLOSER = 20
#: Of so many the sections are named.
SECTIONED = 10
#: How much more a word weighs that no page has, however it is said; and each such character of a
#: Chinese pair.
UNKNOWN, UNKNOWN_HAN = 2.0, 0.5
#: A piece of a message that is shorter tells too little.
SHORTEST = 12
#: What a section's heading must cover of the query to be named, and to be shown at once.
NAMED, SHOWN = 0.3, 0.5
_LATIN = re.compile(r"[A-Za-z]{2,}")
_BLANKS = re.compile(r"[ \t\r\n]+")


class _Page(TypedDict):
    doc: int  # its number in the index
    score: float
    sections: list[tuple[int, bool]]  # their numbers, and whether they are shown at once


class FoundPage(_Page, total=False):
    coverage: float  # left out where only the lookup found it


class Found(TypedDict):
    hits: list[FoundPage]  # best first
    weak: bool  # nothing fits well


def search(table: SearchTable, query: str) -> Found:
    """Pages about the query."""
    return Query(table, query).answer()


def lead(table: SearchTable, found: Found, stems: list[str], whole: bool) -> Found:
    """What was found, with the pages of `stems` first.

    In the order of `stems` if `whole` messages were recognised, in that of `found` if pieces were.
    """
    if not stems:
        return found
    numbers = {doc[0].rpartition("/")[2]: number for number, doc in enumerate(table.docs)}
    wanted = {numbers[stem]: at for at, stem in enumerate(stems) if stem in numbers}
    hits = {hit["doc"]: hit for hit in found["hits"]}

    def order(doc: int) -> tuple[float, int]:
        return 0 if whole else -hits[doc]["score"] if doc in hits else 1, wanted[doc]

    best = found["hits"][0]["score"] if found["hits"] else 1.0
    leading: list[FoundPage] = []
    for doc in sorted(wanted, key=order):
        page: FoundPage = {"doc": doc, "score": best, "sections": []}
        if doc in hits:
            page = {**hits[doc], "score": best}
        leading.append(page)
    return {
        "hits": leading + [hit for hit in found["hits"] if hit["doc"] not in wanted],
        "weak": not leading and found["weak"],
    }


class Query:
    """One query: its terms, what each weighs, the ways to say it, and what it brings each page."""

    def __init__(self, table: SearchTable, text: str):
        self.table = table
        self.terms: list[str] = []
        places: list[tuple[int, int, Run]] = []  # from which term to which
        for run in runs(text[:LETTERS], table.traditional):
            start, end = len(self.terms), len(self.terms) + len(run.parts)
            if end > WORDS:
                break
            places.append((start, end, run))
            self.terms += run.parts
        self.weights = [table.rarity(term) for term in self.terms]
        self.ways: list[list[tuple[list[str], float]]] = [[] for _ in self.terms]
        self.gains: list[dict[int, float]] = [{} for _ in self.terms]
        for at, term in enumerate(self.terms):
            self.say(at, at + 1, [term], 1.0)
        for start, end, run in places:
            self.say(start, end, [run.whole], 1.0)
        for (start, _, one), (_, end, other) in pairwise(places):
            if one.bare and other.bare:  # `data loader` is also DataLoader
                self.say(start, end, [stem(one.bare + other.bare)], 1.0)
        self.say_otherwise()
        self.finish_word()
        self.mend()

    def say(self, start: int, end: int, way: list[str], factor: float) -> bool:
        """Let the terms from start to end count, on pages that have all of `way`, what these do on
        average; whether there may be such pages.
        """
        if not all(term in self.table.postings for term in way):
            return False
        sums: dict[int, float] = {}
        for number, term in enumerate(way):
            value = self.table.rarity(term) * factor / len(way)
            sums = {
                doc: sums.get(doc, 0.0) + value * level
                for doc, level in self.table.postings[term]
                if not number or doc in sums
            }
        for at in range(start, end):
            self.ways[at].append((way, factor))
            gains = self.gains[at]
            for doc, gain in sums.items():
                if gain > gains.get(doc, 0.0):
                    gains[doc] = gain
        return True

    def say_otherwise(self) -> None:
        for at, term in enumerate(self.terms):
            for member, number in self.table.alike.get(term, []):
                if self.terms[at : at + len(member)] == member:
                    for other in self.table.groups[number]:
                        if other != member:
                            self.say(at, at + len(member), other, ALIKE)

    def finish_word(self) -> None:
        """The last word may be half typed."""
        last = self.terms[-1] if self.terms else ""
        known = last in self.table.postings
        if not last or (len(last) < 3 if last < HAN else known or len(last) > 1):
            return
        longer = [term for term in self.table.terms if term.startswith(last) and term != last]
        for term in longer[:FORMS]:
            self.say(len(self.terms) - 1, len(self.terms), [term], LONGER / 2 if known else LONGER)

    def mend(self) -> None:
        """What no page has: two words in one, a slip, a pair of characters of two words."""
        for at, term in enumerate(self.terms):
            if term in self.table.postings or self.gains[at]:
                continue
            if term > HAN:
                beside = "".join(
                    self.terms[other]
                    for other in (at - 1, at + 1)
                    if 0 <= other < len(self.terms) and self.terms[other] in self.table.postings
                )
                self.weights[at] *= sum(c not in beside for c in term) * UNKNOWN_HAN
            elif term.isdigit():
                self.weights[at] /= 4
            elif not self._cut(at, term) and not (
                len(self.terms) <= TYPED and self._slip(at, term)
            ):
                self.weights[at] *= UNKNOWN

    def _cut(self, at: int, term: str) -> bool:
        return any(
            self.say(at, at + 1, [term[:cut], stem(term[cut:])], IN_TWO)
            for cut in range(3, len(term) - 2)
        )

    def _slip(self, at: int, term: str) -> bool:
        for slips, worth in ((1, ONE_SLIP), (2, TWO_SLIPS)):
            if len(term) < slips * 4 or not term.isalpha():
                return False
            letters = set(term)
            meant = [
                other
                for other in self.table.terms
                if other < HAN
                and len(other) > 2
                and len(letters.difference(other)) <= slips  # true of those, and quickly told
                and _slips(term, other, slips) <= slips
            ]
            for other in meant:
                self.say(at, at + 1, [other], worth)
            if meant:
                if slips == 1:
                    self.weights[at] = max(self.table.rarity(other) for other in meant)
                return True
        return False

    def answer(self) -> Found:
        total = 0.0
        for weight in self.weights:
            total += weight
        total = total or 1.0  # words that every page has
        ranked = []
        for doc in sorted({doc for gains in self.gains for doc in gains}):
            score = covered = 0.0
            for at, gains in enumerate(self.gains):
                gain = gains.get(doc, 0.0)
                score += gain
                covered += min(gain, self.weights[at] * FULL)
            coverage = covered / (total * FULL)
            prior = self.table.docs[doc][3]
            ranked.append((-score * (GIVEN + (1 - GIVEN) * coverage) * prior, doc, coverage))
        ranked.sort()
        ranked[:CLOSER] = [
            (score * (1 + self.likeness(doc, total)), doc, coverage)
            for score, doc, coverage in ranked[:CLOSER]
        ]
        ranked.sort()
        hits: list[FoundPage] = [
            {
                "doc": doc,
                "score": -score,
                "coverage": coverage,
                "sections": self.sections(doc, total) if at < SECTIONED else [],
            }
            for at, (score, doc, coverage) in enumerate(ranked)
        ]
        return {"hits": hits, "weak": not ranked or ranked[0][2] < WEAK}

    def covered(self, said: Collection[str]) -> float:
        """The weight of what is said, one way or another, by a text with these terms."""
        covered = 0.0
        for weight, ways in zip(self.weights, self.ways, strict=True):
            worth = (factor for way, factor in ways if all(term in said for term in way))
            covered += weight * max(worth, default=0.0)
        return covered

    def likeness(self, doc: int, total: float) -> float:
        """How much the title or a synonym of a page is like the query: 0 to 1."""
        best = 0.0
        for phrase in self.table.phrases(doc):
            whole = total
            for term in phrase:
                whole += self.table.rarity(term)
            best = max(best, 2 * self.covered(phrase) / whole)
        return min(best, 1.0)

    def sections(self, doc: int, total: float) -> list[tuple[int, bool]]:
        """The sections of a page whose headings have the most of the query, and whether that is
        much.
        """
        ranked = []
        for number, (_, heading) in enumerate(self.table.texts[doc][1]):
            said = {
                term
                for run in runs(heading, self.table.traditional)
                for term in (*run.parts, run.whole)
            }
            if (covered := self.covered(said)) >= total * NAMED:
                ranked.append((-covered, number))
        ranked.sort()
        return [(number, -covered >= total * SHOWN) for covered, number in ranked[:3]]


def may_be_message(query: str) -> bool:
    """Whether the lookup should be asked: three Latin words or more."""
    return len(_LATIN.findall(query[:LETTERS])) > 2


def recognised(hits: list[Hit], index: Index, query: str) -> list[str]:
    """The stems whose message the query is; if it is none, those of whose message it is a piece.

    Args:
        hits: the lookup's for this query.
        index: the lookup's.
    """
    if hits:
        return list(dict.fromkeys(hit["symptom"] for hit in hits))
    needle = " ".join(filter(None, _BLANKS.split(query[:LETTERS])))
    if not needle.isascii() or len(needle) < SHORTEST:
        return []
    needle = needle.lower()
    pieces = [
        wording["symptom"]
        for wording in index["wordings"]
        if any(isinstance(part, str) and needle in part.lower() for part in wording["parts"])
    ]
    return list(dict.fromkeys(pieces))


def _slips(one: str, other: str, most: int) -> int:
    """Letters added, left out, changed, or swapped with their neighbour; more than `most` if that
    is not yet all.
    """
    if abs(len(one) - len(other)) > most:
        return most + 1
    before: list[int] = []
    last = list(range(len(other) + 1))
    for at, c in enumerate(one):
        row = [at + 1]
        for to, d in enumerate(other):
            cost = min(last[to] + (c != d), last[to + 1] + 1, row[to] + 1)
            if at and to and c == other[to - 1] and one[at - 1] == d:
                cost = min(cost, before[to - 1] + 1)
            row.append(cost)
        if min(row) > most:
            return most + 1
        before, last = last, row
    return last[-1]
