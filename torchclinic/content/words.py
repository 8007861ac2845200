"""The words of the interface: words.json has each text in every language side by side, in groups
by where it is used.

Python reads them here; the build hands those that scripts need to docs/root/words.js. Standard
library only: who installs the package gets its answers from them, too.
"""

from __future__ import annotations

import json
import os
from functools import cache
from pathlib import Path
from typing import Any

from .. import LANGUAGES
from .problem import Problems

FILE = Path(__file__).with_name("words.json")


@cache
def read() -> dict[str, Any]:
    """Group -> key -> {language: text}, or one more mapping in between.

    Raises:
        ValueError: not JSON, or a key stands twice.
    """
    text = FILE.read_text(encoding="utf-8")
    words: dict[str, Any] = json.loads(text, object_pairs_hook=_mapping)
    return words


def _mapping(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    mapping = dict(pairs)
    if len(mapping) < len(pairs):
        raise ValueError(f"{FILE}: a key stands twice among {', '.join(key for key, _ in pairs)}")
    return mapping


def language_of_locale() -> str:
    """`zh` where the user's messages are Chinese, else `en`; TORCHCLINIC_LANG says otherwise."""
    variables = ("TORCHCLINIC_LANG", "LC_ALL", "LC_MESSAGES", "LANG")
    name = next((os.environ[variable] for variable in variables if os.environ.get(variable)), "")
    if not name:
        import locale

        name = locale.getlocale()[0] or ""
    return "zh" if name.lower().startswith(("zh", "chinese")) else "en"


def of(language: str, *groups: str) -> dict[str, Any]:
    """The words of some groups in one language: key -> text, or a mapping of texts."""
    return {key: _in(node, language) for group in groups for key, node in read()[group].items()}


def _in(node: dict[str, Any], language: str) -> Any:
    if _is_text(node):
        return node[language]
    return {key: _in(inner, language) for key, inner in node.items()}


def _is_text(node: dict[str, Any]) -> bool:
    return any(language in node for language in LANGUAGES)


def check(groups: dict[str, Any], problems: Problems, path: str = "") -> None:
    """Report what is not there in every language, and placeholders that differ between them."""
    for key, node in groups.items():
        name = f"{path}.{key}".lstrip(".")
        if not isinstance(node, dict):
            problems.add(FILE, 0, f"`{name}` is no mapping of {', '.join(LANGUAGES)}")
        elif not _is_text(node):
            check(node, problems, name)
        elif message := _wrong(node):
            problems.add(FILE, 0, f"`{name}` has {message}")


def _wrong(texts: dict[str, Any]) -> str:
    """What is wrong with a text in all languages; "" if nothing is."""
    missing = [
        name for name in LANGUAGES if not isinstance(texts.get(name), str) or not texts[name]
    ]
    if missing:
        return f"no text in `{'`, `'.join(missing)}`"
    if unknown := texts.keys() - set(LANGUAGES):
        return f"a text in {', '.join(sorted(unknown))}, which is none of {', '.join(LANGUAGES)}"
    places = {language: placeholders(text) for language, text in texts.items()}
    if len({frozenset(names) for names in places.values()}) == 1:
        return ""
    told = "; ".join(f"{name}: {', '.join(held) or 'none'}" for name, held in places.items())
    return f"other places to fill in one language than in the other ({told})"


def columns(text: str) -> int:
    """How many columns a text takes: Chinese characters take two."""
    import unicodedata

    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def placeholders(text: str) -> list[str]:
    """Names in braces, in order; the whole text where its braces have no pair."""
    import string  # what answers do not need

    try:
        return [name for _, name, _, _ in string.Formatter().parse(text) if name is not None]
    except ValueError:
        return [text]
