"""The catalogue: all symptoms and tips, loaded and checked. Site, tests, index and command line read this and nothing else."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .. import LANGUAGES, ROOT
from . import (
    alike,
    causes,
    comments,
    evidence,
    figure,
    glossary,
    index,
    known,
    mutation,
    overview,
    page,
    redirects,
    search_index,
    snippet,
    synonyms,
    tip,
    words,
    yamlfile,
)
from .evidence import Evidence
from .known import KnownMessage
from .page import Page
from .problem import Problems
from .snippet import Snippet
from .symptom import Symptom
from .tip import PROGRAMS, Tip

#: Folder of what belongs to no single page: vocabulary, sources, known messages, redirects, the symptoms met most.
FACTS = "facts"


class UnknownSymptom(KeyError):
    """No symptom, or tip, has this id."""

    def __str__(self) -> str:
        return str(self.args[0])


@dataclass
class Catalogue:
    root: Path
    symptoms: dict[str, Symptom]  # by stem, in the order of topics
    topics: dict[str, dict[str, str]]  # id -> {language: name}
    tags: dict[str, dict[str, str]]
    evidence: list[Evidence]
    problems: Problems
    sources: dict[str, dict[str, Any]] = field(default_factory=dict)  # facts/sources.yml: documents whose entries (`rows`) pages answer
    known: dict[str, KnownMessage] = field(default_factory=dict)  # by stem; none of them has a page
    tips: dict[str, Tip] = field(default_factory=dict)  # by stem, in the order of topics
    redirects: dict[str, str] = field(default_factory=dict)  # id that a page had -> its id of today
    mutants: mutation.Record = field(default_factory=lambda: mutation.Record("", "cpu"))  # wrong versions of fixes that were tried on the CPU
    often: list[Symptom] = field(default_factory=list)  # the most met symptoms, which the home page names, in order
    drafts: dict[str, Symptom] = field(default_factory=dict)  # by stem: what is proposed and not published; in nothing else that stands here
    alike: list[list[str]] = field(default_factory=list)  # facts/alike.yml: words that people use for one another

    def find(self, name: str) -> Symptom:
        """A symptom by `topic/stem` or `stem`.

        Raises:
            UnknownSymptom: names the nearest ids.
        """
        symptom = self.symptoms.get(name.rpartition("/")[2])
        if symptom is None or ("/" in name and symptom.id != name):
            raise _unknown("symptom", name, [*(symptom.id for symptom in self.symptoms.values()), *self.symptoms])
        return symptom

    def find_page(self, name: str) -> Symptom | Tip:
        """A tip by `tips/topic/stem`, or a symptom.

        Raises:
            UnknownSymptom: names the nearest ids.
        """
        if not name.startswith(f"{tip.FOLDER}/"):
            return self.find(name)
        for found in self.tips.values():
            if found.id == name:
                return found
        raise _unknown("tip", name, [made.id for made in self.tips.values()])

    def answers(self) -> dict[str, list[Symptom | Tip]]:
        """Which pages answer each row of the documents."""
        found: dict[str, list[Symptom | Tip]] = {f"{document}-{row}": [] for document, source in self.sources.items() for row in source["rows"]}
        for symptom in self.symptoms.values():
            for row in symptom.snippet.rows:
                found.setdefault(row, []).append(symptom)
        for made in self.tips.values():
            for row in made.rows:
                found.setdefault(row, []).append(made)
        return found

    def index(self, languages: tuple[str, ...] = LANGUAGES) -> dict[str, Any]:
        """The matcher's index of all symptoms and known messages, with titles and sentences in `languages`."""
        return index.build(self.symptoms, {stem: message for stem, message in self.known.items() if stem not in self.symptoms}, languages)

    def search_index(self, language: str, overviews: list[tuple[str, str, str]]) -> dict[str, Any]:
        """The search's index of one language; `overviews`: (address, title, description) of pages about the others."""
        simplified = search_index.traditional(self.root / FACTS / search_index.TRADITIONAL)
        return search_index.build(self.symptoms.values(), self.tips.values(), self.known.values(), overviews, self.tags, self.alike, simplified, language)

    def as_json(self) -> list[dict[str, Any]]:
        """What `catalogue --json` prints: one mapping for each symptom."""
        return [
            {
                "id": symptom.id,
                "title": {language: symptom.title(language) for language in LANGUAGES},
                "wordings": [
                    {key: value for key, value in vars(wording).items() if key not in ("parts", "line") and value} for wording in symptom.snippet.wordings
                ],
                "cases": {name: list(case.cells) for name, case in symptom.snippet.cases.items()},
                "needs": symptom.snippet.needs,
                "tags": symptom.snippet.tags,
                "outranks": symptom.snippet.outranks,
                "evidence": {record.environment: record.summary(symptom.snippet) for record in self.evidence},
            }
            for symptom in self.symptoms.values()
        ]


def _unknown(kind: str, name: str, names: list[str]) -> UnknownSymptom:
    import difflib

    near = difflib.get_close_matches(name, names, 3, 0.5)
    hint = f"; did you mean {', '.join(near)}?" if near else "; `python -m torchclinic catalogue` lists them"
    return UnknownSymptom(f"no {kind} `{name}`{hint}")


def load(root: Path = ROOT, *, lint: bool = True, check: bool = True, drafts: Collection[str] = ()) -> Catalogue:
    """Read and check everything. Nothing is executed; every broken rule is in `problems`, but for those of drafts, which are no pages yet.

    Args:
        drafts: stems of drafts that are taken for pages.
        lint: look up every wording's sample as well, which takes a second or two; a mere lookup does without.
        check: whether the files agree with each other; not for a page that is shown to its writer while a build checks it all.
    """
    problems = Problems(root)
    vocabulary_file = root / FACTS / "vocabulary.yml"
    try:
        vocabulary = yamlfile.load(vocabulary_file.read_text(encoding="utf-8"), vocabulary_file, 1, problems)
    except OSError as error:
        problems.add(vocabulary_file, 0, f"cannot be read: {error}")
        vocabulary = {}
    topics, tags = vocabulary.get("topics") or {}, vocabulary.get("tags") or {}
    for kind, names in (("topic", topics), ("tag", tags)):
        for name, labels in names.items():
            for language in LANGUAGES:
                if not isinstance(labels, dict) or not labels.get(language):
                    problems.add(vocabulary_file, 0, f"{kind} `{name}` has no label in `{language}`")
    snippets = _snippets(root, topics, problems)
    pages = {language: _pages(root, language, topics, problems) for language in LANGUAGES}
    order = {topic: number for number, topic in enumerate(topics)}
    apart = {
        stem: Symptom(snippets.pop(stem), {language: pages[language].pop(stem) for language in LANGUAGES if stem in pages[language]})
        for stem in [stem for stem, made in snippets.items() if made.draft and stem not in drafts]
    }
    files = {f"snippets/{made.id}.py" for made in apart.values()} | {f"docs/{language}/{made.id}.md" for made in apart.values() for language in LANGUAGES}
    problems[:] = [problem for problem in problems if problem.file not in files]
    symptoms = {
        stem: Symptom(snippets[stem], {language: pages[language][stem] for language in LANGUAGES if stem in pages[language]})
        for stem in sorted(snippets, key=lambda stem: (order.get(snippets[stem].topic, 99), stem))
    }
    catalogue = Catalogue(root, symptoms, topics, tags, evidence.read_all(root / "evidence", problems), problems)
    catalogue.drafts = apart
    catalogue.sources = _sources(root / FACTS / "sources.yml", problems)
    catalogue.tips = _tips(root, topics, problems)
    catalogue.known = known.read_all(root / FACTS / "known", topics, problems)
    catalogue.redirects = redirects.read(root / FACTS / redirects.FILE, {made.id for made in (*symptoms.values(), *catalogue.tips.values())}, problems)
    catalogue.mutants = mutation.read(root, "cpu", problems)
    catalogue.often = _often(root / FACTS / "often.yml", symptoms, problems)
    catalogue.alike = alike.read(root / FACTS / alike.FILE, problems)
    if check:
        words.check(words.read(), problems)
        _check(catalogue, pages)
    if lint:
        _check_wordings(catalogue)
    problems.sort()
    return catalogue


def _snippets(root: Path, topics: dict[str, Any], problems: Problems) -> dict[str, Snippet]:
    found: dict[str, Snippet] = {}
    for file in sorted((root / "snippets").rglob("*.py")):
        if file.parent.parent != root / "snippets" or file.parent.name not in topics:
            problems.add(file, 0, f"a snippet lies in snippets/<topic>/; topics are {', '.join(topics)}")
            continue
        made = snippet.read(file, problems)
        if made is None:
            continue
        if made.stem in found:
            problems.add(file, 0, f"stem `{made.stem}` is taken by {found[made.stem].id}; a stem is unique")
            continue
        found[made.stem] = made
    return found


def _pages(root: Path, language: str, topics: dict[str, Any], problems: Problems) -> dict[str, Page]:
    found = {}
    for topic in topics:
        for file in sorted((root / "docs" / language / topic).glob("*.md")):
            if file.stem == "index":
                continue
            made = page.read(file, language, problems)
            if made is not None:
                found[file.stem] = made
    return found


def _often(file: Path, symptoms: dict[str, Symptom], problems: Problems) -> list[Symptom]:
    """The file says where its order comes from; none if there is no such file."""
    stems = yamlfile.load(file.read_text(encoding="utf-8"), file, 1, problems).get("symptoms") or [] if file.exists() else []
    for stem in stems:
        if stem not in symptoms:
            problems.add(file, 0, f"`{stem}` is the stem of no symptom")
    return [symptoms[stem] for stem in stems if stem in symptoms]


def _sources(file: Path, problems: Problems) -> dict[str, dict[str, Any]]:
    try:
        found = yamlfile.load(file.read_text(encoding="utf-8"), file, 1, problems)
    except OSError as error:
        problems.add(file, 0, f"cannot be read: {error}")
        return {}
    for document, source in found.items():
        for row, facts in source["rows"].items():
            for name, values in (("kind", ("symptom", "tip", "concept")), ("found", ("confirmed", "corrected", "extended"))):
                if facts.get(name) not in values:
                    problems.add(file, 0, f"{document}-{row}: `{name}` is one of {', '.join(values)}")
            for language in LANGUAGES:
                if not facts.get(language):
                    problems.add(file, 0, f"{document}-{row} says nothing in `{language}`")
    return found


def _tips(root: Path, topics: dict[str, Any], problems: Problems) -> dict[str, Tip]:
    found: dict[str, Tip] = {}
    files = [(language, file) for language in LANGUAGES for file in sorted((root / "docs" / language / tip.FOLDER).rglob("*.md"))]
    for language, file in files:
        topic = file.parent.name
        if topic not in topics or file.parent.parent.name != tip.FOLDER:
            problems.add(file, 0, f"a tip lies in docs/{language}/{tip.FOLDER}/<topic>/; topics are {', '.join(topics)}")
            continue
        made = tip.read(file, language, problems)
        if made is None:
            continue
        if (entry := found.setdefault(file.stem, Tip(topic, file.stem, {}))).topic != topic:
            problems.add(file, 0, f"the stem `{file.stem}` is taken by {entry.id}; a stem is unique, and lies in the same topic in both languages")
            continue
        entry.pages[language] = made
    order = list(topics)
    return dict(sorted(found.items(), key=lambda item: (order.index(item[1].topic), item[0])))


def _check(catalogue: Catalogue, pages: dict[str, dict[str, Page]]) -> None:
    problems, root = catalogue.problems, catalogue.root
    for language in LANGUAGES:
        for stem, made in pages[language].items():
            topic = made.file.parent.name
            if stem not in catalogue.symptoms or catalogue.symptoms[stem].topic != topic:
                problems.add(made.file, 0, f"its snippet is gone: there is no snippets/{topic}/{stem}.py. Write it, or remove the page")
    apart = {page.file for draft in catalogue.drafts.values() for page in draft.pages.values()}
    glossary.check(root, [file for file in glossary.files(root) if file not in apart], problems)
    for symptom in catalogue.symptoms.values():
        if symptom.snippet.unread:
            continue
        _check_facts(catalogue, symptom)
        for language in LANGUAGES:
            if language in symptom.pages and symptom.pages[language].unread:
                continue
            if language in symptom.pages:
                _check_page(catalogue, symptom, symptom.pages[language])
            else:
                problems.add(
                    root / "docs" / language / f"{symptom.id}.md",
                    0,
                    f"the page of {symptom.id} is missing; write it, or propose the other with `# draft: true` in the snippet's header",
                )
        if set(symptom.pages) == set(LANGUAGES) and not any(made.unread for made in symptom.pages.values()):
            _check_translation(symptom, problems)
            comments.check(symptom.snippet, symptom.pages["zh"], problems)
    for made in catalogue.tips.values():
        _check_tip(catalogue, made)
    overview.check(root, catalogue.topics, problems)
    for stem, message in catalogue.known.items():
        if stem in catalogue.symptoms and not catalogue.symptoms[stem].snippet.draft:
            problems.add(message.file, message.line, f"`{stem}` has a page now: move what is missing to {catalogue.symptoms[stem].id}.py and remove it here")
        for other in message.outranks:
            if other not in catalogue.symptoms and other not in catalogue.known:
                problems.add(message.file, 0, f"`{stem}` outranks `{other}`, which is neither a symptom nor a known message")
    for language in LANGUAGES:
        found = [made.pages[language] for made in (*catalogue.symptoms.values(), *catalogue.tips.values()) if language in made.pages]
        places = [(made.file, made.synonyms_line, made.synonyms) for made in found]
        synonyms.check([*places, *((message.file, message.line, message.synonyms.get(language, [])) for message in catalogue.known.values())], problems)


def _check_wordings(catalogue: Catalogue) -> None:
    """The index's own lint: every wording is found, and given to its symptom; every recorded break to its case."""
    entries = [(stem, wording, symptom.snippet.file) for stem, symptom in catalogue.symptoms.items() for wording in symptom.snippet.wordings]
    entries += [(stem, wording, message.file) for stem, message in catalogue.known.items() if stem not in catalogue.symptoms for wording in message.wordings]
    table = catalogue.index()
    for file, line, message in index.lint(table, entries):
        catalogue.problems.add(file, line, message)
    for made, line, message in causes.check([symptom.snippet for symptom in catalogue.symptoms.values()], catalogue.evidence, table):
        catalogue.problems.add(made.file, line, message)


def _check_facts(catalogue: Catalogue, symptom: Symptom) -> None:
    made, problems = symptom.snippet, catalogue.problems
    lines = made.text.splitlines()

    def add(word: str, message: str) -> None:
        problems.add(made.file, next((number for number, line in enumerate(lines, 1) if word in line), 1), message)

    for tag in made.tags:
        if tag not in catalogue.tags:
            add(tag, f"unknown tag `{tag}`: take one of facts/vocabulary.yml, or add it there in both languages")
    if not made.tags:
        add("# ---", "no tags")
    for row in made.rows:
        if not _has_row(catalogue, row):
            add(row, f"`rows` names `{row}`, which facts/sources.yml has not")
    if len(made.cases) > 1:
        for name in made.cases:
            if name not in [cause.case for cause in made.causes]:
                add(f"# %% break {name}", f"no row of the header's `causes` leads to the case `{name}`")
    for message in (*mutation.unexplained(made, catalogue.mutants), *mutation.needless(made, catalogue.mutants)):
        add("# cases:", message)
    for stem in made.outranks:
        if stem not in catalogue.symptoms and stem not in catalogue.known:
            add(stem, f"`outranks` names `{stem}`, which is no symptom")
    for name in made.related:
        if name.rpartition("/")[2] not in catalogue.symptoms:
            add(name, f"`related` names `{name}`, which is no symptom")


def _has_row(catalogue: Catalogue, row: str) -> bool:
    document, _, number = row.partition("-")
    return document in catalogue.sources and number in catalogue.sources[document]["rows"]


def _check_tip(catalogue: Catalogue, made: Tip) -> None:
    problems, root = catalogue.problems, catalogue.root
    for language in LANGUAGES:
        if language not in made.pages:
            problems.add(root / "docs" / language / f"{made.id}.md", 0, f"the page of {made.id} is missing")
    for found in made.pages.values():
        for word, name, line in found.directives:
            if word == "program" and not (root / PROGRAMS / name).exists():
                problems.add(found.file, line, f"`{{{{ program {name} }}}}`: there is no {PROGRAMS}/{name}")
            if word == "figure" and (why := figure.stale(root, name)):
                problems.add(found.file, line, f"`{{{{ figure {name} }}}}`: {why}")
        for target, line in found.links:
            _check_link(catalogue, found, target, line)
    if set(made.pages) != set(LANGUAGES):
        return
    english = made.pages["en"]
    for kind, names, known_names in (("tag", made.tags, catalogue.tags), ("symptom", made.symptoms, {**catalogue.symptoms, **catalogue.known})):
        for name in names:
            if name not in known_names:
                problems.add(english.file, 1, f"unknown {kind} `{name}`")
    if not made.tags:
        problems.add(english.file, 1, "no tags")
    for row in made.rows:
        if not _has_row(catalogue, row):
            problems.add(english.file, 1, f"`rows` names `{row}`, which facts/sources.yml has not")
    _check_translation(made, problems)
    _check_codes(made, problems)
    _check_survivors(catalogue, made)


def _check_survivors(catalogue: Catalogue, made: Tip) -> None:
    """What may be taken out of a block and is not missed has its reason, and nothing else has."""
    english, blocks = made.pages["en"], made.snippet
    line = next((number for number, text in enumerate(english.text.splitlines(), 1) if text.startswith("survives:")), 1)
    if not isinstance(english.meta.get("survives", {}), dict) or not all(why.strip() for why in made.survives.values()):
        catalogue.problems.add(english.file, line, '`survives` maps what `verify --mutate` printed to the reason: `survives: {"opening: without: …": "why"}`')
    for name in made.survives:
        if not any(name.startswith(f"{case}: ") for case in blocks.cases):
            catalogue.problems.add(english.file, line, f"`survives` names `{name}`, which begins with no block; they are {', '.join(blocks.cases)}")
    for message in (*mutation.unexplained(blocks, catalogue.mutants), *mutation.needless(blocks, catalogue.mutants)):
        catalogue.problems.add(english.file, line, message)


def _check_codes(made: Tip, problems: Problems) -> None:
    """The blocks of both languages are the same program; comments may be translated."""
    english, chinese = made.pages["en"], made.pages["zh"]
    tokens: dict[str, list[list[str]]] = {}
    for language, found in made.pages.items():
        tokens[language] = []
        for code, line in found.codes:
            try:
                compile(code, str(found.file), "exec")
                tokens[language].append(tip.code_of(code))
            except SyntaxError as error:
                problems.add(found.file, line + (error.lineno or 0), f"syntax error in the block: {error.msg}")
                return
            if "assert" not in tokens[language][-1]:
                problems.add(found.file, line, "the block asserts nothing: it would pass whatever it does")
    if len(english.codes) != len(chinese.codes):
        problems.add(chinese.file, 0, f"{len(chinese.codes)} blocks of code, the English page has {len(english.codes)}")
    for number, (one, other) in enumerate(zip(tokens["en"], tokens["zh"], strict=False)):
        if one != other:
            differing = next((f"`{b}` for `{a}`" for a, b in zip(one, other, strict=False) if a != b), "its end")
            problems.add(chinese.file, chinese.codes[number][1], f"the code differs from the English page by more than comments: {differing}")


def _check_page(catalogue: Catalogue, symptom: Symptom, made: Page) -> None:
    problems, cases = catalogue.problems, symptom.snippet.cases
    shown: set[tuple[str, str]] = set()
    for word, name, line in made.directives:
        if word in ("wordings", "causes"):
            shown.add((word, ""))
        elif name not in cases:
            problems.add(made.file, line, f"`{{{{ {word} {name} }}}}`: the snippet has no case `{name}`; it has {', '.join(cases)}")
        elif word == "check" and "check" not in cases[name].cells:
            problems.add(made.file, line, f"`{{{{ check {name} }}}}`: the snippet has no cell `check {name}`")
        else:
            if (word, name) in shown:
                problems.add(made.file, line, f"`{{{{ {word} {name} }}}}` stands twice")
            shown.add((word, name))
    for name, case in cases.items():
        for word in ("case", "check"):
            if (word == "case" or "check" in case.cells) and (word, name) not in shown:
                problems.add(made.file, 0, f"never shows `{{{{ {word} {name} }}}}`: every cell of the snippet is shown")
        if name not in [anchor for anchor, _ in made.cases]:
            problems.add(made.file, 0, f"no heading `### … {{#{name}}}`: every case is told from the others")
    if symptom.snippet.wordings and ("wordings", "") not in shown:
        problems.add(made.file, 0, "never shows `{{ wordings }}`")
    for anchor, line in made.cases:
        if anchor not in cases:
            problems.add(made.file, line, f"`{{#{anchor}}}` is no case of the snippet")
    rows, words_of = [cause.row for cause in symptom.snippet.causes], made.causes
    if words_of or len(rows) > 1:
        for row in rows:
            if row not in words_of:
                problems.add(made.file, 1, f"the front matter's `causes` lacks the row `{row}`, which the snippet's header has")
        for row in words_of:
            if row not in rows:
                problems.add(made.file, 1, f"the front matter's `causes` has a row `{row}`, which the snippet's header has not")
        if ("causes", "") not in shown:
            problems.add(made.file, 0, "never shows `{{ causes }}`")
    holes = {name for wording in symptom.snippet.wordings for name in wording.holes}
    for sentence in [*made.diagnoses, *(row.say for row in words_of.values())]:
        for name in words.placeholders(sentence):
            if name not in holes:
                problems.add(
                    made.file,
                    1,
                    f"the sentence {sentence!r} uses {{{name}}}, but no wording has a hole of that name (they have {', '.join(sorted(holes)) or 'none'})",
                )
    for target, line in made.links:
        _check_link(catalogue, made, target, line)


def _check_link(catalogue: Catalogue, made: Page, target: str, line: int) -> None:
    if "://" in target or target.startswith("mailto:"):
        return
    path, _, anchor = target.partition("#")
    file = (made.file.parent / path).resolve() if path else made.file
    home = catalogue.root / "docs" / made.language
    if not file.is_relative_to(home):
        catalogue.problems.add(made.file, line, f"link `{target}` leaves docs/{made.language}")
    elif not file.exists():
        catalogue.problems.add(made.file, line, f"link `{target}` leads nowhere")
    elif anchor and not path and anchor not in {*page.SECTIONS, *made.sections, *(name for name, _ in made.cases)}:
        catalogue.problems.add(made.file, line, f"link `{target}`: no such section or case on this page")


def _directive(found: tuple[str, str, int]) -> str:
    return f"`{{{{ {' '.join(filter(None, found[:2]))} }}}}`"


def _check_translation(made: Symptom | Tip, problems: Problems) -> None:
    english, chinese = made.pages["en"], made.pages["zh"]
    stamps = chinese.meta.get("source") or {}
    stamp = f"bring the Chinese along, then `python -m torchclinic stamp {made.id}`"
    if not isinstance(stamps, dict):
        problems.add(chinese.file, 1, f"`source` maps sections to hashes; {stamp}")
        return
    hashes = english.hashes()
    for name in hashes:
        if name in page.PROSE_FIELDS and not chinese.meta.get(name):
            problems.add(chinese.file, 1, f"front matter lacks `{name}`, which the English page has")
    # YAML reads a hash of digits alone as a number.
    old = [name for name, value in hashes.items() if name in stamps and str(stamps[name]) != value]
    new = [name for name in hashes if name not in stamps]
    for names, what in ((old, "changed in English since this was written"), (new if page.OPEN not in english.text else [], "not stamped")):
        if names:
            first = min((chinese.sections[name].line for name in names if name in chinese.sections), default=1)
            problems.add(chinese.file, first, f"{what}: `{'`, `'.join(names)}`; {stamp}")
    for name in stamps:
        if name not in hashes:
            problems.add(chinese.file, 1, f"`source` stamps `{name}`, which the English page has not; {stamp}")
    for what, one, other in (
        ("sections", list(english.sections), list(chinese.sections)),
        ("directives", [_directive(item) for item in english.directives], [_directive(item) for item in chinese.directives]),
        ("case headings", [name for name, _ in english.cases], [name for name, _ in chinese.cases]),
        (
            "link targets",
            sorted(target for target, _ in english.links if "://" not in target),
            sorted(target for target, _ in chinese.links if "://" not in target),
        ),
        ("rows of `causes`", list(english.causes), list(chinese.causes)),
        ("rows of `causes` that `say` something", [r for r, own in english.causes.items() if own.say], [r for r, own in chinese.causes.items() if own.say]),
        ("values in the diagnosis", *([f"{{{name}}}" for s in made.diagnoses for name in sorted(words.placeholders(s))] for made in (english, chinese))),
    ):
        if one != other:
            lacks, has = [item for item in one if item not in other], [item for item in other if item not in one]
            said = [f"it lacks {', '.join(map(str, lacks))}"] * bool(lacks) + [f"it alone has {', '.join(map(str, has))}"] * bool(has)
            problems.add(chinese.file, 1, f"{what} differ from the English page: {' and '.join(said) or 'in their order, or how often they stand'}")
