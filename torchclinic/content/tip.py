"""Tips: advice that no error announces, and the concepts behind symptoms.

One page a question, in each language.

A tip opens with its rule in one sentence (front matter) and the code to copy. Its code stands in
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
import re
import tokenize
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from . import comments, page, page_file
from .page import Page, Section
from .problem import Problems
from .snippet import Case, Cell, Snippet

#: The folder of tips, in docs/en and docs/zh, and the first part of their ids.
FOLDER = "tips"
PROGRAMS = "docs/programs"
FIELDS = {
    "en": {
        *("title", "rule", "summary", "synonyms", "tags", "rows"),
        *("symptoms", "mentioned", "survives"),
    },
    "zh": {"title", "rule", "summary", "synonyms", "source"},
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
        return self.pages[language].title if language in self.pages else self.stem

    def rule(self, language: str) -> str:
        return str(self.pages[language].meta.get("rule") or "") if language in self.pages else ""

    @property
    def tags(self) -> list[str]:
        return self._facts("tags")

    @property
    def rows(self) -> list[str]:
        return self._facts("rows")

    @property
    def symptoms(self) -> list[str]:
        return self._facts("symptoms")

    @property
    def mentioned(self) -> list[str]:
        return self._facts("mentioned")

    @cached_property
    def snippet(self) -> Snippet:
        """Its blocks, the same in both languages, as the cells of a snippet.

        Each is a case of its own, named after its section
        (`costs`, `costs 2`): so they are run, recorded and excused as fixes are."""
        english = self.pages.get("en") or next(iter(self.pages.values()))
        made = Snippet(
            english.file, f"{FOLDER}/{self.topic}", self.stem, english.text, timeout=TIMEOUT
        )
        lines = english.text.splitlines()
        for code, line in english.codes:
            above = _comments_above(lines, line)
            if CONTINUED in above and made.cells:
                last = made.cells.pop()
                gap = "\n" * (line - last.line - last.source.count("\n"))
                made.cells.append(
                    Cell("block", last.case, last.source + gap + code.rstrip(), last.line)
                )
                made.cases[last.case].cells["block"] = made.cells[-1]
                continue
            section = [name for name, found in english.sections.items() if found.line <= line][-1]
            number = 1 + sum(1 for cell in made.cells if cell.case.partition(" ")[0] == section)
            name = f"{section} {number}" if number > 1 else section
            made.cells.append(Cell("block", name, code.rstrip(), line + 1))
            made.broken |= not _parses(code)
            skips = tuple((mark[1], mark[2]) for text in above if (mark := MARK.match(text)))
            excuses = {
                key.removeprefix(f"{name}: "): why
                for key, why in self.survives.items()
                if key.startswith(f"{name}: ")
            }
            made.cases[name] = Case(name, {"block": made.cells[-1]}, survives=excuses, skips=skips)
        return made

    @property
    def survives(self) -> dict[str, str]:
        value = self.pages["en"].meta.get("survives") if "en" in self.pages else None
        return (
            {str(name): str(why) for name, why in value.items()} if isinstance(value, dict) else {}
        )

    def _facts(self, name: str) -> list[str]:
        value = self.pages["en"].meta.get(name) if "en" in self.pages else None
        return [str(item) for item in value] if isinstance(value, list) else []


def read(file: Path, language: str, problems: Problems) -> Page | None:
    """Parse one page of a tip and check what can be checked in it alone; None if it cannot be
    read."""
    made = page.open_page(file, language, ("title", "rule", "summary"), FIELDS[language], problems)
    if made is None:
        return None
    current = made.sections["opening"] = Section("opening", made.body_line, "")
    for line in page_file.walk(
        made, DIRECTIVE, "`{{ program NAME }}` or `{{ figure NAME }}`", problems
    ):
        if line.opens in ("sh", "bash") or (
            line.opens != "python"
            and (line.opens or "").startswith(("{ .python", "{.python", "py"))
        ):
            how = (
                "code that is run is a plain `python` fence, "
                "shell commands are `console` or `powershell`, output is `text`"
            )
            problems.add(file, line.number, f"a fence of `{line.opens}`: {how}")
        if "<!--pytest.mark" in line.text:
            mark = MARK.fullmatch(line.text)
            if not mark or not mark[2].startswith(LACKS):
                comment = '`<!--pytest.mark.skipif(CONDITION, reason="…")-->`'
                form = f"{comment}, whose reason begins with {', '.join(LACKS)}"
                problems.add(
                    file,
                    line.number,
                    f"a block is left out only where something is missing, by {form}",
                )
        if line.heading and line.heading[1] == "##":
            name = line.heading[3] or ""
            if not name or name in made.sections:
                how = "ends with an anchor of its own, the same in both languages"
                message = f"`{line.text}`: a section {how}: `## Title {{#anchor}}`"
                problems.add(file, line.number, message)
            current = made.sections[name] = Section(name, line.number, "")
        current.text += line.text + "\n"
    opening = made.sections["opening"].text.lstrip()
    if not opening.startswith(("```python\n", "<!--", "{{ program")):
        problems.add(
            file,
            made.body_line,
            "a tip opens with the code to copy: its first block is a `python` fence, "
            "or `{{ program NAME }}`",
        )
    return made


def _parses(code: str) -> bool:
    try:
        ast.parse(code)
    except SyntaxError:
        return False
    return True


def _comments_above(lines: list[str], fence: int) -> list[str]:
    """The lines of comment, blanks aside, right above a fence; `fence` is its 1-based line."""
    found = []
    for text in reversed(lines[: fence - 1]):
        if text.strip() and not text.lstrip().startswith("<!--"):
            break
        found.append(text)
    return [text.strip() for text in found if text.strip()]


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
