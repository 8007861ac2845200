"""Reads the page of a symptom: its front matter and its sections, checked in themselves."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

from .page import CODE, LINK, SECTIONS, Page, Section, check_punctuation, open_page, targets
from .problem import Problems, line_beginning

FIELDS = {
    "en": {"title", "summary", "diagnosis", "causes", "ask", "synonyms"},
    "zh": {"title", "summary", "diagnosis", "causes", "ask", "synonyms", "source", "comments"},
}
DIRECTIVE = re.compile(
    r"\{\{ ((?:wordings|causes)(?= \}\})|(?:case|check|figure)(?! \}\}))(?: ([a-z0-9-]+))? \}\}"
)
#: What a page's own fences may be; code comes from the snippet.
FENCES = ("console", "powershell", "text")
_HEADING = re.compile(r"(#+) (.*?)(?: \{#([a-z0-9-]+)\})?$")
_FENCE = re.compile(r"\s*(`{3,})\s*(.*)$")


def read(file: Path, language: str, problems: Problems) -> Page | None:
    """Parse the page of a symptom and check what can be checked in it alone."""
    page = open_page(file, language, FIELDS[language], problems)
    if page is not None:
        _cause_rows(page, problems)
        _sections(page, problems)
    return page


def _cause_rows(page: Page, problems: Problems) -> None:
    """Note the links of the front matter's `causes`, and check their punctuation."""
    for name, row in page.front.causes.items():
        line = line_beginning(page.text, f"  {name}:")
        for text in (row.see, row.do, row.say):
            page.links += [(target, line) for target in targets(text)]
            if page.language == "zh":
                check_punctuation(page.file, line, text, problems, f" in row `{name}`")


class Line(NamedTuple):
    """One line of a page's body. Code has no headings.

    Attributes:
        opens: the word of the fence that the line opens; None if it opens none.
    """

    number: int
    text: str
    heading: re.Match[str] | None = None  # marks, title, anchor
    opens: str | None = None


def walk(page: Page, directive: re.Pattern[str], usage: str, problems: Problems) -> Iterator[Line]:
    """The lines of a page, whose directives, links and blocks of Python are noted in it on the way.

    Args:
        directive: word and name of a line that stands for something else.
        usage: how directives are written, for the report of a line that is none.
    """
    fence = word = ""
    for number, text in enumerate(page.body.splitlines(), page.body_line):
        marks = _FENCE.match(text)
        if fence:
            if marks and marks[1].startswith(fence) and not marks[2]:
                fence = ""
            elif word == "python":
                page.codes[-1] = (page.codes[-1][0] + text + "\n", page.codes[-1][1])
            yield Line(number, text)
            continue
        if marks:
            fence, word = marks[1], marks[2].strip()
            if word == "python":
                page.codes.append(("", number))
            yield Line(number, text, opens=word)
            continue
        prose = CODE.sub("", text)
        if "{{" in prose:
            if match := directive.fullmatch(text):
                page.directives.append((match[1], match[2] or "", number))
            else:
                message = f"`{text.strip()}` is no directive: {usage}, alone on its line"
                problems.add(page.file, number, message)
        page.links += [(link[1], number) for link in LINK.finditer(prose)]
        if page.language == "zh":
            check_punctuation(page.file, number, text, problems)
        yield Line(number, text, _HEADING.match(text))


def _sections(page: Page, problems: Problems) -> None:
    add = partial(problems.add, page.file)
    titles = {name: title[page.language] for name, title in SECTIONS.items()}
    names = {title: name for name, title in titles.items()}
    current: Section | None = None
    usage = "`{{ wordings }}`, `{{ case NAME }}`, `{{ check NAME }}` or `{{ figure NAME }}`"
    for line in walk(page, DIRECTIVE, usage, problems):
        if line.heading and line.heading[1] == "##":
            name = names.get(line.heading[2])
            if name and name not in page.sections:
                current = page.sections[name] = Section(name, line.number, "")
                continue
            wanted = ", ".join(f"`## {title}`" for title in names)
            message = f"`{line.text}` is no section, or stands twice"
            add(line.number, f"{message}; the sections are, in this order: {wanted}")
            current = None
            continue
        if line.heading and line.heading[1] == "###":
            if line.heading[3]:
                page.cases.append((line.heading[3], line.number))
                page.titles.setdefault(line.heading[3], line.heading[2])
            elif current and current.id == "causes":
                form = "`### Title {#case-name}`"
                add(line.number, f"a cause's heading ends with its case: {form}")
        if line.opens is not None and line.opens not in FENCES:
            message = f"a fence of `{line.opens}`: a page holds no code that is not run"
            how = f"put it into the snippet. Commands stand in {', '.join(FENCES)}"
            add(line.number, f"{message}; {how}")
        if current is not None:
            current.text += line.text + "\n"
    _check_order(page, titles, add)


def _check_order(page: Page, titles: dict[str, str], add: Callable[[int, str], None]) -> None:
    """All sections are there, in their order, and say something."""
    order, there = list(titles), page.sections
    missing = [name for name in order if name not in there]
    for name in missing:
        behind = order[order.index(name) :]
        lines = [section.line for other, section in there.items() if other in behind]
        line = lines[0] if lines else len(page.text.splitlines())
        add(line, f"section `## {titles[name]}` is missing; it stands above this line")
    if not missing and list(there) != order:
        add(0, f"sections stand in the order {', '.join(titles.values())}")
    for name, section in there.items():
        if not section.text.strip():
            add(section.line, f"section `{titles[name]}` is empty")
