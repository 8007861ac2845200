"""What is sent, without what nobody uses: rules of style that match no page, for Material's serve every site, indents, comments."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

_STRING = r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\''
_COMMENT = re.compile(rf"({_STRING})|/\*.*?\*/", re.DOTALL)
_PIECE = re.compile(rf'(?:{_STRING}|[^{{}};"\'])+|[{{}};]', re.DOTALL)
_NAME = re.compile(r"[.#]((?:[\w-]|\\.)+)")
_VALUE = re.compile(r"\[(?:dir|data-md-color-(?:primary|accent|scheme))=\"?([\w-]+)")
_GROUP = re.compile(r"\([^()]*\)")
_USED = re.compile(r'(?:class|id)="?([^">]+)')
_WORD = re.compile(r"[\w-]+")
_VALUES = {"ltr", "custom", "default", "slate"}  # of the body
_REMARK = re.compile(r"^[ \t]*(?://[^\n]*|/\*\*.*?\*/[ \t]*)\n", re.MULTILINE | re.DOTALL)
_BLANKS = re.compile(r"\s*\n\s*")
_AS_TYPED = re.compile(r"(<pre.*?</pre>|<textarea.*?</textarea>)", re.DOTALL)
#: Parts of Material that no setting of ours turns on: that its script knows them does not count.
_OFF = ("md-annotation", "md-banner", "md-consent", "md-path", "md-source", "md-status", "md-tooltip", "md-version", "mermaid")
#: At-rules that hold rules; what others hold is taken as it is.
_NESTING = ("@media", "@supports", "@layer", "@container")


def words(pages: Iterable[str], scripts: Iterable[str]) -> set[str]:
    """Every class and id of pages, and every word of the scripts that add some."""
    found = {word for text in pages for names in set(_USED.findall(text)) for word in names.split()}
    return found.union(*((word for word in _WORD.findall(text) if not word.startswith(_OFF)) for text in scripts))


def slim(css: str, used: set[str]) -> str:
    """The rules that can match, and of the variables those that are read.

    >>> slim(".a,.b>.c{color:red} @media print{.b{top:0}} /* no */ .a[data-md-color-primary=blue]{x:y}", {"a", "c"})
    '.a{color:red}'
    """
    pieces = iter(_PIECE.findall(_COMMENT.sub(r"\1", css)))
    text = "".join(_rules(pieces, used))
    while True:
        read = set(re.findall(r"var\(\s*(--[\w-]+)", text))
        # A variable whose value is a picture is long; the others are left, for scripts may read them.
        shorter = re.sub(rf"(--[\w-]+):url\((?:{_STRING}|[^)\"'])*\);?", lambda found, read=read: found[0] if found[1] in read else "", text)
        if shorter == text:
            return text
        text = shorter


def _rules(pieces: Iterator[str], used: set[str]) -> Iterator[str]:
    head = ""
    for piece in pieces:
        if piece == "}":
            return
        if piece == ";":  # @charset and the like
            yield head.strip() + ";"
            head = ""
        elif piece != "{":
            head += piece
        else:
            name, head = head.strip(), ""
            if name.startswith(_NESTING):
                inner = "".join(_rules(pieces, used))
                if inner:
                    yield f"{name}{{{inner}}}"
                continue
            body = _body(pieces)
            selectors = [name] if name.startswith("@") else [one for one in _split(name) if _can_match(one, used)]
            if selectors and body:
                yield f"{','.join(selectors)}{{{body}}}"


def _body(pieces: Iterator[str]) -> str:
    """What stands between a rule's braces, whatever it is."""
    made, depth = "", 1
    for piece in pieces:
        depth += {"{": 1, "}": -1}.get(piece, 0)
        if depth == 0:
            break
        made += re.sub(r"\s+", " ", piece).strip() if piece[0] not in "\"'" else piece
    return made.removesuffix(";")


def _split(selectors: str) -> list[str]:
    """At the commas outside of brackets."""
    made, depth = [""], 0
    for letter in selectors:
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(letter, 0)
        if letter == "," and depth == 0:
            made.append("")
        else:
            made[-1] += letter
    return [one.strip() for one in made]


def _can_match(selector: str, used: set[str]) -> bool:
    """Whether all its classes and ids occur. What stands in brackets is not asked about: one of several, or none, may be meant."""
    while (shorter := _GROUP.sub("", selector)) != selector:
        selector = shorter
    return all(name.replace("\\", "") in used for name in _NAME.findall(selector)) and all(value in _VALUES for value in _VALUE.findall(selector))


def tight(page: str) -> str:
    """A page without the indents and empty lines that templates leave; what is shown as typed stays.

    >>> tight("<p> a\\n\\n   b</p>\\n <pre>c\\n\\n  d</pre>\\n\\n")
    '<p> a\\nb</p>\\n<pre>c\\n\\n  d</pre>\\n'
    """
    return "".join(piece if piece.startswith(("<pre", "<textarea")) else _BLANKS.sub("\n", piece) for piece in _AS_TYPED.split(page))


def uncommented(script: str) -> str:
    """A script of ours without the comments that have lines of their own.

    >>> uncommented("/** Why.\\n * More. */\\nconst a = '//'; // here\\n  // there\\n")
    "const a = '//'; // here\\n"
    """
    return _REMARK.sub("", script)
