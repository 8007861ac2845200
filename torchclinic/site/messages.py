"""The index of messages: two generated pages, every wording A to Z, and every symptom by the type of its exception.

Raw HTML rather than Markdown: a thousand rows are read by no Markdown parser, and stay small. assets/filter.js narrows the first page as one
types; without JavaScript it is a plain list.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ..content.catalogue import Catalogue
from . import markup, parts, symptom_page
from .labels import LABELS

#: Where messages stand that begin with a digit.
DIGITS = "0–9"


@dataclass(frozen=True)
class Row:
    """One wording as the index shows it. `page` is the id of its symptom, or "" where there is no page yet; then `docs` may lead to PyTorch's own."""

    text: str  # HTML
    order: str
    exception: str
    title: str
    page: str
    docs: str = ""

    @property
    def letter(self) -> str:
        first = self.order[:1]
        return DIGITS if first.isdigit() else first.upper()


def rows(catalogue: Catalogue, language: str) -> list[Row]:
    """Every wording of symptoms and known messages, A to Z, each once a symptom and exception."""
    found = {}
    for title, page, docs, wordings in _entries(catalogue, language):
        for wording in wordings:
            # Quotes and brackets do not count: `'NoneType' object` stands under N.
            start = next((at for at, c in enumerate(wording.text) if c.isascii() and c.isalnum()), 0)
            row = Row(symptom_page.with_holes(wording, language), wording.text[start:].lower(), wording.exception, title, page, docs)
            found[row.text, row.exception, page, title] = row
    return sorted(found.values(), key=lambda row: (row.letter == DIGITS, row.order, row.exception, row.title))


def _entries(catalogue: Catalogue, language: str) -> Iterator[tuple[str, str, str, list[Any]]]:
    """(title, id of the page, documentation, wordings) of symptoms, then of what has no page yet."""
    for symptom in catalogue.symptoms.values():
        if language in symptom.pages:
            yield symptom.title(language), symptom.id, "", symptom.snippet.wordings
    for message in catalogue.known.values():
        yield message.title[language], "", message.docs, message.wordings


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
        f'## {letter} {{#{"digits" if letter == DIGITS else letter.lower()}}}\n\n<ul class="tc-index">{"".join(items)}</ul>' for letter, items in groups.items()
    )
    intro = label["messages-text"].format(count=len(found), pages=sum(bool(row.page) for row in found))
    return f"{markup.front_matter(label['messages-summary'])}# {label['messages']}\n\n{intro}\n\n{_filter(language)}\n\n{lists}\n"


def _item(row: Row, language: str, named: bool) -> str:
    """One row. The page lies one folder deep, and MkDocs leaves links in raw HTML as they are."""
    label = LABELS[language]
    notes = [html.escape(row.exception)] if row.exception else []
    if named:
        notes.append(html.escape(row.title.replace("`", ""), quote=False))
    text = f"<code>{row.text}</code>"
    if row.page:
        text = f'<a href="../{html.escape(row.page)}/">{text}</a>'
    else:
        notes.append(label["no-page"])
        if row.docs:
            notes.append(_docs(row.docs))
    return f"<li>{text}{' <small>' + ' · '.join(notes) + '</small>' if notes else ''}</li>"


def _docs(address: str) -> str:
    return f'<a href="{html.escape(address)}">{html.escape(parts.host(address))}</a>'


def _filter(language: str) -> str:
    """The field; filter.js shows it, for without JavaScript it would do nothing."""
    label = LABELS[language]
    return (
        f'<form class="tc-filter" role="search" aria-label="{label["filter"]}" data-tc-filter="{html.escape(label["shown"])}" hidden>'
        f'<label for="tc-filter">{label["filter"]}</label>'
        f'<input id="tc-filter" type="search" autocomplete="off" autocapitalize="off" spellcheck="false" placeholder="{label["filter-hint"]}">'
        f'<p class="tc-note"><span role="status" aria-live="polite"></span> <a href="../lookup/" data-tc-none hidden>{label["filter-none"]}</a></p></form>'
    )


# ---- by exception type


def exceptions_page(catalogue: Catalogue, language: str) -> str:
    """Symptoms by the type of the exception or warning that they print; at the end those that print a line of a log, and those that print nothing."""
    label = LABELS[language]
    groups: dict[str, list[str]] = {}
    for title, page, docs, wordings in _entries(catalogue, language):
        for exception in {wording.exception for wording in wordings}:
            groups.setdefault(exception, []).append(_line(title, page, docs, language))
    log_lines = groups.pop("", [])
    parts = [f"{markup.front_matter(label['exceptions-summary'])}# {label['exceptions']}\n\n{label['exceptions-text']}\n"]
    for exception in sorted(groups, key=str.lower):
        parts.append(_group(markup.plain(exception), re.sub(r"[^a-z0-9]+", "-", exception.lower()), groups[exception]))
    if log_lines:
        parts.append(_group(label["log-lines"], "log-lines", log_lines))
    silent = [_line(symptom.title(language), symptom.id, "", language) for symptom in silent_symptoms(catalogue) if language in symptom.pages]
    parts.append(_group(label["silent-heading"], "silent", [label["silent-text"], "", *silent]))
    return "\n".join(parts)


def silent_symptoms(catalogue: Catalogue) -> list[Any]:
    """Symptoms that print no message at all: slow, or wrong."""
    return [symptom for symptom in catalogue.symptoms.values() if not symptom.snippet.wordings]


def _group(heading: str, anchor: str, lines: list[str]) -> str:
    return f"\n## {heading} {{#{anchor}}}\n\n" + "\n".join(lines) + "\n"


def _line(title: str, page: str, docs: str, language: str) -> str:
    label = LABELS[language]
    if page:
        return f"- [{markup.plain(title)}]({page}.md)"
    return f"- {markup.plain(title)} <small>{label['no-page']}{' · ' + _docs(docs) if docs else ''}</small>"
