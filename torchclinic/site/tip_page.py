"""The page of a tip as Markdown."""

from __future__ import annotations

from ..content.catalogue import Catalogue
from ..content.tip import DIRECTIVE, GPUS, MARK, Tip
from .evidence_view import reason
from .labels import LABELS
from .markup import plain
from .parts import figure, program, sources, synonyms


def tip_page(catalogue: Catalogue, tip: Tip, language: str, repository: str = "") -> str:
    """The page of a tip as Markdown: title, rule, body with its directives expanded, the symptoms
    that it explains, links."""
    page = tip.pages[language]
    label = LABELS[language]
    lines = [
        f"# {plain(page.front.title)}",
        "",
        f"{plain(tip.rule(language))}\n{{ .tc-rule }}",
        "",
    ]
    for line in page.prose.splitlines():
        directive = DIRECTIVE.fullmatch(line)
        if directive and directive[1] == "program":
            lines += ["", program(catalogue, directive[2]), ""]
        elif directive:
            lines += ["", figure(catalogue, directive[2], language, tip.id), ""]
        elif mark := MARK.match(line):
            text = label["not-run-why"] if mark[2].startswith(GPUS) else label["run-where"]
            lines += [f"*{text.format(why=reason(mark[2], language))}*", ""]
        else:
            lines.append(line)
    explained = [
        catalogue.symptoms[stem] for stem in tip.facts.symptoms if stem in catalogue.symptoms
    ]
    linked = {target.partition("#")[0].rpartition("/")[2] for target, _ in page.links}
    items = [
        f"- [{plain(symptom.title(language))}](../../{symptom.id}.md)"
        for symptom in explained
        if f"{symptom.stem}.md" not in linked
    ]
    if items:
        lines += ["", f"## {label['explains']} {{#symptoms}}", "", *items]
    file = f"docs/{language}/{tip.id}.md"
    edit = (
        f"[{label['edit-page']}]({repository.rstrip('/')}/edit/main/{file})"
        if repository
        else f"{label['files']}: `{file}`"
    )
    if page.codes:
        lines += ["", f"{label['tip-run']}\n{{ .tc-evidence }}"]
    lines += ["", f"{edit}\n{{ .tc-links }}"]
    lines += [*sources(catalogue, tip.facts.rows, language), *synonyms(page, language)]
    return "\n".join(lines) + "\n"
