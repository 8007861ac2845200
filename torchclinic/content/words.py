"""The words of the interface: words.json has each text in every language side by side, in groups by where it is used.

Python reads them here; the build hands those that scripts need to docs/root/words.js. Standard library only: who installs the package gets its
answers from them, too.
"""

from __future__ import annotations

import json
import string
from functools import cache
from pathlib import Path
from typing import Any

from .. import LANGUAGES
from .problem import Problems

FILE = Path(__file__).with_name("words.json")


@cache
def read() -> dict[str, Any]:
    """Group -> key -> {language: text}, or one more mapping in between. Raises: ValueError (not JSON, or a key stands twice)."""
    return json.loads(FILE.read_text(encoding="utf-8"), object_pairs_hook=_mapping)


def _mapping(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        raise ValueError(f"{FILE}: a key stands twice among {', '.join(key for key, _ in pairs)}")
    return made


def of(language: str, *groups: str) -> dict[str, Any]:
    """The words of some groups in one language: key -> text, or a mapping of texts."""
    return {key: _in(node, language) for group in groups for key, node in read()[group].items()}


def _in(node: dict[str, Any], language: str) -> Any:
    return node[language] if _is_text(node) else {key: _in(inner, language) for key, inner in node.items()}


def _is_text(node: dict[str, Any]) -> bool:
    return any(language in node for language in LANGUAGES)


def check(found: dict[str, Any], problems: Problems, path: str = "") -> None:
    """Report what is not there in every language, and placeholders that differ between them."""
    for key, node in found.items():
        name = f"{path}.{key}".lstrip(".")
        if not isinstance(node, dict):
            problems.add(FILE, 0, f"`{name}` is no mapping of {', '.join(LANGUAGES)}")
        elif not _is_text(node):
            check(node, problems, name)
        elif missing := [language for language in LANGUAGES if not isinstance(node.get(language), str) or not node[language]]:
            problems.add(FILE, 0, f"`{name}` has no text in `{'`, `'.join(missing)}`")
        elif unknown := node.keys() - set(LANGUAGES):
            problems.add(FILE, 0, f"`{name}` has a text in {', '.join(sorted(unknown))}, which is none of {', '.join(LANGUAGES)}")
        elif len({frozenset(placeholders(text)) for text in node.values()}) > 1:
            places = "; ".join(f"{language}: {', '.join(placeholders(text)) or 'none'}" for language, text in node.items())
            problems.add(FILE, 0, f"`{name}` has other places to fill in one language than in the other ({places})")


def placeholders(text: str) -> list[str]:
    """Names in braces, in order; the whole text where its braces have no pair."""
    try:
        return [name for _, name, _, _ in string.Formatter().parse(text) if name is not None]
    except ValueError:
        return [text]
