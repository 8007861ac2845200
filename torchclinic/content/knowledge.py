"""The finished knowledge: what the commands answer from, made from a catalogue. Plain data (JSON), so that a reader needs neither YAML nor the files.

`answers` makes

{"index": what find.lookup reads (content/index.py),
 "symptoms": {stem: {"id", "page": bool, "docs": [address], "needs": [need],
                     "cases": [{"name", "needs": [need]}],
                     language: {"title", "summary", "diagnosis": [sentence with {holes}],
                                "causes": [{"row", "see", "do", "say", "case"}], "ask",
                                "cases": {name: {"title", "check": source or "", "fixes": {"python" or the place of a command: what to copy}}},
                                "path": of the page's source in a checkout, "url": of the page, below the site's root}}},
 "tips": {stem: {"id", language: {"title", "summary", "path", "url"}}},
 "redirects": {old id: new id}}

A message that is known but has no page (`page` is false) has no cases, no causes, no path and no url. Texts are plain: no links, no bold; code stands in backticks.
"""

from __future__ import annotations

import posixpath
import re
from typing import Any

from .. import LANGUAGES
from .catalogue import Catalogue
from .known import KnownMessage
from .snippet import asked_of_any_program
from .symptom import Symptom
from .tip import Tip

_LINK = re.compile(r"\[([^\]]*)\]\(([^)\s]+)\)")
_CASE = re.compile(r"\]\(#([a-z0-9-]+)\)")
_HEADING = re.compile(r"### (.*?) \{#([a-z0-9-]+)\}", re.MULTILINE)


def answers(catalogue: Catalogue) -> dict[str, Any]:
    """What lookup and fix answer from."""
    symptoms = {stem: _symptom(symptom) for stem, symptom in catalogue.symptoms.items()}
    return {
        "index": catalogue.index(),
        "symptoms": {**symptoms, **{stem: _known(message) for stem, message in catalogue.known.items()}},
        "tips": {stem: {"id": made.id, **_pages(made)} for stem, made in catalogue.tips.items()},
        "redirects": catalogue.redirects,
    }


def snippets(catalogue: Catalogue) -> dict[str, Any]:
    """What verify runs, by stem: {"topic", "text": the file, "facts": its header, parsed}. Those that are fit to be run."""
    return {
        stem: {"topic": symptom.topic, "text": symptom.snippet.text, "facts": symptom.snippet.facts}
        for stem, symptom in catalogue.symptoms.items()
        if not symptom.snippet.broken
    }


def _symptom(symptom: Symptom) -> dict[str, Any]:
    snippet = symptom.snippet
    made: dict[str, Any] = {"id": symptom.id, "page": True, "docs": snippet.docs, "needs": snippet.needs, "recover": snippet.recover}
    made["cases"] = [{"name": case.name, "needs": list(case.needs)} for case in snippet.cases.values()]
    for language, facts in _pages(symptom).items():
        page = symptom.pages[language]
        titles = {name: prose(title, symptom.id) for title, name in _HEADING.findall(page.body)}
        made[language] = {**facts, "diagnosis": page.diagnoses, "causes": causes(symptom, language), "ask": prose(page.ask, symptom.id), "cases": {}}
        for case in symptom.code(language).cases.values():
            check = asked_of_any_program(case.cells["check"].source) if "check" in case.cells else ""
            made[language]["cases"][case.name] = {"title": titles.get(case.name, ""), "check": check, "fixes": case.fixes}
    return made


def _known(message: KnownMessage) -> dict[str, Any]:
    texts = {
        language: {"title": message.title[language], "summary": "", "diagnosis": message.diagnosis.get(language, []), "causes": [], "ask": "", "cases": {}}
        for language in LANGUAGES
    }
    return {"id": f"{message.topic}/{message.stem}", "page": False, "docs": [message.docs] if message.docs else [], "needs": [], "cases": [], **texts}


def _pages(made: Symptom | Tip) -> dict[str, dict[str, Any]]:
    return {
        language: {
            "title": prose(page.title, made.id),
            "summary": prose(str(page.meta.get("summary") or ""), made.id),
            "path": f"docs/{language}/{made.id}.md",
            "url": f"{language}/{made.id}/",
        }
        for language, page in made.pages.items()
    }


def causes(symptom: Symptom, language: str) -> list[dict[str, str]]:
    """The table of causes as rows: its name, what is seen, what to do, its sentence with {holes} ("" for none), and the case that the row leads to ("" where it leads to another page)."""
    rows = symptom.pages[language].causes
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
    """Markdown of one line as plain text: links become their text, with the id of the page that they lead to; bold is dropped.

    Args:
        ident: of the page on which the text stands.
    """

    def plain(link: re.Match[str]) -> str:
        target = link[2].partition("#")[0]
        if not target:
            return link[1]
        if "://" in target:
            return f"{link[1]} ({link[2]})"
        return f"{link[1]} ({posixpath.normpath(posixpath.join(posixpath.dirname(ident), target)).removesuffix('.md')})"

    return _LINK.sub(plain, text).replace("**", "")
