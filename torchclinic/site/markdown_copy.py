"""The plain Markdown copy of a symptom's or a tip's page, for language models and other readers of text.

Made from the same Markdown as the page. What only Material understands goes: tabs and folded parts become headings in bold, attribute lists and HTML disappear,
links become absolute. No JavaScript, no notes on how to edit; the fenced code is untouched.
"""

from __future__ import annotations

import html
import posixpath
import re
from urllib.parse import urljoin

from ..content.catalogue import Catalogue, Symptom
from ..content.tip import Tip
from . import parts, symptom_page, tip_page

#: The name of a copy, beside the page's index.html.
NAME = "index.md"
_FENCE = re.compile(r"( *)(`{3,})(?:\{ \.(\S+)[^}]*?(?: title=\"([^\"]*)\")? \}|(\S*))\s*$")
_TAB = re.compile(r'(?:===|\?\?\? [\w-]+) "(.*)"$')  # or what is folded
_ATTRIBUTES = re.compile(r"\s*\{ ?(?:(?:[.#][\w-]+|\w+=[\w-]+|download) ?)+\}")
_ITEM = re.compile(r'<p class="tc-message"><code>(.*?)</code>(.*?)</p>')
_LINK = re.compile(r"(!?\[(?:[^\[\]]|\[[^\]]*\])*\]\()([^)\s]+)(\))")  # the text may hold a shape, `[2, 3]`


def copy(catalogue: Catalogue, made: Symptom | Tip, language: str, base: str) -> str:
    """The page as plain Markdown.

    Args:
        base: address of the site in this language, with a slash at its end.
    """
    make = symptom_page.symptom_page if isinstance(made, Symptom) else tip_page.tip_page
    text = make(catalogue, made, language)  # type: ignore[operator]
    addresses = {f"{one.id}.md": f"{base}{one.id}/{NAME}" for one in (*catalogue.symptoms.values(), *catalogue.tips.values())}
    lines = _lines(text, made.id, base, addresses)
    address = f"{base}{made.id}/"
    title = next(at for at, line in enumerate(lines) if line.startswith("# "))
    lines[title + 1 : title + 1] = ["", f"<{address}>"]
    return "\n".join(lines).strip() + "\n"


def _lines(text: str, ident: str, base: str, addresses: dict[str, str]) -> list[str]:
    found: list[str] = []
    tab = fence = ""
    paragraph: list[str] = []

    def flush() -> None:
        """The edit links, a paragraph that ends with its class, are for the page alone."""
        if not (paragraph and "tc-links" in paragraph[-1]):
            for line in paragraph:
                put(*_prose(line, ident, base, addresses).splitlines())
        paragraph.clear()

    def put(*lines: str) -> None:
        """One blank line between two paragraphs, whatever the page has."""
        for line in lines:
            if line or (found and found[-1]):
                found.append(line)

    for line in text.splitlines():
        # A tab's content is indented by four.
        if tab and line.startswith("    "):
            line = line[4:]
        elif tab and line.strip():
            tab = ""
        mark = _FENCE.match(line)
        if fence:
            found.append(line)
            if mark and line.strip() == fence:
                fence = ""
        elif mark:
            flush()
            indent, fence, lexer, title, word = mark.groups()
            if title:
                put(f"{indent}{html.unescape(title)}", "")
            found.append(f"{indent}{fence}{lexer or word or ''}")
        elif opened := _TAB.match(line):
            flush()
            tab = opened[1]
            put("", f"**{tab}**", "")
        elif not line.strip():
            flush()
            put("")
        elif "data-tc-diagnoses" not in line:  # filled in by the browser
            paragraph.append(line)
    flush()
    return found


def _prose(line: str, ident: str, base: str, addresses: dict[str, str]) -> str:
    if line.startswith(("<p", "<details")):
        # Messages, each in a line of its own; `split` gives what is between them, then the message and its note.
        pieces = [_text(piece) for piece in _ITEM.split(line)]
        messages = [f"\n\n    {code}{note}" for code, note in zip(pieces[1::3], pieces[2::3], strict=True)]
        return "".join([pieces[0], *messages, pieces[-1] if messages else ""])
    if "only-dark" in line:  # the same figure again
        return ""
    line = _LINK.sub(lambda found: found[1] + _address(found[2], ident, base, addresses) + found[3], line)
    if re.match(r"#+ ", line):
        return re.sub(r" \{#[\w-]+\}$", "", line)
    outside = line.split("`")
    outside[::2] = [_ATTRIBUTES.sub("", _text(piece)) if re.search("[<{&]", piece) else piece for piece in outside[::2]]
    return "`".join(outside).rstrip()


def _text(markup: str) -> str:
    """HTML without its tags."""
    return html.unescape(re.sub(r"</?[a-zA-Z][^>]*>|<!--.*?-->", "", markup.replace("<br>", " ")))


def _address(target: str, ident: str, base: str, addresses: dict[str, str]) -> str:
    """An absolute address for a link as pages write it: relative to the page's source."""
    if "://" in target:
        return target
    path, mark, anchor = target.partition("#")
    name = posixpath.normpath(posixpath.join(posixpath.dirname(ident), path)) if path else f"{ident}.md"
    if name in addresses:
        return addresses[name]  # the copy has no anchors
    if name.startswith("assets/"):
        return base + name
    folder = name.removesuffix("index.md") if name.endswith("index.md") else re.sub(r"\.(md|ipynb)$", "/", name)
    return urljoin(base, folder) + mark + anchor


def summary_line(made: Symptom | Tip, language: str, base: str) -> str:
    """One entry of llms.txt."""
    title = re.sub(r"([\\\[\]])", r"\\\1", made.title(language).replace("`", ""))
    return f"- [{' '.join(title.split())}]({base}{made.id}/{NAME}): {' '.join(parts.description(made, language).split())}"
