"""`torchclinic show ID`: a whole page in the terminal's pager, as plain text."""

from __future__ import annotations

import argparse
import re
import shutil
import sys
import textwrap

from ..content.words import columns
from . import knowledge
from .options import Subcommands, add_language
from .terminal import printable

#: Columns of text at most: longer lines are hard to read.
WIDTH = 100
#: Its label may be code that holds brackets.
_LINK = re.compile(r"(!?)\[((?:`[^`]*`|[^\]`])*)\]\(([^)\s]+)\)")
_ESCAPE = re.compile(r"\\([\\`*_\[\]<>#|])")
_ITEM = re.compile(r"( *)(- |\d+\. )")


def add(commands: Subcommands) -> None:
    command = commands.add_parser("show", help="show a whole page in the terminal")
    command.add_argument(
        "id", metavar="ID", help="a symptom as topic/stem or stem, or a tip as tips/topic/stem"
    )
    add_language(command, "the page")
    command.set_defaults(run=run_show)


def run_show(options: argparse.Namespace) -> int:
    known = knowledge.load()
    entry = known.find_page(options.id)
    page = known.page(entry, options.lang)
    if sys.stdout.isatty():
        import pydoc

        width = min(WIDTH, shutil.get_terminal_size().columns)
        pydoc.pager(plain(page, entry["id"], width))
    else:
        print(plain(page, entry["id"], WIDTH))
    return 0


def plain(page: str, ident: str, width: int) -> str:
    """Markdown as text to read: underlined headings, indented code, paragraphs of `width` columns,
    links as what they lead to.

    Args:
        page: as `Knowledge.page` gives it.
        ident: its id.
    """
    lines: list[str] = []
    paragraph: list[str] = []
    fence = ""

    def flush() -> None:
        if paragraph:
            lines.extend(_paragraph(paragraph, ident, width))
            paragraph.clear()

    for raw in page.splitlines():
        line = printable(raw)
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
            lines += [title, {"#": "=", "##": "-"}.get(level, "~") * columns(title)]
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


def _paragraph(raw: list[str], ident: str, width: int) -> list[str]:
    """Filled lines, below the mark of a list's item. Chinese, which has no blanks to break at, is
    left to the pager."""
    text = _inline(" ".join(line.strip() for line in raw), ident)  # a link may go over a line's end
    item = _ITEM.match(raw[0])
    indent = item[1] if item else raw[0][: len(raw[0]) - len(raw[0].lstrip())]
    if columns(text) != len(text):
        return [indent + text]
    return textwrap.wrap(
        text,
        width,
        initial_indent=indent,
        subsequent_indent=indent + " " * (len(item[2]) if item else 0),
        break_long_words=False,
        break_on_hyphens=False,
    )


def _inline(text: str, ident: str) -> str:
    """Links and bold as plain text; code in backticks stays."""

    def link(match: re.Match[str]) -> str:
        image, label, target = match.groups()
        if image:
            return f"({label})"
        if "://" in target:
            return f"{label} <{target.removesuffix('/index.md')}>"
        page = target.removesuffix("/index.md")
        return f"{label} ({page})" if page not in (target, ident) else label

    pieces = _LINK.sub(link, text).split("`")
    pieces[::2] = [_ESCAPE.sub(r"\1", piece.replace("**", "")) for piece in pieces[::2]]
    return "`".join(pieces)
