"""Synonyms: the words, phrases and questions with which people look for a problem. No page needs to
say them; the search knows them.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from .fields import Place
from .problem import Problems

#: More characters are a sentence, which nobody types a second time.
LONGEST = 60
#: An entry on more pages than this tells none of them from the others.
MOST_PAGES = 3


def key(entry: str) -> str:
    """What makes two entries one: case, full width and blanks do not count."""
    return "".join(unicodedata.normalize("NFKC", entry).casefold().split())


def entries(value: Any, name: str, place: Place) -> list[str]:
    """The entries of one page in one language, as written; what is none is reported."""
    if not isinstance(value, list):
        raise ValueError(f"`{name}` is a list of what people type: `{name}: [one, another]`")
    entries: dict[str, str] = {}
    for entry in value:
        if message := _wrong(entry, entries):
            place.add(f"{name}:", f"the synonym `{entry}` {message}")
        else:
            entries[key(entry)] = entry
    return list(entries.values())


def _wrong(entry: Any, entries: dict[str, str]) -> str:
    """What is wrong with an entry; "" if nothing is."""
    if not isinstance(entry, str) or not entry.strip():
        return "is no text: quote what YAML reads as something else"
    if len(entry) > LONGEST:
        return f"has {len(entry)} characters; what people type has {LONGEST} at most"
    if key(entry) in entries:
        return "stands twice: case, width and blanks do not count"
    return ""


def check(places: Iterable[tuple[Path, int, list[str]]], problems: Problems) -> None:
    """Report the entries of one language that stand on too many pages.

    Args:
        places: for each page its file, the line of its synonyms, and the entries.
    """
    standing: dict[str, list[tuple[Path, int, str]]] = {}
    for file, line, entries in places:
        for entry in entries:
            standing.setdefault(key(entry), []).append((file, line, entry))
    for pages in standing.values():
        for file, line, entry in pages if len(pages) > MOST_PAGES else ():
            message = f"the synonym `{entry}` stands on {len(pages)} pages; on more than"
            problems.add(file, line, f"{message} {MOST_PAGES} it tells none from the others")
