"""Makes the parts of the finished knowledge from a checkout: for its cache, and for the wheel
(tools/hatch_build.py)."""

from __future__ import annotations

import functools
import gzip
import json
from pathlib import Path
from typing import Any

from .. import LANGUAGES, ROOT
from ..content import answers, catalogue
from ..content.catalogue import Catalogue
from ..content.problem import BadInput, Problems
from ..find import likely, origins_table
from ..find.blocks import split
from ..find.search_table import SearchIndex
from . import article, lists, markdown_copy

#: Wordings of an entry: a lookup asks for few.
BLOCK = 16


@functools.cache
def _catalogue(root: Path) -> Catalogue:
    return catalogue.load(root, lint=False)


def search_index(loaded: Catalogue, language: str) -> SearchIndex:
    """The search's index of all pages in one language, the general ones and the lists, too."""
    return loaded.search_index(language, lists.overviews(loaded, language))


def problems(root: Path = ROOT) -> Problems:
    """Rules that the files break."""
    return _catalogue(root).problems


def make(part: str, root: Path = ROOT) -> dict[str, Any]:
    """One of knowledge.PARTS, as plain data. What has problems is made as far as it can be."""
    if part == "origins":
        return origins(root)
    loaded = _catalogue(root)
    if part == "pages":
        # Both languages of a page side by side: they hold the same code, which the wheel then
        # packs once.
        return {
            page.id: {
                language: markdown_copy.copy(loaded, page, language, "")
                for language in LANGUAGES
                if language in page.pages
            }
            for page in article.articles(loaded)
        }
    if part == "search":
        return {language: search_index(loaded, language) for language in LANGUAGES}
    if part == "snippets":
        return dict(answers.snippets(loaded))
    made = answers.answers(loaded)
    index: dict[str, Any] = {**made["index"]}
    matched, symptoms = index.pop("symptoms"), made["symptoms"]
    return {
        **split(index.pop("wordings"), "wordings", BLOCK),
        "index": index,
        "rest": {
            **{name: made[name] for name in ("tips", "redirects", "site", "day")},
            "begins": likely.begins(made["index"]),
        },
        **{f"index/{stem}": entry for stem, entry in matched.items()},
        **{f"symptoms/{stem}": entry for stem, entry in symptoms.items()},
    }


def origins(root: Path = ROOT) -> dict[str, Any]:
    """PyTorch's own messages, of which the notice of its licence is a part; {} where a checkout has
    none.

    Raises:
        BadInput: the table cannot be read, or is of another version.
    """
    file = root / origins_table.FILE
    if not file.exists():
        return {}
    try:
        table = json.loads(gzip.decompress(file.read_bytes()))
    except (OSError, EOFError, ValueError) as error:
        raise BadInput(f"{file} cannot be read ({error}): `nox -s origins` makes it") from None
    if table.get("version") != origins_table.VERSION:
        raise BadInput(f"{file} is of another version: `nox -s origins` makes it anew")
    return origins_table.pack(table)
