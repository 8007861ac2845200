"""An answer of the lookup as Markdown: for the summary of a job, for a comment below an issue.

What the text itself holds stands in fences alone: nothing in it becomes a link, a mention or HTML.
"""

from __future__ import annotations

from typing import Any

from ..content.finished import CauseText
from ..find import lookup
from ..find.answer import Answer, Hit
from ..find.clean import without_escapes
from . import terminal
from .knowledge import Knowledge

#: Characters of a line that is quoted.
LONGEST = 300


def render(known: Knowledge, answer: Answer, language: str) -> str:
    """Of a match, or a probable one: title, line, cause, fix and the way on; of a message that
    only PyTorch's source has, where it is written. "" where nothing is known."""
    if answer["status"] == "origin":
        return _origin(answer, language)
    parts = [_hit(known, hit, answer, language) for hit in answer["hits"][:1]]
    return "\n".join(parts)


def _hit(known: Knowledge, hit: Hit, answer: Answer, language: str) -> str:
    text, entry = terminal.TEXT[language], known.symptoms[hit["symptom"]]
    page = entry["texts"][language]
    lines = [f"### {page['title']}", ""]
    if answer["status"] in ("likely", "ambiguous"):
        lines += [text[answer["status"]], ""]
    sentence = lookup.diagnose(known.index, hit, language)
    lines += fence(_quoted(hit["line"], hit["raw"], text) + [sentence] * bool(sentence), "text")
    told = hit["cause"] or hit["often"]
    others = [row for row in page["causes"] if told is None or row["row"] != told["row"]]
    if told:
        lines += ["", f"**{terminal.how_sure(hit, text)}{told['title'][language]}**", ""]
        lines += _rows([row for row in page["causes"] if row["row"] == told["row"]])
        if told["case"]:
            for place, code in page["cases"][told["case"]]["fixes"].items():
                lines += ["", *fence(code.splitlines(), "python" if place == "python" else "")]
    if others:
        heading = text["other-causes"] if hit["cause"] else text["which"]
        lines += [
            "",
            f"<details><summary>{heading}</summary>",
            "",
            *_rows(others),
            "",
            "</details>",
        ]
    lines += terminal.instead(known, hit, lines, text, language)
    more = text["page"].format(command=terminal.typed("show", entry["id"]))
    if known.site:
        more = f"[{page['title'].replace('[', '').replace(']', '')}]({known.site}{page['url']})"
    return "\n".join([*lines, "", more])


def _origin(answer: Answer, language: str) -> str:
    text, origin = terminal.TEXT[language], answer["origin"]
    lines = fence(_quoted(origin["line"], origin["raw"], text), "text")
    for place in origin["places"][:1]:
        lines += ["", f"`{terminal.origin_sentence(place, language).replace('`', chr(39))}`"]
        lines += ["", f"<{place['source']}>"] if place["source"] else []
    return "\n".join(lines)


def _rows(rows: list[CauseText]) -> list[str]:
    return [f"- {row['see']} → {row['do']}" for row in rows]


def _quoted(number: int, raw: str, text: dict[str, Any]) -> list[str]:
    shown = terminal.printable(without_escapes(raw)).strip()[:LONGEST]
    # A runner takes this mark anywhere in a line for a command.
    return [f"{text['line'].format(line=number)}{text['colon']}{shown.replace('##[', '## [')}"]


def fence(lines: list[str], language: str = "") -> list[str]:
    """Lines as a block of code, whatever they hold."""
    marks = "```"
    while any(marks in line for line in lines):
        marks += "`"
    return [f"{marks}{language}", *map(terminal.printable, lines), marks]
