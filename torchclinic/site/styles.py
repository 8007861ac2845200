"""What every page loads, without what nobody uses: rules of style that match no page, for
Material's
serve every site, and comments of scripts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import tinycss2
from selectolax.lexbor import LexborHTMLParser
from tinycss2.ast import Node

_VALUES = {"ltr", "custom", "default", "slate"}  # of the body
_ATTRIBUTES = {"dir", "data-md-color-primary", "data-md-color-accent", "data-md-color-scheme"}
_WORD = re.compile(r"[\w-]+")
_REMARK = re.compile(r"^[ \t]*(?://[^\n]*|/\*\*(?:(?!\*/).)*\*/[ \t]*)\n", re.MULTILINE | re.DOTALL)
#: Parts of Material that no setting of ours turns on: that its script knows them does not count.
_OFF = (
    *("md-annotation", "md-banner", "md-consent", "md-path", "md-source", "md-status"),
    *("md-tooltip", "md-version", "mermaid"),
)
#: At-rules that hold rules; what others hold is taken as it is.
_NESTING = ("media", "supports", "layer", "container")


def lighten(assets: Path, used: set[str], inline: set[str]) -> None:
    """Make the styles and scripts of a language light.

    Args:
        used: classes and ids of all pages.
        inline: scripts in them.
    """
    scripts = [
        *assets.glob("javascripts/*.js"),
        *(file for file in assets.glob("*.js") if not file.name.startswith("file")),
    ]
    used = used | words([*inline, *(file.read_text(encoding="utf-8") for file in scripts)])
    for file in [*assets.glob("stylesheets/*.css"), assets / "site.css"]:
        file.write_text(slim(file.read_text(encoding="utf-8"), used), encoding="utf-8")
    for file in assets.glob("*.js"):
        file.write_text(uncommented(file.read_text(encoding="utf-8")), encoding="utf-8")


def names(tree: LexborHTMLParser) -> set[str]:
    """Every class and id of a page.

    >>> sorted(names(LexborHTMLParser('<p class="a b" id=c>class="d"</p>')))
    ['a', 'b', 'c']
    """
    known: set[str] = set()
    for node in tree.css("[class], [id]"):
        attributes = node.attributes
        known.update((attributes.get("class") or "").split())
        known.update((attributes.get("id") or "").split())
    return known


def words(scripts: Iterable[str]) -> set[str]:
    """Every word of scripts, which may add it to a page as a class."""
    return {word for text in scripts for word in _WORD.findall(text) if not word.startswith(_OFF)}


def slim(css: str, used: set[str]) -> str:
    """The rules that can match, and of the variables those that are read.

    >>> slim(".a,.b>.c{color:red} @media print{.b{top:0}} .a[dir=rtl]{x:y}", {"a"})
    '.a{color:red}'
    """
    while True:
        rules = tinycss2.parse_stylesheet(css, skip_comments=True, skip_whitespace=True)
        read = set(_read(rules))
        shorter = "".join(_rules(rules, used, read))
        if shorter == css:
            return css
        css = shorter


def _read(nodes: Iterable[Node]) -> Iterator[str]:
    """Names of the variables that are asked for anywhere."""
    for node in nodes:
        if node.type == "function" and node.lower_name == "var":
            yield from (
                inner.value
                for inner in node.arguments
                if inner.type == "ident" and inner.value.startswith("--")
            )
        for inner in ("prelude", "content", "arguments"):
            yield from _read(getattr(node, inner, None) or ())


def _rules(rules: Iterable[Node], used: set[str], read: set[str]) -> Iterator[str]:
    for rule in rules:
        if rule.type == "qualified-rule":
            selectors = [
                _text(selector) for selector in _split(rule.prelude) if _can_match(selector, used)
            ]
            body = _body(rule.content, read)
            if selectors and body:
                yield f"{','.join(selectors)}{{{body}}}"
        elif rule.type == "at-rule":
            head = f"@{rule.at_keyword} {_text(rule.prelude)}".rstrip()
            if rule.content is None:  # @charset and the like
                yield head + ";"
            elif rule.lower_at_keyword in _NESTING:
                nested = tinycss2.parse_rule_list(
                    rule.content, skip_comments=True, skip_whitespace=True
                )
                if inner := "".join(_rules(nested, used, read)):
                    yield f"{head}{{{inner}}}"
            elif body := _text(rule.content):
                yield f"{head}{{{body}}}"


def _body(content: list[Node], read: set[str]) -> str:
    """A rule's declarations, and the rules within it as they are. A variable whose value is a
    picture is long; the others scripts may read."""
    declarations = []
    for node in tinycss2.parse_blocks_contents(content, skip_comments=True, skip_whitespace=True):
        if node.type != "declaration":
            declarations.append(_text([node]).rstrip(";"))
        elif node.name in read or not node.name.startswith("--") or not _is_picture(node.value):
            declarations.append(f"{node.name}:{_text(node.value)}{'!important' * node.important}")
    return ";".join(declarations)


def _is_picture(value: list[Node]) -> bool:
    values = [node for node in value if node.type not in ("whitespace", "comment")]
    return len(values) == 1 and (
        values[0].type == "url" or (values[0].type == "function" and values[0].lower_name == "url")
    )


def _text(nodes: list[Node]) -> str:
    """As written, with one blank where there are several."""
    _single(nodes)
    return str(tinycss2.serialize(nodes)).strip()


def _single(nodes: Iterable[Node]) -> None:
    for node in nodes:
        if node.type == "whitespace":
            node.value = " "
        for inner in ("prelude", "content", "arguments", "value"):
            if isinstance(held := getattr(node, inner, None), list):
                _single(held)


def _split(selectors: list[Node]) -> list[list[Node]]:
    """At the commas outside of brackets."""
    parts: list[list[Node]] = [[]]
    for node in selectors:
        if node == ",":
            parts.append([])
        else:
            parts[-1].append(node)
    return parts


def _can_match(selector: list[Node], used: set[str]) -> bool:
    """Whether all its classes and ids occur. What stands in brackets is not asked about: one of
    several, or none, may be meant."""
    for before, node in zip([None, *selector], selector, strict=False):
        if node.type == "hash" or (node.type == "ident" and before == "."):
            if node.value not in used:
                return False
        elif (
            node.type == "[] block"
            and node.content
            and node.content[0].type == "ident"
            and node.content[0].value in _ATTRIBUTES
        ):
            if any(
                value.type in ("ident", "string") and value.value not in _VALUES
                for value in node.content[1:]
            ):
                return False
    return True


def uncommented(script: str) -> str:
    """A script of ours without the comments that have lines of their own.

    >>> uncommented("/** Why.\\n * More. */\\nconst a = '//'; // here\\n  // there\\n")
    "const a = '//'; // here\\n"
    """
    return _REMARK.sub("", script)
