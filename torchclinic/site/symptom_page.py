"""The page of a symptom as Markdown: its directives expanded, its evidence, where to look next, how
to run it. Knows nothing of MkDocs."""

from __future__ import annotations

import html
import json
import re

from ..content import condition, page_file, related, words
from ..content import page as pages
from ..content.catalogue import Catalogue
from ..content.symptom import Symptom
from ..find.wording import Hole, Wording
from .case_view import case, check, tried
from .choice import Choice
from .evidence_view import evidence_line
from .labels import LABELS
from .markup import indented, plain
from .message_view import headline_row, picture, wordings
from .parts import docs_name, figure, host, sources, synonyms, topic_name

_GITHUB = re.compile(r"https://github\.com/([\w.-]+/[\w.-]+?)(?:\.git)?/?$")


def symptom_page(
    catalogue: Catalogue, symptom: Symptom, language: str, repository: str = ""
) -> str:
    """The page as Markdown: title, evidence, sections with fixed ids, directives expanded,
    links."""
    page = symptom.pages[language]
    sections = {name: page.lines_of(section) for name, section in page.sections.items()}

    def shown(line: str) -> str:
        directive = page_file.DIRECTIVE.fullmatch(line)
        if directive is None:
            return line
        return f"\n{expand(catalogue, symptom, directive[1], directive[2] or '', language)}\n"

    met = next((met for met in catalogue.met[symptom.stem][:1] if met[1]), ("", ()))
    told = headline_row(symptom)
    parts = sections.pop("fix"), sections.pop("causes")
    choice = Choice(symptom, language, told, met, parts, shown)
    lines = [f"# {plain(page.front.title)}", "", evidence_line(catalogue, symptom, language), ""]
    for name, own in sections.items():
        if name == "why":
            ask = _ask(symptom, language)
            _, older = wordings(catalogue, symptom, language)
            lines += choice.markdown(ask, [*_nothing(catalogue, symptom, language), "", older])
            recover = LABELS[language]["recover"][symptom.snippet.recover]
            lines += ["", f'<p class="tc-note tc-recover">{recover}</p>', ""]
        if name == "cost":
            lines += ["", *tried(catalogue, symptom, language), ""]
        lines += [f"## {pages.SECTIONS[name][language]} {{#{name}}}"]
        if name == "why":
            lines += ["", *picture(catalogue, symptom, language)]
        lines += map(shown, own)
    ending = [
        *_further(catalogue, symptom, language),
        "",
        *run_it(symptom, language, repository),
        "",
        links(symptom, language, repository),
        *sources(catalogue, symptom.snippet.rows, language),
        *synonyms(page, language),
    ]
    return "\n".join([*lines, *ending]) + "\n"


def _ask(symptom: Symptom, language: str) -> list[str]:
    """Where a reader puts their own line; own-line.js looks it up and opens its row."""
    label = LABELS[language]
    if not symptom.snippet.wordings:
        return []
    numbers = any(len(_numbers(wording)) > 1 for wording in symptom.snippet.wordings)
    hint = label["own-numbers" if numbers else "own-line"]
    return [
        f'<form class="tc-ask" data-tc-ask="{symptom.stem}" markdown="0">'
        f'<textarea rows="1" spellcheck="false" autocapitalize="off" autocomplete="off" '
        f'aria-label="{hint}" placeholder="{hint}"></textarea><p role="status"></p></form>',
        "",
    ]


def _numbers(wording: Wording) -> list[Hole]:
    """The holes of a wording, if each of them holds a number."""
    holes = [part for part in wording.parts if isinstance(part, Hole)]
    return holes if all(hole.kind in ("int", "num") for hole in holes) else []


def _yours(symptom: Symptom, language: str) -> list[str]:
    """Where symptom.js puts the reader's own message and the diagnosis with its values, if the
    lookup sent them here."""
    page, label = symptom.pages[language], LABELS[language]
    says = {row: own.say for row, own in page.front.causes.items() if own.say}
    if not symptom.snippet.wordings:
        return []
    sentences, rows = (
        html.escape(json.dumps(data, ensure_ascii=False)) for data in (page.front.diagnosis, says)
    )
    return [
        f'<div class="tc-yours" data-tc-diagnoses="{sentences}" data-tc-says="{rows}" hidden>'
        f'<p class="tc-note">{label["yours"]}</p>'
        '<p class="tc-message"><code></code></p><p class="tc-diagnosis"></p></div>',
        "",
    ]


def _nothing(catalogue: Catalogue, symptom: Symptom, language: str) -> list[str]:
    """Where to look if it was none of these causes. site.js puts first what else the lookup found
    in the reader's own text."""
    label = LABELS[language]
    topic = topic_name(catalogue, symptom.topic, language)
    ask = symptom.pages[language].front.ask
    tells = any(
        condition.asks_program(tree)
        for cause in symptom.snippet.causes
        for tree in (cause.decides, cause.leans)
    )
    otherwise = label["or-else"].format(lookup="../lookup.md", topic="index.md", name=topic)
    return [
        f'<div class="tc-next" data-tc-next="{html.escape(label["also-there"])}" markdown>',
        "",
        f"**{label['not-this']}** {otherwise}",
        "",
        *([label["ask"].format(ask=ask), ""] if ask else []),
        *([label["program-tells"].format(terminal="../terminal.md"), ""] if tells else []),
        "</div>",
    ]


def _further(catalogue: Catalogue, symptom: Symptom, language: str) -> list[str]:
    """More for "See also", which ends the page: symptoms that the prose does not link and that are
    related or met in the same output, tips, and PyTorch's own documentation."""
    label = LABELS[language]
    targets = {target for target, _ in symptom.pages[language].links}
    linked = {target.partition("#")[0].rpartition("/")[2] for target in targets}
    items = []
    named = (catalogue.symptoms.get(name.rpartition("/")[2]) for name in symptom.snippet.related)
    near = {other.stem: other for other in named if other}
    near |= {other.stem: other for other in related.candidates(catalogue, symptom)}
    for other in near.values():
        if language in other.pages and f"{other.stem}.md" not in linked:
            items.append(f"- [{plain(other.title(language))}](../{other.id}.md)")
    said = symptom.snippet.text + symptom.pages[language].text
    for tip in catalogue.tips.values():
        facts = tip.facts
        explains = symptom.stem in facts.symptoms or any(word in said for word in facts.mentioned)
        if explains and language in tip.pages and tip.stem not in linked:
            items.append(f"- {label['tip']}[{plain(tip.title(language))}](../{tip.id}.md)")
    items += [
        f"- [{host(address)}{label['colon']}{docs_name(address)}]({address})"
        for address in symptom.snippet.docs
        if address not in targets
    ]
    return ["", *items] if items else []


def expand(catalogue: Catalogue, symptom: Symptom, word: str, name: str, language: str) -> str:
    """What a directive stands for; "" for a case that the snippet has not, which the catalogue
    reports."""
    if word == "wordings":
        current, _ = wordings(catalogue, symptom, language)
        yours = [current, *_yours(symptom, language)]
        return "\n\n".join(yours) + _your_machine(symptom, language)
    if word == "causes":  # site/choice.py
        return ""
    if word == "figure":
        return figure(catalogue, name, language, symptom.id)
    shown = symptom.code(language).cases.get(name)
    if shown is None:
        return ""
    text = ""
    if word == "check" and "check" in shown.cells:
        told = check(catalogue, symptom, shown.cells["check"], language)
        text = f'??? tc-proof "{words.of(language, "answer")["check"]}"\n\n{indented(told)}'
    elif word == "case" and shown.fixes:
        text = case(catalogue, symptom, shown, language)
    return _block(word, name, text) if text else ""


def _your_machine(symptom: Symptom, language: str) -> str:
    """The command that tells where the reader stands, on pages about what is installed that do not
    name it themselves before they explain."""
    why = f"\n## {pages.SECTIONS['why'][language]}\n"
    early = symptom.pages[language].body.partition(why)[0]
    installed = symptom.topic == "install-env" or "driver" in symptom.snippet.tags
    if not installed or "torchclinic env" in early:
        return ""
    note = LABELS[language]["your-machine"].format(terminal="../terminal.md")
    return f"\n\n{note}\n{{ .tc-note }}"


def _block(word: str, name: str, text: str) -> str:
    """What belongs to a case, under its name: lookup-page.js shows it when a paste decides for the
    case."""
    return f'<div data-tc-{word}="{name}" markdown>\n\n{text}\n\n</div>'


def run_it(symptom: Symptom, language: str, repository: str = "") -> list[str]:
    """The same symptom to run: as a notebook, as a file, on Colab, from a checkout."""
    label = LABELS[language]
    notebook = f"../notebooks/{symptom.id}"
    # The page's own address ends with a slash: one folder deeper than its file. MkDocs leaves raw
    # HTML as it is.
    raw = f"../../notebooks/{symptom.id}/{symptom.stem}.ipynb"
    items = [
        f"[{label['notebook']}]({notebook}.md)",
        f"[.py]({notebook}.py){{ download }}",
        f'<a href="{raw}" download>.ipynb</a>',
    ]
    if address := colab(repository, f"{language}/notebooks/{symptom.id}/{symptom.stem}.ipynb"):
        items.append(f"[Colab]({address})")
    command = f"`python -m torchclinic verify {symptom.id}`"
    items.append(label["checkout"].format(command=command))
    return [f"**{label['run-it']}** {' · '.join(items)}\n{{ .tc-links .tc-run }}"]


def colab(repository: str, file: str) -> str:
    """Where Colab opens a notebook of the site; "" unless the repository lies on GitHub. The
    workflow `site` keeps the branch `notebooks`."""
    name = _GITHUB.match(repository)
    if name is None:
        return ""
    return f"https://colab.research.google.com/github/{name[1]}/blob/notebooks/{file}"


def links(symptom: Symptom, language: str, repository: str = "") -> str:
    """Where the sources of a page are."""
    label = LABELS[language]
    files = {
        label["edit-page"]: f"docs/{language}/{symptom.id}.md",
        label["edit-code"]: f"snippets/{symptom.id}.py",
    }
    if repository:
        edit = f"{repository.rstrip('/')}/edit/main"
        items = [f"[{text}]({edit}/{file})" for text, file in files.items()]
    else:
        items = [f"{label['files']}: " + ", ".join(f"`{file}`" for file in files.values())]
    return " · ".join(items) + "\n{ .tc-links }"
