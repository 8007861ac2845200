"""Tips: advice that no error announces, and the concepts behind symptoms.

One page a question, in each language.

Its `want` goes on after "I want to": the overview and the search know it by that. A tip opens with
its rule in one sentence (front matter) and the code to copy. Its code stands in
the page, as plain `python` fences that
pytest-codeblocks runs; two directives stand for what is too long or not text:

    {{ program NAME }}      the program docs/programs/NAME, run by the tests
    {{ figure NAME }}       the figure that docs/figures/NAME.py drew from what it measured

Facts that belong to no language stand in the English front matter alone: `tags`, `rows`, `symptoms`
(the stems that the tip explains), `mentioned` (texts: each symptom that holds one links the tip),
and `survives`: what `verify --mutate` can take out of a block without being caught, as it prints it
-> why that may be.
"""

from __future__ import annotations

import ast
import io
import itertools
import re
import tokenize
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path

from . import comments, page_file
from .page import Front, Page, Section, open_page
from .problem import Problems
from .snippet import Case, Cell, Snippet

#: The folder of tips, in docs/en and docs/zh, and the first part of their ids.
FOLDER = "tips"
PROGRAMS = "docs/programs"
FIELDS = {
    "en": {
        *("title", "want", "rule", "summary", "synonyms", "tags", "rows"),
        *("symptoms", "mentioned", "survives"),
    },
    "zh": {"title", "want", "rule", "summary", "synonyms", "source"},
}
DIRECTIVE = re.compile(r"\{\{ (program|figure) ([A-Za-z0-9_.-]+) \}\}")
#: When the block below does not run, and why: `<!--pytest.mark.skipif(…, reason="needs CUDA")-->`.
MARK = re.compile(r'\s*<!--pytest\.mark\.skipif\((.*), reason="([^"]*)"\)-->')
#: How such a reason begins; words.json has them in both languages. What GPUS names, no session of
#: ours has.
GPUS = ("needs CUDA", "needs CUDA and the package ", "needs two GPUs")
LACKS = (*GPUS, "needs the package ", "needs a C++ compiler and Python's headers")
#: The block below goes on with the one above: both are one program.
CONTINUED = "<!--pytest-codeblocks:cont-->"
#: Seconds that a block may take: some compile.
TIMEOUT = 300.0


@dataclass
class Tip:
    """One tip: its page in each language."""

    topic: str
    stem: str
    pages: dict[str, Page]

    @property
    def id(self) -> str:
        return f"{FOLDER}/{self.topic}/{self.stem}"

    def title(self, language: str) -> str:
        return self.pages[language].front.title if language in self.pages else self.stem

    def rule(self, language: str) -> str:
        return self.pages[language].front.rule if language in self.pages else ""

    @property
    def facts(self) -> Front:
        """What belongs to no language."""
        return self.pages["en"].front if "en" in self.pages else Front()

    @cached_property
    def snippet(self) -> Snippet:
        """Its blocks, the same in both languages, as the cells of a snippet.

        Each is a case of its own, named after its section
        (`costs`, `costs 2`): so they are run, recorded and excused as fixes are.
        """
        english = self.pages.get("en") or next(iter(self.pages.values()))
        topic, lines = f"{FOLDER}/{self.topic}", english.text.splitlines()
        blocks = Snippet(english.file, topic, self.stem, english.text, timeout=TIMEOUT)
        for code, line in english.codes:
            above = _comments_above(lines, line)
            if CONTINUED in above and blocks.cells:
                last = blocks.cells.pop()
                gap = "\n" * (line - last.line - last.source.count("\n"))
                blocks.cells.append(replace(last, source=last.source + gap + code.rstrip()))
                blocks.cases[last.case].cells["block"] = blocks.cells[-1]
                continue
            section = [name for name, part in english.sections.items() if part.line <= line][-1]
            number = 1 + sum(cell.case.partition(" ")[0] == section for cell in blocks.cells)
            name = f"{section} {number}" if number > 1 else section
            blocks.cells.append(Cell("block", name, code.rstrip(), line + 1))
            blocks.broken |= not _parses(code)
            skips = tuple((mark[1], mark[2]) for text in above if (mark := MARK.match(text)))
            excuses = {
                key.removeprefix(f"{name}: "): why
                for key, why in self.facts.survives.items()
                if key.startswith(f"{name}: ")
            }
            cells = {"block": blocks.cells[-1]}
            blocks.cases[name] = Case(name, cells, survives=excuses, skips=skips)
        return blocks


def read(file: Path, language: str, problems: Problems) -> Page | None:
    """Parse one page of a tip and check what can be checked in it alone; None if it cannot be
    read."""
    page = open_page(file, language, FIELDS[language], problems)
    if page is None:
        return None
    add = partial(problems.add, file)
    current = page.sections["opening"] = Section("opening", page.body_line, "")
    usage = "`{{ program NAME }}` or `{{ figure NAME }}`"
    for line in page_file.walk(page, DIRECTIVE, usage, problems):
        word = line.opens or ""
        is_python = word != "python" and word.startswith(("{ .python", "{.python", "py"))
        if is_python or word in ("sh", "bash"):
            how = "code that is run is a plain `python` fence"
            others = "shell commands are `console` or `powershell`, output is `text`"
            add(line.number, f"a fence of `{word}`: {how}, {others}")
        if "<!--pytest.mark" in line.text:
            mark = MARK.fullmatch(line.text)
            if not mark or not mark[2].startswith(LACKS):
                message = "a block is left out only where something is missing"
                form = '`<!--pytest.mark.skipif(CONDITION, reason="…")-->`'
                reasons = f"whose reason begins with {', '.join(LACKS)}"
                add(line.number, f"{message}, by {form}, {reasons}")
        if line.heading and line.heading[1] == "##":
            name = line.heading[3] or ""
            if not name or name in page.sections:
                how = "ends with an anchor of its own, the same in both languages"
                add(line.number, f"`{line.text}`: a section {how}: `## Title {{#anchor}}`")
            current = page.sections[name] = Section(name, line.number, "")
        current.text += line.text + "\n"
    opening = page.sections["opening"].text.lstrip()
    if not opening.startswith(("```python\n", "<!--", "{{ program")):
        first = "its first block is a `python` fence, or `{{ program NAME }}`"
        add(page.body_line, f"a tip opens with the code to copy: {first}")
    return page


def _parses(code: str) -> bool:
    try:
        ast.parse(code)
    except SyntaxError:
        return False
    return True


def _comments_above(lines: list[str], fence: int) -> list[str]:
    """The lines of comment, blanks aside, right above a fence; `fence` is its 1-based line."""
    above = itertools.takewhile(
        lambda text: not text or text.startswith("<!--"), map(str.strip, lines[fence - 2 :: -1])
    )
    return [text for text in above if text]


def code_of(text: str) -> list[str]:
    """The tokens of a block without comments, docstrings and blank lines.

    They must be the same in both languages.

    Raises:
        SyntaxError, tokenize.TokenError: it is not Python.
    """
    dropped, docstrings = (tokenize.COMMENT, tokenize.NL), comments.docstring_places(text)
    return [
        token.string
        for token in tokenize.generate_tokens(io.StringIO(text).readline)
        if token.type not in dropped and token.start not in docstrings
    ]
