"""The page of a tip as Markdown."""

from __future__ import annotations

from ..content.catalogue import Catalogue
from ..content.tip import DIRECTIVE, GPUS, MARK, Tip
from .evidence_view import reason
from .labels import LABELS
from .markup import plain
from .parts import figure, program, sources, synonyms


def tip_page(catalogue: Catalogue, made: Tip, language: str, repository: str = "") -> str:
    """The page of a tip as Markdown: title, rule, body with its directives expanded, the symptoms
    that it explains, links."""
    found = made.pages[language]
    label = LABELS[language]
    lines = [
        f"# {plain(found.front.title)}",
        "",
        f"{plain(made.rule(language))}\n{{ .tc-rule }}",
        "",
    ]
    for line in found.prose.splitlines():
        directive = DIRECTIVE.fullmatch(line)
        if directive and directive[1] == "program":
            lines += ["", program(catalogue, directive[2]), ""]
        elif directive:
            lines += ["", figure(catalogue, directive[2], language, made.id), ""]
        elif mark := MARK.match(line):
            text = label["not-run-why"] if mark[2].startswith(GPUS) else label["run-where"]
            lines += [f"*{text.format(why=reason(mark[2], language))}*", ""]
        else:
            lines.append(line)
    explained = [
        catalogue.symptoms[stem] for stem in made.facts.symptoms if stem in catalogue.symptoms
    ]
    linked = {target.partition("#")[0].rpartition("/")[2] for target, _ in found.links}
    items = [
        f"- [{plain(symptom.title(language))}](../../{symptom.id}.md)"
        for symptom in explained
        if f"{symptom.stem}.md" not in linked
    ]
    if items:
        lines += ["", f"## {label['explains']} {{#symptoms}}", "", *items]
    file = f"docs/{language}/{made.id}.md"
    edit = (
        f"[{label['edit-page']}]({repository.rstrip('/')}/edit/main/{file})"
        if repository
        else f"{label['files']}: `{file}`"
    )
    if found.codes:
        lines += ["", f"{label['tip-run']}\n{{ .tc-evidence }}"]
    lines += ["", f"{edit}\n{{ .tc-links }}"]
    lines += [*sources(catalogue, made.facts.rows, language), *synonyms(found, language)]
    return "\n".join(lines) + "\n"
