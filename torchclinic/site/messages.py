"""The index of messages: two generated pages, every wording A to Z, and every symptom by the type
of its exception.

Raw HTML rather than Markdown: a thousand rows are read by no Markdown parser, and stay small.
assets/filter.js narrows the first page as one
types; without JavaScript it is a plain list.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ..content.catalogue import Catalogue
from . import markup, message_view
from .labels import LABELS

#: Where messages stand that begin with a digit.
DIGITS = "0–9"


@dataclass(frozen=True)
class Row:
    """One wording as the index shows it; `page` is the id of its symptom."""

    text: str  # HTML
    order: str
    exception: str
    title: str
    page: str

    @property
    def letter(self) -> str:
        first = self.order[:1]
        return DIGITS if first.isdigit() else first.upper()


def rows(catalogue: Catalogue, language: str) -> list[Row]:
    """Every wording, A to Z, each once a symptom and exception."""
    found = {}
    for title, page, wordings in _entries(catalogue, language):
        for wording in wordings:
            # Quotes and brackets do not count: `'NoneType' object` stands under N.
            start = next(
                (at for at, c in enumerate(wording.text) if c.isascii() and c.isalnum()), 0
            )
            row = Row(
                message_view.with_holes(wording, language),
                wording.text[start:].lower(),
                wording.exception,
                title,
                page,
            )
            found[row.text, row.exception, page, title] = row
    return sorted(
        found.values(), key=lambda row: (row.letter == DIGITS, row.order, row.exception, row.title)
    )


def _entries(catalogue: Catalogue, language: str) -> Iterator[tuple[str, str, list[Any]]]:
    """(title, id of the page, wordings) of symptoms."""
    for symptom in catalogue.symptoms.values():
        if language in symptom.pages:
            yield symptom.title(language), symptom.id, symptom.snippet.wordings


def messages_page(catalogue: Catalogue, language: str) -> str:
    """Every message, A to Z, under its first letter, with a field that narrows the list."""
    label = LABELS[language]
    found = rows(catalogue, language)
    printed = [(row.text, row.exception) for row in found]
    groups: dict[str, list[str]] = {}
    for row, key in zip(found, printed, strict=True):
        # The same words may come from several symptoms: their titles tell them apart.
        groups.setdefault(row.letter, []).append(_item(row, language, named=printed.count(key) > 1))
    lists = "\n\n".join(
        f"## {letter} {{#{'digits' if letter == DIGITS else letter.lower()}}}\n\n"
        f'<ul class="tc-index">{"".join(items)}</ul>'
        for letter, items in groups.items()
    )
    intro = label["messages-text"].format(count=len(found))
    front = markup.front_matter(label["messages-summary"])
    form = markup.filter_form(
        label["filter-messages"],
        label["filter-messages-hint"],
        label["shown-messages"],
        label["filter-none"],
    )
    return f"{front}# {label['messages']}\n\n{intro}\n\n{form}\n\n{lists}\n"


def _item(row: Row, language: str, named: bool) -> str:
    """One row. The page lies one folder deep, and MkDocs leaves links in raw HTML as they are."""
    notes = [html.escape(row.exception)] if row.exception else []
    if named:
        notes.append(html.escape(row.title.replace("`", ""), quote=False))
    text = f"<code>{row.text}</code>"
    text = f'<a href="../{html.escape(row.page)}/">{text}</a>'
    return f"<li>{text}{' <small>' + ' · '.join(notes) + '</small>' if notes else ''}</li>"


# ---- by exception type


def exceptions_page(catalogue: Catalogue, language: str) -> str:
    """Symptoms by the type of the exception or warning that they print; at the end those that print
    a line of a log, and those that print nothing."""
    label = LABELS[language]
    groups: dict[str, list[str]] = {}
    for title, page, wordings in _entries(catalogue, language):
        for exception in {wording.exception for wording in wordings}:
            groups.setdefault(exception, []).append(_line(title, page))
    log_lines = groups.pop("", [])
    parts = [
        markup.front_matter(label["exceptions-summary"])
        + f"# {label['exceptions']}\n\n{label['exceptions-text']}\n"
    ]
    for exception in sorted(groups, key=str.lower):
        parts.append(
            _group(
                markup.plain(exception),
                re.sub(r"[^a-z0-9]+", "-", exception.lower()),
                groups[exception],
            )
        )
    if log_lines:
        parts.append(_group(label["log-lines"], "log-lines", log_lines))
    silent = [
        _line(symptom.title(language), symptom.id)
        for symptom in silent_symptoms(catalogue)
        if language in symptom.pages
    ]
    parts.append(_group(label["silent-heading"], "silent", [label["silent-text"], "", *silent]))
    return "\n".join(parts)


def silent_symptoms(catalogue: Catalogue) -> list[Any]:
    """Symptoms that print no message at all: slow, or wrong."""
    return [symptom for symptom in catalogue.symptoms.values() if not symptom.snippet.wordings]


def _group(heading: str, anchor: str, lines: list[str]) -> str:
    return f"\n## {heading} {{#{anchor}}}\n\n" + "\n".join(lines) + "\n"


def _line(title: str, page: str) -> str:
    return f"- [{markup.plain(title)}]({page}.md)"
