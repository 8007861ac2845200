"""What the commands of authors share: the page that is named, and the rules that it breaks."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

from ..content import catalogue
from ..content.catalogue import Catalogue, UnknownSymptom
from ..content.problem import BadInput, Problem
from ..content.symptom import Symptom
from ..content.tip import Tip


def load_page(name: str, **options: Any) -> tuple[Catalogue, Symptom | Tip]:
    """The catalogue, with the symptom or tip of this name, be it a draft.

    It is checked as far as that page is concerned.

    Args:
        options: of `content.catalogue.load`.

    Raises:
        BadInput: there is none.
    """
    stem = name.rpartition("/")[2]
    pages = catalogue.load(drafts={stem}, only=stem, **options)
    try:
        return pages, pages.find_page(name)
    except UnknownSymptom as error:
        raise BadInput(str(error)) from None


def load_symptom(name: str, **options: Any) -> tuple[Catalogue, Symptom]:
    """The same for a symptom. Raises: BadInput: there is none, or it is a tip."""
    pages, page = load_page(name, **options)
    if isinstance(page, Tip):
        raise BadInput(f"`{name}` is a tip: `python -m torchclinic catalogue {name}` checks it")
    return pages, page


def problems_of(pages: Catalogue, ident: str) -> list[Problem]:
    """The broken rules in the files of one page, by its id."""
    return [
        problem
        for problem in pages.problems
        if problem.file.rpartition(".")[0].endswith(f"/{ident}")
    ]


def report(problems: Iterable[Problem]) -> int:
    """Print every broken rule, what stops the page's code first. Returns: the exit status."""
    ordered = sorted(problems, key=lambda problem: (not problem.stops, problem))
    for problem in ordered:
        print(f"{'STOPS THE RUN  ' if problem.stops else ''}{problem}", file=sys.stderr)
    if ordered:
        print(f"{len(ordered)} problem{'s' * (len(ordered) > 1)}.", file=sys.stderr)
    return 1 if ordered else 0


def print_all(lines: Iterable[str]) -> int:
    for line in lines:
        print(line)
    return 0
