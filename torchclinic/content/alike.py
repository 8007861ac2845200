"""facts/alike.yml: groups of words that people use for one another, for the search."""

from __future__ import annotations

from pathlib import Path

from ..find import search
from . import yamlfile
from .problem import Problems

FILE = "alike.yml"


def read(file: Path, problems: Problems) -> list[list[str]]:
    """The groups; none if there is no such file. Reports a group of one, and what the search would not read or would read as the same."""
    if not file.exists():
        return []
    text = file.read_text(encoding="utf-8")
    lines = text.splitlines()
    found, places = [], {}
    for name, groups in yamlfile.load(text, file, 1, problems).items():
        for group in groups if isinstance(groups, list) else [groups]:
            if not isinstance(group, list) or len(group) < 2:
                problems.add(file, 0, f"`{name}` holds groups of two words or more: `- [GPU, graphics card, 显卡]`, not {group!r}")
                continue
            words = [str(word) for word in group]
            line = next((number for number, row in enumerate(lines, 1) if row.lstrip().startswith(f"- [{words[0]},")), 0)
            for word in words:
                terms = tuple(search.words(word))
                if not terms:
                    problems.add(file, line, f"`{word}` has no word that the search reads")
                elif terms in places:
                    problems.add(file, line, f"`{word}` is to the search what `{places[terms]}` is; it stands in one group, once")
                places[terms] = word
            found.append(words)
    return found
