"""What programs read of the site: index.json, llms.txt, feeds, sitemap, skills, and the facts in
each page's head. docs/en/machines.md describes them.

Every address is absolute: these files are read away from the site. `base` is the address of the
site's root, with a slash at its end.
"""

from __future__ import annotations

import hashlib
import json
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

from .. import LANGUAGES
from ..content import changes, yamlfile
from ..content.catalogue import Catalogue
from ..content.evidence import Evidence
from ..content.page import split_front_matter
from ..content.problem import Problems
from ..content.symptom import Symptom
from ..content.tip import Tip
from . import markdown_copy, parts
from .article import articles
from .labels import LABELS
from .templates import render

VERSION = 1
LOCALES = {"en": "en_US", "zh": "zh_CN"}
LICENCE = "https://creativecommons.org/licenses/by/4.0/"
#: Of a date, the evidence's state must be one of these: the text that ran is the text of today.
RAN = ("passed", "partly")
#: The newest entries of a feed.
FEED = 50
SITEMAP = "http://www.sitemaps.org/schemas/sitemap/0.9"


def address(base: str, language: str, name: str = "") -> str:
    """Of a page: `name` is its id, or "" for the language's home page."""
    return f"{base}{language}/{name}/" if name else f"{base}{language}/"


def ran_on(catalogue: Catalogue, symptom: Symptom) -> str:
    """The first day known on which the code of today ran; "" if it never did."""
    dates = [
        record.symptoms[symptom.stem]["date"]
        for record in catalogue.evidence
        if record.status(symptom.snippet) in RAN
    ]
    return min(dates, default="")


# ---- index.json


def index(catalogue: Catalogue, base: str) -> dict[str, Any]:
    """Every symptom and tip, with what a program needs to choose among them and to lead a reader
    there."""
    return {
        "version": VERSION,
        "site": base,
        "documentation": {language: address(base, language, "machines") for language in LANGUAGES},
        "licence": {"text": LICENCE, "code": "MIT"},
        "languages": list(LANGUAGES),
        "environments": {record.environment: _environment(record) for record in catalogue.evidence},
        "topics": catalogue.topics,
        "tags": catalogue.tags,
        "symptoms": [_symptom(catalogue, symptom, base) for symptom in catalogue.symptoms.values()],
        "tips": [_tip(page, base) for page in catalogue.tips.values()],
    }


def _environment(record: Evidence) -> dict[str, str]:
    names = ("torch", "python", "device", "device_name", "cuda")
    return {name: getattr(record, name) for name in names}


def _page(page: Symptom | Tip, base: str) -> dict[str, Any]:
    """What symptoms and tips have in common. A language that a page is not written in is left
    out."""
    languages = [language for language in LANGUAGES if language in page.pages]
    return {
        "id": page.id,
        "topic": page.topic,
        "url": {language: address(base, language, page.id) for language in languages},
        "markdown": {
            language: address(base, language, page.id) + markdown_copy.NAME
            for language in languages
        },
        "title": {language: page.title(language) for language in languages},
        "summary": {language: parts.summary(page, language) for language in languages},
    }


def _symptom(catalogue: Catalogue, symptom: Symptom, base: str) -> dict[str, Any]:
    snippet = symptom.snippet
    fields = ("text", "exception", "role", "device")
    spans = changes.spans(catalogue, symptom)
    return {
        **_page(symptom, base),
        "wordings": [
            {name: value for name in fields if (value := getattr(wording, name))}
            | {
                name: value
                for name, value in vars(spans.get(wording.text, changes.Span())).items()
                if value
            }
            for wording in snippet.wordings
        ],
        "exceptions": sorted(
            {
                name
                for wording in snippet.wordings
                for name in (wording.exception, *wording.also)
                if name
            }
        ),
        "tags": snippet.tags,
        "cases": list(snippet.cases),
        "needs": snippet.needs,
        "recover": snippet.recover,
        "evidence": {record.environment: record.summary(snippet) for record in catalogue.evidence},
    }


def _tip(page: Tip, base: str) -> dict[str, Any]:
    return {
        **_page(page, base),
        "rule": {language: page.rule(language) for language in LANGUAGES if language in page.pages},
        "tags": page.facts.tags,
        "symptoms": page.facts.symptoms,
    }


# ---- skills of coding agents

#: A folder for each, with its SKILL.md.
SKILLS = "docs/root/agent-skills"
#: Where agents look for them (version 0.2.0 of "Agent Skills Discovery via Well-Known URIs").
WELL_KNOWN = ".well-known/agent-skills"
DISCOVERY = "https://schemas.agentskills.io/discovery/0.2.0/schema.json"


def write_skills(root: Path, out: Path) -> None:
    """Copy the skills to where agents look, with a list of them."""
    skills = []
    for file in sorted((root / SKILLS).glob("*/SKILL.md")):
        data = file.read_bytes()
        name = file.relative_to(root / SKILLS).as_posix()
        meta = yamlfile.load(split_front_matter(data.decode("utf-8"))[0], file, 2, Problems(root))
        digest = f"sha256:{hashlib.sha256(data).hexdigest()}"
        # The address is relative to the list: a site may stand below its host's root.
        skills.append(
            {
                "name": meta["name"],
                "type": "skill-md",
                "description": meta["description"],
                "url": name,
                "digest": digest,
            }
        )
        target = out / WELL_KNOWN / name
        target.parent.mkdir(parents=True)
        target.write_bytes(data)
    text = json.dumps({"$schema": DISCOVERY, "skills": skills}, ensure_ascii=False, indent=1)
    (out / WELL_KNOWN / "index.json").write_text(text, encoding="utf-8")


# ---- llms.txt


def llms(catalogue: Catalogue, base: str) -> str:
    """The map of the site for a language model: one line for each copy in Markdown."""
    lists = []
    for language in LANGUAGES:
        for name, pages in (("symptoms", catalogue.symptoms), ("tips", catalogue.tips)):
            lines = [
                markdown_copy.summary_line(page, language, address(base, language))
                for page in pages.values()
                if language in page.pages
            ]
            lists.append((LABELS[language][name], lines))
    machines, skills = address(base, "en", "machines"), WELL_KNOWN
    facts = {"base": base, "machines": machines, "licence": LICENCE, "skills": skills}
    return render("llms.txt", "en", lists=lists, **facts)


# ---- feeds, the sitemap, the badge


def feed(catalogue: Catalogue, language: str, base: str) -> str:
    """An Atom feed of symptoms, newest first. Tips are not in it: nothing records a day of
    theirs."""
    dated = [
        (date, symptom)
        for symptom in catalogue.symptoms.values()
        if language in symptom.pages and (date := ran_on(catalogue, symptom))
    ]
    dated.sort(key=lambda pair: pair[0], reverse=True)  # of one day, in the catalogue's order
    entries = [
        (
            date,
            symptom,
            parts.description(symptom, language),
            parts.tag_names(catalogue, symptom.snippet.tags, language),
        )
        for date, symptom in dated[:FEED]
    ]
    updated = dated[0][0] if dated else "1970-01-01"
    home = address(base, language)
    return render("feed.xml", language, entries=entries, updated=updated, home=home)


def sitemap(folder: Path, base: str) -> str:
    """One sitemap of both languages, from the two that MkDocs wrote; each page names itself in the
    other language."""
    pages = [
        (language, (place.text or "").strip().removeprefix(address(base, language)))
        for language in LANGUAGES
        for place in ET.parse(folder / language / "sitemap.xml").iter(f"{{{SITEMAP}}}loc")
    ]
    return render("sitemap.xml", "en", pages=pages, base=base, languages=LANGUAGES)


def badge(catalogue: Catalogue) -> str:
    """An SVG for pages elsewhere: how many symptoms, as they are now, ran on the CPU."""
    record = next((record for record in catalogue.evidence if record.device == "cpu"), None)
    symptoms = catalogue.symptoms.values()
    ran = sum(record is not None and record.status(of.snippet) in RAN for of in symptoms)
    left = "breaks and fixes executed"
    right = f"{ran} of {len(symptoms)} symptoms, torch {record.torch if record else '?'}, CPU"
    widths = [round(6.6 * len(text)) + 16 for text in (left, right)]
    return render("badge.svg", "en", left=left, right=right, widths=widths)


# ---- a page's head


def article(catalogue: Catalogue, page: Symptom | Tip, language: str, base: str) -> str:
    """JSON-LD of a symptom or a tip. It goes into a `<script>`, whose text no `<` may end."""
    tags = page.snippet.tags if isinstance(page, Symptom) else page.facts.tags
    facts: dict[str, Any] = {
        "@context": "https://schema.org",
        "@type": "TechArticle",
        "headline": page.title(language).replace("`", ""),
        "description": parts.description(page, language),
        "url": address(base, language, page.id),
        "inLanguage": language,
        "keywords": [
            *parts.tag_names(catalogue, tags, language),
            *page.pages[language].front.synonyms,
        ],
        "license": LICENCE,
        "isPartOf": {"@type": "WebSite", "name": "Torch Clinic", "url": base},
    }
    if isinstance(page, Symptom) and (date := ran_on(catalogue, page)):
        facts["dateModified"] = date
    return json.dumps(facts, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")


def write(catalogue: Catalogue, out: Path, base: str) -> None:
    """What stands at the root and belongs to no language."""
    texts = {
        "index.json": json.dumps(index(catalogue, base), ensure_ascii=False, separators=(",", ":")),
        "llms.txt": llms(catalogue, base),
        "sitemap.xml": sitemap(out, base),
        "badge.svg": badge(catalogue),
    }
    for name, text in texts.items():
        (out / name).write_text(text, encoding="utf-8")
    write_skills(catalogue.root, out)


def write_language(
    catalogue: Catalogue, out: Path, language: str, base: str, markdown: dict[str, str]
) -> None:
    """The feed of a language, and a copy beside each article's page.

    Args:
        markdown: of the pages that were made, by id.
    """
    (out / "feed.xml").write_text(feed(catalogue, language, base), encoding="utf-8")
    for shown in articles(catalogue):
        folder = out / shown.id
        if language in shown.pages and folder.is_dir():
            text = markdown_copy.copy(
                catalogue, shown, language, address(base, language), markdown.get(shown.id, "")
            )
            (folder / markdown_copy.NAME).write_text(text, encoding="utf-8")
