"""The index of the search, in one language: what torchclinic/find/search.py and its twin in the browser read. Its form is described there.

What a word weighs on a page is worked out here (BM25F), once: the title tells more than the text, and long texts tell less by each of their words.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

from .. import LANGUAGES
from ..find import search
from .known import KnownMessage
from .page import Page
from .symptom import Symptom
from .tip import Tip

VERSION = 1
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
#: Fields of phrases, each of which counts on its own: a word that is all of a phrase this much, one among others less.
PHRASES, ALONE = ("title", "synonyms"), 1.7
#: Synonyms that a query is compared with as a whole: the telling ones stand first, and all of them would be a tenth of the index.
COMPARED = 10
#: A word that stands twice as often says less than twice as much: within a field, and over all.
WITHIN, OVERALL = 1.0, 4.0
#: Pairs of Chinese characters that stand out less on a page are left out: they were a fifth of the index, and found nothing that others do not.
FAINT = 11
#: Words that are true of every page, and so tell none apart.
EVERYWHERE = "PyTorch torch error 报错 错误 出错 问题"
TRADITIONAL = "traditional.txt"
#: Where nothing else tells them apart, a page comes before a message that has none, and that before pages about this site.
PAGE, KNOWN, OVERVIEW = 100, 90, 60
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
    texts: dict[str, list[str]]
    sections: list[tuple[str, str]] = field(default_factory=list)  # anchor, heading


def build(
    symptoms: Iterable[Symptom],
    tips: Iterable[Tip],
    known: Iterable[KnownMessage],
    overviews: Iterable[tuple[str, str, str]],
    tags: dict[str, dict[str, str]],
    alike: list[list[str]],
    simplified: dict[str, str],
    language: str,
) -> dict[str, Any]:
    """The index of all pages, known messages and overviews in one language. Pure data: the same input gives the same index.

    Args:
        overviews: (address, title, description) of pages about the others.
        tags: id -> {language: name}.
        alike: groups of words that people use for one another.
        simplified: traditional characters -> simplified ones.
    """
    docs = [_page(made, tags, language) for made in (*symptoms, *tips) if language in made.pages]
    docs += [_known(message, language) for message in known]
    docs += [Doc(address.rstrip("/"), address, title, text, OVERVIEW, {"title": [title], "summary": [text]}) for address, title, text in overviews]
    return {"language": language, **make(docs, alike, simplified)}


def traditional(file: Path) -> dict[str, str]:
    """Traditional characters -> simplified ones."""
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    return {pair[0]: pair[1] for line in lines if not line.startswith("#") for pair in line.split()}


def make(docs: list[Doc], alike: list[list[str]], simplified: dict[str, str]) -> dict[str, Any]:
    """The index of documents, words alike and characters alike."""
    found: dict[str, list[tuple[int, int]]] = {}
    counts = [{name: _count(doc, name, simplified) for name in FIELDS} for doc in docs]
    mean = {name: sum(sum(count[name].values()) for count in counts) / max(1, sum(bool(count[name]) for count in counts)) for name in FIELDS}
    for number, fields in enumerate(counts):
        strength: dict[str, float] = defaultdict(float)
        for name, (weight, b) in FIELDS.items():
            length = sum(fields[name].values())
            for term, times in fields[name].items():
                times /= 1 - b + b * length / mean[name]
                strength[term] += weight * times * (1 + WITHIN) / (times + WITHIN)
        for term, value in strength.items():
            level = max(1, round(search.LEVELS * value / (value + OVERALL)))
            if level >= FAINT or term.isascii():
                found.setdefault(term, []).append((number, level))
    terms = sorted(found)
    numbers = {term: number for number, term in enumerate(terms)}
    used = {c for term in (*terms, search.STOP_HAN.pattern) for c in term}
    pairs = {old: new for old, new in simplified.items() if new in used}
    return {
        "version": VERSION,
        "docs": [[doc.id, doc.address, doc.title, doc.prior] for doc in docs],
        "texts": [[doc.summary, [list(section) for section in doc.sections]] for doc in docs],
        "terms": " ".join(terms),
        "postings": " ".join(_encode(found[term]) for term in terms),
        "phrases": [" ".join(_phrase(text, numbers, simplified) for text in doc.texts.get("synonyms", [])[:COMPARED]) for doc in docs],
        "groups": alike,
        "traditional": ["".join(pairs), "".join(pairs.values())],
    }


def _count(doc: Doc, name: str, simplified: dict[str, str]) -> dict[str, float]:
    """How often each term stands in a field."""
    found: dict[str, float] = defaultdict(float)
    names = set()
    for text in doc.texts.get(name, []):
        read = search.runs(text, simplified)
        share = ALONE / math.sqrt(sum(len(parts) for parts, _, _ in read) or 1) if name in PHRASES else 1.0
        for parts, whole, _ in read:
            for term in (*parts, whole) if whole else parts:
                found[term] += share
            names.add(whole)
    if name == "text":
        return {name: found[name] for name in names if name}  # such as `benchmark_limit`: text is by far the largest field, and tells the least
    return found


def _encode(postings: list[tuple[int, int]]) -> str:
    text, last = "", 0
    for doc, level in postings:
        text += "~" * ((doc - last) // 90) + chr(33 + (doc - last) % 90) + chr(33 + level)
        last = doc
    return text


def _phrase(text: str, numbers: dict[str, int], simplified: dict[str, str]) -> str:
    return "".join(chr(33 + numbers[term] // 90) + chr(33 + numbers[term] % 90) for term in search.words(text, simplified))


def _page(made: Symptom | Tip, labels: dict[str, dict[str, str]], language: str) -> Doc:
    page = made.pages[language]
    sections = [(found[2], _bare(found[1])) for found in _HEADING.finditer(page.prose)]
    summary = str(page.meta.get("summary") or "")
    tags = made.snippet.tags if isinstance(made, Symptom) else made.tags
    texts = {
        "title": [page.title],
        "everywhere": [EVERYWHERE],
        "synonyms": page.synonyms,
        "stem": [made.stem],
        "summary": [summary, str(page.meta.get("rule") or "")],
        "other": [text for other in LANGUAGES if other != language and other in made.pages for text in _other(made.pages[other], language)],
        "headings": [heading for _, heading in sections],
        "tags": [name for tag in tags for name in labels.get(tag, {}).values()],
        "diagnosis": page.diagnoses,
        "text": [_UNSEEN.sub(" ", _FENCE.sub(" ", text)) for text in (page.prose, *(text for row in page.causes.values() for text in (row.see, row.do)))],
    }
    if isinstance(made, Symptom):
        texts["wordings"] = [" ".join(wording.literals) for wording in made.snippet.wordings]
        texts["exceptions"] = sorted({name for wording in made.snippet.wordings for name in (wording.exception, *wording.also)})
    return Doc(made.id, f"{made.id}/", _bare(page.title), _bare(summary), PAGE, texts, sections)


def _bare(markdown: str) -> str:
    return markdown.replace("`", "")


def _other(page: Page, language: str) -> list[str]:
    """What is read of the other language's page: Chinese readers type English words, the other way round it is rare."""
    return [page.title, *(page.synonyms if language == "zh" else [])]


def _known(message: KnownMessage, language: str) -> Doc:
    """A message without a page: the lookup says what is known of it, from its shortest print."""
    texts = {
        "title": [message.title[language]],
        "everywhere": [EVERYWHERE],
        "synonyms": message.synonyms.get(language, []),
        "stem": [message.stem],
        "other": [message.title[other] for other in LANGUAGES if other != language],
        "wordings": [" ".join(wording.literals) for wording in message.wordings],
        "exceptions": sorted({name for wording in message.wordings for name in (wording.exception, *wording.also)}),
        "diagnosis": message.diagnosis.get(language, []),
    }
    sample = min((wording.sample for wording in message.wordings if not wording.near), key=len, default="")
    return Doc(message.stem, f"lookup/#q={quote(sample)}", _bare(message.title[language]), "", KNOWN, texts)
