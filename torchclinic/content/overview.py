"""Overviews: what stands at the head of a topic's page, docs/LANGUAGE/TOPIC/index.md.

They say where its errors come from, and ask questions that lead to a page.

`{{ symptoms TOPIC }}` stands for the list of the topic's symptoms. A topic without such a file has
a page with the list alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

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
    front = page.split_front_matter(file.read_text(encoding="utf-8"))[0]
    return str(yamlfile.load(front, file, 2, problems).get("description", ""))


def check(root: Path, topics: Iterable[str], problems: Problems) -> None:
    """Every overview stands in both languages, and they lead to the same pages, which are there."""
    for topic in topics:
        files = [path(root, topic, language) for language in LANGUAGES]
        if not any(file.is_file() for file in files):
            continue
        targets = []
        for file in files:
            if not file.is_file():
                problems.add(file, 0, "the overview stands in the other language only; write it")
                continue
            text = file.read_text(encoding="utf-8")
            if DIRECTIVE.findall(text) != [topic]:
                directive = f"`{{{{ symptoms {topic} }}}}`"
                problems.add(file, 0, f"an overview holds {directive} once, alone on a line")
            links = page.targets(text)
            for link in links:
                if "://" not in link and not (file.parent / link.partition("#")[0]).is_file():
                    problems.add(file, 0, f"link `{link}` leads nowhere")
            targets.append(links)
        if len(targets) == len(files) and targets[0] != targets[1]:
            odd = ", ".join(sorted({*targets[0]} ^ {*targets[1]})) or "the order"
            problems.add(files[1], 0, f"leads to other pages than the English overview: {odd}")
