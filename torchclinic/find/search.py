"""The search: from a few words to the pages about them. Standard library only; docs/assets/search.js is its twin.

1. Words. Case, accents and traditional characters are folded. A Latin word counts in its parts and whole (`weights_only`, `DataLoader`), without its
   ending; Chinese counts in pairs of characters. What only makes a question of it is dropped.
2. Ways to say it. A word may also be met as two written in one or one in two, as what others call it (`groups`), as the beginning of a longer one if
   it is the last, and, if no page has it, as a slip of the fingers.
3. Pages. Each word brings a page how rare it is times how much it stands out there (its level, from BM25F, made with the index). Of several ways to
   say it the best counts. A page that covers little of the query counts less; if the best one does, nothing fits well. Of the best pages those come
   first whose title, or one of whose synonyms, is most like the whole query.

The index, made by torchclinic/content/search_index.py:

{"version": 1, "language",
 "docs": [[id, address, title, prior in percent]],
 "texts": [[summary, [[anchor, heading]]]], of each document; the site has them in a file of their own, since results are shown before it is there,
 "terms": "a b c", "postings": "… … …": for each term pairs of characters, `!` being 0: how many documents further (a `~` before: 90 more), level 1 to 31,
 "phrases": ["…"], the first synonyms of each document, with a blank between them: pairs of characters for each term, its number / 90 and the rest,
 "groups": [[words of one meaning]],
 "traditional": [characters, the simplified ones in their places]}

The twins must agree on every input: sums run in one order, and of Unicode's tables only NFKD is used.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Collection
from itertools import pairwise
from typing import Any

#: Characters and words of a query that are read: a pasted file is answered by its beginning, or by the lookup.
LETTERS, WORDS = 4000, 40
#: Of one word, the rest is cut off. In longer queries no slips are sought: those are pasted, not typed.
LONGEST, TYPED = 40, 12
LEVELS = 31
#: What the other ways to say a word are worth.
ALIKE, LONGER, IN_TWO, ONE_SLIP, TWO_SLIPS = 0.9, 0.7, 0.7, 0.8, 0.6
#: Longer words that a half-typed one is taken for.
FORMS = 40
#: The level at which a page covers a word, the share of the score that needs no coverage, and the coverage below which nothing fits well.
FULL, GIVEN, WEAK = 16, 0.3, 0.6
#: So many of the best pages are looked at more closely.
CLOSER = 20
#: How much more a word weighs that no page has, however it is said; and each such character of a Chinese pair.
UNKNOWN, UNKNOWN_HAN = 2.0, 0.5
#: A piece of a message that is shorter tells too little.
SHORTEST = 12
#: What a section's heading must cover of the query to be named, and to be shown at once.
NAMED, SHOWN = 0.3, 0.5
_STOP = (
    "a about after all an and any are as at be because been before being but by can cannot could did do does doing don done during for from get getting gets"
    " got had has have having help here hi how i if in into is it its just like make me my need no of on or other our please should so some still such than"
    " that the their them then there these they this those to too try trying up us use used using very via want was way we were what when where which while"
    " who why will with without would you your doesn isn didn won aren wasn ve ll re"
)
STOP = frozenset(_STOP.split())
STOP_HAN = re.compile(
    "是什么原因|什么原因|怎么回事|怎么解决|如何解决|解决方法|解决办法|怎么处理|怎么办|为什么|怎么样|是不是|有没有|什么意思|怎么|如何|什么|怎样|哪个|哪些|哪里|多少|"
    "请问|为何|为啥|一下|一个|的|了|吗|呢|是|吧|啊|我|请"
)
_RUN = re.compile(r"[A-Za-z0-9_]+|[\u3400-\u9fff]+")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_MARKS = re.compile(r"[\u0300-\u036f]")
_LATIN = re.compile(r"[A-Za-z]{2,}")
_BLANKS = re.compile(r"[ \t\r\n]+")
#: Above every Latin term, below every Chinese one.
_HAN = "{"


def fold(text: str, traditional: dict[str, str]) -> str:
    """Full-width and other forms as plain ones, without accents, in simplified characters."""
    return "".join([traditional.get(c, c) for c in _MARKS.sub("", unicodedata.normalize("NFKD", text))])


def stem(word: str) -> str:
    """A word without the commonest English endings.

    >>> [stem(word) for word in ("batches", "stopped", "quantisation", "quantized", "copies", "loss")]
    ['batch', 'stop', 'quantiz', 'quantiz', 'copy', 'loss']
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


def runs(text: str, traditional: dict[str, str]) -> list[tuple[list[str], str, str]]:
    """The words of a text without stop words, each as (its terms, the whole, as written): (["grid", "sampl"], "gridsampl", "gridsample").

    What is of one piece has no whole, "", and Chinese none of both.
    """
    found: list[tuple[list[str], str, str]] = []
    for run in _RUN.findall(fold(text, traditional)):
        if run[0] > "z":
            found += [([part[at : at + 2] for at in range(len(part) - 1)] or [part], "", "") for part in STOP_HAN.sub(" ", run).split()]
            continue
        bare = run.replace("_", "")[:LONGEST].lower()
        if not bare or bare in STOP or _is_small(bare):
            continue
        parts = [part.lower() for part in _PART.findall(run[: 2 * LONGEST])]
        parts = [stem(part) for part in parts if len(part) > 2 and part not in STOP] if len(parts) > 1 else []
        found.append((parts, stem(bare), bare) if parts else ([stem(bare)], "", bare))
    return found


def _is_small(word: str) -> bool:
    """A letter, or a number that says nothing."""
    return len(word) == 1 or (len(word) == 2 and word.isdigit())


def words(text: str, traditional: dict[str, str] | None = None) -> list[str]:
    """The terms of a text in order, without wholes."""
    return [term for parts, _, _ in runs(text, traditional or {}) for term in parts]


class Searcher:
    """An index, made ready to be asked."""

    def __init__(self, index: dict[str, Any]):
        self.docs: list[list[Any]] = index["docs"]
        self.texts: list[list[Any]] = index["texts"]
        self.traditional = dict(zip(*index["traditional"], strict=True))
        self.terms: list[str] = index["terms"].split(" ")
        self.postings = {term: _decode(coded) for term, coded in zip(self.terms, index["postings"].split(" "), strict=True)}
        self.coded: list[str] = index["phrases"]
        self.groups = [[words(text, self.traditional) for text in group] for group in index["groups"]]
        self.alike: dict[str, list[tuple[list[str], int]]] = {}  # first term of a member -> [(all its terms, its group)]
        for number, group in enumerate(self.groups):
            for member in group:
                self.alike.setdefault(member[0], []).append((member, number))

    def rarity(self, term: str) -> float:
        """How much a term tells. Rounded: logarithms differ in their last digit between machines."""
        having = len(self.postings.get(term, "-"))
        return math.floor(math.log(1 + (len(self.docs) - having + 0.5) / (having + 0.5)) * 64 + 0.5) / 64

    def phrases(self, doc: int) -> list[list[str]]:
        """The terms of a document's title, and of each of its synonyms."""
        codes = [[90 * (ord(code[at]) - 33) + ord(code[at + 1]) - 33 for at in range(0, len(code), 2)] for code in self.coded[doc].split(" ")]
        return [words(self.docs[doc][2], self.traditional), *([self.terms[number] for number in code] for code in codes)]

    def search(self, query: str) -> dict[str, Any]:
        """Pages about the query, best first.

        Returns:
            {"hits": [{"doc": number in docs, "score", "sections": [[number, whether it is shown at once]]}], "weak": whether nothing fits well}.
        """
        return Query(self, query).answer()

    def lead(self, answer: dict[str, Any], stems: list[str], whole: bool) -> dict[str, Any]:
        """The answer with the pages of `stems` first: in this order if `whole` messages were recognised, in the answer's own if pieces were."""
        if not stems:
            return answer
        numbers = {doc[0].rpartition("/")[2]: number for number, doc in enumerate(self.docs)}
        wanted = {numbers[stem]: at for at, stem in enumerate(stems) if stem in numbers}
        hits = {hit["doc"]: hit for hit in answer["hits"]}
        first = sorted(wanted, key=lambda doc: (0 if whole else -hits[doc]["score"] if doc in hits else 1, wanted[doc]))
        best = answer["hits"][0]["score"] if answer["hits"] else 1.0
        leading = [{"sections": [], **hits.get(doc, {}), "doc": doc, "score": best} for doc in first]
        return {"hits": leading + [hit for hit in answer["hits"] if hit["doc"] not in wanted], "weak": not leading and answer["weak"]}


class Query:
    """One query: its terms, what each weighs, the ways to say it, and what it brings each page."""

    def __init__(self, made: Searcher, text: str):
        self.made = made
        self.atoms: list[str] = []
        places = []
        for parts, whole, bare in runs(text[:LETTERS], made.traditional):
            if len(self.atoms) + len(parts) > WORDS:
                break
            places.append((len(self.atoms), len(self.atoms) + len(parts), whole, bare))
            self.atoms += parts
        self.weights = [made.rarity(atom) for atom in self.atoms]
        self.ways: list[list[tuple[list[str], float]]] = [[] for _ in self.atoms]
        self.gains: list[dict[int, float]] = [{} for _ in self.atoms]
        for at, atom in enumerate(self.atoms):
            self.say(at, at + 1, [atom], 1.0)
        for start, end, whole, _ in places:
            self.say(start, end, [whole], 1.0)
        for (start, _, _, one), (_, end, _, two) in pairwise(places):
            if one and two:  # `data loader` is also DataLoader
                self.say(start, end, [stem(one + two)], 1.0)
        self.say_otherwise()
        self.finish_word()
        self.mend()

    def say(self, start: int, end: int, words: list[str], factor: float) -> bool:
        """Let the terms from start to end count, on pages that have all of `words`, what these do on average; whether there may be such pages."""
        if not all(word in self.made.postings for word in words):
            return False
        sums: dict[int, float] = {}
        for number, word in enumerate(words):
            value = self.made.rarity(word) * factor / len(words)
            sums = {doc: sums.get(doc, 0.0) + value * level for doc, level in self.made.postings[word] if not number or doc in sums}
        for at in range(start, end):
            self.ways[at].append((words, factor))
            gains = self.gains[at]
            for doc, gain in sums.items():
                if gain > gains.get(doc, 0.0):
                    gains[doc] = gain
        return True

    def say_otherwise(self) -> None:
        for at, atom in enumerate(self.atoms):
            for member, number in self.made.alike.get(atom, []):
                if self.atoms[at : at + len(member)] == member:
                    for other in self.made.groups[number]:
                        if other != member:
                            self.say(at, at + len(member), other, ALIKE)

    def finish_word(self) -> None:
        """The last word may be half typed."""
        last = self.atoms[-1] if self.atoms else ""
        known = last in self.made.postings
        if not last or (len(last) < 3 if last < _HAN else known or len(last) > 1):
            return
        longer = [term for term in self.made.terms if term.startswith(last) and term != last][:FORMS]
        for term in longer:
            self.say(len(self.atoms) - 1, len(self.atoms), [term], LONGER / 2 if known else LONGER)

    def mend(self) -> None:
        """What no page has: two words in one, a slip, a pair of characters that belong to two words."""
        for at, atom in enumerate(self.atoms):
            if atom in self.made.postings or self.gains[at]:
                continue
            if atom > _HAN:
                near = "".join(self.atoms[other] for other in (at - 1, at + 1) if 0 <= other < len(self.atoms) and self.atoms[other] in self.made.postings)
                self.weights[at] *= sum(c not in near for c in atom) * UNKNOWN_HAN
            elif atom.isdigit():
                self.weights[at] /= 4
            elif not self._cut(at, atom) and not (len(self.atoms) <= TYPED and self._slip(at, atom)):
                self.weights[at] *= UNKNOWN

    def _cut(self, at: int, atom: str) -> bool:
        return any(self.say(at, at + 1, [atom[:cut], stem(atom[cut:])], IN_TWO) for cut in range(3, len(atom) - 2))

    def _slip(self, at: int, atom: str) -> bool:
        for slips, worth in ((1, ONE_SLIP), (2, TWO_SLIPS)):
            if len(atom) < slips * 4 or not atom.isalpha():
                return False
            near = [term for term in self.made.terms if term < _HAN and len(term) > 2 and _slips(atom, term, slips) <= slips]
            for term in near:
                self.say(at, at + 1, [term], worth)
            if near:
                if slips == 1:
                    self.weights[at] = max(self.made.rarity(term) for term in near)
                return True
        return False

    def answer(self) -> dict[str, Any]:
        total = 0.0
        for weight in self.weights:
            total += weight
        total = total or 1.0  # words that every page has
        found = []
        for doc in sorted({doc for gains in self.gains for doc in gains}):
            score = covered = 0.0
            for at, gains in enumerate(self.gains):
                gain = gains.get(doc, 0.0)
                score += gain
                covered += min(gain, self.weights[at] * FULL)
            coverage = covered / (total * FULL)
            found.append((-score * (GIVEN + (1 - GIVEN) * coverage) * self.made.docs[doc][3], doc, coverage))
        found.sort()
        found = [(score * (1 + self.likeness(doc, total)), doc, coverage) for score, doc, coverage in found[:CLOSER]] + found[CLOSER:]
        found.sort()
        hits = [
            {"doc": doc, "score": -score, "coverage": coverage, "sections": self.sections(doc, total) if at < 10 else []}
            for at, (score, doc, coverage) in enumerate(found)
        ]
        return {"hits": hits, "weak": not found or found[0][2] < WEAK}

    def covered(self, has: Collection[str]) -> float:
        """The weight of what is said, one way or another, by a text with these terms."""
        weight = 0.0
        for own, ways in zip(self.weights, self.ways, strict=True):
            weight += own * max((factor for way, factor in ways if all(word in has for word in way)), default=0.0)
        return weight

    def likeness(self, doc: int, total: float) -> float:
        """How much the title or a synonym of a page is like the query: 0 to 1."""
        best = 0.0
        for phrase in self.made.phrases(doc):
            whole = total
            for term in phrase:
                whole += self.made.rarity(term)
            best = max(best, 2 * self.covered(phrase) / whole)
        return min(best, 1.0)

    def sections(self, doc: int, total: float) -> list[list[Any]]:
        """Numbers of the sections of a page whose headings have the most of the query, and whether that is much."""
        found = []
        for number, (_, heading) in enumerate(self.made.texts[doc][1]):
            has = {term for parts, whole, _ in runs(heading, self.made.traditional) for term in (*parts, whole)}
            if (covered := self.covered(has)) >= total * NAMED:
                found.append((-covered, number))
        found.sort()
        return [[number, -covered >= total * SHOWN] for covered, number in found[:3]]


def may_be_message(query: str) -> bool:
    """Whether the lookup should be asked: three Latin words or more."""
    return len(_LATIN.findall(query[:LETTERS])) > 2


def recognised(hits: list[dict[str, Any]], table: dict[str, Any], query: str) -> list[str]:
    """The stems whose message the query is; if it is none, those of whose message it is a piece.

    Args:
        hits: the lookup's for this query.
        table: the lookup's index.
    """
    if hits:
        return list(dict.fromkeys(hit["symptom"] for hit in hits))
    needle = " ".join(filter(None, _BLANKS.split(query[:LETTERS])))
    if not needle.isascii() or len(needle) < SHORTEST:
        return []
    needle = needle.lower()
    pieces = [wording["symptom"] for wording in table["wordings"] if any(isinstance(part, str) and needle in part.lower() for part in wording["parts"])]
    return list(dict.fromkeys(pieces))


def _decode(coded: str) -> list[tuple[int, int]]:
    """[(document, level)]."""
    found, doc = [], 0
    steps = iter(coded)
    for step in steps:
        if step == "~":
            doc += 90
            continue
        doc += ord(step) - 33
        found.append((doc, ord(next(steps)) - 33))
    return found


def _slips(one: str, two: str, most: int) -> int:
    """Letters added, left out, changed, or swapped with their neighbour; more than `most` if that is not yet all."""
    if abs(len(one) - len(two)) > most:
        return most + 1
    before: list[int] = []
    last = list(range(len(two) + 1))
    for at, c in enumerate(one):
        row = [at + 1]
        for to, d in enumerate(two):
            cost = min(last[to] + (c != d), last[to + 1] + 1, row[to] + 1)
            if at and to and c == two[to - 1] and one[at - 1] == d:
                cost = min(cost, before[to - 1] + 1)
            row.append(cost)
        if min(row) > most:
            return most + 1
        before, last = last, row
    return last[-1]
