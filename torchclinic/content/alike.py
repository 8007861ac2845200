"""facts/alike.yml: groups of words that people use for one another, for the search."""

from __future__ import annotations

from pathlib import Path

from ..find.terms import terms
from . import yamlfile
from .problem import Problems, line_of

FILE = "alike.yml"


def read(file: Path, problems: Problems) -> list[list[str]]:
    """The groups; none if there is no such file.

    Reports a group of one, and what the search would not read or would read as the same.
    """
    if not file.exists():
        return []
    text = file.read_text(encoding="utf-8")
    kept: list[list[str]] = []
    places: dict[tuple[str, ...], str] = {}  # terms -> the word that has them
    for name, groups in yamlfile.load(text, file, 1, problems).items():
        for group in groups if isinstance(groups, list) else [groups]:
            if not isinstance(group, list) or len(group) < 2:
                example = "`- [GPU, graphics card, 显卡]`"
                message = f"`{name}` holds groups of two words or more: {example}, not {group!r}"
                problems.add(file, 0, message)
                continue
            words = [str(word) for word in group]
            for message in _problems(words, places):
                problems.add(file, line_of(text, f"- [{words[0]},"), message)
            kept.append(words)
    return kept


def _problems(words: list[str], places: dict[tuple[str, ...], str]) -> list[str]:
    """What is wrong with a group; its words are added to `places`."""
    messages = []
    for word in words:
        key = tuple(terms(word))
        if not key:
            messages.append(f"`{word}` has no word that the search reads")
        elif key in places:
            how = "it stands in one group, once"
            messages.append(f"`{word}` is to the search what `{places[key]}` is; {how}")
        places[key] = word
    return messages
