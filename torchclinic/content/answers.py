"""Makes what the commands answer from (content/finished.py has its shapes) of a catalogue."""

from __future__ import annotations

import posixpath
import re

from .catalogue import Catalogue
from .code import as_shown
from .finished import Answers, CauseText, PageText, SnippetEntry, SymptomEntry, SymptomText
from .snippet import Case, Snippet
from .symptom import Symptom
from .tip import Tip

_LINK = re.compile(r"\[([^\]]*)\]\(([^)\s]+)\)")


def answers(catalogue: Catalogue) -> Answers:
    """What lookup and fix answer from."""
    return {
        "index": catalogue.index(),
        "symptoms": {stem: _symptom(symptom) for stem, symptom in catalogue.symptoms.items()},
        "tips": {
            stem: {
                "id": tip.id,
                "texts": {language: _page(tip, language) for language in tip.pages},
            }
            for stem, tip in catalogue.tips.items()
        },
        "redirects": catalogue.redirects,
        "site": "",
        "day": max(
            (run["date"] for record in catalogue.evidence for run in record.symptoms.values()),
            default="",
        ),
    }


def snippets(catalogue: Catalogue) -> dict[str, SnippetEntry]:
    """What verify runs, by stem: those that are fit to be run."""
    return {
        stem: {"topic": symptom.topic, "text": symptom.snippet.text, "facts": symptom.snippet.facts}
        for stem, symptom in catalogue.symptoms.items()
        if not symptom.snippet.broken
    }


def _symptom(symptom: Symptom) -> SymptomEntry:
    snippet = symptom.snippet
    return {
        "id": symptom.id,
        "docs": snippet.docs,
        "needs": snippet.needs,
        "recover": snippet.recover,
        "cases": [
            {"name": case.name, "needs": list(case.needs)} for case in _most_met_first(snippet)
        ],
        "texts": {language: _texts(symptom, language) for language in symptom.pages},
    }


def _most_met_first(snippet: Snippet) -> list[Case]:
    """The cases in the order of the table of causes; then those that no row leads to."""
    rows = [cause.case for cause in snippet.causes]
    return sorted(
        snippet.cases.values(),
        key=lambda case: rows.index(case.name) if case.name in rows else len(rows),
    )


def _texts(symptom: Symptom, language: str) -> SymptomText:
    page = symptom.pages[language]
    snippet = symptom.code(language)
    titles = {name: prose(title, symptom.id) for name, title in page.titles.items()}
    return {
        **_page(symptom, language),
        "diagnosis": page.front.diagnosis,
        "causes": causes(symptom, language),
        "ask": prose(page.front.ask, symptom.id),
        "cases": {
            case.name: {
                "title": titles.get(case.name, ""),
                "check": _check(snippet, case),
                "fixes": case.fixes,
            }
            for case in snippet.cases.values()
        },
    }


def _check(snippet: Snippet, case: Case) -> str:
    if "check" not in case.cells:
        return ""
    cell = case.cells["check"]
    return as_shown(cell.source, [part.source for part in snippet.setup_of(cell)])


def _page(shown: Symptom | Tip, language: str) -> PageText:
    front = shown.pages[language].front
    return {
        "title": prose(front.title, shown.id),
        "summary": prose(front.summary, shown.id),
        "path": f"docs/{language}/{shown.id}.md",
        "url": f"{language}/{shown.id}/",
    }


def causes(symptom: Symptom, language: str) -> list[CauseText]:
    """The rows of the table of causes, in its order."""
    rows = symptom.pages[language].front.causes
    return [
        {
            "row": cause.row,
            "see": prose(rows[cause.row].see, symptom.id),
            "do": prose(rows[cause.row].do, symptom.id),
            "say": rows[cause.row].say,
            "case": cause.case,
        }
        for cause in symptom.snippet.causes
        if cause.row in rows
    ]


def prose(text: str, ident: str) -> str:
    """Markdown of one line as plain text.

    Links become their text, with the id of the page that they lead to; bold is dropped.

    Args:
        ident: of the page on which the text stands.
    """

    def plain(link: re.Match[str]) -> str:
        target = link[2].partition("#")[0]
        if not target:
            return link[1]
        if "://" in target:
            return f"{link[1]} ({link[2]})"
        page = posixpath.normpath(posixpath.join(posixpath.dirname(ident), target))
        return f"{link[1]} ({page.removesuffix('.md')})"

    pieces = _LINK.sub(plain, text).split("`")  # in code, which is every second, `**` is a power
    return "`".join(piece if at % 2 else piece.replace("**", "") for at, piece in enumerate(pieces))
