"""The page of a symptom as Markdown: its directives expanded, its evidence, where to look next, how to run it. Knows nothing of MkDocs."""

from __future__ import annotations

import difflib
import html
import json
import re
from typing import Any

from ..content import changes, index, related
from ..content import page as pages
from ..content.catalogue import Catalogue, Symptom
from ..content.snippet import Case, Cell, asked_of_any_program
from ..find import lookup
from ..find.wording import HOLES, Hole, Part, Wording
from .evidence_view import DEVICES, environments, evidence_line, mutants_line, reason, recorded, release, where
from .labels import KINDS, LABELS, PICTURE
from .markup import fence, indented, plain, tab
from .parts import docs_name, host, sources, synonyms, topic_name

#: Characters of wordings shown at once (but one at least); the rest is folded, so that the fix comes early on a phone.
SHOWN = 100
#: Characters behind a wording that are shown of its sample; what is longer is left out.
AFTER = 60
#: Lines of recorded output shown on a page: the beginning and the end of what is longer.
HEAD, TAIL = 12, 28
#: Characters of a message above its picture, and of one that a fix ended in.
LINE = 160
#: Lines of set-up that are shown again with every case.
LONG_SETUP = 15
#: Share of common lines (2 common / all) from which a diff is shown.
ALIKE = 0.4
#: How the commands of a place are coloured; a shell's where it is not named.
LEXERS = {"python": "python", "powershell": "powershell", "notebook": "python", "trainer": "python", "lightning": "python"}
_GITHUB = re.compile(r"https://github\.com/([\w.-]+/[\w.-]+?)(?:\.git)?/?$")


def symptom_page(catalogue: Catalogue, symptom: Symptom, language: str, repository: str = "") -> str:
    """The page of a symptom as Markdown: title, evidence, sections with fixed ids, directives expanded, links."""
    made = symptom.pages[language]
    by_heading = {f"## {heading[language]}": name for name, heading in pages.SECTIONS.items()}
    lines = [f"# {plain(made.title)}", "", evidence_line(catalogue, symptom, language), "", *_yours(symptom, language)]
    for line in made.prose.splitlines():
        directive = pages.DIRECTIVE.fullmatch(line)
        if directive:
            lines += ["", expand(catalogue, symptom, directive[1], directive[2] or "", language), ""]
        elif line in by_heading:
            if by_heading[line] == "why":
                lines += [f'<p class="tc-note tc-recover">{LABELS[language]["recover"][symptom.snippet.recover]}</p>', ""]
            if by_heading[line] == "cost":
                lines += [*_next(catalogue, symptom, language), ""]
            lines.append(f"{line} {{#{by_heading[line]}}}")
            if by_heading[line] == "why":
                lines += ["", *picture(catalogue, symptom, language)]
        else:
            lines.append(line)
    ending = [
        *_further(catalogue, symptom, language),
        "",
        *run_it(symptom, language, repository),
        "",
        links(symptom, language, repository),
        *sources(catalogue, symptom.snippet.rows, language),
        *synonyms(made, language),
    ]
    return "\n".join([*lines, *ending]) + "\n"


def _yours(symptom: Symptom, language: str) -> list[str]:
    """Where site.js puts the diagnosis with the values of the reader's own message, and the way to their cause, if the lookup sent them here."""
    made, label = symptom.pages[language], LABELS[language]
    causes = {}
    for cause in symptom.snippet.causes:
        if len(symptom.snippet.causes) > 1 and (cause.decides or cause.leans):
            say = made.causes[cause.row].say if cause.row in made.causes else ""
            title = made.cause_title(cause.row, cause.case).replace("`", "")
            causes[cause.row] = {name: value for name, value in (("title", title), ("case", cause.case), ("say", say)) if value}
    if not made.diagnoses and not causes:
        return []
    sentences, rows = (html.escape(json.dumps(data, ensure_ascii=False)) for data in (made.diagnoses, causes))
    return [
        f'<div class="tc-card tc-hit" data-tc-diagnoses="{sentences}" data-tc-rows="{rows}" hidden>'
        f'<p class="tc-note">{label["yours"]}</p><p></p><p>{label["your-cause"]}<a></a></p></div>',
        "",
    ]


def _next(catalogue: Catalogue, symptom: Symptom, language: str) -> list[str]:
    """Where to look if it was none of these causes. site.js puts first what else the lookup found in the reader's own text."""
    label = LABELS[language]
    found = [other for other in related.candidates(catalogue, symptom) if language in other.pages]
    items = [f"- [{plain(other.title(language))}](../{other.id}.md)" for other in found]
    items.append(f"- {label['or-else'].format(lookup='../lookup.md', topic='index.md', name=topic_name(catalogue, symptom.topic, language))}")
    return [
        f'<div class="tc-next" data-tc-next="{html.escape(label["also-there"])}" markdown>',
        "",
        f"**{label['not-this']}**",
        "",
        *items,
        "",
        "</div>",
    ]


def _further(catalogue: Catalogue, symptom: Symptom, language: str) -> list[str]:
    """More for "See also", which ends the page: related symptoms that the prose does not link, and PyTorch's own documentation."""
    linked = {target.partition("#")[0].rpartition("/")[2] for target, _ in symptom.pages[language].links}
    linked_addresses = {target for target, _ in symptom.pages[language].links}
    items = []
    for name in symptom.snippet.related:
        other = catalogue.symptoms.get(name.rpartition("/")[2])
        if other and language in other.pages and f"{other.stem}.md" not in linked:
            items.append(f"- [{plain(other.title(language))}](../{other.id}.md)")
    for made in catalogue.tips.values():
        if symptom.stem in made.symptoms and language in made.pages and made.stem not in linked:
            items.append(f"- {LABELS[language]['tip']}[{plain(made.title(language))}](../{made.id}.md)")
    items += [
        f"- [{host(address)}{LABELS[language]['colon']}{docs_name(address)}]({address})" for address in symptom.snippet.docs if address not in linked_addresses
    ]
    return ["", *items] if items else []


def expand(catalogue: Catalogue, symptom: Symptom, word: str, name: str, language: str) -> str:
    """What a directive stands for; "" for a case that the snippet has not, which the catalogue reports."""
    if word == "wordings":
        return wordings(catalogue, symptom, language) + _your_machine(symptom, language)
    if word == "causes":
        return _block("causes", "", causes(symptom, language))
    made = symptom.code(language).cases.get(name)
    if made is None:
        return ""
    if word == "check":
        return _block(word, name, check(catalogue, symptom, made.cells["check"], language)) if "check" in made.cells else ""
    return _block(word, name, case(catalogue, symptom, made, language)) if "break" in made.cells and {"fix", "proof"} & set(made.cells) else ""


def _your_machine(symptom: Symptom, language: str) -> str:
    """The command that tells where the reader stands, on pages about what is installed that do not name it themselves before they explain."""
    early = symptom.pages[language].body.partition(f"\n## {pages.SECTIONS['why'][language]}\n")[0]
    if (symptom.topic != "install-env" and "driver" not in symptom.snippet.tags) or "torchclinic env" in early:
        return ""
    return f"\n\n{LABELS[language]['your-machine'].format(terminal='../terminal.md')}\n{{ .tc-note }}"


def _block(word: str, name: str, text: str) -> str:
    """What belongs to a case, under its name: lookup-page.js shows it when a paste decides for the case."""
    return f'<div data-tc-{word}="{name}" markdown>\n\n{text}\n\n</div>'


def causes(symptom: Symptom, language: str) -> str:
    """The table of causes: what is seen, and what to do then."""
    label, rows = LABELS[language], symptom.pages[language].causes
    table = [(label["if-you-see"], label["do-that"]), ("---", "---")]
    for cause in symptom.snippet.causes:
        if row := rows.get(cause.row):
            table.append((row.see, row.do if "](" in row.do or not cause.case else f"[{row.do}](#{cause.case})"))
    lines = ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in table]
    if ask := symptom.pages[language].ask:
        lines += ["", label["ask"].format(ask=ask), "{ .tc-note }"]
    return "\n".join(lines)


def wordings(catalogue: Catalogue, symptom: Symptom, language: str) -> str:
    """What the symptom prints: the first current messages, the others folded."""
    spans = changes.spans(catalogue, symptom)

    def old(wording: Wording) -> bool:
        return wording.text in spans and bool(spans[wording.text].until)

    found = [wording for wording in symptom.snippet.wordings if not _said_by_another(wording, symptom.snippet.wordings)]
    found.sort(key=old)
    current, rest = found[:1], found[1:]
    while rest and not old(rest[0]) and sum(len(wording.text) for wording in [*current, rest[0]]) <= SHOWN:
        current.append(rest.pop(0))
    if not found:
        return LABELS[language]["printed-by-code"]
    blocks = [_message(wording, spans.get(wording.text, changes.Span()), language) for wording in current]
    if rest:
        # Raw HTML: one `<details>` needs no Markdown inside, and no extension to read it.
        inside = "".join(_message(wording, spans.get(wording.text, changes.Span()), language) for wording in rest)
        blocks.append(f'<details class="tc-older"><summary>{LABELS[language]["older"].format(count=len(rest))}</summary>{inside}</details>')
    return "\n\n".join(blocks)


def picture(catalogue: Catalogue, symptom: Symptom, language: str) -> list[str]:
    """The sizes or bytes of a message of the page, drawn: of the first wording whose sample holds them, else of a recorded break. site.js draws the reader's own."""
    if not symptom.snippet.pictures:
        return []
    texts = [wording.sample for wording in symptom.snippet.wordings]
    for made in symptom.snippet.cases.values():
        found = recorded(catalogue, symptom, f"break {made.name}")
        texts += [found[1].get("traceback") or found[1].get("output", "")] if found else []
    own = index.build({symptom.stem: symptom}, {})
    for text in texts:
        for hit in lookup.lookup(own, text)["hits"]:
            if drawn := lookup.drawn(own, hit, PICTURE[language]):
                message = _cut(hit["raw"].strip())
                kinds = html.escape(json.dumps(symptom.snippet.pictures))
                return [f'<p class="tc-drawn" data-tc-pictures="{kinds}"><code>{html.escape(message)}</code>{svg(drawn)}</p>', ""]
    return []


def _cut(message: str) -> str:
    """A message in one line."""
    return message if len(message) <= LINE else message[:LINE].rpartition(" ")[0] + " …"


def svg(drawn: dict[str, Any]) -> str:
    """A picture as an element of the page; picture.js makes the same."""
    shapes = [
        f'<rect x="{shape[1]}" y="{shape[2]}" width="{shape[3]}" height="{shape[4]}" class="{shape[5]}"/>'
        if shape[0] == "rect"
        else f'<text x="{shape[1]}" y="{shape[2]}" text-anchor="{shape[3]}" class="{shape[4]}">{html.escape(shape[5])}</text>'
        for shape in drawn["shapes"]
    ]
    size = f'viewBox="0 0 {drawn["width"]} {drawn["height"]}" width="{drawn["width"]}" height="{drawn["height"]}"'
    return f'<svg class="tc-picture" {size} role="img" aria-label="{html.escape("; ".join(drawn["lines"]))}">{"".join(shapes)}</svg>'


def _said_by_another(wording: Wording, others: list[Wording]) -> bool:
    """Does another message of the same kind go on from this text? A catch-all wording says nothing new to a reader."""
    return any(other.text != wording.text and other.text.startswith(wording.text) and other.exception == wording.exception for other in others)


def _message(wording: Wording, span: changes.Span, language: str) -> str:
    notes = [
        LABELS[language][name].format(version=value, device=value)
        for name, value in (("since", span.since), ("until", span.until), ("only-on", DEVICES.get(wording.device, wording.device)))
        if value
    ]
    note = f' <span class="tc-note">{LABELS[language]["note"].format(note=LABELS[language]["comma"].join(notes))}</span>' if notes else ""
    return f'<p class="tc-message"><code>{_print(wording, language)}</code>{note}</p>'


def _print(wording: Wording, language: str) -> str:
    """The message as it is printed: the wording's sample, in which what varies is marked. Without a sample of its own, its words."""
    found = re.search("".join(_piece(part, part is wording.parts[-1]) for part in wording.parts), wording.sample)
    if found is None or wording.sample == "".join(wording.literals):
        kind = f"<b>{html.escape(wording.exception)}</b>: " if wording.exception else ""
        return kind + with_holes(wording, language)
    start = wording.sample.rfind("\n", 0, found.start()) + 1
    after = wording.sample[found.end() :].partition("\n")[0]
    made, at = "", start
    for number in range(1, len(found.groups()) + 1):
        made += html.escape(wording.sample[at : found.start(number)], quote=False) + f"<var>{html.escape(found[number], quote=False)}</var>"
        at = found.end(number)
    made += html.escape(wording.sample[at : found.end()] + (after if len(after) <= AFTER else " …"), quote=False)
    head, colon, rest = made.partition(": ")
    if colon and head.rpartition(".")[2] in (wording.exception, *wording.also):
        made = f"<b>{head}</b>: {rest}"
    return made.strip().replace("\n", "<br>")


def _piece(part: Part, last: bool) -> str:
    """A regular expression for a part of a wording, for our own samples alone."""
    if isinstance(part, str):
        return r"\s+".join(map(re.escape, re.split(r"\s+", part)))
    characters, most = HOLES[part.kind]
    if not characters:
        return f"([^\\n]{{1,{most}}}{'' if last else '?'})"
    return f"([{re.escape(characters)}]{{1,{most}}})"


def with_holes(wording: Wording, language: str) -> str:
    pieces = []
    for part in wording.parts:
        if isinstance(part, Hole):
            pieces.append(f"<var>⟨{html.escape(KINDS[language][part.kind])}⟩</var>")
        else:
            pieces.append(html.escape(part, quote=False))
    return "".join(pieces).replace("\n", "<br>")


def case(catalogue: Catalogue, symptom: Symptom, made: Case, language: str) -> str:
    """Tabs of a case: the fix (code, or a command for each place), diff, failing code, what it printed; then, folded, how the fix was checked."""
    label = LABELS[language]
    broken = made.cells["break"]
    note = failing(catalogue, symptom, made.cure, "fix", language)
    tabs = [
        tab(label["fixed"] if place == "python" else label["places"][place], fence(text, LEXERS.get(place, "console")) + note)
        for place, text in made.fixes.items()
    ]
    if "fix" in made.cells and not made.silent and alike(broken.source, made.cells["fix"].source):
        tabs.append(tab(label["diff"], fence(diff(broken.source, made.cells["fix"].source), "diff .tc-diff")))
    tabs.append(tab(label["failing"], fence(_program(symptom, broken, language), "python")))
    tabs.append(tab(label["printed"], printed(catalogue, symptom, broken, language) + elsewhere(catalogue, symptom, broken, language)))
    if "proof" in made.cells:
        tabs.append(f'??? tc-proof "{label["proof"]}"\n\n' + indented(proof(catalogue, symptom, made, language)))
    return "\n\n".join(tabs)


def proof(catalogue: Catalogue, symptom: Symptom, made: Case, language: str) -> str:
    """The code that runs behind the fix, what it printed when it last ran, and how many wrong versions of the fix it caught."""
    parts = [fence(made.cells["proof"].source, "python"), printed(catalogue, symptom, made.cure, language)]
    return "\n\n".join([*parts, *mutants_line(catalogue, symptom, made, language)])


def alike(before: str, after: str) -> bool:
    """Do break and fix share enough lines for a diff to be read?"""
    return difflib.SequenceMatcher(None, before.splitlines(), after.splitlines(), autojunk=False).ratio() >= ALIKE


def elsewhere(catalogue: Catalogue, symptom: Symptom, broken: Cell, language: str) -> str:
    """What the same break printed on other releases and devices, where the words differ from those shown; and where it does not break."""
    label = LABELS[language]
    # A silent break that raises could not run there, which says nothing of the symptom.
    texts = [] if symptom.snippet.cases[broken.case].silent else changes.printed(catalogue, symptom, broken.name)
    shown = recorded(catalogue, symptom, broken.name)
    here = shown[0].environment if shown else ""
    spared, ran = changes.spared(catalogue, symptom, broken)
    lines = [f"{label['spared'].format(where=environments(spared, ran, language))}\n{{ .tc-note }}"] if spared else []
    for one in texts:
        if here not in one.where:
            some = [record for record in ran if record.environment in one.where]
            lines += [
                label["elsewhere"].format(where=environments(some, ran, language)),
                fence(_shortened(one.text, label["left-out"], head=6, tail=1), "text .tc-output"),
            ]
    return "".join(f"\n\n{line}" for line in lines)


def failing(catalogue: Catalogue, symptom: Symptom, cell: Cell, what: str, language: str) -> str:
    """A line under a check or fix that says where it does not work, and what it ended in there; "" where it works wherever its break breaks."""
    some, ran = changes.fails(catalogue, symptom, cell)
    if not some:
        return ""
    label = LABELS[language]
    said = changes.message(some[0], symptom, cell.name).splitlines()
    error = f"{label['colon']}`` {_cut(said[0])} ``" if said and not said[0].startswith("AssertionError") else label["stop"]
    return f"\n\n{label['fails'][what].format(where=environments(some, ran, language))}{error}\n{{ .tc-note .tc-fails }}"


def _program(symptom: Symptom, broken: Cell, language: str) -> str:
    """The whole failing program. A long set-up stands once on a page, with the first case; the others point there."""
    snippet = symptom.code(language)
    setup = snippet.setup_of(broken)
    first = next(cell for cell in snippet.runs if cell.kind == "break")
    shown = snippet.setup_of(first)
    sources = [cell.source for cell in setup]
    if broken is not first and sum(len(cell.source.splitlines()) for cell in shown) > LONG_SETUP:
        sources = [LABELS[language]["setup-above"], *(cell.source for cell in setup if cell not in shown)]
    return "\n\n".join([*sources, broken.source])


def check(catalogue: Catalogue, symptom: Symptom, cell: Cell, language: str) -> str:
    """The code of a check, and what it printed; where it asks `torchclinic.checks`, how to get that."""
    parts = [
        fence(asked_of_any_program(cell.source), "python .tc-check") + failing(catalogue, symptom, cell, "check", language),
        printed(catalogue, symptom, cell, language),
    ]
    if "import checks" in cell.source:
        parts.append(f"{LABELS[language]['get-checks'].format(tip='../tips/tools/silent-bugs.md')}\n{{ .tc-note }}")
    return "\n\n".join(parts)


def diff(before: str, after: str) -> str:
    """Both texts as one, line by line: what goes, what comes, what stays."""
    lines = list(difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=1000))
    return "\n".join(lines[3:])  # without the two file names and the line numbers


def printed(catalogue: Catalogue, symptom: Symptom, cell: Cell, language: str) -> str:
    """What was recorded of a cell, under the machine and the date; or that nothing was."""
    label = LABELS[language]
    found = recorded(catalogue, symptom, cell.name)
    if found is None:
        return f"*{label['not-run']}*"
    record, entry = found
    if entry["outcome"] == "skipped":
        return f"*{label['not-run-why'].format(why=reason(entry.get('why', ''), language))}*"
    title = f"torch {release(record)} · {where(record)} · {entry.get('date') or record.symptoms[symptom.stem]['date']}"
    if not entry.get("output"):
        return f'<p class="tc-note">{html.escape(title)}{label["colon"]}{label["silent"]}</p>'
    return fence(_shortened(entry["output"].rstrip("\n"), label["left-out"]), f"{lexer(entry['output'])} .tc-output", title)


def lexer(output: str) -> str:
    """Colours for a traceback, none for anything else."""
    return "pytb" if "Traceback (most recent call last):" in output else "text"


def _shortened(output: str, left_out: str, head: int = HEAD, tail: int = TAIL) -> str:
    lines = output.splitlines()
    if len(lines) <= head + tail + 1:
        return output
    return "\n".join([*lines[:head], left_out.format(count=len(lines) - head - tail), *lines[-tail:]])


def run_it(symptom: Symptom, language: str, repository: str = "") -> list[str]:
    """The same symptom to run: as a notebook, as a file, on Colab, from a checkout."""
    label = LABELS[language]
    notebook = f"../notebooks/{symptom.id}"
    # The page's own address ends with a slash: one folder deeper than its file. MkDocs leaves raw HTML as it is.
    raw = f"../../notebooks/{symptom.id}/{symptom.stem}.ipynb"
    items = [
        f"[{label['notebook']}]({notebook}.ipynb)",
        f"[.py]({notebook}.py){{ download }}",
        f'<a href="{raw}" download>.ipynb</a>',
    ]
    if address := colab(repository, f"{language}/notebooks/{symptom.id}/{symptom.stem}.ipynb"):
        items.append(f"[Colab]({address})")
    command = f"`python -m torchclinic verify {symptom.id}`"
    return [f"**{label['run-it']}** {' · '.join(items)} · {label['checkout'].format(command=command)}\n{{ .tc-links .tc-run }}"]


def colab(repository: str, file: str) -> str:
    """Where Colab opens a notebook of the site; "" unless the repository lies on GitHub. The workflow `site` keeps the branch `notebooks`."""
    found = _GITHUB.match(repository)
    return f"https://colab.research.google.com/github/{found[1]}/blob/notebooks/{file}" if found else ""


def links(symptom: Symptom, language: str, repository: str = "") -> str:
    """Where the sources of a page are."""
    label = LABELS[language]
    files = {label["edit-page"]: f"docs/{language}/{symptom.id}.md", label["edit-code"]: f"snippets/{symptom.id}.py"}
    if repository:
        items = [f"[{text}]({repository.rstrip('/')}/edit/main/{file})" for text, file in files.items()]
    else:
        items = [f"{label['files']}: " + ", ".join(f"`{file}`" for file in files.values())]
    return " · ".join(items) + "\n{ .tc-links }"
