"""What `lookup` prints for a person."""

from __future__ import annotations

import locale
import os
from typing import Any

from .. import LANGUAGES
from ..content import words
from ..content.catalogue import Catalogue
from ..find import lookup

TEXT = {language: words.of(language, "answer", "terminal", "punctuation") for language in LANGUAGES}


def language_of_locale() -> str:
    """`zh` where the user's messages are Chinese, else `en`."""
    name = os.environ.get("LC_ALL") or os.environ.get("LC_MESSAGES") or os.environ.get("LANG") or locale.getlocale()[0] or ""
    return "zh" if name.lower().startswith(("zh", "chinese")) else "en"


def render(made: Catalogue, index: dict[str, Any], result: dict[str, Any], language: str, colour: bool) -> str:
    """The answer as lines of text. Control characters of the paste never reach the terminal."""
    text = TEXT[language]
    if result["status"] in ("empty", "binary"):
        return text[result["status"]]
    if result["status"] == "none":
        lines = [text["none"]]
        lines += [text["looked-for"], f"  {_printable(result['looked_for'])}"] if result["looked_for"] else [text["nothing-printed"]]
        lines.append(text["elsewhere"])
        if result["neighbours"]:
            lines.append(text["neighbours"] + ", ".join(f"{index['symptoms'][stem]['topic']}/{stem}" for stem in result["neighbours"]))
        lines += [text["report"], f"  {_printable(result['report'])}"] if result["report"] else []
        return "\n".join(lines)
    parts = [text["ambiguous"]] if result["status"] == "ambiguous" else []
    shown = result["hits"] if result["status"] == "ambiguous" else result["hits"][:1]
    parts += [_hit(made, index, hit, language, colour) for hit in shown]
    return "\n\n".join(parts)


def _hit(made: Catalogue, index: dict[str, Any], hit: dict[str, Any], language: str, colour: bool) -> str:
    text = TEXT[language]
    bold, plain = ("\x1b[1m", "\x1b[0m") if colour else ("", "")
    lines = [f"{bold}{hit['title'][language]}{plain}  ({hit['topic']}/{hit['symptom']})"]
    lines.append(f"  {text['line'].format(line=hit['line'])}{text['colon']}{_printable(hit['raw'].strip())[:300]}")
    if hit["seen_in"]:
        lines.append("  " + text["seen-in"] + ", ".join(hit["seen_in"]))
    diagnosis = lookup.diagnose(index, hit, language)
    if diagnosis:
        lines += ["", _printable(diagnosis)]
    if not hit["page"]:
        lines += ["", text["unwritten"]]
        lines += [text["docs"] + hit["docs"]] if hit["docs"] else []
        return "\n".join(lines)
    symptom = made.symptoms[hit["symptom"]]
    cases = list(symptom.snippet.cases.values())
    lines += ["", text["fix"].format(case=cases[0].name), ""]
    for place, fix in cases[0].fixes.items():
        lines += [*([f"  {place}:"] if len(cases[0].fixes) > 1 else []), *("    " + line for line in fix.splitlines()), ""]
    if len(cases) > 1:
        lines.append(text["other"].format(count=len(cases) - 1, cases=", ".join(case.name for case in cases[1:])))
    lines.append(text["page"].format(path=symptom.pages[language].file.relative_to(made.root).as_posix()))
    return "\n".join(lines)


def _printable(text: str) -> str:
    return "".join(c if c.isprintable() else " " for c in text)
