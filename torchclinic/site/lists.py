"""Generated pages that list others: symptoms and tips by topic, the cheat sheet, the sources."""

from __future__ import annotations

from collections.abc import Sequence

from ..content import overview, yamlfile
from ..content.catalogue import Catalogue
from ..content.page import split_front_matter
from ..content.symptom import Symptom
from ..content.tip import Tip
from .labels import LABELS
from .markup import plain
from .parts import summary, topic_name
from .templates import render


def topics(catalogue: Catalogue) -> dict[str, list[Symptom]]:
    """Topics that have symptoms, in the vocabulary's order."""
    by_topic = {
        topic: [symptom for symptom in catalogue.symptoms.values() if symptom.topic == topic]
        for topic in catalogue.topics
    }
    return {topic: symptoms for topic, symptoms in by_topic.items() if symptoms}


def topic_page(catalogue: Catalogue, topic: str, language: str) -> str:
    """The page of a topic that has no overview: its symptoms."""
    rows = _rows(topics(catalogue).get(topic, []), language, "")
    return render("topic.md", language, name=topic_name(catalogue, topic, language), rows=rows)


def members(catalogue: Catalogue, topic: str, language: str) -> str:
    """The symptoms of a topic, on its own page."""
    return render("entries.md", language, rows=_rows(topics(catalogue)[topic], language, ""))


def symptoms_page(catalogue: Catalogue, language: str) -> str:
    """All symptoms, by topic."""
    by_topic = [
        (topic, topic_name(catalogue, topic, language), _rows(symptoms, language, f"../{topic}/"))
        for topic, symptoms in topics(catalogue).items()
    ]
    return render("symptoms.md", language, topics=by_topic)


def _rows(symptoms: Sequence[Symptom], language: str, folder: str) -> list[tuple[str, str]]:
    """(link, what it is) of those that are written in this language."""
    return [
        (
            f"[{plain(symptom.title(language))}]({folder}{symptom.stem}.md)",
            plain(summary(symptom, language)),
        )
        for symptom in symptoms
        if language in symptom.pages
    ]


def tips_by_topic(catalogue: Catalogue, language: str) -> dict[str, list[Tip]]:
    """Tips that are written in this language, by topic, in the vocabulary's order."""
    by_topic: dict[str, list[Tip]] = {topic: [] for topic in catalogue.topics}
    for tip in catalogue.tips.values():
        if language in tip.pages:
            by_topic[tip.topic].append(tip)
    return {topic: tips for topic, tips in by_topic.items() if tips}


def tips_page(catalogue: Catalogue, language: str) -> str:
    """All tips, by topic, each by what a reader wants."""
    by_topic = []
    for topic, tips in tips_by_topic(catalogue, language).items():
        rows = [
            (
                f"[{plain(tip.pages[language].front.want)}]({topic}/{tip.stem}.md)",
                plain(tip.title(language)),
            )
            for tip in tips
        ]
        by_topic.append((topic, topic_name(catalogue, topic, language), rows))
    return render("tips.md", language, topics=by_topic)


def cheat_sheet(catalogue: Catalogue, language: str) -> str:
    """The rules of all tips, one line each."""
    by_topic = [
        (topic, topic_name(catalogue, topic, language), tips)
        for topic, tips in tips_by_topic(catalogue, language).items()
    ]
    return render("cheat-sheet.md", language, topics=by_topic)


def sources_page(catalogue: Catalogue, language: str) -> str:
    """Every entry of the documents: what it is about, what running it showed, where it is
    answered."""
    return render("sources.md", language, sources=catalogue.sources, answers=catalogue.answers())


def overviews(catalogue: Catalogue, language: str) -> list[tuple[str, str, str]]:
    """(address, title, description) of the pages about the others, for the search."""
    label = LABELS[language]
    named = [
        (f"{name}/", label[name], label[f"{name}-summary"])
        for name in ("symptoms", "tips", "sources")
    ]
    named += [("cheat-sheet/", label["cheat-sheet"], label["cheat-summary"])]
    named += [
        (f"{name}/", label[name], label[f"{name}-summary"])
        for name in ("messages", "exceptions", "changed")
    ]
    for topic in topics(catalogue):
        name = topic_name(catalogue, topic, language)
        text = overview.description(catalogue.root, topic, language, catalogue.problems)
        named.append((f"{topic}/", name, text or label["topic-summary"].format(topic=name)))
    for file in sorted((catalogue.root / "docs" / language).glob("*.md")):
        if file.stem != "index":
            front = split_front_matter(file.read_text(encoding="utf-8"))[0]
            meta = yamlfile.load(front, file, 2, catalogue.problems)
            title, text = meta.get("title", file.stem), meta.get("description", "")
            named.append((f"{file.stem}/", str(title), str(text)))
    return named
