"""docs/glossary-zh.md, the Chinese terms: reads what it refuses, and reports where that stands."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from .problem import Problems

FILE = "docs/glossary-zh.md"
#: Files with Chinese that readers see. What people type (`synonyms`, facts/alike.yml) is theirs.
CHINESE = ("docs/zh/**/*.md", "facts/*.yml", "torchclinic/content/words.json")
TYPED = "facts/alike.yml"
_HEADING = "## Refused"
_ROW = re.compile(r"\| ([^|]+) \| ([^|]+) \|")
_CODE = re.compile(r"`[^`]*`")


def refused(root: Path) -> dict[str, str]:
    """Term -> what to write instead; none where there is no glossary."""
    file = root / FILE
    if not file.exists():
        return {}
    rows = _ROW.findall(file.read_text(encoding="utf-8").partition(_HEADING)[2])
    return {term.strip(): instead.strip() for term, instead in rows[2:]}


def files(root: Path) -> list[Path]:
    return [
        file for pattern in CHINESE for file in sorted(root.glob(pattern)) if file != root / TYPED
    ]


def check(root: Path, among: Iterable[Path], problems: Problems) -> None:
    """Report the refused terms in some files, code in backticks aside."""
    terms = refused(root)
    if not terms:
        return
    pattern = re.compile("|".join(map(re.escape, terms)))
    for file in among:
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            if not line.isascii() and not line.lstrip().startswith("synonyms:"):
                for term in dict.fromkeys(pattern.findall(_CODE.sub("", line))):
                    problems.add(file, number, f"{FILE} refuses `{term}`: write {terms[term]}")
