"""Generated pages that list others: symptoms and tips by topic, the cheat sheet, the sources."""

from __future__ import annotations

from collections.abc import Sequence

from ..content import overview, yamlfile
from ..content.catalogue import Catalogue
from ..content.page import split_front_matter
from ..content.symptom import Symptom
from ..content.tip import Tip
from .labels import LABELS
from .markup import block, filter_form, front_matter, plain
from .parts import summary, topic_name


def topics(catalogue: Catalogue) -> dict[str, list[Symptom]]:
    """Topics that have symptoms, in the vocabulary's order."""
    found = {
        topic: [symptom for symptom in catalogue.symptoms.values() if symptom.topic == topic]
        for topic in catalogue.topics
    }
    return {topic: symptoms for topic, symptoms in found.items() if symptoms}


def topic_page(catalogue: Catalogue, topic: str, language: str) -> str:
    """The page of a topic that has no overview: its symptoms."""
    name = topic_name(catalogue, topic, language)
    meta = front_matter(LABELS[language]["topic-summary"].format(topic=name))
    return f"{meta}# {name}\n\n{members(catalogue, topic, language)}\n"


def members(catalogue: Catalogue, topic: str, language: str) -> str:
    """The symptoms of a topic, on its own page."""
    return _list(topics(catalogue).get(topic, []), language, "")


def symptoms_page(catalogue: Catalogue, language: str) -> str:
    """All symptoms, by topic."""
    label = LABELS[language]
    indexes = label["join"].join(
        f"[{LABELS[language][name]}](../{name}.md)"
        for name in ("messages", "exceptions", "changed")
    )
    parts = [
        front_matter(label["symptoms-summary"]),
        f"# {label['symptoms']}\n\n{label['symptoms-summary']}\n\n{indexes}\n\n"
        f"{pages_filter(language)}\n",
    ]
    for topic, symptoms in topics(catalogue).items():
        name = topic_name(catalogue, topic, language)
        members = _list(symptoms, language, f"../{topic}/")
        parts.append(f"\n## [{name}](../{topic}/index.md) {{#{topic}}}\n\n{members}\n")
    return "".join(parts)


def pages_filter(language: str) -> str:
    """The field above a list of pages."""
    label = LABELS[language]
    texts = ("filter-pages", "filter-pages-hint", "shown-pages", "filter-none")
    return filter_form(*(label[text] for text in texts))


def _list(members: Sequence[Symptom], language: str, folder: str) -> str:
    rows = []
    for page in members:
        if language in page.pages:
            link = f"[{plain(page.title(language))}]({folder}{page.stem}.md)"
            rows.append(f"- {link}\n\n    {plain(summary(page, language))}\n")
    return block("tc-list", "\n".join(rows))


def tips_by_topic(catalogue: Catalogue, language: str) -> dict[str, list[Tip]]:
    """Tips that are written in this language, by topic, in the vocabulary's order."""
    found = {
        topic: [
            made
            for made in catalogue.tips.values()
            if made.topic == topic and language in made.pages
        ]
        for topic in catalogue.topics
    }
    return {topic: tips for topic, tips in found.items() if tips}


def tips_page(catalogue: Catalogue, language: str) -> str:
    """All tips, by topic, each by what a reader wants."""
    label = LABELS[language]
    parts = [
        front_matter(label["tips-summary"]),
        f"# {label['tips']}\n\n{label['tips-summary']} "
        f"[{label['cheat-sheet']}](../cheat-sheet.md)\n\n"
        f"{pages_filter(language)}\n\n**{label['i-want']}**\n",
    ]
    for topic, tips in tips_by_topic(catalogue, language).items():
        name = topic_name(catalogue, topic, language)
        rows = [
            f"- [{plain(tip.pages[language].front.want)}]({topic}/{tip.stem}.md)\n\n"
            f"    {plain(tip.title(language))}\n"
            for tip in tips
        ]
        wishes = block("tc-list", "\n".join(rows))
        parts.append(f"\n## {name} {{#{topic}}}\n\n{wishes}\n")
    return "".join(parts)


def cheat_sheet(catalogue: Catalogue, language: str) -> str:
    """The rules of all tips, one line each."""
    label = LABELS[language]
    parts = [
        front_matter(label["cheat-summary"]),
        f"# {label['cheat-sheet']}\n\n{label['cheat-summary']}\n",
    ]
    for topic, tips in tips_by_topic(catalogue, language).items():
        rows = [
            f"- **[{plain(tip.title(language))}]({tip.id}.md)** {plain(tip.rule(language))}"
            for tip in tips
        ]
        parts.append(
            f"\n## {topic_name(catalogue, topic, language)} {{#{topic}}}\n\n"
            + block("tc-rules", "\n".join(rows))
            + "\n"
        )
    return "".join(parts)


def sources_page(catalogue: Catalogue, language: str) -> str:
    """Every entry of the documents: what it is about, what running it showed, where it is
    answered."""
    label = LABELS[language]
    answers = catalogue.answers()
    done = sum(1 for found in answers.values() if found)
    parts = [
        front_matter(label["sources-summary"]),
        f"# {label['sources']}\n\n{label['sources-text'].format(done=done, count=len(answers))}\n",
    ]
    for document, source in catalogue.sources.items():
        facts = label["comma"].join(
            source[name] for name in ("author", "licence") if name in source
        )
        parts += [
            f"\n## {plain(source['title'])} {{#{document.lower()}}}\n\n{plain(facts)}\n\n",
            f"| {label['sources-table']} |\n| --- | --- | --- | --- |\n",
        ]
        for number, row in source["rows"].items():
            links = label["join"].join(
                f"[{plain(made.title(language))}]({made.id}.md)"
                for made in answers[f"{document}-{number}"]
            )
            about = plain(row[language]).replace("|", "\\|")
            result = label["found"][row["found"]]
            answer = links or label["unanswered"]
            parts.append(f"| {document}-{number} | {about} | {result} | {answer} |\n")
    return "".join(parts)


def overviews(catalogue: Catalogue, language: str) -> list[tuple[str, str, str]]:
    """(address, title, description) of the pages about the others, for the search."""
    label = LABELS[language]
    found = [
        (f"{name}/", label[name], label[f"{name}-summary"])
        for name in ("symptoms", "tips", "sources")
    ]
    found += [("cheat-sheet/", label["cheat-sheet"], label["cheat-summary"])]
    found += [
        (f"{name}/", label[name], label[f"{name}-summary"])
        for name in ("messages", "exceptions", "changed")
    ]
    for topic in topics(catalogue):
        name = topic_name(catalogue, topic, language)
        text = overview.description(catalogue.root, topic, language, catalogue.problems)
        found.append((f"{topic}/", name, text or label["topic-summary"].format(topic=name)))
    for file in sorted((catalogue.root / "docs" / language).glob("*.md")):
        meta = yamlfile.load(
            split_front_matter(file.read_text(encoding="utf-8"))[0], file, 2, catalogue.problems
        )
        if file.stem != "index":
            found.append(
                (
                    f"{file.stem}/",
                    str(meta.get("title", file.stem)),
                    str(meta.get("description", "")),
                )
            )
    return found
