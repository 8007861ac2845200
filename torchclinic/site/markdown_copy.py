"""The plain Markdown copy of an article's page, for language models and other readers of text.

Made from the same Markdown as the page. What only Material understands goes: tabs and folded parts
become headings in bold, attribute lists and HTML disappear, links become absolute. No JavaScript,
no notes on how to edit; the fenced code is untouched.
"""

from __future__ import annotations

import html
import posixpath
import re
from urllib.parse import urljoin

from ..content.catalogue import Catalogue
from . import article, parts
from .article import Article

#: The name of a copy, beside the page's index.html.
NAME = "index.md"
_FENCE = re.compile(r"( *)(`{3,})(?:\{ \.(\S+)[^}]*?(?: title=\"([^\"]*)\")? \}|(\S*))\s*$")
_TAB = re.compile(r'(?:===|\?\?\? [\w-]+) "(.*)"$')  # or what is folded
_ATTRIBUTES = re.compile(r"\s*\{ ?(?:(?:[.#][\w-]+|\w+=[\w-]+|download) ?)+\}")
_ITEM = re.compile(r'<p class="tc-message"><code>(.*?)</code>(.*?)</p>')
#: The text may hold a shape, `[2, 3]`.
_LINK = re.compile(r"(!?\[(?:[^\[\]]|\[[^\]]*\])*\]\()([^)\s]+)(\))")


def copy(catalogue: Catalogue, shown: Article, language: str, base: str, markdown: str = "") -> str:
    """The page as plain Markdown.

    Args:
        base: address of the site in this language, with a slash at its end.
        markdown: of the page, where it was made already.
    """
    copied = _Copy(catalogue, shown.id, base)
    lines = copied.read(markdown or article.markdown(catalogue, shown, language))
    title = next(at for at, line in enumerate(lines) if line.startswith("# "))
    lines[title + 1 : title + 1] = ["", f"<{base}{shown.id}/>"]
    return "\n".join(lines).strip() + "\n"


class _Copy:
    """A copy while the page is read, line by line."""

    def __init__(self, catalogue: Catalogue, ident: str, base: str):
        self.catalogue, self.ident, self.base = catalogue, ident, base
        self.lines: list[str] = []
        self.paragraph: list[str] = []
        self.tab = self.fence = ""

    def read(self, text: str) -> list[str]:
        for line in text.splitlines():
            # A tab's content is indented by four.
            if self.tab and line.startswith("    "):
                line = line[4:]
            elif self.tab and line.strip():
                self.tab = ""
            if self.fence:
                self.lines.append(line)
                if _FENCE.match(line) and line.strip() == self.fence:
                    self.fence = ""
            else:
                self._outside(line)
        self._flush()
        return self.lines

    def _outside(self, line: str) -> None:
        """A line that stands in no fence."""
        if mark := _FENCE.match(line):
            self._flush()
            indent, self.fence, lexer, title, word = mark.groups()
            if title:
                self._put(f"{indent}{html.unescape(title)}", "")
            self.lines.append(f"{indent}{self.fence}{lexer or word or ''}")
        elif opened := _TAB.match(line):
            self._flush()
            self.tab = opened[1]
            self._put("", f"**{self.tab}**", "")
        elif not line.strip():
            self._flush()
            self._put("")
        elif "data-tc-diagnoses" not in line:  # filled in by the browser
            self.paragraph.append(line)

    def _put(self, *lines: str) -> None:
        """One blank line between two paragraphs, whatever the page has."""
        for line in lines:
            if line or (self.lines and self.lines[-1]):
                self.lines.append(line)

    def _flush(self) -> None:
        """The edit links, a paragraph that ends with its class, are for the page alone."""
        if not (self.paragraph and "tc-links" in self.paragraph[-1]):
            for line in self.paragraph:
                self._put(*self._prose(line).splitlines())
        self.paragraph.clear()

    def _prose(self, line: str) -> str:
        if line.startswith(("<p", "<details")):
            # Messages, each in a line of its own; `split` gives what is between them, then the
            # message and its note.
            split = _ITEM.split(line.replace("</summary>", " · "))
            pieces = [_text(piece) for piece in split]
            messages = [
                f"\n\n    {code}{note}"
                for code, note in zip(pieces[1::3], pieces[2::3], strict=True)
            ]
            return "".join([pieces[0], *messages, pieces[-1] if messages else ""])
        if "only-dark" in line:  # the same figure again
            return ""
        if line.startswith("<summary"):  # a cause as it looks, and how often it is met
            seen, _, often = line.replace("<code>", "`").replace("</code>", "`").partition("<small")
            return f"**{_text(seen).strip()}**" + (f" ({_text('<small' + often)})" if often else "")
        line = _LINK.sub(lambda link: link[1] + self._address(link[2]) + link[3], line)
        if re.match(r"#+ ", line):
            return html.unescape(re.sub(r" \{#[\w-]+\}$", "", line))
        outside = line.split("`")
        outside[::2] = [
            _ATTRIBUTES.sub("", _text(piece)) if re.search("[<{&]", piece) else piece
            for piece in outside[::2]
        ]
        return "`".join(outside).rstrip()

    def _address(self, target: str) -> str:
        """An absolute address for a link as pages write it: relative to the page's source."""
        if "://" in target:
            return target
        path, mark, anchor = target.partition("#")
        folder = posixpath.dirname(self.ident)
        name = posixpath.normpath(posixpath.join(folder, path)) if path else f"{self.ident}.md"
        if leads_to := article.of_source(self.catalogue, name):
            return f"{self.base}{leads_to.id}/{NAME}"  # the copy has no anchors
        if name.startswith("assets/"):
            return self.base + name
        page = name.removesuffix("index.md") if name.endswith("index.md") else name
        return urljoin(self.base, re.sub(r"\.md$", "/", page)) + mark + anchor


def _text(markup: str) -> str:
    """HTML without its tags."""
    return html.unescape(re.sub(r"</?[a-zA-Z][^>]*>|<!--.*?-->", "", markup.replace("<br>", " ")))


def summary_line(shown: Article, language: str, base: str) -> str:
    """One entry of llms.txt."""
    title = re.sub(r"([\\\[\]])", r"\\\1", shown.title(language).replace("`", ""))
    summary = " ".join(parts.description(shown, language).split())
    return f"- [{' '.join(title.split())}]({base}{shown.id}/{NAME}): {summary}"
