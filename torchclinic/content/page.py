"""Pages: the prose of a symptom in one language.

A page is front matter and six sections in a fixed order, so that a reader who knows one page knows all. It holds no code of its
own; a directive alone on its line stands for what the snippet holds:

    {{ wordings }}      what the symptom prints, with versions
    {{ case NAME }}     break and fix of a case: the fix to copy, the diff, the failing code, what it printed
    {{ check NAME }}    the check that tells this cause from the others, and what it printed
    {{ causes }}        the table of causes, whose rows stand in the front matter; the snippet's header has their order and their conditions
"""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from . import chinese, synonyms, yamlfile
from .problem import Problems

#: Stands in a new page or snippet for what is still to be written.
OPEN = "TODO"
#: Section ids, in order, with their heading in each language.
SECTIONS = {
    "see": {"en": "What you see", "zh": "报错现象"},
    "fix": {"en": "Quick fix", "zh": "解决方法"},
    "why": {"en": "Why", "zh": "原因"},
    "causes": {"en": "Which cause is yours", "zh": "如何排查"},
    "cost": {"en": "Does the fix change results, memory or speed?", "zh": "改了之后的影响"},
    "more": {"en": "See also", "zh": "另见"},
}
#: Front matter that a reader sees, and that a translation must follow.
PROSE_FIELDS = ("title", "rule", "summary", "diagnosis", "ask")
FIELDS = {
    "en": {"title", "summary", "diagnosis", "causes", "ask", "synonyms"},
    "zh": {"title", "summary", "diagnosis", "causes", "ask", "synonyms", "source", "comments"},
}
DIRECTIVE = re.compile(r"\{\{ ((?:wordings|causes)(?= \}\})|(?:case|check)(?! \}\}))(?: ([a-z0-9-]+))? \}\}")
#: What a page's own fences may be; code comes from the snippet.
FENCES = ("console", "powershell", "text")
_HEADING = re.compile(r"(#+) (.*?)(?: \{#([a-z0-9-]+)\})?$")
_FENCE = re.compile(r"\s*(`{3,})\s*(.*)$")
_CODE = re.compile(r"`[^`]*`")
#: A line of front matter whose value, without quotes, a comment of YAML cuts short.
_CUT = re.compile(r"""\s*(?:- |[\w-]+: +)(?!["'{\[|>#\s]).*\s#""")
_LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")


@dataclass
class Section:
    id: str
    line: int
    text: str


class CauseRow(NamedTuple):
    """The words of one row of the table of causes, as Markdown of one line.

    Attributes:
        see: what the reader sees.
        do: what to do then. Without a link of its own it leads to the row's case.
        say: the cause with the reader's own values, through {holes}; "" for none.
    """

    see: str = ""
    do: str = ""
    say: str = ""


@dataclass
class Page:
    """One page. `sections` is keyed by section id; `cases` are the case anchors of its third-level headings; `codes` a tip's own code."""

    file: Path
    language: str
    text: str
    meta: dict[str, Any] = field(default_factory=dict)
    body: str = ""
    body_line: int = 1
    sections: dict[str, Section] = field(default_factory=dict)
    cases: list[tuple[str, int]] = field(default_factory=list)
    headings: list[tuple[str, str]] = field(default_factory=list)  # case, title
    directives: list[tuple[str, str, int]] = field(default_factory=list)  # word, name, line
    links: list[tuple[str, int]] = field(default_factory=list)  # target, line
    codes: list[tuple[str, int]] = field(default_factory=list)  # code of a tip's `python` fence, line of the fence
    synonyms: list[str] = field(default_factory=list)  # what people type who look for this page
    unread: bool = False  # its front matter does not parse: what it lacks is not known

    @property
    def title(self) -> str:
        return str(self.meta.get("title", ""))

    @cached_property
    def prose(self) -> str:
        """The body as it is shown: of Chinese, no line ends within a sentence."""
        return chinese.joined(self.body) if self.language == "zh" else self.body

    @property
    def synonyms_line(self) -> int:
        return next((number for number, line in enumerate(self.text.splitlines(), 1) if line.startswith("synonyms:")), 1)

    @property
    def diagnoses(self) -> list[str]:
        """Sentences with {holes}; the first whose holes are all known is used."""
        value = self.meta.get("diagnosis") or []
        return [str(item) for item in value] if isinstance(value, list) else [str(value)]

    @property
    def causes(self) -> dict[str, CauseRow]:
        """The words of the table of causes, by row."""
        value = self.meta.get("causes") or {}
        rows = value.items() if isinstance(value, dict) else ()
        return {str(row): CauseRow(**{name: str(own.get(name) or "") for name in CauseRow._fields}) for row, own in rows if isinstance(own, dict)}

    def cause_title(self, row: str, case: str) -> str:
        """What a cause is called: the heading of the row's case, else what the row says to do; without Markdown's links."""
        title = next((title for name, title in self.headings if name == case), "") if case else ""
        return title or _LINK.sub(lambda link: link[0][1 : link[0].index("](")], self.causes[row].do if row in self.causes else row)

    @property
    def comments(self) -> dict[str, str]:
        """A Chinese page's table of the snippet's comments: English -> Chinese (content/comments.py)."""
        value = self.meta.get("comments") or {}
        return {str(text): str(twin).strip("\n") for text, twin in value.items()} if isinstance(value, dict) else {}

    def comment_line(self, text: str) -> int:
        """Where `comments` has a text; 1 if it is written there in another way."""
        keys = tuple(f"  {key}:" for key in (json.dumps(text, ensure_ascii=False), text))
        return next((number for number, line in enumerate(self.text.splitlines(), 1) if line.startswith(keys)), 1)

    @property
    def ask(self) -> str:
        """What else to paste, where a paste does not tell the cause."""
        return str(self.meta.get("ask") or "")

    def hashes(self) -> dict[str, str]:
        """Hash of each piece of prose: what a translation stamps to say which text it was made from."""
        return {name: prose_hash(text) for name, text in self.texts().items()}

    def texts(self) -> dict[str, str]:
        """Each piece of prose, by the name of its field or section."""
        texts = {name: _written(self.meta[name]) for name in PROSE_FIELDS if self.meta.get(name)}
        texts |= {section.id: section.text for section in self.sections.values()}
        if self.causes and "causes" in texts:
            texts["causes"] = f"{_written(self.meta['causes'])}\n\n{texts['causes']}"  # the table stands in the section
        return texts


def _written(value: Any) -> str:
    """A field of the front matter as one text."""
    if isinstance(value, dict):
        return "\n".join(_written(item) for item in value.values())
    return "\n".join(map(str, value)) if isinstance(value, list) else str(value)


def prose_hash(text: str) -> str:
    """First 12 hex digits of SHA-256 over prose, such that reflowing a paragraph does not change it."""
    paragraphs = re.split(r"\n\s*\n", unicodedata.normalize("NFC", text.replace("\r\n", "\n")).strip())
    flat = "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)
    return hashlib.sha256(flat.encode()).hexdigest()[:12]


def targets(text: str) -> list[str]:
    """Where the links of a Markdown text lead, in its order."""
    return [found[1] for found in _LINK.finditer(_CODE.sub("", text))]


def split_front_matter(text: str) -> tuple[str, str, int]:
    """Front matter, body, and the 1-based line on which the body begins."""
    if text.startswith("---\n") and (end := text.find("\n---\n", 3)) >= 0:
        return text[4 : end + 1], text[end + 5 :], text[: end + 5].count("\n") + 1
    return "", text, 1


def open_page(file: Path, language: str, needed: tuple[str, ...], known: set[str], problems: Problems) -> Page | None:
    """Read a page and check its front matter; None if it cannot be read."""
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        problems.add(file, 0, f"cannot be read: {error}")
        return None
    made = Page(file, language, text)
    front, made.body, made.body_line = split_front_matter(text)
    before = len(problems)
    made.meta = yamlfile.load(front, file, 2, problems) if front else {}
    made.unread = len(problems) > before
    for number, line in enumerate(front.splitlines(), 2):
        if _CUT.match(line):
            problems.add(file, number, "YAML reads what follows ` #` as a comment, and the text ends before it: quote the whole text")
    for name in () if made.unread else needed:
        if not str(made.meta.get(name) or "").strip():
            problems.add(file, 1, f"front matter lacks `{name}`")
        elif language == "zh":
            check_punctuation(file, 1, str(made.meta[name]), problems, f" in `{name}`")
    for name in made.meta:
        if name not in known:
            problems.add(file, 1, f"unknown front matter `{name}`; known are {', '.join(sorted(known))}")
    report_open(file, text, problems)
    made.synonyms = synonyms.read(made.meta.get("synonyms"), file, made.synonyms_line, problems)
    return made


def report_open(file: Path, text: str, problems: Problems) -> None:
    """Report what is left of the template."""
    if left := [str(number) for number, line in enumerate(text.splitlines(), 1) if OPEN in line or line.strip(" #*->|") == "…"]:
        problems.add(file, int(left[0]), f"left of the template, to be written or taken out: line{'s' * (len(left) > 1)} {', '.join(left)}")


def check_punctuation(file: Path, line: int, text: str, problems: Problems, where: str = "", comment: bool = False) -> None:
    """Report Chinese prose, or a comment of code, with the punctuation of another script."""
    if (written := chinese.punctuate(text, comment)) != text:
        problems.add(
            file, line, f"half-width punctuation, or no blank, beside Chinese characters{where}; `python -m torchclinic stamp --format` writes: {written}"
        )


def read(file: Path, language: str, problems: Problems) -> Page | None:
    """Parse the page of a symptom and check what can be checked in it alone."""
    page = open_page(file, language, ("title", "summary"), FIELDS[language], problems)
    if page is not None:
        _cause_rows(page, problems)
        _comments(page, problems)
        _sections(page, problems)
    return page


def _cause_rows(page: Page, problems: Problems) -> None:
    """Check the form of the front matter's `causes`, and note its links."""
    lines = page.text.splitlines()
    written = page.meta.get("causes") or {}
    if not isinstance(written, dict):
        problems.add(page.file, 1, "`causes` maps each row of the table to its `see` and `do`")
        return
    for row, own in written.items():
        line = next((number for number, text in enumerate(lines, 1) if text.startswith(f"  {row}:")), 1)
        if not isinstance(own, dict) or not {"see", "do"} <= set(own) or not set(own) <= set(CauseRow._fields) or not all(map(str, own.values())):
            problems.add(page.file, line, f"row `{row}` of `causes` holds `see`, `do` and, where it has a sentence of its own, `say`")
            continue
        for text in own.values():
            page.links += [(found[1], line) for found in _LINK.finditer(_CODE.sub("", str(text)))]
            if page.language == "zh":
                check_punctuation(page.file, line, str(text), problems, f" in row `{row}`")


def _comments(page: Page, problems: Problems) -> None:
    written = page.meta.get("comments") or {}
    if not isinstance(written, dict) or not all(isinstance(text, str) and isinstance(twin, str) and twin.strip() for text, twin in written.items()):
        problems.add(
            page.file, 1, "`comments` maps each comment of the snippet to its Chinese: a text to a text, in quotes where YAML would read another thing"
        )


class Line(NamedTuple):
    """One line of a page's body. Code has no headings; `opens` is the word of the fence that the line opens, None if it opens none."""

    number: int
    text: str
    heading: re.Match[str] | None = None  # marks, title, anchor
    opens: str | None = None


def walk(made: Page, directive: re.Pattern[str], usage: str, problems: Problems) -> Iterator[Line]:
    """The lines of a page, whose directives, links and blocks of Python are noted in it on the way.

    Args:
        directive: word and name of a line that stands for something else.
        usage: how directives are written, for the report of a line that is none.
    """
    fence = word = ""
    for number, text in enumerate(made.body.splitlines(), made.body_line):
        marks = _FENCE.match(text)
        if fence:
            if marks and marks[1].startswith(fence) and not marks[2]:
                fence = ""
            elif word == "python":
                made.codes[-1] = (made.codes[-1][0] + text + "\n", made.codes[-1][1])
            yield Line(number, text)
            continue
        if marks:
            fence, word = marks[1], marks[2].strip()
            if word == "python":
                made.codes.append(("", number))
            yield Line(number, text, opens=word)
            continue
        prose = _CODE.sub("", text)
        if "{{" in prose:
            if found := directive.fullmatch(text):
                made.directives.append((found[1], found[2] or "", number))
            else:
                problems.add(made.file, number, f"`{text.strip()}` is no directive: {usage}, alone on its line")
        made.links += [(found[1], number) for found in _LINK.finditer(prose)]
        if made.language == "zh":
            check_punctuation(made.file, number, text, problems)
        yield Line(number, text, _HEADING.match(text))


def _sections(page: Page, problems: Problems) -> None:
    by_heading = {SECTIONS[name][page.language]: name for name in SECTIONS}
    current: Section | None = None
    headings: list[tuple[str, int]] = []
    for line in walk(page, DIRECTIVE, "`{{ wordings }}`, `{{ case NAME }}` or `{{ check NAME }}`", problems):
        if line.heading and line.heading[1] == "##":
            name = by_heading.get(line.heading[2])
            if name is None or name in page.sections:
                wanted = ", ".join(f"`## {SECTIONS[name][page.language]}`" for name in SECTIONS)
                problems.add(page.file, line.number, f"`{line.text}` is no section, or stands twice; the sections are, in this order: {wanted}")
                current = None
                continue
            current = page.sections[name] = Section(name, line.number, "")
            headings.append((name, line.number))
            continue
        if line.heading and line.heading[1] == "###":
            if line.heading[3]:
                page.cases.append((line.heading[3], line.number))
                page.headings.append((line.heading[3], line.heading[2]))
            elif current and current.id == "causes":
                problems.add(page.file, line.number, "a cause's heading ends with its case: `### Title {#case-name}`")
        if line.opens is not None and line.opens not in FENCES:
            problems.add(
                page.file,
                line.number,
                f"a fence of `{line.opens}`: a page holds no code that is not run; put it into the snippet. Commands stand in {', '.join(FENCES)}",
            )
        if current is not None:
            current.text += line.text + "\n"
    missing = [name for name in SECTIONS if name not in page.sections]
    order = list(SECTIONS)
    for name in missing:
        after = next((line for other, line in headings if order.index(other) > order.index(name)), len(page.text.splitlines()))
        problems.add(page.file, after, f"section `## {SECTIONS[name][page.language]}` is missing; it stands above this line")
    if not missing and list(page.sections) != list(SECTIONS):
        problems.add(page.file, 0, f"sections stand in the order {', '.join(SECTIONS[name][page.language] for name in SECTIONS)}")
    for name, section in page.sections.items():
        if not section.text.strip():
            problems.add(page.file, section.line, f"section `{SECTIONS[name][page.language]}` is empty")
