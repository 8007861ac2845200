"""Rules for the whole: whether snippets, pages, tips and facts agree with each other."""

from __future__ import annotations

from functools import partial

from .. import LANGUAGES
from . import (
    changed,
    code,
    command,
    comments,
    figure,
    firsts,
    glossary,
    mutation,
    overview,
    synonyms,
    translation,
)
from .collection import Catalogue
from .kept import Kept
from .page import SECTIONS, Page
from .problem import Problems, line_beginning, line_of
from .snippet import Snippet
from .symptom import Symptom
from .tip import PROGRAMS, Tip
from .words import placeholders


def check(catalogue: Catalogue, pages: dict[str, dict[str, Page]], only: str = "") -> None:
    """Report every rule that the files break together.

    Args:
        pages: of symptoms, by language and stem.
        only: the stem of the one page that is looked at; all of them if left out.
    """
    problems, root = catalogue.problems, catalogue.root
    _check_snippets_exist(catalogue, pages)
    drafts = {shown.file for draft in catalogue.drafts.values() for shown in draft.pages.values()}
    glossary.check(root, [file for file in glossary.files(root) if file not in drafts], problems)
    named = command.load(root, problems)
    _check_names(catalogue, only)
    for _ in changed.old_code(catalogue):  # reports what has no run behind it
        pass
    with Kept(root, "rules") as kept:
        for symptom in catalogue.symptoms.values():
            if not symptom.snippet.unread and only in ("", symptom.stem):
                _check_symptom(catalogue, symptom, kept)
                if named:
                    _check_commands(catalogue, symptom.snippet, named)
        for tip in catalogue.tips.values():
            if only in ("", tip.stem):
                _check_tip(catalogue, tip, kept)
    overview.check(root, catalogue.topics, problems)
    shown: list[Symptom | Tip] = [*catalogue.symptoms.values(), *catalogue.tips.values()]
    for language in LANGUAGES:
        parsed = [entry.pages[language] for entry in shown if language in entry.pages]
        places = ((line_beginning(page.text, "synonyms:"), page) for page in parsed)
        typed = [(page.file, line, page.front.synonyms) for line, page in places]
        synonyms.check(typed, problems)


def _check_snippets_exist(catalogue: Catalogue, pages: dict[str, dict[str, Page]]) -> None:
    for in_language in pages.values():
        for stem, shown in in_language.items():
            topic = shown.file.parent.name
            if stem not in catalogue.symptoms or catalogue.symptoms[stem].topic != topic:
                message = f"its snippet is gone: there is no snippets/{topic}/{stem}.py"
                catalogue.problems.add(shown.file, 0, f"{message}. Write it, or remove the page")


def _check_symptom(catalogue: Catalogue, symptom: Symptom, kept: Kept) -> None:
    problems = catalogue.problems
    _check_facts(catalogue, symptom.snippet)
    for language in LANGUAGES:
        shown = symptom.pages.get(language)
        if shown is None:
            how = "write it, or propose the other with `# draft: true` in the snippet's header"
            file = catalogue.root / f"docs/{language}/{symptom.id}.md"
            problems.add(file, 0, f"the page of {symptom.id} is missing; {how}")
        elif not shown.unread:
            _check_page(catalogue, symptom.snippet, shown)
    pages = symptom.pages.values()
    if len(pages) == len(LANGUAGES) and not any(shown.unread for shown in pages):
        here = (str(catalogue.root), symptom.id, *(shown.text for shown in pages))
        kept.of(problems, partial(_check_languages, symptom), symptom.snippet.text, *here)


def _check_languages(symptom: Symptom, problems: Problems) -> None:
    translation.check(symptom, problems)
    comments.check(symptom.snippet, symptom.pages["zh"], problems)


def _check_facts(catalogue: Catalogue, snippet: Snippet) -> None:
    def add(word: str, message: str) -> None:
        catalogue.problems.add(snippet.file, line_of(snippet.text, word), message)

    for tag in snippet.tags:
        if tag not in catalogue.tags:
            how = "take one of facts/vocabulary.yml, or add it there in both languages"
            add(tag, f"unknown tag `{tag}`: {how}")
    if not snippet.tags:
        add("# ---", "no tags")
    for row in snippet.rows:
        if not _has_row(catalogue, row):
            add(row, f"`rows` names `{row}`, which facts/sources.yml has not")
    rowed = {cause.case for cause in snippet.causes}
    for case in snippet.cases if len(snippet.cases) > 1 else ():
        if case not in rowed:
            add(f"# %% break {case}", f"no row of the header's `causes` leads to the case `{case}`")
    for message in mutation.complaints(snippet, catalogue.mutants):
        add("# cases:", message)
    for stem in snippet.outranks:
        if stem not in catalogue.symptoms:
            add(stem, f"`outranks` names `{stem}`, which is no symptom")
    for name in snippet.related:
        if name.rpartition("/")[2] not in catalogue.symptoms:
            add(name, f"`related` names `{name}`, which is no symptom")


def _check_commands(catalogue: Catalogue, snippet: Snippet, named: command.Facts) -> None:
    for case in snippet.cases.values():
        proof = case.cells.get("proof")
        if case.commands and (proof or case.unbroken):
            line = line_of(snippet.text, f"  {case.name}:")
            source = proof.source if proof else ""
            for message in command.complaints(case.commands, source, named):
                catalogue.problems.add(snippet.file, line, f"commands of `{case.name}`: {message}")


def _check_names(catalogue: Catalogue, only: str) -> None:
    """What a check shows runs in a reader's program: it names nothing that only set-up has."""
    for stem, symptom in catalogue.symptoms.items():
        snippet = symptom.snippet
        for case in snippet.cases.values() if only in ("", stem) else ():
            cell, broken = case.cells.get("check"), case.cells.get("break")
            if not cell or not broken:
                continue
            setup = (part.source for part in snippet.setup_of(cell))
            if names := code.strange_names(cell.source, broken.source, setup):
                message = f"`{cell.name}` names {', '.join(names)}, which no reader has"
                how = "hold what they run as PROGRAM or COMMAND, or move it into the proof"
                catalogue.problems.add(snippet.file, cell.line, f"{message}: {how}")


def _has_row(catalogue: Catalogue, row: str) -> bool:
    document, _, number = row.partition("-")
    return document in catalogue.sources and number in catalogue.sources[document]["rows"]


# ---- pages of symptoms


def _check_page(catalogue: Catalogue, snippet: Snippet, shown: Page) -> None:
    _check_directives(catalogue, snippet, shown)
    _check_rows(catalogue, snippet, shown)
    holes = {name for wording in snippet.wordings for name in wording.holes}
    known = ", ".join(sorted(holes)) or "none"
    for sentence in [*shown.front.diagnosis, *(row.say for row in shown.front.causes.values())]:
        for name in placeholders(sentence):
            if name not in holes:
                lacks = f"no wording has a hole of that name (they have {known})"
                message = f"the sentence {sentence!r} uses {{{name}}}, but {lacks}"
                catalogue.problems.add(shown.file, 1, message)
    _check_links(catalogue, shown)


def _check_directives(catalogue: Catalogue, snippet: Snippet, shown: Page) -> None:
    """Every cell of the snippet is shown once, below its heading, and nothing else is."""
    cases, names = snippet.cases, ", ".join(snippet.cases)
    add = partial(catalogue.problems.add, shown.file)
    directives: set[tuple[str, str]] = set()
    for word, name, line in shown.directives:
        written = f"`{{{{ {word} {name} }}}}`"
        if word in ("wordings", "causes"):
            directives.add((word, ""))
        elif word == "figure":
            if why := figure.stale(catalogue.root, name):
                add(line, f"{written}: {why}")
        elif name not in cases:
            add(line, f"{written}: the snippet has no case `{name}`; it has {names}")
        elif word == "check" and "check" not in cases[name].cells:
            add(line, f"{written}: the snippet has no cell `check {name}`")
        else:
            if (word, name) in directives:
                add(line, f"{written} stands twice")
            directives.add((word, name))
    anchors = [anchor for anchor, _ in shown.cases]
    told = {name for word, name in directives if word in ("case", "check")}
    for name, case in cases.items():
        if name in shown.front.causes and name not in {*anchors, *told}:
            continue  # it stands behind its row
        for word in ("case", "check") if "check" in case.cells else ("case",):
            if (word, name) not in directives:
                add(0, f"never shows `{{{{ {word} {name} }}}}`: every cell of the snippet is shown")
        if name not in anchors:
            add(0, f"no heading `### … {{#{name}}}`: every case is told from the others")
    if snippet.wordings and ("wordings", "") not in directives:
        add(0, "never shows `{{ wordings }}`")
    if (shown.front.causes or len(snippet.causes) > 1) and ("causes", "") not in directives:
        add(0, "never shows `{{ causes }}`")
    for anchor, line in shown.cases:
        if anchor not in cases:
            add(line, f"`{{#{anchor}}}` is no case of the snippet")


def _check_rows(catalogue: Catalogue, snippet: Snippet, shown: Page) -> None:
    """The front matter has the words of each row of the header's table of causes."""
    rows = [cause.row for cause in snippet.causes]
    written = shown.front.causes
    if not written and len(rows) < 2:
        return
    for row in [row for row in rows if row not in written]:
        message = f"`causes` lacks the row `{row}`, which the snippet's header has"
        catalogue.problems.add(shown.file, 1, f"the front matter's {message}")
    for row in [row for row in written if row not in rows]:
        message = f"`causes` has a row `{row}`, which the snippet's header has not"
        catalogue.problems.add(shown.file, 1, f"the front matter's {message}")
    for row in firsts.without_end(snippet, shown):
        line = line_beginning(shown.text, f"  {row}:")
        why = "it leads to no case, and its `do` has no link and no line to type as it stands"
        how = "write one of them: `x = x.float()`, `pip install …` in full, or a link"
        catalogue.problems.add(shown.file, line, f"row `{row}` has no end: {why}; {how}")
    for line, message in firsts.quick_fix(snippet, shown):
        catalogue.problems.add(shown.file, line, message)


def _check_links(catalogue: Catalogue, shown: Page) -> None:
    home = catalogue.root / "docs" / shown.language
    anchors = {"tried", *SECTIONS, *shown.sections, *(name for name, _ in shown.cases)}
    for target, line in shown.links:
        if "://" in target or target.startswith("mailto:"):
            continue
        path, _, anchor = target.partition("#")
        file = (shown.file.parent / path).resolve() if path else shown.file
        if not file.is_relative_to(home):
            message = f"link `{target}` leaves docs/{shown.language}"
        elif not file.exists():
            message = f"link `{target}` leads nowhere"
        elif anchor and not path and anchor not in anchors:
            message = f"link `{target}`: no such section or case on this page"
        else:
            continue
        catalogue.problems.add(shown.file, line, message)


# ---- tips


def _check_tip(catalogue: Catalogue, tip: Tip, kept: Kept) -> None:
    problems, root = catalogue.problems, catalogue.root
    for language in LANGUAGES:
        if language not in tip.pages:
            file = root / f"docs/{language}/{tip.id}.md"
            problems.add(file, 0, f"the page of {tip.id} is missing")
    for shown in tip.pages.values():
        for word, name, line in shown.directives:
            written = f"`{{{{ {word} {name} }}}}`"
            if word == "program" and not (root / PROGRAMS / name).exists():
                problems.add(shown.file, line, f"{written}: there is no {PROGRAMS}/{name}")
            if word == "figure" and (why := figure.stale(root, name)):
                problems.add(shown.file, line, f"{written}: {why}")
        _check_links(catalogue, shown)
    if set(tip.pages) == set(LANGUAGES):
        _check_tip_facts(catalogue, tip)
        here = (str(root), tip.id, *(shown.text for shown in tip.pages.values()))
        kept.of(problems, partial(translation.check_tip, tip), *here)
        _check_survivors(catalogue, tip)


def _check_tip_facts(catalogue: Catalogue, tip: Tip) -> None:
    facts, add = tip.facts, partial(catalogue.problems.add, tip.pages["en"].file, 1)
    for name in facts.tags:
        if name not in catalogue.tags:
            add(f"unknown tag `{name}`")
    for name in facts.symptoms:
        if name not in catalogue.symptoms:
            add(f"unknown symptom `{name}`")
    if not facts.tags:
        add("no tags")
    for row in facts.rows:
        if not _has_row(catalogue, row):
            add(f"`rows` names `{row}`, which facts/sources.yml has not")


def _check_survivors(catalogue: Catalogue, tip: Tip) -> None:
    """What may be taken out of a block and is not missed has its reason, and nothing else has."""
    english, blocks = tip.pages["en"], tip.snippet
    line = line_beginning(english.text, "survives:")
    add = partial(catalogue.problems.add, english.file, line)
    for name in tip.facts.survives:
        if not any(name.startswith(f"{case}: ") for case in blocks.cases):
            names = ", ".join(blocks.cases)
            add(f"`survives` names `{name}`, which begins with no block; they are {names}")
    for message in mutation.complaints(blocks, catalogue.mutants):
        add(message)
