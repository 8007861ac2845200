"""The English of a snippet in Chinese.

One `.py` holds the code; the Chinese page's front matter holds a table of its comments:

    comments:
      "a copy in this process's own memory": 复制到本进程自己的内存里

A key is a comment without its `# `, or a docstring without its quotes. Comments on lines of their
own that follow each other are one comment of several lines, and its twin has as many. The same
words have the same twin wherever they stand, in the cells and in the header: there in the commands,
and as what `fault:` injects. What has no words but True, False and None is its own twin.
"""

from __future__ import annotations

import ast
import dataclasses
import functools
import io
import re
import tokenize
from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

from . import page
from .page import Page
from .problem import Problems, line_of
from .snippet import FAULT, SHOWN, WIDTH, Case, Cell, Snippet
from .words import columns

_WORD = re.compile(r"[A-Za-z]+")
_VALUES = {"True", "False", "None"}
#: A command is read as a shell reads it: what is quoted, and the `#` that begins a word.
_QUOTED_OR_COMMENT = re.compile(r"\"(?:\\.|[^\"\\])*\"|'[^']*'|(?<!\S)#")
_MARK = re.compile(r"#+\s*")
_QUOTES = re.compile(r"[rRuU]?(\"\"\"|\'\'\'|\"|\')")


class Comment(NamedTuple):
    """One comment, or a docstring.

    Attributes:
        text: without `# ` or quotes; its lines, if there are several.
        places: of each line the index, and the columns between which its words stand.
        quoted: is it a docstring?
    """

    text: str
    places: tuple[tuple[int, int, int], ...]
    quoted: bool = False


@functools.cache
def of_code(source: str) -> list[Comment]:
    """The comments and docstrings of a cell; none where it does not parse (reported elsewhere)."""
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(source + "\n").readline))
        docstrings = docstring_places(source)
    except (SyntaxError, tokenize.TokenError):
        return []
    marks = [token.start for token in tokens if token.type == tokenize.COMMENT]
    comments = _grouped(source, [(row - 1, column) for row, column in marks])
    for token in tokens:
        if token.type == tokenize.STRING and token.start in docstrings:
            comments.append(_docstring(source, token))
    return sorted(comments, key=lambda comment: comment.places)


def docstring_places(source: str) -> set[tuple[int, int]]:
    """Line (from 1) and column where each docstring of a function or class begins.

    Raises:
        SyntaxError: it is not Python.
    """
    documented = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    firsts = [node.body[0] for node in ast.walk(ast.parse(source)) if isinstance(node, documented)]
    lines = source.split("\n")
    return {
        (first.lineno, len(lines[first.lineno - 1].encode()[: first.col_offset].decode()))
        for first in firsts
        if isinstance(first, ast.Expr)
        and isinstance(first.value, ast.Constant)
        and isinstance(first.value.value, str)
    }


def _docstring(source: str, token: tokenize.TokenInfo) -> Comment:
    quotes = _QUOTES.match(token.string)
    assert quotes is not None  # a docstring is no f-string, and no bytes
    lines = source.split("\n")
    (first, begin), (last, end) = token.start, token.end
    places = []
    for row in range(first - 1, last):
        start = begin + quotes.end() if row == first - 1 else 0
        words = lines[row][start : end - len(quotes[1]) if row == last - 1 else None]
        if words.strip():
            start += len(words) - len(words.lstrip())
            places.append((row, start, start + len(words.strip())))
    return _at(places, lines)._replace(quoted=True)


def _at(places: list[tuple[int, int, int]], lines: list[str]) -> Comment:
    return Comment("\n".join(lines[row][start:end] for row, start, end in places), tuple(places))


def of_command(text: str) -> list[Comment]:
    """The comments of what is typed in a shell, in a notebook, or in a program's settings."""
    marks = []
    for row, line in enumerate(text.split("\n")):
        columns = [mark.start() for mark in _QUOTED_OR_COMMENT.finditer(line) if mark[0] == "#"]
        marks += [(row, column) for column in columns[:1]]
    return _grouped(text, marks)


def _grouped(text: str, marks: list[tuple[int, int]]) -> list[Comment]:
    """Comments, from the lines and columns of their `#`."""
    lines = text.split("\n")
    groups: list[list[tuple[int, int]]] = []
    for row, column in marks:
        above = (row - 1, column)
        alone = [not lines[at][:column].strip() for at in (row, row - 1)]
        if groups and groups[-1][-1] == above and all(alone):
            groups[-1].append((row, column))
        else:
            groups.append([(row, column)])
    return [_at([_words_at(lines[row], row, at) for row, at in group], lines) for group in groups]


def _words_at(line: str, row: int, column: int) -> tuple[int, int, int]:
    """Where the words of a comment stand whose `#` is at this column."""
    mark = _MARK.match(line, column)
    assert mark is not None
    return row, mark.end(), len(line.rstrip())


def replaced(text: str, comments: list[Comment], table: dict[str, str]) -> str:
    """A text with the comments that a table has; the others stay as they are."""
    lines = text.split("\n")
    for comment in reversed(comments):
        twin = table.get(comment.text, comment.text).split("\n")
        for (row, start, end), line in zip(comment.places, twin, strict=False):
            lines[row] = lines[row][:start] + line + lines[row][end:]
    return "\n".join(lines)


def translated(snippet: Snippet, table: dict[str, str]) -> Snippet:
    """A snippet with the comments of a table. Each line of code stays where it is."""
    lines = snippet.text.split("\n")
    cells = {}
    for cell in snippet.cells:
        source = replaced(cell.source, of_code(cell.source), table)
        cells[cell.line] = dataclasses.replace(cell, source=source)
        new = source.split("\n")
        lines[cell.line - 1 : cell.line - 1 + len(new)] = new
    cases = {
        name: _case(case, {kind: cells[cell.line] for kind, cell in case.cells.items()}, table)
        for name, case in snippet.cases.items()
    }
    needs = [_need(need, table) for need in snippet.needs]
    return dataclasses.replace(
        snippet, text="\n".join(lines), cells=list(cells.values()), cases=cases, needs=needs
    )


def _case(case: Case, cells: dict[str, Cell], table: dict[str, str]) -> Case:
    commands = {
        place: replaced(text, of_command(text), table) for place, text in case.commands.items()
    }
    needs = tuple(_need(need, table) for need in case.needs)
    return dataclasses.replace(case, cells=cells, commands=commands, needs=needs)


def _need(need: str, table: dict[str, str]) -> str:
    fault = need.removeprefix(FAULT)
    return FAULT + table.get(fault, fault) if need.startswith(FAULT) else need


def find(snippet: Snippet) -> Iterator[tuple[Comment, int]]:
    """What needs a twin, each with its line in the file; of the header's faults
    `places` are none."""
    for cell in snippet.cells:
        for comment in of_code(cell.source):
            if not _is_value(comment):
                yield comment, cell.line + comment.places[0][0]
    cases = snippet.cases.values()
    for text in [text for case in cases for text in case.commands.values()]:
        for comment in of_command(text):
            if not _is_value(comment):
                yield comment, line_of(snippet.text, text.split("\n")[comment.places[0][0]])
    needs = [*snippet.needs, *(need for case in cases for need in case.needs)]
    faults = [need.removeprefix(FAULT) for need in needs if need.startswith(FAULT)]
    for text in faults:
        yield Comment(text, ()), line_of(snippet.text, text)


def _is_value(comment: Comment) -> bool:
    return set(_WORD.findall(comment.text)) <= _VALUES


def check(snippet: Snippet, chinese: Page, problems: Problems) -> None:
    """Report what has no twin (once the code is written), and twins that do not fit."""
    table, written = chinese.front.comments, page.OPEN not in snippet.text
    add = partial(problems.add, chinese.file)
    seen: set[str] = set()
    quoted = set()
    for comment, line in find(snippet):
        if comment.quoted:
            quoted.add(comment.text)
        if written and comment.text not in table and comment.text not in seen:
            command = f"`python -m torchclinic stamp {snippet.id}`"
            how = f"{command} puts it into the Chinese page's `comments`"
            problems.add(snippet.file, line, f"no Chinese for {comment.text!r}: {how}")
        seen.add(comment.text)
    for text, twin in table.items():
        line = chinese.comment_line(text)
        lines, in_chinese = text.count("\n") + 1, twin.count("\n") + 1
        if text not in seen:
            why = "it was changed, or taken out"
            add(line, f"`comments` has {text!r}, which the snippet has no more: {why}")
        elif lines != in_chinese:
            add(line, f"{text!r} has {lines} lines, its Chinese {in_chinese}")
        elif text in quoted and re.search(r"[\"\\]", twin):
            add(line, f'the docstring {text!r}: its Chinese may hold no `"` and no backslash')
        for part in twin.split("\n"):
            page.check_punctuation(
                chinese.file, line, part, problems, " in `comments`", comment=True
            )
    for cell in translated(snippet, table).cells:
        for number, text in list(enumerate(cell.source.split("\n")))[cell.words :]:
            if cell.kind in SHOWN and columns(text) > WIDTH and not text.isascii():
                keys = [
                    key
                    for key, twin in table.items()
                    if any(part in text for part in twin.split("\n"))
                ]
                why = f"it makes line {cell.line + number} of the snippet {columns(text)} columns"
                holds = f"the page holds {WIDTH}, a Chinese character takes two"
                line = chinese.comment_line(keys[0]) if keys else 1
                add(line, f"a comment's Chinese is too long: {why} wide; {holds}")
