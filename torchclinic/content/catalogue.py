"""The catalogue: all symptoms and tips, loaded and checked.

Site, tests, index and command line read this and nothing else.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

from .. import LANGUAGES, ROOT
from . import (
    alike,
    causes,
    devices,
    evidence,
    mutation,
    page_file,
    redirects,
    rules,
    snippet_file,
    threads,
    tip,
    words,
    yamlfile,
)
from .collection import FACTS, Catalogue, UnknownSymptom
from .kept import Kept, uncollected
from .page import Page
from .problem import Problems
from .snippet import Snippet
from .symptom import Symptom
from .tip import Tip

__all__ = ["Catalogue", "Symptom", "UnknownSymptom", "load"]

#: Language -> stem -> page.
Pages = dict[str, dict[str, Page]]
#: Id -> language -> name.
Names = dict[str, dict[str, str]]


def load(
    root: Path = ROOT,
    *,
    lint: bool = True,
    check: bool = True,
    drafts: Collection[str] = (),
    only: str = "",
) -> Catalogue:
    """Read and check everything. Nothing is executed.

    Every broken rule is in `problems`, but for those of drafts, which are no pages yet.

    Args:
        drafts: stems of drafts that are taken for pages.
        lint: look up every wording's sample and every recorded break as well, which takes
            seconds; `causes.check` does it for some pages alone.
        check: whether the files agree with each other; not for a page that is shown to its writer
            while a build checks it all.
        only: the stem of the one page whose problems are asked for; rules that cannot concern it
            are not checked.
    """
    with uncollected():
        catalogue, pages = _read(root, drafts)
        if check:
            words.check(words.read(), catalogue.problems)
            rules.check(catalogue, pages, only)
        if lint:
            causes.check(catalogue, causes.neighbours(catalogue, only) if only else None)
    catalogue.problems.sort()
    return catalogue


def _read(root: Path, drafts: Collection[str]) -> tuple[Catalogue, Pages]:
    """All files, checked in themselves."""
    problems = Problems(root)
    topics, tags = _vocabulary(root / FACTS / "vocabulary.yml", problems)
    with Kept(root, "files") as kept:
        snippets = _snippets(root, topics, problems, kept)
        pages = {language: _pages(root, language, topics, problems, kept) for language in LANGUAGES}
        tips = _tips(root, topics, problems, kept)
    records = evidence.read_all(root / "evidence", problems)
    unpublished = {
        stem: _symptom(stem, snippets, pages)
        for stem, parsed in snippets.items()
        if parsed.draft and stem not in drafts
    }
    _forget(unpublished, snippets, pages, problems)
    order = list(topics)
    stems = sorted(snippets, key=lambda stem: (order.index(snippets[stem].topic), stem))
    symptoms = {stem: _symptom(stem, snippets, pages) for stem in stems}
    for stem, met in threads.read(root, problems).items():
        if stem in symptoms:
            symptoms[stem].threads = met
    ids = {symptom.id for symptom in symptoms.values()} | {entry.id for entry in tips.values()}
    catalogue = Catalogue(
        root,
        symptoms,
        topics,
        tags,
        records,
        problems,
        sources=_sources(root / FACTS / "sources.yml", problems),
        tips=tips,
        redirects=redirects.read(root / FACTS / redirects.FILE, ids, problems),
        mutants=mutation.read(root, "cpu", problems),
        often=_often(root / FACTS / "often.yml", symptoms, problems),
        drafts=unpublished,
        alike=alike.read(root / FACTS / alike.FILE, problems),
        devices=devices.read(root / FACTS / devices.FILE, problems),
    )
    return catalogue, pages


def _symptom(stem: str, snippets: dict[str, Snippet], pages: Pages) -> Symptom:
    in_languages = {name: pages[name][stem] for name in LANGUAGES if stem in pages[name]}
    return Symptom(snippets[stem], in_languages)


def _forget(
    unpublished: Iterable[str], snippets: dict[str, Snippet], pages: Pages, problems: Problems
) -> None:
    """Take drafts out of what was read, with what is wrong in their files."""
    files = set()
    for stem in unpublished:
        ident = snippets.pop(stem).id
        files |= {f"snippets/{ident}.py", *(f"docs/{name}/{ident}.md" for name in LANGUAGES)}
        for in_language in pages.values():
            in_language.pop(stem, None)
    problems[:] = [problem for problem in problems if problem.file not in files]


def _vocabulary(file: Path, problems: Problems) -> tuple[Names, Names]:
    """Topics and tags."""
    vocabulary = yamlfile.read(file, problems)
    topics, tags = vocabulary.get("topics") or {}, vocabulary.get("tags") or {}
    for kind, names in (("topic", topics), ("tag", tags)):
        for name, labels in names.items():
            for language in LANGUAGES:
                if not isinstance(labels, dict) or not labels.get(language):
                    problems.add(file, 0, f"{kind} `{name}` has no label in `{language}`")
    return topics, tags


def _snippets(
    root: Path, topics: Collection[str], problems: Problems, kept: Kept
) -> dict[str, Snippet]:
    snippets: dict[str, Snippet] = {}
    for file in sorted((root / "snippets").rglob("*.py")):
        if file.parent.parent != root / "snippets" or file.parent.name not in topics:
            where = f"a snippet lies in snippets/<topic>/; topics are {', '.join(topics)}"
            problems.add(file, 0, where)
        elif parsed := kept.read(problems, snippet_file.read, file):
            first = snippets.setdefault(parsed.stem, parsed)
            if first is not parsed:
                message = f"stem `{parsed.stem}` is taken by {first.id}; a stem is unique"
                problems.add(file, 0, message)
    return snippets


def _pages(
    root: Path, language: str, topics: Iterable[str], problems: Problems, kept: Kept
) -> dict[str, Page]:
    files = [
        file
        for topic in topics
        for file in sorted((root / "docs" / language / topic).glob("*.md"))
        if file.stem != "index"
    ]
    pages = {file.stem: kept.read(problems, page_file.read, file, language) for file in files}
    return {stem: parsed for stem, parsed in pages.items() if parsed is not None}


def _often(file: Path, symptoms: dict[str, Symptom], problems: Problems) -> list[Symptom]:
    """The file says where its order comes from; none if there is no such file."""
    stems = yamlfile.read(file, problems).get("symptoms") or [] if file.exists() else []
    for stem in stems:
        if stem not in symptoms:
            problems.add(file, 0, f"`{stem}` is the stem of no symptom")
    return [symptoms[stem] for stem in stems if stem in symptoms]


def _sources(file: Path, problems: Problems) -> dict[str, dict[str, Any]]:
    sources = yamlfile.read(file, problems)
    choices = {
        "kind": ("symptom", "tip", "concept"),
        "found": ("confirmed", "corrected", "extended"),
    }
    for document, source in sources.items():
        for row, facts in source["rows"].items():
            for name, values in choices.items():
                if facts.get(name) not in values:
                    message = f"{document}-{row}: `{name}` is one of {', '.join(values)}"
                    problems.add(file, 0, message)
            for language in LANGUAGES:
                if not facts.get(language):
                    problems.add(file, 0, f"{document}-{row} says nothing in `{language}`")
    return sources


def _tips(root: Path, topics: Iterable[str], problems: Problems, kept: Kept) -> dict[str, Tip]:
    order = list(topics)
    tips: dict[str, Tip] = {}
    for language in LANGUAGES:
        folder = f"docs/{language}/{tip.FOLDER}"
        for file in sorted((root / folder).rglob("*.md")):
            topic = file.parent.name
            if topic not in order or file.parent.parent.name != tip.FOLDER:
                where = f"a tip lies in {folder}/<topic>/; topics are {', '.join(order)}"
                problems.add(file, 0, where)
            elif parsed := kept.read(problems, tip.read, file, language):
                entry = tips.setdefault(file.stem, Tip(topic, file.stem, {}))
                if entry.topic == topic:
                    entry.pages[language] = parsed
                    continue
                how = "a stem is unique, and lies in the same topic in both languages"
                problems.add(file, 0, f"the stem `{file.stem}` is taken by {entry.id}; {how}")
    return dict(sorted(tips.items(), key=lambda item: (order.index(item[1].topic), item[0])))
