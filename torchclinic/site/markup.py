"""Pieces of Markdown as Material (and its successor) reads them: text made safe, fences, tabs,
blocks."""

from __future__ import annotations

import html
import re


def plain(text: str) -> str:
    """Front matter as Markdown: text, in which only `code` is marked up."""
    pieces = text.split("`")
    if len(pieces) % 2 == 0:  # a single backtick is a backtick
        pieces = [text.replace("`", "\\`")]
    for at in range(0, len(pieces), 2):
        pieces[at] = (
            re.sub(r"([\\\[\]*_#])", r"\\\1", pieces[at]).replace("&", "&amp;").replace("<", "&lt;")
        )
    return "`".join(pieces)


def in_html(text: str) -> str:
    """Front matter as HTML: text, in which only `code` is marked up."""
    pieces = html.escape(text, quote=False).split("`")
    return (
        "".join(f"<code>{piece}</code>" if at % 2 else piece for at, piece in enumerate(pieces))
        if len(pieces) % 2
        else "`".join(pieces)
    )


def fence(code: str, classes: str, title: str = "") -> str:
    """A fenced block that its content cannot end."""
    longest = max((len(found) for found in re.findall(r"`{3,}", code)), default=2)
    ticks = "`" * (longest + 1)
    attributes = f' title="{title}"' if title else ""
    return f"{ticks}{{ .{classes}{attributes} }}\n{code}\n{ticks}"


def tab(label: str, content: str) -> str:
    return f'=== "{label}"\n\n{indented(content)}'


def indented(content: str) -> str:
    """As the content of a tab or of a folded block."""
    return "\n".join(f"    {line}" if line else "" for line in content.splitlines())
