"""What stands first on a page belongs together: the message, the row and the quick fix.

Who comes with the most met message finds its cause and its fix without a choice. And whoever finds
his row finds an end there: code, a command, or a link to the page that has it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ..find.answer import Hit
from .command import to_type
from .page import LINK, Page
from .snippet import Cause, Snippet


def first_case(snippet: Snippet) -> str:
    """The case with a break to which the first row leads that has one; "" where none has."""
    broken = {name for name, case in snippet.cases.items() if not case.unbroken}
    return next((cause.case for cause in snippet.causes if cause.case in broken), "")


def quick_fix(snippet: Snippet, page: Page) -> Iterator[tuple[int, str]]:
    """Is the fix that stands first the first row's? Yields: line of the page, what is wrong."""
    section = page.sections.get("fix")
    if section is None or not (wanted := first_case(snippet)):
        return
    end = section.line + section.text.count("\n") + 1
    for word, name, line in page.directives:
        if word == "case" and section.line <= line <= end:
            if name != wanted:
                leads = f"the first row of `causes` leads to `{wanted}`"
                how = "the most met cause stands first in both"
                yield line, f"the quick fix is that of `{name}`, and {leads}: {how}"
            return


def headline(snippet: Snippet, first: Callable[[str], Hit | None]) -> Iterator[tuple[int, str]]:
    """Is the first wording's print looked up as this page, and as the cause that stands first?

    Causes that print nothing stand above with any right.

    Args:
        first: the lookup's first hit of a text.

    Yields:
        line of the header, what is wrong.
    """
    if not snippet.wordings:
        return
    wording = snippet.wordings[0]
    hit = first(wording.sample or wording.text)
    if hit is None or hit["symptom"] != snippet.stem:
        message = "the first wording is the page's headline, and the lookup does not find it"
        how = "give it a `sample` with the lines that stand around it, or put another one first"
        yield wording.line, f"{message}: {how}"
        return
    printing = [cause for cause in snippet.causes if not _silent(snippet, cause)]
    cause = hit["cause"]
    if cause is None or not printing:
        return
    if cause["row"] == printing[0].row or cause["case"] == first_case(snippet) != "":
        return
    first_row = f"`{printing[0].row}` is the first row of `causes`: put the most met first in both"
    yield wording.line, f"the headline is looked up as the cause `{cause['row']}`, and {first_row}"


def _silent(snippet: Snippet, cause: Cause) -> bool:
    case = snippet.cases.get(cause.case)
    return cause.decides is None and cause.leans is None and case is not None and case.silent


def without_end(snippet: Snippet, page: Page) -> Iterator[str]:
    """Rows after which a reader has nothing to type and nowhere to go."""
    for cause in snippet.causes:
        row = page.front.causes.get(cause.row)
        if row and not cause.case and not LINK.search(row.do) and not to_type(row.do):
            yield cause.row
