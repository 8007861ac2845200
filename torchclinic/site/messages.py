"""The index of messages: two generated pages, every wording A to Z, and every symptom by the type
of its exception.

Raw HTML rather than Markdown: a thousand rows are read by no Markdown parser, and stay small.
assets/filter.js narrows the first page as one
types; without JavaScript it is a plain list.
"""

from __future__ import annotations

import html
import re
from collections import Counter
from dataclasses import dataclass

from ..content.catalogue import Catalogue
from ..content.symptom import Symptom
from . import markup, message_view
from .labels import LABELS
from .templates import render

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
    every = {}
    for symptom in catalogue.symptoms.values():
        for wording in symptom.snippet.wordings if language in symptom.pages else ():
            # Quotes and brackets do not count: `'NoneType' object` stands under N.
            start = re.search("[A-Za-z0-9]", wording.text)
            order = wording.text[start.start() if start else 0 :].lower()
            text, title = message_view.with_holes(wording, language), symptom.title(language)
            row = Row(text, order, wording.exception, title, symptom.id)
            every[row.text, row.exception, row.page, row.title] = row
    return sorted(
        every.values(), key=lambda row: (row.letter == DIGITS, row.order, row.exception, row.title)
    )


def messages_page(catalogue: Catalogue, language: str) -> str:
    """Every message, A to Z, under its first letter, with a field that narrows the list."""
    every = rows(catalogue, language)
    printed = Counter((row.text, row.exception) for row in every)
    letters: dict[str, list[tuple[Row, list[str]]]] = {}
    for row in every:
        notes = [row.exception] if row.exception else []
        if printed[row.text, row.exception] > 1:  # their titles tell them apart
            notes.append(row.title.replace("`", ""))
        escaped = [html.escape(note, quote=False) for note in notes]
        letters.setdefault(row.letter, []).append((row, escaped))
    return render("messages.md", language, letters=letters, digits=DIGITS, count=len(every))


# ---- by exception type


def exceptions_page(catalogue: Catalogue, language: str) -> str:
    """Symptoms by the type of the exception or warning that they print; at the end those that print
    a line of a log, and those that print nothing."""
    label = LABELS[language]
    by_type: dict[str, list[Symptom]] = {}
    silent = []
    for symptom in catalogue.symptoms.values():
        if language in symptom.pages:
            for exception in {wording.exception for wording in symptom.snippet.wordings}:
                by_type.setdefault(exception, []).append(symptom)
            silent += [] if symptom.snippet.wordings else [symptom]
    log_lines = by_type.pop("", [])
    groups = [
        (markup.plain(name), re.sub(r"[^a-z0-9]+", "-", name.lower()), by_type[name])
        for name in sorted(by_type, key=str.lower)
    ]
    groups += [(label["log-lines"], "log-lines", log_lines)] if log_lines else []
    groups.append((label["silent-heading"], "silent", silent))
    return render("exceptions.md", language, groups=groups)
