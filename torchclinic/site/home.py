"""What general pages hold that is generated: the lookup's form, the cards of the home page, the
evidence in one line and in tables.

A directive alone on its line, such as `{{ lookup }}`, stands for it; see `DIRECTIVES`. `{{ program
NAME }}` shows a program of docs/programs, `{{ symptoms TOPIC }}` lists a topic.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable

from ..content import overview
from ..content.catalogue import Catalogue
from . import article, evidence_view, lists, markup, message_view, parts
from .labels import LABELS
from .templates import render

#: Where the lookup's answer is put.
ANSWER = '<div class="tc-result" data-lookup-result></div>'


def expand(catalogue: Catalogue, text: str, language: str) -> str:
    """A page that is no symptom's and no tip's, with its directives expanded."""
    text = _DIRECTIVE.sub(lambda directive: DIRECTIVES[directive[1]](catalogue, language), text)
    text = overview.DIRECTIVE.sub(
        lambda directive: lists.members(catalogue, directive[1], language), text
    )
    return _PROGRAM.sub(lambda directive: parts.program(catalogue, directive[1]), text)


def lookup(catalogue: Catalogue, language: str) -> str:
    """The lookup: its form, and the place of its answer."""
    return f"{form(catalogue, language, '../')}\n{ANSWER}"


def form(catalogue: Catalogue, language: str, base: str = "") -> str:
    """The lookup's form; assets/lookup-page.js brings it to life. `base` leads from the page's
    address to the language's home page."""
    return render("form.html", language, base=base)


def totals(catalogue: Catalogue, language: str) -> str:
    """The evidence in one line: how many symptoms, how many fixes were executed, in how many
    environments, when last."""
    symptoms = catalogue.symptoms.values()
    fixes = {
        (symptom.stem, cell.name)
        for record in catalogue.evidence
        for symptom in symptoms
        for cell in symptom.snippet.runs
        if cell.kind in ("fix", "proof")
        and (record.cell(symptom.snippet, cell.name) or {}).get("outcome") == "passed"
    }
    used = [
        (record, symptom)
        for record in catalogue.evidence
        for symptom in symptoms
        if record.status(symptom.snippet) in ("passed", "partly")
    ]
    last = max((record.symptoms[symptom.stem]["date"] for record, symptom in used), default="–")
    environments = len({record.environment for record, _ in used})
    label = LABELS[language]
    counts = {"symptoms": len(symptoms), "fixes": len(fixes), "environments": environments}
    facts = label["totals"].format(**counts, last=last)
    return f"{facts} [{label['verified']}](verified.md)\n{{ .tc-totals }}"


def mutants(catalogue: Catalogue, language: str) -> str:
    """How many wrong versions of fixes and tips were made on purpose, and caught; nothing where
    none was."""
    counts = [catalogue.mutants.counts(shown.snippet) for shown in article.articles(catalogue)]
    tried, caught = sum(tried for tried, _ in counts), sum(caught for _, caught in counts)
    label = LABELS[language]["mutants"]
    return label.format(tried=tried, caught=caught, left=tried - caught) if tried else ""


def often(catalogue: Catalogue, language: str) -> str:
    """The most met symptoms: what they print, and what it is. Raw HTML, so that Markdown does not
    read the messages."""
    items = []
    for symptom in catalogue.often:
        if language in symptom.pages:
            wording = next(iter(symptom.snippet.wordings), None)
            title = markup.in_html(symptom.title(language))
            message = (
                f"<code>{message_view.with_holes(wording, language).replace('<br>', ' ')}</code>"
                if wording
                else f"<span>{LABELS[language]['printed-by-code']}</span>"
            )
            items.append(f'<li><a href="{html.escape(symptom.id)}/">{title}</a>{message}</li>')
    return f'<ol class="tc-often">{"".join(items)}</ol>' if items else ""


def topics(catalogue: Catalogue, language: str) -> str:
    """The topics as cards, with the number of their pages."""
    label = LABELS[language]
    rows = []
    for topic, symptoms in lists.topics(catalogue).items():
        count = (
            label["count-one"] if len(symptoms) == 1 else label["count"].format(count=len(symptoms))
        )
        name = parts.topic_name(catalogue, topic, language)
        rows.append(f"- [{name}]({topic}/index.md) <span>{count}</span>")
    # Fifteen cards come out even in no grid: all symptoms are the sixteenth.
    count = label["count"].format(count=len(catalogue.symptoms))
    rows.append(f"- [{label['symptoms']}](symptoms/index.md) <span>{count}</span>")
    return "\n\n".join(['<div class="tc-topics" markdown>', "\n".join(rows), "</div>"])


#: Words of the field above a list of pages.
PAGES = {"title": "filter-pages", "hint": "filter-pages-hint", "shown": "shown-pages"}
#: name -> what stands for `{{ name }}`.
DIRECTIVES: dict[str, Callable[[Catalogue, str], str]] = {
    "lookup": lookup,
    "form": form,
    "answer": lambda catalogue, language: ANSWER,
    "totals": totals,
    "often": often,
    "topics": topics,
    "filter": lambda catalogue, language: render("filter.html", language, **PAGES),
    "mutants": mutants,
    "evidence": evidence_view.evidence_table,
    "matrix": evidence_view.evidence_matrix,
    "evidence-files": lambda catalogue, language: evidence_view.evidence_files(catalogue),
}
_DIRECTIVE = re.compile(rf"^\{{\{{ ({'|'.join(DIRECTIVES)}) \}}\}}$", re.MULTILINE)
_PROGRAM = re.compile(r"^\{\{ program ([A-Za-z0-9_.-]+) \}\}$", re.MULTILINE)
