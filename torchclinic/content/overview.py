"""Overviews: what stands at the head of a topic's page, docs/LANGUAGE/TOPIC/index.md.

They say where its errors come from, and ask questions that lead to a page.

`{{ symptoms TOPIC }}` stands for the list of the topic's symptoms. A topic without such a file has
a page with the list alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from .. import LANGUAGES
from . import page, yamlfile
from .problem import Problems

DIRECTIVE = re.compile(r"^\{\{ symptoms ([a-z-]+) \}\}$", re.MULTILINE)


def path(root: Path, topic: str, language: str) -> Path:
    return root / "docs" / language / topic / "index.md"


def description(root: Path, topic: str, language: str, problems: Problems) -> str:
    """One sentence on the topic, of its overview; empty where there is none."""
    file = path(root, topic, language)
    if not file.is_file():
        return ""
    meta: dict[str, Any] = yamlfile.load(
        page.split_front_matter(file.read_text(encoding="utf-8"))[0], file, 2, problems
    )
    return str(meta.get("description", ""))


def check(root: Path, topics: Iterable[str], problems: Problems) -> None:
    """Every overview stands in both languages, which lead to the same pages in the same order,
    and all of these are there."""
    for topic in topics:
        files = [path(root, topic, language) for language in LANGUAGES]
        if not any(file.is_file() for file in files):
            continue
        found = []
        for file in files:
            if not file.is_file():
                problems.add(file, 0, "the overview stands in the other language only; write it")
                continue
            text = file.read_text(encoding="utf-8")
            if DIRECTIVE.findall(text) != [topic]:
                problems.add(
                    file, 0, f"an overview holds `{{{{ symptoms {topic} }}}}` once, alone on a line"
                )
            links = page.targets(text)
            for link in links:
                if "://" not in link and not (file.parent / link.partition("#")[0]).is_file():
                    problems.add(file, 0, f"link `{link}` leads nowhere")
            found.append(links)
        if len(found) == len(files) and found[0] != found[1]:
            odd = sorted({*found[0]} ^ {*found[1]}) or ["the order"]
            problems.add(
                files[1], 0, f"leads to other pages than the English overview: {', '.join(odd)}"
            )
