"""The comments of a snippet in Chinese. One `.py` holds the code; the Chinese page's front matter holds a table of its comments:

    comments:
      "a copy in this process's own memory": 复制到本进程自己的内存里

A key is a comment without its `# `. Comments on lines of their own that follow each other are one comment of several lines, and its twin has as many. The
same words have the same twin wherever they stand, in the cells and in the header's commands. What has no words but True, False and None is its own twin.
"""

from __future__ import annotations

import dataclasses
import io
import re
import tokenize
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

from . import page
from .page import Page
from .problem import Problems
from .snippet import KINDS, WIDTH, Case, Cell, Snippet

_WORD = re.compile(r"[A-Za-z]+")
_VALUES = {"True", "False", "None"}
#: A command is read as a shell reads it: what is quoted, and the `#` that begins a word.
_QUOTED_OR_COMMENT = re.compile(r"\"(?:\\.|[^\"\\])*\"|'[^']*'|(?<!\S)#")


class Comment(NamedTuple):
    """One comment.

    Attributes:
        text: without `# `; its lines, if there are several.
        places: of each line the index, and the column of its `#`.
    """

    text: str
    places: tuple[tuple[int, int], ...]


def of_code(source: str) -> list[Comment]:
    """The comments of a cell; none where it does not parse, which is reported elsewhere."""
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(source + "\n").readline))
    except (SyntaxError, tokenize.TokenError):
        return []
    return _grouped(source, [(token.start[0] - 1, token.start[1]) for token in tokens if token.type == tokenize.COMMENT])


def of_command(text: str) -> list[Comment]:
    """The comments of what is typed in a shell, in a notebook, or in a program's settings."""
    lines = enumerate(text.split("\n"))
    found = ((row, next((mark.start() for mark in _QUOTED_OR_COMMENT.finditer(line) if mark[0] == "#"), -1)) for row, line in lines)
    return _grouped(text, [(row, column) for row, column in found if column >= 0])


def _grouped(text: str, places: list[tuple[int, int]]) -> list[Comment]:
    lines = text.split("\n")
    made: list[list[tuple[int, int]]] = []
    for row, column in places:
        own = not lines[row][:column].strip()
        if made and own and made[-1][-1] == (row - 1, column) and not lines[row - 1][:column].strip():
            made[-1].append((row, column))
        else:
            made.append([(row, column)])
    return [Comment("\n".join(lines[row][column:].lstrip("#").strip() for row, column in group), tuple(group)) for group in made]


def replaced(text: str, found: list[Comment], table: dict[str, str]) -> str:
    """A text with the comments that a table has; the others stay as they are."""
    lines = text.split("\n")
    for comment in found:
        twin = table.get(comment.text, comment.text).split("\n")
        for (row, column), line in zip(comment.places, twin, strict=False):
            lines[row] = f"{lines[row][:column]}# {line}"
    return "\n".join(lines)


def translated(snippet: Snippet, table: dict[str, str]) -> Snippet:
    """A snippet with the comments of a table. Each line of code stays where it is."""
    lines = snippet.text.split("\n")
    cells = {}
    for cell in snippet.cells:
        cells[cell.line] = dataclasses.replace(cell, source=replaced(cell.source, of_code(cell.source), table))
        new = cells[cell.line].source.split("\n")
        lines[cell.line - 1 : cell.line - 1 + len(new)] = new
    cases = {name: _case(case, {kind: cells[cell.line] for kind, cell in case.cells.items()}, table) for name, case in snippet.cases.items()}
    return dataclasses.replace(snippet, text="\n".join(lines), cells=list(cells.values()), cases=cases)


def _case(case: Case, cells: dict[str, Cell], table: dict[str, str]) -> Case:
    commands = {place: replaced(text, of_command(text), table) for place, text in case.commands.items()}
    return dataclasses.replace(case, cells=cells, commands=commands)


def find(snippet: Snippet) -> Iterator[tuple[Comment, int]]:
    """The comments that need a twin, each with its line in the file."""
    for cell in snippet.cells:
        for comment in of_code(cell.source):
            if not _is_value(comment):
                yield comment, cell.line + comment.places[0][0]
    lines = snippet.text.splitlines()
    for case in snippet.cases.values():
        for text in case.commands.values():
            for comment in of_command(text):
                if not _is_value(comment):
                    first = text.split("\n")[comment.places[0][0]]
                    yield comment, next((number for number, line in enumerate(lines, 1) if first in line), 1)


def _is_value(comment: Comment) -> bool:
    return set(_WORD.findall(comment.text)) <= _VALUES


def check(snippet: Snippet, chinese: Page, problems: Problems) -> None:
    """Report comments without a twin (once the code is written), twins without a comment, and twins that do not fit."""
    table, written = chinese.comments, page.OPEN not in snippet.text
    seen: set[str] = set()
    for comment, line in find(snippet):
        if written and comment.text not in table and comment.text not in seen:
            how = f"`python -m torchclinic stamp {snippet.id}` puts it into the Chinese page's `comments`"
            problems.add(snippet.file, line, f"no Chinese for the comment {comment.text!r}: {how}")
        seen.add(comment.text)
    for text, twin in table.items():
        line = chinese.comment_line(text)
        if text not in seen:
            problems.add(chinese.file, line, f"`comments` has {text!r}, which is no comment of the snippet: it was changed, or taken out")
        elif twin.count("\n") != text.count("\n"):
            problems.add(chinese.file, line, f"the comment {text!r} has {text.count(chr(10)) + 1} lines, its Chinese {twin.count(chr(10)) + 1}")
        for part in twin.split("\n"):
            page.check_punctuation(chinese.file, line, part, problems, " in `comments`", comment=True)
    for cell in translated(snippet, table).cells:
        for number, line in enumerate(cell.source.split("\n")):
            if cell.kind in KINDS[:3] and columns(line) > WIDTH and not line.isascii():
                at = next((chinese.comment_line(text) for text, twin in table.items() if any(line.endswith(f"# {part}") for part in twin.split("\n"))), 1)
                why = f"it makes line {cell.line + number} of the snippet {columns(line)} columns wide; the page holds {WIDTH}, a Chinese character takes two"
                problems.add(chinese.file, at, f"a comment's Chinese is too long: {why}")


def columns(text: str) -> int:
    """How many columns a text takes: Chinese characters take two."""
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)
