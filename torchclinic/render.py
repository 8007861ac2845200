"""From catalogue to Markdown: directives of pages, the evidence line, generated pages. Knows nothing of MkDocs.

The Markdown uses content tabs and fences with attributes, as Material (and its successor) reads them.
"""

from __future__ import annotations

import difflib
import html
import json
import re
from typing import Any

from . import changes, nearby
from . import page as pages
from .catalogue import Catalogue, Symptom
from .evidence import Evidence
from .labels import KINDS, LABELS, MESSAGES, REASONS
from .snippet import Cell
from .tip import DIRECTIVE as TIP_DIRECTIVE
from .tip import MARK, Tip
from .wording import Hole, Wording

#: Characters of wordings shown at once (but one at least); the rest is folded, so that the fix comes early on a phone.
SHOWN = 100
#: Lines of recorded output shown on a page: the beginning and the end of what is longer.
HEAD, TAIL = 12, 28
#: Lines of set-up that are shown again with every case.
LONG_SETUP = 15
DEVICES = {"cpu": "CPU", "cuda": "CUDA"}
_GITHUB = re.compile(r"https://github\.com/([\w.-]+/[\w.-]+?)(?:\.git)?/?$")


# ---- a symptom's page


def symptom_page(catalogue: Catalogue, symptom: Symptom, language: str, repository: str = "") -> str:
    """The page of a symptom as Markdown: title, evidence, sections with fixed ids, directives expanded, links."""
    made = symptom.pages[language]
    by_heading = {f"## {heading[language]}": name for name, heading in pages.SECTIONS.items()}
    lines = [f"# {plain(made.title)}", "", evidence_line(catalogue, symptom, language), "", *_yours(made, language)]
    for line in made.body.splitlines():
        directive = pages.DIRECTIVE.fullmatch(line)
        if directive:
            lines += ["", expand(catalogue, symptom, directive[1], directive[2] or "", language), ""]
        elif line in by_heading:
            if by_heading[line] == "cost":
                lines += [*_next(catalogue, symptom, language), ""]
            lines.append(f"{line} {{#{by_heading[line]}}}")
        else:
            lines.append(line)
    ending = [
        *_further(catalogue, symptom, language),
        "",
        *run_it(symptom, language, repository),
        "",
        links(symptom, language, repository),
        *_sources(catalogue, symptom.snippet.rows, language),
        *_synonyms(made, language),
    ]
    return "\n".join([*lines, *ending]) + "\n"


def _sources(catalogue: Catalogue, rows: list[str], language: str) -> list[str]:
    """The documents whose entries (`rows`) a page answers, in one line."""
    names = []
    for document in dict.fromkeys(row.partition("-")[0] for row in rows):
        source = catalogue.sources[document]
        facts = [source["title"], *(source[name] for name in ("author", "licence") if name in source)]
        names.append(html.escape(LABELS[language]["join-facts"].join(facts), quote=False))
    return ["", f'<p class="tc-note" markdown="0">{LABELS[language]["after"].format(sources=LABELS[language]["join"].join(names))}</p>'] if names else []


def _yours(made: pages.Page, language: str) -> list[str]:
    """Where site.js puts the diagnosis with the values of the reader's own message, if the lookup sent them here."""
    if not made.diagnoses:
        return []
    sentences = html.escape(json.dumps(made.diagnoses, ensure_ascii=False))
    return [f'<div class="tc-card tc-hit" data-tc-diagnoses="{sentences}" hidden><p class="tc-note">{LABELS[language]["yours"]}</p><p></p></div>', ""]


def _next(catalogue: Catalogue, symptom: Symptom, language: str) -> list[str]:
    """Where to look if it was none of these causes. site.js puts first what else the lookup found in the reader's own text."""
    label = LABELS[language]
    found = [other for other in nearby.candidates(catalogue, symptom) if language in other.pages]
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
    items += [f"- [{host(address)}: {docs_name(address)}]({address})" for address in symptom.snippet.docs if address not in linked_addresses]
    return ["", *items] if items else []


def host(address: str) -> str:
    """Whose documentation an address is of."""
    name = address.partition("://")[2].partition("/")[0]
    return "PyTorch" if name.endswith("pytorch.org") else "NVIDIA" if name.endswith("nvidia.com") else "Python" if name.endswith("python.org") else name


def docs_name(address: str) -> str:
    """What to call a page of PyTorch's documentation: `torch.Tensor.backward`, `notes/autograd#in-place`."""
    path, _, anchor = address.partition("#")
    name = path.rstrip("/").rpartition("/")[2].removesuffix(".html")
    return f"{name}: {anchor.replace('-', ' ')}" if anchor and not anchor.startswith("torch.") else anchor or name


def expand(catalogue: Catalogue, symptom: Symptom, word: str, name: str, language: str) -> str:
    """What a directive stands for; "" for a case that the snippet has not, which the catalogue reports."""
    if word == "wordings":
        return wordings(catalogue, symptom, language)
    cells = symptom.snippet.cases[name].cells if name in symptom.snippet.cases else {}
    if word == "check":
        return check(catalogue, symptom, cells["check"], language) if "check" in cells else ""
    return case(catalogue, symptom, cells, language) if {"break", "fix"} <= set(cells) else ""


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
    kind = f"<b>{html.escape(wording.exception)}</b>: " if wording.exception else ""
    return f'<p class="tc-message"><code>{kind}{with_holes(wording, language)}</code>{note}</p>'


def with_holes(wording: Wording, language: str) -> str:
    pieces = []
    for part in wording.parts:
        if isinstance(part, Hole):
            name = (part.name.rstrip("0123456789_") and part.name) or KINDS[language][part.kind]
            pieces.append(f"<var>⟨{html.escape(name)}⟩</var>")
        else:
            pieces.append(html.escape(part, quote=False))
    return "".join(pieces).replace("\n", "<br>")


def case(catalogue: Catalogue, symptom: Symptom, cells: dict[str, Cell], language: str) -> str:
    """Tabs of a case: fixed code, diff, failing code, what it printed."""
    label = LABELS[language]
    broken, fixed = cells["break"], cells["fix"]
    return "\n\n".join(
        [
            _tab(label["fixed"], fence(fixed.source, "python")),
            _tab(label["diff"], fence(diff(broken.source, fixed.source), "diff .tc-diff")),
            _tab(label["failing"], fence(_program(symptom, broken, language), "python")),
            _tab(label["printed"], printed(catalogue, symptom, broken, language) + elsewhere(catalogue, symptom, broken, language)),
        ]
    )


def elsewhere(catalogue: Catalogue, symptom: Symptom, broken: Cell, language: str) -> str:
    """What the same break printed on other releases and devices, where the words differ from those shown."""
    texts = changes.printed(catalogue, symptom, broken.name)
    shown = recorded(catalogue, symptom, broken.name)
    here = shown[0].environment if shown else ""
    others = [one for one in texts if here not in one.where]
    return "".join(
        f"\n\n{LABELS[language]['elsewhere'].format(where=LABELS[language]['join'].join(_environments(catalogue, one.where)))}\n\n{fence(one.text, 'text .tc-output')}"
        for one in others
    )


def _environments(catalogue: Catalogue, names: tuple[str, ...]) -> list[str]:
    return [f"torch {record.torch}, {where(record)}" for record in catalogue.evidence if record.environment in names]


def _program(symptom: Symptom, broken: Cell, language: str) -> str:
    """The whole failing program. A long set-up stands once on a page, with the first case; the others point there."""
    setup = symptom.snippet.setup_of(broken)
    first = next(cell for cell in symptom.snippet.runs if cell.kind == "break")
    shown = symptom.snippet.setup_of(first)
    sources = [cell.source for cell in setup]
    if broken is not first and sum(len(cell.source.splitlines()) for cell in shown) > LONG_SETUP:
        sources = [LABELS[language]["setup-above"], *(cell.source for cell in setup if cell not in shown)]
    return "\n\n".join([*sources, broken.source])


def check(catalogue: Catalogue, symptom: Symptom, cell: Cell, language: str) -> str:
    """The code of a check, and what it printed."""
    return fence(cell.source, "python .tc-check") + "\n\n" + printed(catalogue, symptom, cell, language)


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
    title = f"torch {record.torch} · {where(record)} · {entry.get('date') or record.symptoms[symptom.stem]['date']}"
    if not entry.get("output"):
        return f'<p class="tc-note">{html.escape(title)}: {label["silent"]}</p>'
    return fence(_shortened(entry["output"].rstrip("\n"), label["left-out"]), f"{lexer(entry['output'])} .tc-output", title)


def recorded(catalogue: Catalogue, symptom: Symptom, name: str) -> tuple[Evidence, dict[str, Any]] | None:
    """The evidence to show for a cell: one that passed before one that failed or was skipped; else in the catalogue's order."""
    found = [(record, cell) for record in catalogue.evidence if (cell := record.cell(symptom.snippet, name)) is not None]
    found.sort(key=lambda item: ("passed", "failed", "skipped").index(item[1]["outcome"]))  # stable
    return found[0] if found else None


def lexer(output: str) -> str:
    """Colours for a traceback, none for anything else."""
    return "pytb" if "Traceback (most recent call last):" in output else "text"


def _shortened(output: str, left_out: str) -> str:
    lines = output.splitlines()
    if len(lines) <= HEAD + TAIL + 1:
        return output
    return "\n".join([*lines[:HEAD], left_out.format(count=len(lines) - HEAD - TAIL), *lines[-TAIL:]])


def fence(code: str, classes: str, title: str = "") -> str:
    """A fenced block that its content cannot end."""
    longest = max((len(found) for found in re.findall(r"`{3,}", code)), default=2)
    ticks = "`" * (longest + 1)
    attributes = f' title="{title}"' if title else ""
    return f"{ticks}{{ .{classes}{attributes} }}\n{code}\n{ticks}"


def _tab(label: str, content: str) -> str:
    indented = "\n".join(f"    {line}" if line else "" for line in content.splitlines())
    return f'=== "{label}"\n\n{indented}'


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


def _synonyms(made: pages.Page, language: str) -> list[str]:
    words = made.meta.get("synonyms") or []
    join = {"en": ", ", "zh": "、"}[language]
    return (
        ["", f"{LABELS[language]['also']}: {join.join(map(str, words))}\n{{ .tc-note }}".replace(": ", "：" if language == "zh" else ": ", 1)] if words else []
    )


# ---- a tip's page


def tip_page(catalogue: Catalogue, made: Tip, language: str, repository: str = "") -> str:
    """The page of a tip as Markdown: title, rule, body with its directives expanded, the symptoms that it explains, links."""
    found = made.pages[language]
    label = LABELS[language]
    lines = [f"# {plain(found.title)}", "", f"{plain(made.rule(language))}\n{{ .tc-rule }}", ""]
    for line in found.body.splitlines():
        directive = TIP_DIRECTIVE.fullmatch(line)
        if directive and directive[1] == "program":
            file = catalogue.root / "programs" / directive[2]
            lines += ["", fence(file.read_text(encoding="utf-8").rstrip("\n"), "python", f"programs/{directive[2]}"), ""]
        elif directive:
            lines += ["", figure(directive[2], found.title, language), ""]
        elif mark := MARK.match(line):
            lines += [f"*{label['not-run-why'].format(why=reason(mark[1], language))}*", ""]
        else:
            lines.append(line)
    explained = [catalogue.symptoms[stem] for stem in made.symptoms if stem in catalogue.symptoms]
    linked = {target.partition("#")[0].rpartition("/")[2] for target, _ in found.links}
    items = [f"- [{plain(symptom.title(language))}](../../{symptom.id}.md)" for symptom in explained if f"{symptom.stem}.md" not in linked]
    if items:
        lines += ["", f"## {label['explains']} {{#symptoms}}", "", *items]
    file = f"docs/{language}/{made.id}.md"
    edit = f"[{label['edit-page']}]({repository.rstrip('/')}/edit/main/{file})" if repository else f"{label['files']}: `{file}`"
    if found.codes:
        lines += ["", f"{label['tip-run']}\n{{ .tc-evidence }}"]
    return "\n".join([*lines, "", f"{edit}\n{{ .tc-links }}", *_sources(catalogue, made.rows, language), *_synonyms(found, language)]) + "\n"


def figure(name: str, alternative: str, language: str) -> str:
    """A figure in both colour schemes; Material shows the one that fits."""
    alt = html.escape(alternative, quote=True).replace("]", "")
    return "\n".join(f"![{alt}](../../assets/figures/{name}-{language}-{scheme}.svg#only-{scheme}){{ width=672 height=326 }}" for scheme in ("light", "dark"))


def tips_by_topic(catalogue: Catalogue, language: str) -> dict[str, list[Tip]]:
    """Tips that are written in this language, by topic, in the vocabulary's order."""
    found = {topic: [made for made in catalogue.tips.values() if made.topic == topic and language in made.pages] for topic in catalogue.topics}
    return {topic: tips for topic, tips in found.items() if tips}


def tips_page(catalogue: Catalogue, language: str) -> str:
    """All tips, by topic."""
    label = LABELS[language]
    parts = [front_matter(label["tips-summary"]), f"# {label['tips']}\n\n{label['tips-summary']} [{label['cheat-sheet']}](../cheat-sheet.md)\n"]
    for topic, tips in tips_by_topic(catalogue, language).items():
        rows = [f"- [{plain(made.title(language))}]({topic}/{made.stem}.md)\n\n    {plain(summary(made, language))}\n" for made in tips]
        parts.append(f"\n## {topic_name(catalogue, topic, language)} {{#{topic}}}\n\n" + block("tc-list", "\n".join(rows)) + "\n")
    return "".join(parts)


def cheat_sheet(catalogue: Catalogue, language: str) -> str:
    """The rules of all tips, one line each."""
    label = LABELS[language]
    parts = [f"---\ndescription: {label['cheat-summary']!r}\n---\n# {label['cheat-sheet']}\n\n{label['cheat-summary']}\n"]
    for topic, tips in tips_by_topic(catalogue, language).items():
        rows = [f"- **[{plain(made.title(language))}](tips/{topic}/{made.stem}.md)** {plain(made.rule(language))}" for made in tips]
        parts.append(f"\n## {topic_name(catalogue, topic, language)} {{#{topic}}}\n\n" + block("tc-rules", "\n".join(rows)) + "\n")
    return "".join(parts)


def sources_page(catalogue: Catalogue, language: str) -> str:
    """Every entry of the documents: what it is about, what running it showed, where it is answered."""
    label = LABELS[language]
    answers = catalogue.answers()
    done = sum(1 for found in answers.values() if found)
    parts = [front_matter(label["sources-summary"]), f"# {label['sources']}\n\n{label['sources-text'].format(done=done, count=len(answers))}\n"]
    for document, source in catalogue.sources.items():
        facts = label["join-facts"].join(source[name] for name in ("author", "licence") if name in source)
        parts.append(f"\n## {plain(source['title'])} {{#{document.lower()}}}\n\n{plain(facts)}\n\n| {label['sources-table']} |\n| --- | --- | --- | --- |\n")
        for number, row in source["rows"].items():
            links = label["join"].join(f"[{plain(made.title(language))}]({made.id}.md)" for made in answers[f"{document}-{number}"])
            about = plain(row[language]).replace("|", "\\|")
            parts.append(f"| {document}-{number} | {about} | {label['found'][row['found']]} | {links or label['unanswered']} |\n")
    return "".join(parts)


# ---- evidence


def evidence_line(catalogue: Catalogue, symptom: Symptom, language: str) -> str:
    """The evidence of a symptom as a paragraph of Markdown, with a link to what it means."""
    return f"{evidence_html(catalogue, symptom, language)} [{LABELS[language]['verified']}](../verified.md)\n{{ .tc-evidence }}"


def evidence_html(catalogue: Catalogue, symptom: Symptom, language: str) -> str:
    """Where and when this symptom ran, and where it did not: never more than the evidence says."""
    label = LABELS[language]
    pieces = []
    for device in DEVICES:
        records = [record for record in catalogue.evidence if (record.device == "cpu") == (device == "cpu")]
        found = [(state, record) for record in records if (state := record.status(symptom.snippet)) != "absent"]
        if any(state in ("passed", "partly") for state, _ in found):
            # Where another release could not run it says nothing more.
            found = [item for item in found if item[0] != "skipped"]
        pieces += _pieces(found, symptom, language) or [("absent", label["absent"].format(where=DEVICES[device]))]
    texts = [f'<span class="tc-{state}">{html.escape(text, quote=False)}</span>' for state, text in pieces]
    for need in symptom.snippet.needs:
        if need.startswith("fault:"):
            texts.append(f"<span>{label['fault'].format(fault=html.escape(need.partition(':')[2].strip(), quote=False))}</span>")
    line = label["join"].join(texts) + label["stop"]
    return re.sub(r"(?<=>)[a-z]", lambda found: found[0].upper(), line, count=1)


def _pieces(found: list[tuple[str, Evidence]], symptom: Symptom, language: str) -> list[tuple[str, str]]:
    """(state, text) for each state and machine; releases of torch that ran alike on the same day are named together."""
    label = LABELS[language]
    alike: dict[tuple[str, ...], list[str]] = {}
    for state, record in found:
        entry = record.symptoms[symptom.stem]
        reasons = [entry["skipped"]] if "skipped" in entry else [cell.get("why", "") for cell in entry["cells"].values() if cell["outcome"] == "skipped"]
        why = label["join"].join(dict.fromkeys(reason(text, language) for text in reasons))
        packages = "".join(label["join-facts"] + f"{name} {version}" for name, version in entry.get("packages", {}).items())
        alike.setdefault((state, packages, where(record), entry["date"], why), []).append(record.torch)
    return [
        (state, label[state].format(torch=_enumerated(versions, language) + packages, where=machine, date=date, why=why))
        for (state, packages, machine, date, why), versions in alike.items()
    ]


def _enumerated(names: list[str], language: str) -> str:
    """`a, b and c`."""
    label = LABELS[language]
    return label["and"].join(filter(None, [label["enumeration"].join(names[:-1]), names[-1]]))


def reason(text: str, language: str) -> str:
    """Why a cell was skipped, in the reader's language; the advice on how to run it (after `;`) is for the terminal."""
    for start, translated in REASONS[language].items():
        if text.startswith(start):
            return translated + (text[len(start) :] if start.endswith(" ") else "")
    return text


def where(record: Evidence) -> str:
    return "CPU" if record.device == "cpu" else record.device_name


def evidence_table(catalogue: Catalogue, language: str) -> str:
    """How many symptoms ran on each machine."""
    heading = LABELS[language]["table"]
    rows = [f"| {heading} |", "|" + " --- |" * (heading.count("|") + 1)]
    for record in catalogue.evidence:
        states = [record.status(symptom.snippet) for symptom in catalogue.symptoms.values()]
        dates = [entry["date"] for entry in record.symptoms.values()]
        counts = (states.count("passed"), states.count("partly") + states.count("skipped"), states.count("stale"))
        rows.append(f"| {record.torch} | {where(record)} | {' | '.join(map(str, counts))} | {max(dates, default='')} |")
    return "\n".join(rows) if len(rows) > 2 else f"*{LABELS[language]['not-run']}*"


def evidence_matrix(catalogue: Catalogue, language: str) -> str:
    """Every symptom on every machine that has evidence: ran, ran in part, not run and why, changed since."""
    label = LABELS[language]
    records = catalogue.evidence
    names = [f"torch {record.torch}, {where(record)}" for record in records]
    if not any(record.device == "cuda" for record in records):
        names.append(DEVICES["cuda"])
    rows = [f"| {label['symptom']} | {' | '.join(names)} |", "|" + " --- |" * (len(names) + 1)]
    for symptom in catalogue.symptoms.values():
        cells = [_mark(record, symptom, language) for record in records] + [label["mark"]["absent"]] * (len(names) - len(records))
        rows.append(f"| [{plain(symptom.title(language))}]({symptom.id}.md) | {' | '.join(cells)} |")
    return "\n".join(rows)


def _mark(record: Evidence, symptom: Symptom, language: str) -> str:
    """One cell of the matrix."""
    state = record.status(symptom.snippet)
    entry = record.symptoms.get(symptom.stem, {})
    text = LABELS[language]["mark"][state]
    if state in ("partly", "skipped"):
        reasons = [entry["skipped"]] if "skipped" in entry else [cell["why"] for cell in entry["cells"].values() if cell["outcome"] == "skipped"]
        text += " " + LABELS[language]["note"].format(note=LABELS[language]["comma"].join(dict.fromkeys(reason(one, language) for one in reasons)))
    return html.escape(text, quote=False).replace("|", "\\|")


def badge(catalogue: Catalogue) -> str:
    """An SVG for the README: how many symptoms, as they are now, ran on the CPU."""
    best = next((record for record in catalogue.evidence if record.device == "cpu"), None)
    ran = sum(best.status(symptom.snippet) in ("passed", "partly") for symptom in catalogue.symptoms.values()) if best else 0
    left, right = "breaks and fixes executed", f"{ran} of {len(catalogue.symptoms)} symptoms, torch {best.torch if best else '?'}, CPU"
    widths = [round(6.6 * len(text)) + 16 for text in (left, right)]
    width = sum(widths)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="20" role="img" aria-label="{left}: {right}"><title>{left}: {right}</title>'
        f'<clipPath id="r"><rect width="{width}" height="20" rx="4"/></clipPath><g clip-path="url(#r)"><rect width="{widths[0]}" height="20" fill="#123c45"/>'
        f'<rect x="{widths[0]}" width="{widths[1]}" height="20" fill="#16713f"/></g>'
        f'<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11" text-anchor="middle">'
        f'<text x="{widths[0] / 2:g}" y="14" textLength="{widths[0] - 12}">{left}</text>'
        f'<text x="{widths[0] + widths[1] / 2:g}" y="14" textLength="{widths[1] - 12}">{right}</text></g></svg>\n'
    )


def evidence_files(catalogue: Catalogue) -> str:
    """Links to the evidence as it is published with the site. Raw HTML: the files belong to no language."""
    names = [f"{record.environment}.json" for record in catalogue.evidence]
    items = "".join(f'<li><a href="../../evidence/{name}"><code>{name}</code></a></li>' for name in names)
    return f'<ul markdown="0">{items}<li><a href="../../evidence/README.md"><code>README.md</code></a></li></ul>'


# ---- generated pages


def topics(catalogue: Catalogue) -> dict[str, list[Symptom]]:
    """Topics that have symptoms, in the vocabulary's order."""
    found = {topic: [symptom for symptom in catalogue.symptoms.values() if symptom.topic == topic] for topic in catalogue.topics}
    return {topic: symptoms for topic, symptoms in found.items() if symptoms}


def topic_name(catalogue: Catalogue, topic: str, language: str) -> str:
    return catalogue.topics[topic].get(language, topic)


def tag_names(catalogue: Catalogue, tags: list[str], language: str) -> list[str]:
    return [catalogue.tags[tag][language] for tag in tags if language in catalogue.tags.get(tag, {})]


def summary(made: Symptom | Tip, language: str) -> str:
    found = made.pages.get(language)
    return str(found.meta.get("summary") or "") if found else ""


def description(made: Symptom | Tip, language: str) -> str:
    """The summary without Markdown's marks, for search engines."""
    return summary(made, language).replace("`", "")


def topic_page(catalogue: Catalogue, topic: str, language: str) -> str:
    """The page of a topic: its symptoms."""
    name = topic_name(catalogue, topic, language)
    meta = front_matter(LABELS[language]["topic-summary"].format(topic=name))
    return f"{meta}# {name}\n\n{_list(topics(catalogue)[topic], language, '')}\n"


def symptoms_page(catalogue: Catalogue, language: str) -> str:
    """All symptoms, by topic."""
    label = LABELS[language]
    indexes = label["join"].join(f"[{MESSAGES[language][name]}](../{name}.md)" for name in ("messages", "exceptions"))
    parts = [front_matter(label["symptoms-summary"]), f"# {label['symptoms']}\n\n{label['symptoms-summary']}\n\n{indexes}\n"]
    for topic, symptoms in topics(catalogue).items():
        parts.append(f"\n## [{topic_name(catalogue, topic, language)}](../{topic}/index.md) {{#{topic}}}\n\n{_list(symptoms, language, f'../{topic}/')}\n")
    return "".join(parts)


def front_matter(description: str) -> str:
    # Lists of titles would stand before the pages themselves in the search results.
    return f"---\ndescription: {description!r}\nsearch:\n  exclude: true\n---\n"


def _list(symptoms: list[Symptom], language: str, folder: str) -> str:
    rows = []
    for symptom in symptoms:
        if language in symptom.pages:
            rows.append(f"- [{plain(symptom.title(language))}]({folder}{symptom.stem}.md)\n\n    {plain(summary(symptom, language))}\n")
    return block("tc-list", "\n".join(rows))


def plain(text: str) -> str:
    """Front matter as Markdown: text, in which only `code` is marked up."""
    pieces = text.split("`")
    if len(pieces) % 2 == 0:  # a single backtick is a backtick
        pieces = [text.replace("`", "\\`")]
    for at in range(0, len(pieces), 2):
        pieces[at] = re.sub(r"([\\\[\]*_#])", r"\\\1", pieces[at]).replace("&", "&amp;").replace("<", "&lt;")
    return "`".join(pieces)


def block(name: str, markdown: str) -> str:
    """Markdown in an element of its own."""
    return f'<div class="{name}" markdown>\n\n{markdown}\n\n</div>'


def in_html(text: str) -> str:
    """Front matter as HTML: text, in which only `code` is marked up."""
    pieces = html.escape(text, quote=False).split("`")
    return "".join(f"<code>{piece}</code>" if at % 2 else piece for at, piece in enumerate(pieces)) if len(pieces) % 2 else "`".join(pieces)
