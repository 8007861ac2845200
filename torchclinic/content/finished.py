"""Shapes of the finished knowledge, which content/answers.py makes and the commands answer from.

Plain data, kept as JSON: a reader needs neither YAML nor the files. Texts are plain: no links, no
bold; code stands in backticks.
"""

from __future__ import annotations

from typing import Any, TypedDict

from ..find.answer import Index


class CauseText(TypedDict):
    """A row of the table of causes."""

    row: str
    see: str
    do: str
    say: str  # a sentence with {holes}; "" for none
    case: str  # that the row leads to; "" where it leads to another page


class CaseText(TypedDict):
    """A case in one language."""

    title: str
    check: str  # source; "" for none
    fixes: dict[str, str]  # "python", or the place of a command -> what to copy


class PageText(TypedDict):
    """A page in one language."""

    title: str
    summary: str
    path: str  # of its source in a checkout
    url: str  # below the site's root


class SymptomText(PageText):
    diagnosis: list[str]  # sentences with {holes}
    causes: list[CauseText]
    ask: str
    cases: dict[str, CaseText]


class CaseEntry(TypedDict):
    name: str
    needs: list[str]


class SymptomEntry(TypedDict):
    """A symptom."""

    id: str
    docs: list[str]  # addresses
    needs: list[str]
    recover: str
    cases: list[CaseEntry]
    texts: dict[str, SymptomText]  # by language


class TipEntry(TypedDict):
    """A tip."""

    id: str
    texts: dict[str, PageText]  # by language


class Answers(TypedDict):
    """What lookup and fix answer from."""

    index: Index
    symptoms: dict[str, SymptomEntry]  # by stem
    tips: dict[str, TipEntry]  # by stem
    redirects: dict[str, str]  # id that a page had -> its id of today
    site: str  # its address, with a slash at its end; "" where it is not known
    day: str  # of the newest run that the pages tell of; "" where none is recorded


class SnippetEntry(TypedDict):
    """What verify runs."""

    topic: str
    text: str  # the file
    facts: dict[str, Any]  # its header, parsed
