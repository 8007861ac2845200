"""Pages: the prose of a symptom in one language.

A page is front matter and six sections in a fixed order, so that a reader who knows one page knows
all. It holds no code of its own; a directive alone on its line stands for what the snippet holds:

    {{ wordings }}      what the symptom prints, with versions
    {{ case NAME }}     break and fix of a case: the fix to copy, the diff, the failing code,
                        what it printed
    {{ check NAME }}    the check that tells this cause from the others, and what it printed
    {{ causes }}        the table of causes, whose rows stand in the front matter; the snippet's
                        header has their order and their conditions
    {{ figure NAME }}   a figure that docs/figures/NAME.py drew

content/page_file.py reads the file.
"""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from . import chinese, fields, synonyms, yamlfile
from .fields import Place, declared
from .problem import Problems, line_beginning

#: Stands in a new page or snippet for what is still to be written.
OPEN = "TODO"
#: Section ids, in order, with their heading in each language.
SECTIONS = {
    "see": {"en": "What you see", "zh": "现象"},
    "fix": {"en": "Quick fix", "zh": "解决方法"},
    "why": {"en": "Why", "zh": "原因"},
    "causes": {"en": "Which cause is yours", "zh": "如何排查"},
    "cost": {"en": "Does the fix change results, memory or speed?", "zh": "改了之后的影响"},
    "more": {"en": "See also", "zh": "另见"},
}
#: Front matter that a reader sees, and that a translation must follow.
PROSE_FIELDS = ("title", "want", "rule", "summary", "diagnosis", "ask")
CODE = re.compile(r"`[^`]*`")
#: A line of front matter whose value, without quotes, a comment of YAML cuts short.
_CUT = re.compile(r"""\s*(?:- |[\w-]+: +)(?!["'{\[|>#\s]).*\s#""")
LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")


@dataclass
class Section:
    id: str
    line: int
    text: str


@dataclass
class CauseRow:
    """The words of one row of the table of causes, as Markdown of one line.

    Attributes:
        see: what the reader sees.
        do: what to do then. Without a link of its own it leads to the row's case.
        say: the cause with the reader's own values, through {holes}; "" for none.
    """

    see: str = declared(fields.text, needed="lacks `see`: what the reader sees")
    do: str = declared(fields.text, needed="lacks `do`: what to do then")
    say: str = declared(fields.text)


def _rows(value: Any, name: str, place: Place) -> dict[str, CauseRow]:
    rows = {}
    for row, words in fields.mapping(value, name, place).items():
        there = place.within(f"row `{row}` of `{name}`: ", f"  {row}:")
        if isinstance(words, dict):
            rows[row] = fields.read(CauseRow, words, there)
        else:
            there.add("", "holds `see`, `do` and, where it has a sentence of its own, `say`")
    return rows


def _stamps(value: Any, name: str, place: Place) -> dict[str, str]:
    # YAML reads a hash of digits alone as a number.
    return {section: str(stamp) for section, stamp in fields.mapping(value, name, place).items()}


@dataclass
class Front:
    """What front matter may hold; each kind of page names those of its own.

    Attributes:
        want: of a tip: what goes on after "I want to".
        rule: of a tip, in one sentence.
        diagnosis: sentences with {holes}; the first whose holes are all known is used.
        causes: the words of the table of causes, by row.
        ask: what else to paste, where a paste does not tell the cause.
        synonyms: what people type who look for this page.
        comments: of the snippet, English -> Chinese (content/comments.py).
        source: section -> hash of the English text that the Chinese was made from.
        tags, rows, symptoms, mentioned, survives: facts of a tip (content/tip.py).
    """

    title: str = declared(fields.text, needed="front matter lacks `title`")
    want: str = declared(
        fields.text, needed='front matter lacks `want`: what goes on after "I want to"'
    )
    rule: str = declared(fields.text, needed="front matter lacks `rule`")
    summary: str = declared(fields.text, needed="front matter lacks `summary`")
    diagnosis: list[str] = declared(fields.texts, [])
    causes: dict[str, CauseRow] = declared(_rows, {})
    ask: str = declared(fields.text)
    synonyms: list[str] = declared(synonyms.entries, [])
    comments: dict[str, str] = declared(fields.table, {})
    source: dict[str, str] = declared(_stamps, {})
    tags: list[str] = declared(fields.texts, [])
    rows: list[str] = declared(fields.texts, [])
    symptoms: list[str] = declared(fields.texts, [])
    mentioned: list[str] = declared(fields.texts, [])
    survives: dict[str, str] = declared(fields.table, {})


@dataclass
class Page:
    """One page.

    Attributes:
        meta: the front matter as it is written, of which hashes are made.
        sections: by section id.
        cases: the case anchors of its third-level headings, with their lines.
        codes: a tip's own code: of each `python` fence its code and its line.
    """

    file: Path
    language: str
    text: str
    front: Front = field(default_factory=Front)
    meta: dict[str, Any] = field(default_factory=dict)
    body: str = ""
    body_line: int = 1
    sections: dict[str, Section] = field(default_factory=dict)
    cases: list[tuple[str, int]] = field(default_factory=list)
    titles: dict[str, str] = field(default_factory=dict)  # of the headings of cases
    directives: list[tuple[str, str, int]] = field(default_factory=list)  # word, name, line
    links: list[tuple[str, int]] = field(default_factory=list)  # target, line
    codes: list[tuple[str, int]] = field(default_factory=list)
    unread: bool = False  # its front matter does not parse: what it lacks is not known

    @cached_property
    def prose(self) -> str:
        """The body as it is shown: of Chinese, no line ends within a sentence."""
        return chinese.joined(self.body) if self.language == "zh" else self.body

    def lines_of(self, section: Section) -> list[str]:
        """The lines of a section as they are shown."""
        zh = self.language == "zh"
        return (chinese.joined(section.text) if zh else section.text).splitlines()

    def cause_title(self, row: str, case: str) -> str:
        """What a cause is called, without Markdown's links.

        The heading of the row's case, else what the row says to do.
        """
        do = self.front.causes[row].do if row in self.front.causes else row
        return self.titles.get(case) or LINK.sub(lambda link: link[0][1 : link[0].index("](")], do)

    def comment_line(self, text: str) -> int:
        """Where `comments` has a text; 1 if it is written there in another way."""
        keys = tuple(f"  {key}:" for key in (json.dumps(text, ensure_ascii=False), text))
        return line_beginning(self.text, *keys)

    def hashes(self) -> dict[str, str]:
        """Hash of each piece of prose, which a translation stamps."""
        return {name: prose_hash(text) for name, text in self.texts().items()}

    def texts(self) -> dict[str, str]:
        """Each piece of prose, by the name of its field or section."""
        texts = {name: _written(self.meta[name]) for name in PROSE_FIELDS if self.meta.get(name)}
        texts |= {section.id: section.text for section in self.sections.values()}
        if self.front.causes and "causes" in texts:
            # The table stands in the section.
            texts["causes"] = f"{_written(self.meta['causes'])}\n\n{texts['causes']}"
        return texts


def _written(value: Any) -> str:
    """A field of the front matter as one text."""
    if isinstance(value, dict):
        return "\n".join(_written(item) for item in value.values())
    return "\n".join(map(str, value)) if isinstance(value, list) else str(value)


def prose_hash(text: str) -> str:
    """First 12 hex digits of SHA-256; reflowing a paragraph does not change it."""
    plain = unicodedata.normalize("NFC", text.replace("\r\n", "\n")).strip()
    flat = "\n\n".join(" ".join(part.split()) for part in re.split(r"\n\s*\n", plain))
    return hashlib.sha256(flat.encode()).hexdigest()[:12]


def targets(text: str) -> list[str]:
    """Where the links of a Markdown text lead, in its order."""
    return [found[1] for found in LINK.finditer(CODE.sub("", text))]


def split_front_matter(text: str) -> tuple[str, str, int]:
    """Front matter, body, and the 1-based line on which the body begins."""
    if text.startswith("---\n") and (end := text.find("\n---\n", 3)) >= 0:
        return text[4 : end + 1], text[end + 5 :], text[: end + 5].count("\n") + 1
    return "", text, 1


def open_page(file: Path, language: str, known: set[str], problems: Problems) -> Page | None:
    """Read a page and check its front matter; None if it cannot be read."""
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        problems.add(file, 0, f"cannot be read: {error}")
        return None
    page = Page(file, language, text)
    front, page.body, page.body_line = split_front_matter(text)
    before = len(problems)
    page.meta = yamlfile.load(front, file, 2, problems) if front else {}
    page.unread = len(problems) > before
    place = Place(file, f"---\n{front}", Problems(file) if page.unread else problems)
    page.front = fields.read(Front, page.meta, place, " of the front matter", known)
    for number, line in enumerate(front.splitlines(), 2):
        if _CUT.match(line):
            message = "YAML reads what follows ` #` as a comment, and the text ends before it"
            problems.add(file, number, f"{message}: quote the whole text")
    for name in ("title", "want", "rule", "summary") if language == "zh" else ():
        check_punctuation(file, 1, getattr(page.front, name), problems, f" in `{name}`")
    report_open(file, text, problems)
    return page


def report_open(file: Path, text: str, problems: Problems) -> None:
    """Report what is left of the template."""
    if left := [
        str(number)
        for number, line in enumerate(text.splitlines(), 1)
        if OPEN in line or line.strip(" #*->|") == "…"
    ]:
        lines = f"line{'s' * (len(left) > 1)} {', '.join(left)}"
        message = f"left of the template, to be written or taken out: {lines}"
        problems.add(file, int(left[0]), message)


def check_punctuation(
    file: Path, line: int, text: str, problems: Problems, where: str = "", comment: bool = False
) -> None:
    """Report Chinese prose, or a comment of code, with the punctuation of another script."""
    if (written := chinese.punctuate(text, comment)) != text:
        message = f"half-width punctuation, or no blank, beside Chinese characters{where}"
        how = "`python -m torchclinic stamp --format` writes"
        problems.add(file, line, f"{message}; {how}: {written}")
