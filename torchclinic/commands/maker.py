"""Makes the parts of the finished knowledge from a checkout: for its cache, and for the wheel (hatch_build.py)."""

from __future__ import annotations

import functools
import sys
from pathlib import Path
from typing import Any

from .. import LANGUAGES, ROOT
from ..content import catalogue
from ..content import knowledge as content
from ..content.catalogue import Catalogue
from ..site import markdown_copy


@functools.cache
def _catalogue(root: Path) -> Catalogue:
    made = catalogue.load(root, lint=False)
    if made.problems:
        print(f"torchclinic: the catalogue has {len(made.problems)} problems; `python -m torchclinic catalogue` lists them", file=sys.stderr)
    return made


def make(part: str, root: Path = ROOT) -> dict[str, Any]:
    """One of knowledge.PARTS, as plain data. What has problems is made as far as it can be; they are counted on stderr."""
    made = _catalogue(root)
    if part == "pages":
        pages = [*made.symptoms.values(), *made.tips.values()]
        return {language: {one.id: markdown_copy.copy(made, one, language, "") for one in pages if language in one.pages} for language in LANGUAGES}
    return {"answers": content.answers, "snippets": content.snippets}[part](made)
