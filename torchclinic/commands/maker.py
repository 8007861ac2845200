"""Makes the parts of the finished knowledge from a checkout: for its cache, and for the wheel (hatch_build.py)."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

from .. import LANGUAGES, ROOT
from ..content import catalogue
from ..content import knowledge as content
from ..content.catalogue import Catalogue
from ..content.problem import Problems
from ..site import lists, markdown_copy


@functools.cache
def _catalogue(root: Path) -> Catalogue:
    return catalogue.load(root, lint=False)


def search_index(made: Catalogue, language: str) -> dict[str, Any]:
    """The search's index of all pages in one language, the general ones and the lists among them."""
    return made.search_index(language, lists.overviews(made, language))


def problems(root: Path = ROOT) -> Problems:
    """Rules that the files break."""
    return _catalogue(root).problems


def make(part: str, root: Path = ROOT) -> dict[str, Any]:
    """One of knowledge.PARTS, as plain data. What has problems is made as far as it can be."""
    made = _catalogue(root)
    if part == "pages":
        # Both languages of a page side by side: they hold the same code, which the wheel then packs once.
        pages = [*made.symptoms.values(), *made.tips.values()]
        return {one.id: {language: markdown_copy.copy(made, one, language, "") for language in LANGUAGES if language in one.pages} for one in pages}
    if part == "search":
        return {language: search_index(made, language) for language in LANGUAGES}
    return {"answers": content.answers, "snippets": content.snippets}[part](made)
