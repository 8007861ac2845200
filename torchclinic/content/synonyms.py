"""Synonyms: the words, phrases and questions with which people look for a problem. No page needs to say them; the search knows them."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from .problem import Problems

#: More characters are a sentence, which nobody types a second time.
LONGEST = 60
#: An entry on more pages than this tells none of them from the others.
MOST_PAGES = 3


def key(entry: str) -> str:
    """What makes two entries one: case, full width and blanks do not count."""
    return "".join(unicodedata.normalize("NFKC", entry).casefold().split())


def read(value: Any, file: Path, line: int, problems: Problems) -> list[str]:
    """The entries of one page in one language, as written; what is none is reported and left out."""
    if value is None:
        return []
    if not isinstance(value, list):
        problems.add(file, line, "`synonyms` is a list of what people type: `synonyms: [one, another]`")
        return []
    found: dict[str, str] = {}
    for entry in value:
        if not isinstance(entry, str) or not entry.strip():
            problems.add(file, line, f"the synonym `{entry}` is no text: quote what YAML reads as something else")
        elif len(entry) > LONGEST:
            problems.add(file, line, f"the synonym `{entry}` has {len(entry)} characters; what people type has {LONGEST} at most")
        elif key(entry) in found:
            problems.add(file, line, f"the synonym `{entry}` stands twice: case, width and blanks do not count")
        else:
            found[key(entry)] = entry
    return list(found.values())


def check(places: Iterable[tuple[Path, int, list[str]]], problems: Problems) -> None:
    """Report the entries of one language that stand on too many pages.

    Args:
        places: for each page or known message its file, the line of its synonyms, and the entries.
    """
    standing: dict[str, list[tuple[Path, int, str]]] = {}
    for file, line, entries in places:
        for entry in entries:
            standing.setdefault(key(entry), []).append((file, line, entry))
    for found in standing.values():
        if len(found) > MOST_PAGES:
            for file, line, entry in found:
                problems.add(file, line, f"the synonym `{entry}` stands on {len(found)} pages; on more than {MOST_PAGES} it tells none from the others")
