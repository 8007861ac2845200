"""Tips: advice that no error announces, and the concepts behind symptoms. One page a question, in each language.

A tip opens with its rule in one sentence (front matter) and the code to copy. Its code stands in the page, as plain `python` fences that
pytest-codeblocks runs; two directives stand for what is too long or not text:

    {{ program NAME }}      the program docs/programs/NAME, run by the tests
    {{ figure NAME }}       the figure that docs/figures/NAME.py drew from what it measured

Facts that belong to no language stand in the English front matter alone: `tags`, `rows`, `symptoms` (the stems that the tip explains).
"""

from __future__ import annotations

import io
import re
import tokenize
from dataclasses import dataclass
from pathlib import Path

from . import page
from .page import Page, Section
from .problem import Problems

#: The folder of tips, in docs/en and docs/zh, and the first part of their ids.
FOLDER = "tips"
PROGRAMS = "docs/programs"
FIELDS = {"en": {"title", "rule", "summary", "synonyms", "tags", "rows", "symptoms"}, "zh": {"title", "rule", "summary", "synonyms", "source"}}
DIRECTIVE = re.compile(r"\{\{ (program|figure) ([A-Za-z0-9_.-]+) \}\}")
#: Why the block below does not run everywhere: `<!--pytest.mark.skipif(…, reason="needs CUDA")-->`.
MARK = re.compile(r'\s*<!--pytest\.mark\.skipif\(.*\breason="([^"]*)"\)-->')


#: How such a reason begins; words.json has them in both languages. What GPUS names, no session of ours has.
GPUS = ("needs CUDA", "needs CUDA and the package ", "needs two GPUs")
LACKS = (*GPUS, "needs the package ", "needs a C++ compiler and Python's headers")


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

    def _facts(self, name: str) -> list[str]:
        value = self.pages["en"].meta.get(name) if "en" in self.pages else None
        return [str(item) for item in value] if isinstance(value, list) else []


def read(file: Path, language: str, problems: Problems) -> Page | None:
    """Parse one page of a tip and check what can be checked in it alone; None if it cannot be read."""
    made = page.open_page(file, language, ("title", "rule", "summary"), FIELDS[language], problems)
    if made is None:
        return None
    current = made.sections["opening"] = Section("opening", made.body_line, "")
    for line in page.walk(made, DIRECTIVE, "`{{ program NAME }}` or `{{ figure NAME }}`", problems):
        if line.opens in ("sh", "bash") or (line.opens != "python" and (line.opens or "").startswith(("{ .python", "{.python", "py"))):
            problems.add(
                file,
                line.number,
                f"a fence of `{line.opens}`: code that is run is a plain `python` fence, shell commands are `console` or `powershell`, output is `text`",
            )
        if "<!--pytest.mark" in line.text:
            mark = MARK.fullmatch(line.text)
            if not mark or not mark[1].startswith(LACKS):
                form = f'`<!--pytest.mark.skipif(CONDITION, reason="…")-->`, whose reason begins with {", ".join(LACKS)}'
                problems.add(file, line.number, f"a block is left out only where something is missing, by {form}")
        if line.heading and line.heading[1] == "##":
            name = line.heading[3] or ""
            if not name or name in made.sections:
                problems.add(file, line.number, f"`{line.text}`: a section ends with an anchor of its own, the same in both languages: `## Title {{#anchor}}`")
            current = made.sections[name] = Section(name, line.number, "")
        current.text += line.text + "\n"
    opening = made.sections["opening"].text.lstrip()
    if not opening.startswith(("```python\n", "<!--", "{{ program")):
        problems.add(file, made.body_line, "a tip opens with the code to copy: its first block is a `python` fence, or `{{ program NAME }}`")
    return made


def code_of(text: str) -> list[str]:
    """The tokens of a block without comments and blank lines: what must be the same in both languages.

    Raises:
        SyntaxError, tokenize.TokenError: it is not Python.
    """
    dropped = (tokenize.COMMENT, tokenize.NL)
    return [token.string for token in tokenize.generate_tokens(io.StringIO(text).readline) if token.type not in dropped]
