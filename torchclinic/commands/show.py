"""`torchclinic show ID`: a whole page in the terminal's pager, as plain text."""

from __future__ import annotations

import argparse
import re
import shutil
import sys
import textwrap
import unicodedata
from typing import Any

from .. import LANGUAGES
from . import knowledge, terminal

#: Columns of text at most: longer lines are hard to read.
WIDTH = 100
_LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)")
_ESCAPE = re.compile(r"\\([\\`*_\[\]<>#|])")
_ITEM = re.compile(r"( *)(- |\d+\. )")


def add(commands: Any) -> None:
    command = commands.add_parser("show", help="show a whole page in the terminal")
    command.add_argument("id", metavar="ID", help="a symptom as topic/stem or stem, or a tip as tips/topic/stem")
    command.add_argument("--lang", choices=LANGUAGES, default=None, help="language of the page; from the locale if left out")
    command.set_defaults(run=run_show)


def run_show(options: argparse.Namespace) -> int:
    known = knowledge.load()
    entry = known.find(options.id, tips=True)
    page = known.page(entry, options.lang or terminal.language_of_locale())
    text = plain(page, entry["id"], min(WIDTH, shutil.get_terminal_size().columns if sys.stdout.isatty() else WIDTH))
    if sys.stdout.isatty():
        import pydoc

        pydoc.pager(text)
    else:
        print(text)
    return 0


def plain(page: str, ident: str, width: int) -> str:
    """Markdown as text to read: underlined headings, indented code, paragraphs of `width` columns, links as what they lead to.

    Args:
        page: as `Knowledge.page` gives it.
        ident: its id.
    """
    lines: list[str] = []
    paragraph: list[str] = []
    fence = ""

    def flush() -> None:
        if paragraph:
            text = _inline(" ".join(line.strip() for line in paragraph), ident)  # a link may go over the end of a line
            item = _ITEM.match(paragraph[0])
            first = item[1] if item else paragraph[0][: len(paragraph[0]) - len(paragraph[0].lstrip())]
            lines.extend(_filled(text, width, first, first + " " * len(item[2]) if item else first))
            paragraph.clear()

    for raw in page.splitlines():
        line = "".join(c if c.isprintable() else " " for c in raw)
        mark = line.strip()
        if fence:
            if mark == fence:
                fence = ""
            else:
                lines.append(f"    {line}".rstrip())
        elif mark.startswith("```"):
            flush()
            fence = mark[: len(mark) - len(mark.lstrip("`"))]
        elif line.startswith("#"):
            flush()
            level, _, title = line.partition(" ")
            title = _inline(title, ident)
            lines.append(title)
            lines.append({"#": "=", "##": "-"}.get(level, "~") * _columns(title))
        elif line.startswith("<") and line.endswith("/>"):  # the page's own address
            flush()
            lines.append(f"({ident})")
        elif not mark or line.startswith(("    ", "|", ">")):
            flush()
            lines.append(line if line.startswith("    ") else _inline(line, ident))
        else:
            if _ITEM.match(line):
                flush()
            paragraph.append(line)
    flush()
    return "\n".join(lines)


def _filled(text: str, width: int, first: str, rest: str) -> list[str]:
    """A paragraph in lines of `width` columns. Chinese, which has no blanks to break at, is left to the pager."""
    if _columns(text) != len(text):
        return [first + text]
    return textwrap.wrap(text, width, initial_indent=first, subsequent_indent=rest, break_long_words=False, break_on_hyphens=False)


def _columns(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def _inline(text: str, ident: str) -> str:
    """Links and bold as plain text; code in backticks stays."""

    def link(found: re.Match[str]) -> str:
        target = found[3].removesuffix("/index.md")
        if found[1]:
            return f"({found[2]})"
        if "://" in target:
            return f"{found[2]} <{target}>"
        return f"{found[2]} ({target})" if found[3].endswith("/index.md") and target != ident else found[2]

    pieces = _LINK.sub(link, text).split("`")
    pieces[::2] = [_ESCAPE.sub(r"\1", piece.replace("**", "")) for piece in pieces[::2]]
    return "`".join(pieces)
