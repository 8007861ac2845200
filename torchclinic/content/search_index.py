"""The index of the search, in one language: what torchclinic/find/search_table.py reads, where its
form is described, and its twin in the browser.

What a word weighs on a page is worked out here (BM25F), once: the title tells more than the text,
and long texts tell less by each of their words.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from .. import LANGUAGES
from ..find import terms
from ..find.search_table import LEVELS, SearchIndex
from .page import Page
from .symptom import Symptom
from .tip import Tip

VERSION = 2
#: Field -> (its weight, how much its length counts against it).
FIELDS = {
    "title": (6.0, 0.0),
    "synonyms": (8.0, 0.0),
    "stem": (4.0, 0.0),
    "wordings": (2.0, 0.2),
    "summary": (2.0, 0.4),
    "other": (2.0, 0.4),
    "headings": (2.0, 0.4),
    "exceptions": (2.0, 0.0),
    "tags": (1.5, 0.0),
    "diagnosis": (1.0, 0.4),
    "text": (0.6, 0.6),
    "everywhere": (1.0, 0.0),
}
#: Fields of phrases, each of which counts on its own: a word that is all of a phrase this much, one
#: among others less.
PHRASES, ALONE = ("title", "synonyms"), 1.7
#: Synonyms that a query is compared with as a whole: the telling ones stand first, and all of them
#: would be a tenth of the index.
COMPARED = 10
#: A word that stands twice as often says less than twice as much: within a field, and over all.
WITHIN, OVERALL = 1.0, 4.0
#: Pairs of Chinese characters that stand out less on a page are left out: they were a fifth of the
#: index, and found nothing that others do not.
FAINT = 11
#: Words that are true of every page, and so tell none apart.
EVERYWHERE = "PyTorch torch error 报错 错误 出错 问题"
TRADITIONAL = "traditional.txt"
#: Where nothing else tells them apart, a page comes before pages about this site.
PAGE, OVERVIEW = 100, 60
_UNSEEN = re.compile(r"\{\{.*?\}\}|<!--.*?-->|\{[#:][^}]*\}|\]\([^)\s]*\)")
_FENCE = re.compile(r"^\s*```.*?^\s*```\s*$", re.DOTALL | re.MULTILINE)
_HEADING = re.compile(r"^##+ (.*?) \{#([a-z0-9-]+)\}$", re.MULTILINE)


@dataclass
class Doc:
    """One thing that is found. `address` is relative to the language's root."""

    id: str
    address: str
    title: str
    summary: str
    prior: int
    texts: dict[str, list[str]]  # by field
    sections: list[tuple[str, str]] = field(default_factory=list)  # anchor, heading


def build(
    pages: Iterable[Symptom | Tip],
    overviews: Iterable[tuple[str, str, str]],
    tags: dict[str, dict[str, str]],
    alike: list[list[str]],
    simplified: dict[str, str],
    language: str,
) -> SearchIndex:
    """The index of pages in one language. Pure data: the same input gives the same index.

    Args:
        overviews: (address, title, description) of pages about the others.
        tags: id -> {language: name}.
        alike: groups of words that people use for one another.
        simplified: traditional characters -> simplified ones.
    """
    docs = [_page(page, tags, language) for page in pages if language in page.pages]
    for address, title, text in overviews:
        texts = {"title": [title], "summary": [text]}
        docs.append(Doc(address.rstrip("/"), address, title, text, OVERVIEW, texts))
    return make(docs, alike, simplified, language)


def traditional(file: Path) -> dict[str, str]:
    """Traditional characters -> simplified ones."""
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    return {pair[0]: pair[1] for line in lines if not line.startswith("#") for pair in line.split()}


def make(
    docs: list[Doc], alike: list[list[str]], simplified: dict[str, str], language: str
) -> SearchIndex:
    """The index of documents, words alike and characters alike."""
    postings = _postings(docs, simplified)
    known = sorted(postings)
    numbers = {term: number for number, term in enumerate(known)}
    used = {c for term in (*known, terms.STOP_HAN) for c in term}
    pairs = {old: new for old, new in simplified.items() if new in used}
    return {
        "language": language,
        "version": VERSION,
        "docs": [(doc.id, doc.address, doc.title, doc.prior) for doc in docs],
        "texts": [(doc.summary, doc.sections) for doc in docs],
        "terms": " ".join(known),
        "postings": " ".join(_encode(postings[term]) for term in known),
        "phrases": [_phrases(doc, numbers, simplified) for doc in docs],
        "groups": alike,
        "traditional": ("".join(pairs), "".join(pairs.values())),
        "stop": (terms.STOP, terms.STOP_HAN),
    }


def _postings(docs: list[Doc], simplified: dict[str, str]) -> dict[str, list[tuple[int, int]]]:
    """Term -> [(number of a document, level)]."""
    postings: dict[str, list[tuple[int, int]]] = {}
    counts = [{name: _count(doc, name, simplified) for name in FIELDS} for doc in docs]
    mean = {
        name: sum(sum(count[name].values()) for count in counts)
        / max(1, sum(bool(count[name]) for count in counts))
        for name in FIELDS
    }
    for number, fields in enumerate(counts):
        strength: dict[str, float] = defaultdict(float)
        for name, (weight, b) in FIELDS.items():
            length = sum(fields[name].values())
            for term, times in fields[name].items():
                times /= 1 - b + b * length / mean[name]
                strength[term] += weight * times * (1 + WITHIN) / (times + WITHIN)
        for term, value in strength.items():
            level = max(1, round(LEVELS * value / (value + OVERALL)))
            if level >= FAINT or term.isascii():
                postings.setdefault(term, []).append((number, level))
    return postings


def _count(doc: Doc, name: str, simplified: dict[str, str]) -> dict[str, float]:
    """How often each term stands in a field."""
    count: dict[str, float] = defaultdict(float)
    wholes = set()
    for text in doc.texts.get(name, []):
        runs = terms.runs(text, simplified)
        share = ALONE / math.sqrt(sum(len(run.parts) for run in runs) or 1)
        for run in runs:
            for term in (*run.parts, run.whole) if run.whole else run.parts:
                count[term] += share if name in PHRASES else 1.0
            wholes.add(run.whole)
    if name == "text":
        # Wholes alone, such as `benchmark_limit`: text is by far the largest field, and tells the
        # least.
        return {whole: count[whole] for whole in wholes if whole}
    return count


def _encode(postings: list[tuple[int, int]]) -> str:
    text, last = "", 0
    for doc, level in postings:
        text += "~" * ((doc - last) // 90) + chr(33 + (doc - last) % 90) + chr(33 + level)
        last = doc
    return text


def _phrases(doc: Doc, numbers: dict[str, int], simplified: dict[str, str]) -> str:
    phrases = [
        [numbers[term] for term in terms.terms(text, simplified)]
        for text in doc.texts.get("synonyms", [])[:COMPARED]
    ]
    return " ".join("".join(chr(33 + n // 90) + chr(33 + n % 90) for n in of) for of in phrases)


def _page(page: Symptom | Tip, labels: dict[str, dict[str, str]], language: str) -> Doc:
    text = page.pages[language]
    sections = [(heading[2], _bare(heading[1])) for heading in _HEADING.finditer(text.prose)]
    front = text.front
    tags = page.snippet.tags if isinstance(page, Symptom) else page.facts.tags
    others = [page.pages[name] for name in LANGUAGES if name != language and name in page.pages]
    rows = [cell for row in front.causes.values() for cell in (row.see, row.do)]
    texts = {
        "title": [front.title],
        "everywhere": [EVERYWHERE],
        "synonyms": [*filter(None, [front.want]), *front.synonyms],
        "stem": [page.stem],
        "summary": [front.summary, front.rule],
        "other": [read for other in others for read in _other(other, language)],
        "headings": [heading for _, heading in sections],
        "tags": [name for tag in tags for name in labels.get(tag, {}).values()],
        "diagnosis": front.diagnosis,
        "text": [_UNSEEN.sub(" ", _FENCE.sub(" ", prose)) for prose in (text.prose, *rows)],
    }
    if isinstance(page, Symptom):
        wordings = page.snippet.wordings
        texts["wordings"] = [" ".join(wording.literals) for wording in wordings]
        texts["exceptions"] = sorted(
            {name for wording in wordings for name in (wording.exception, *wording.also)}
        )
    title, summary = _bare(front.title), _bare(front.summary)
    return Doc(page.id, f"{page.id}/", title, summary, PAGE, texts, sections)


def _bare(markdown: str) -> str:
    return markdown.replace("`", "")


def _other(page: Page, language: str) -> list[str]:
    """What is read of the other language's page: Chinese readers type English words, the other way
    round it is rare.
    """
    return [page.front.title, *(page.front.synonyms if language == "zh" else [])]
