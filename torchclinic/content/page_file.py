"""Reads the page of a symptom: its front matter and its sections, checked in themselves."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from .page import CODE, LINK, SECTIONS, CauseRow, Page, Section, check_punctuation, open_page
from .problem import Problems, line_beginning

FIELDS = {
    "en": {"title", "summary", "diagnosis", "causes", "ask", "synonyms"},
    "zh": {"title", "summary", "diagnosis", "causes", "ask", "synonyms", "source", "comments"},
}
DIRECTIVE = re.compile(
    r"\{\{ ((?:wordings|causes)(?= \}\})|(?:case|check)(?! \}\}))(?: ([a-z0-9-]+))? \}\}"
)
#: What a page's own fences may be; code comes from the snippet.
FENCES = ("console", "powershell", "text")
_HEADING = re.compile(r"(#+) (.*?)(?: \{#([a-z0-9-]+)\})?$")
_FENCE = re.compile(r"\s*(`{3,})\s*(.*)$")


def read(file: Path, language: str, problems: Problems) -> Page | None:
    """Parse the page of a symptom and check what can be checked in it alone."""
    page = open_page(file, language, ("title", "summary"), FIELDS[language], problems)
    if page is not None:
        _cause_rows(page, problems)
        _comments(page, problems)
        _sections(page, problems)
    return page


def _cause_rows(page: Page, problems: Problems) -> None:
    """Check the form of the front matter's `causes`, and note its links."""
    written = page.meta.get("causes") or {}
    if not isinstance(written, dict):
        problems.add(page.file, 1, "`causes` maps each row of the table to its `see` and `do`")
        return
    for row, own in written.items():
        line = line_beginning(page.text, f"  {row}:")
        if (
            not isinstance(own, dict)
            or not {"see", "do"} <= set(own)
            or not set(own) <= set(CauseRow._fields)
            or not all(map(str, own.values()))
        ):
            fields = "`see`, `do` and, where it has a sentence of its own, `say`"
            problems.add(page.file, line, f"row `{row}` of `causes` holds {fields}")
            continue
        for text in own.values():
            page.links += [(found[1], line) for found in LINK.finditer(CODE.sub("", str(text)))]
            if page.language == "zh":
                check_punctuation(page.file, line, str(text), problems, f" in row `{row}`")


def _comments(page: Page, problems: Problems) -> None:
    written = page.meta.get("comments") or {}
    if not isinstance(written, dict) or not all(
        isinstance(text, str) and isinstance(twin, str) and twin.strip()
        for text, twin in written.items()
    ):
        problems.add(
            page.file,
            1,
            "`comments` maps each comment of the snippet to its Chinese: a text to a text, "
            "in quotes where YAML would read another thing",
        )


class Line(NamedTuple):
    """One line of a page's body. Code has no headings.

    Attributes:
        opens: the word of the fence that the line opens; None if it opens none.
    """

    number: int
    text: str
    heading: re.Match[str] | None = None  # marks, title, anchor
    opens: str | None = None


def walk(made: Page, directive: re.Pattern[str], usage: str, problems: Problems) -> Iterator[Line]:
    """The lines of a page, whose directives, links and blocks of Python are noted in it on the way.

    Args:
        directive: word and name of a line that stands for something else.
        usage: how directives are written, for the report of a line that is none.
    """
    fence = word = ""
    for number, text in enumerate(made.body.splitlines(), made.body_line):
        marks = _FENCE.match(text)
        if fence:
            if marks and marks[1].startswith(fence) and not marks[2]:
                fence = ""
            elif word == "python":
                made.codes[-1] = (made.codes[-1][0] + text + "\n", made.codes[-1][1])
            yield Line(number, text)
            continue
        if marks:
            fence, word = marks[1], marks[2].strip()
            if word == "python":
                made.codes.append(("", number))
            yield Line(number, text, opens=word)
            continue
        prose = CODE.sub("", text)
        if "{{" in prose:
            if found := directive.fullmatch(text):
                made.directives.append((found[1], found[2] or "", number))
            else:
                problems.add(
                    made.file,
                    number,
                    f"`{text.strip()}` is no directive: {usage}, alone on its line",
                )
        made.links += [(found[1], number) for found in LINK.finditer(prose)]
        if made.language == "zh":
            check_punctuation(made.file, number, text, problems)
        yield Line(number, text, _HEADING.match(text))


def _sections(page: Page, problems: Problems) -> None:
    by_heading = {SECTIONS[name][page.language]: name for name in SECTIONS}
    current: Section | None = None
    headings: list[tuple[str, int]] = []
    for line in walk(
        page, DIRECTIVE, "`{{ wordings }}`, `{{ case NAME }}` or `{{ check NAME }}`", problems
    ):
        if line.heading and line.heading[1] == "##":
            name = by_heading.get(line.heading[2])
            if name is None or name in page.sections:
                wanted = ", ".join(f"`## {SECTIONS[name][page.language]}`" for name in SECTIONS)
                problems.add(
                    page.file,
                    line.number,
                    f"`{line.text}` is no section, or stands twice; "
                    f"the sections are, in this order: {wanted}",
                )
                current = None
                continue
            current = page.sections[name] = Section(name, line.number, "")
            headings.append((name, line.number))
            continue
        if line.heading and line.heading[1] == "###":
            if line.heading[3]:
                page.cases.append((line.heading[3], line.number))
                page.headings.append((line.heading[3], line.heading[2]))
            elif current and current.id == "causes":
                problems.add(
                    page.file,
                    line.number,
                    "a cause's heading ends with its case: `### Title {#case-name}`",
                )
        if line.opens is not None and line.opens not in FENCES:
            problems.add(
                page.file,
                line.number,
                f"a fence of `{line.opens}`: a page holds no code that is not run; "
                f"put it into the snippet. Commands stand in {', '.join(FENCES)}",
            )
        if current is not None:
            current.text += line.text + "\n"
    missing = [name for name in SECTIONS if name not in page.sections]
    order = list(SECTIONS)
    for name in missing:
        after = next(
            (line for other, line in headings if order.index(other) > order.index(name)),
            len(page.text.splitlines()),
        )
        problems.add(
            page.file,
            after,
            f"section `## {SECTIONS[name][page.language]}` is missing; it stands above this line",
        )
    if not missing and list(page.sections) != list(SECTIONS):
        problems.add(
            page.file,
            0,
            "sections stand in the order "
            + ", ".join(SECTIONS[name][page.language] for name in SECTIONS),
        )
    for name, section in page.sections.items():
        if not section.text.strip():
            problems.add(
                page.file, section.line, f"section `{SECTIONS[name][page.language]}` is empty"
            )
