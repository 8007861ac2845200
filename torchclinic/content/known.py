"""Known messages: symptoms whose words are known and whose page is not written yet.

The lookup names them, says so, and shows the official documentation's place. It never pretends to have a fix. When a page is
written, the symptom's snippet takes the wordings over, and the entry in facts/known/<topic>.yml goes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .. import LANGUAGES
from ..find.wording import Wording
from . import synonyms, yamlfile
from .problem import Problems
from .snippet import make_wording

FIELDS = {"title", "synonyms", "docs", "outranks", "diagnosis", "wordings"}


@dataclass
class KnownMessage:
    """One stem without a page."""

    stem: str
    topic: str
    file: Path
    title: dict[str, str]
    docs: str = ""
    outranks: list[str] = field(default_factory=list)
    diagnosis: dict[str, list[str]] = field(default_factory=dict)
    wordings: list[Wording] = field(default_factory=list)
    line: int = 1  # where the entry begins
    synonyms: dict[str, list[str]] = field(default_factory=dict)  # by language: what people type


def read_all(folder: Path, topics: dict[str, Any], problems: Problems) -> dict[str, KnownMessage]:
    """Every entry of facts/known/<topic>.yml, by stem."""
    found: dict[str, KnownMessage] = {}
    for file in sorted(folder.glob("*.yml")):
        if file.stem not in topics:
            problems.add(file, 0, f"`{file.stem}` is no topic; topics are {', '.join(topics)}")
            continue
        text = file.read_text(encoding="utf-8")
        lines = text.splitlines()
        for stem, entry in yamlfile.load(text, file, 1, problems).items():
            line = next((number for number, row in enumerate(lines, 1) if row.startswith(f"{stem}:")), 1)
            made = _read(str(stem), entry, file, line, lines, problems)
            if made and made.stem in found:
                problems.add(file, line, f"stem `{stem}` stands in {found[made.stem].file.name} too")
            elif made:
                found[made.stem] = made
    return found


def _read(stem: str, entry: Any, file: Path, line: int, lines: list[str], problems: Problems) -> KnownMessage | None:
    title = entry.get("title") if isinstance(entry, dict) else None
    if not isinstance(title, dict) or set(title) != set(LANGUAGES):
        problems.add(file, line, f"`{stem}` needs `title: {{en: …, zh: …}}`")
        return None
    for name in entry:
        if name not in FIELDS:
            problems.add(file, line, f"`{stem}`: unknown field `{name}`; known are {', '.join(sorted(FIELDS))}")
    diagnosis = {}
    for language, sentences in (entry.get("diagnosis") or {}).items():
        diagnosis[language] = [str(item) for item in (sentences if isinstance(sentences, list) else [sentences])]
    if diagnosis and set(diagnosis) != set(LANGUAGES):
        problems.add(file, line, f"`{stem}`: the diagnosis stands in both languages")
    typed = entry.get("synonyms") or {}
    if not isinstance(typed, dict) or not set(typed) <= set(LANGUAGES):
        problems.add(file, line, f"`{stem}`: synonyms are written `synonyms: {{en: […], zh: […]}}`")
        typed = {}
    typed = {language: synonyms.read(entries, file, line, problems) for language, entries in typed.items()}
    made = KnownMessage(stem, file.stem, file, title, str(entry.get("docs") or ""), list(entry.get("outranks") or []), diagnosis, line=line, synonyms=typed)
    for item in entry.get("wordings") or []:
        if not isinstance(item, dict) or "text" not in item:
            problems.add(file, line, f"`{stem}`: each wording is a mapping with `text`")
            continue
        head = str(item["text"])[:30]
        at = next((number for number, row in enumerate(lines, 1) if number >= line and head in row), line)
        wording = make_wording(item, file, at, problems)
        if wording:
            made.wordings.append(wording)
    return made
