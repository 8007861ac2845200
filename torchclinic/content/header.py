"""The header of a snippet: what its YAML may hold.

`causes` are the rows of the page's table of causes, in order, with what a paste must say for a row
to be the reader's (content/condition.py):

# causes:
#   CASE: {if: 'k == n'}                       a row named as a case leads to it
#   ROW: {case: CASE, likely: 'k % k2 == 0'}   several rows may lead to one case, or to none (then
#                                              the page's words say where)
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..find import picture
from ..find import wording as patterns
from ..find.condition import Tree
from ..find.wording import Wording
from . import condition, fields
from .fields import Place, declared
from .problem import Problems
from .snippet import FAULT, NEEDS, OPEN_NEEDS, PLACES, RECOVER, Cause

NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_RECOVER = f"`recover` says what brings the reader on: one of {', '.join(RECOVER)}"
_ROLE = f"`role` is one of {', '.join(patterns.ROLES)}"
_PICTURE = (
    "`picture` is a list, `[product, m, k, k2, n]`, or a list of such lists, "
    "of which the first that the values allow is drawn"
)


def _needs(value: Any, name: str, place: Place) -> list[str]:
    needs = fields.texts(value, name, place)
    for need in needs:
        is_open = need.startswith(OPEN_NEEDS) and need.split(":", 1)[1].strip()
        if need not in NEEDS and not is_open:
            others = f"package:<name>, torch:<release>, {FAULT}<what is injected>"
            place.add(need, f"unknown need `{need}`; needs are {', '.join(NEEDS)}, {others}")
    return needs


def _commands(value: Any, name: str, place: Place) -> dict[str, str]:
    commands = fields.table(value, name, place)
    for where in commands:
        if where not in PLACES:
            message = f"`{where}` is no place where a command is typed"
            place.add(f"{where}:", f"{message}; there are {', '.join(PLACES)}")
    return commands


def _threads(value: Any, name: str, place: Place) -> dict[str, str]:
    threads = fields.table(value, name, place)
    for tried, address in threads.items():
        if not NAME.fullmatch(tried) or not address.startswith("https://"):
            place.add(f"{tried}:", f"`{name}` maps names to addresses of threads, https://…")
    return threads


def _condition(value: Any, name: str, place: Place) -> Tree:
    try:
        return condition.parse(fields.text(value, name, place))
    except ValueError as error:
        raise ValueError(f"`{name}`: {error}") from None


@dataclass
class WordingFacts:
    text: str = declared(fields.text, needed="each wording is a mapping with `text`")
    exception: list[str] = declared(fields.texts, [])
    role: str = declared(fields.one_of(patterns.ROLES, _ROLE), "cause")
    device: str = declared(fields.text)
    sample: str = declared(fields.text)
    near: list[str] = declared(fields.texts, [])
    unless: list[str] = declared(fields.texts, [])
    when: list[str] = declared(fields.texts, [])


@dataclass
class CaseFacts:
    needs: list[str] = declared(_needs, [])
    silent: bool | None = declared(fields.flag, None)
    commands: dict[str, str] = declared(_commands, {})
    survives: dict[str, str] = declared(fields.table, {})
    unbroken: str = declared(fields.text)
    wrong: dict[str, str] = declared(_threads, {})


@dataclass
class CauseFacts:
    case: str = declared(fields.text)
    decides: Tree | None = declared(_condition, None, key="if")
    leans: Tree | None = declared(_condition, None, key="likely")
    sample: str = declared(fields.text)
    undecided: str = declared(fields.text)


def _wordings(value: Any, name: str, place: Place) -> list[Wording]:
    wordings = []
    for entry in value if isinstance(value, list) else [value]:
        if not isinstance(entry, dict) or "text" not in entry:
            raise ValueError("each wording is a mapping with `text`")
        wording = make_wording(entry, place.within("", str(entry["text"])[:40]))
        wordings += [wording] if wording else []
    return wordings


def make_wording(entry: dict[str, Any], place: Place) -> Wording | None:
    """A wording from its YAML; problems are reported, None where it cannot be used."""
    facts = fields.read(WordingFacts, entry, place, " of a wording")
    try:
        parts = patterns.parse(facts.text)
    except ValueError as error:
        place.add("", str(error))
        return None
    literals = [part for part in parts if isinstance(part, str)]
    if not facts.sample and len(literals) < len(parts):
        place.add("", "a wording with holes needs a `sample`: a real print of it")
    wording = Wording(
        facts.text,
        parts,
        exception=facts.exception[0] if facts.exception else "",
        also=tuple(facts.exception[1:]),
        role=facts.role,
        device=facts.device,
        sample=facts.sample or "".join(literals),
        near=tuple(facts.near),
        unless=tuple(facts.unless),
        when=tuple(facts.when),
        line=place.line,
    )
    messages = list(patterns.lint(wording))
    for message in messages:
        place.add("", f"wording {facts.text!r}: {message}")
    return None if messages else wording  # the matcher relies on what the lint has seen


@dataclass
class Header:
    """What a header may hold."""

    draft: bool = declared(fields.flag, False)
    recover: str = declared(fields.one_of(RECOVER, _RECOVER), needed=_RECOVER)
    wordings: list[Wording] = declared(_wordings, [])
    tags: list[str] = declared(fields.texts, [])
    needs: list[str] = declared(_needs, [])
    outranks: list[str] = declared(fields.texts, [])
    cases: dict[str, Any] = declared(fields.mapping, {})
    causes: dict[str, Any] = declared(fields.mapping, {})
    picture: Any = declared(fields.anything, [])
    timeout: float = declared(fields.seconds, 60.0)
    related: list[str] = declared(fields.texts, [])
    rows: list[str] = declared(fields.texts, [])
    docs: list[str] = declared(fields.texts, [])

    @property
    def holes(self) -> set[str]:
        return {name for wording in self.wordings for name in wording.holes}


def read(written: dict[str, Any], file: Path, text: str, problems: Problems) -> Header:
    """A header from its YAML."""
    return fields.read(Header, written, Place(file, text, problems))


def pictures(header: Header, place: Place) -> list[list[str]]:
    """What is drawn of a message's values: kind, and names of holes."""
    written = header.picture
    if isinstance(written, list) and written and isinstance(written[0], str):
        written = [written]
    if not isinstance(written, list) or not all(
        isinstance(line, list) and line and all(isinstance(name, str) for name in line)
        for line in written
    ):
        place.add("picture:", _PICTURE)
        return []
    drawn = []
    for kind, *names in written:
        if message := picture.lint(kind, names, header.holes):
            place.add("picture:", f"`picture`: {message}")
        else:
            drawn.append([kind, *names])
    return drawn


def causes(header: Header, cases: Collection[str], place: Place) -> list[Cause]:
    """The rows of the table of causes. The one cause of a symptom with one case needs no words."""
    if not header.causes and len(cases) == 1:
        return [Cause(name, name, ["and"]) for name in cases]
    return [
        _cause(row, facts, header.holes, cases, place.within(f"cause `{row}`: ", f"  {row}:"))
        for row, facts in header.causes.items()
    ]


def _cause(row: str, written: Any, holes: set[str], cases: Collection[str], place: Place) -> Cause:
    if written is not None and not isinstance(written, dict):
        place.add("", "a row holds texts under case, if, likely, sample, undecided")
        written = {}
    facts = fields.read(CauseFacts, written or {}, place)
    if not NAME.fullmatch(row):
        place.add("", "a row is named in lower case, digits and hyphens")
    case = facts.case or (row if row in cases else "")
    if case and case not in cases:
        place.add("", f"there is no case `{case}`")
    for name, tree in (("if", facts.decides), ("likely", facts.leans)):
        for hole in sorted(set(condition.names(tree)) - holes):
            names = ", ".join(sorted(holes)) or "none"
            place.add("", f"`{name}` reads `{hole}`, which no wording has; there are {names}")
    return Cause(row, case, facts.decides, facts.leans, facts.sample, facts.undecided, place.line)
