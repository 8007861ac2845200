"""What `lookup` and `fix` print for a person."""

from __future__ import annotations

import json
import os
import re
import unicodedata
from typing import Any

from .. import LANGUAGES
from ..content import words
from ..find import lookup
from . import knowledge
from .knowledge import Knowledge

TEXT = {
    language: words.of(language, "answer", "terminal", "punctuation") | words.of(language, "afterwards") | {"places": words.of(language, "symptom")["places"]}
    for language in LANGUAGES
}


def language_of_locale() -> str:
    """`zh` where the user's messages are Chinese, else `en`; TORCHCLINIC_LANG says otherwise."""
    name = os.environ.get("TORCHCLINIC_LANG") or os.environ.get("LC_ALL") or os.environ.get("LC_MESSAGES") or os.environ.get("LANG")
    if not name:
        import locale

        name = locale.getlocale()[0] or ""
    return "zh" if name.lower().startswith(("zh", "chinese")) else "en"


def render(known: Knowledge, result: dict[str, Any], language: str, colour: bool) -> str:
    """The answer as lines of text. Control characters of the paste never reach the terminal."""
    text = TEXT[language]
    if result["status"] in ("empty", "binary"):
        return text[result["status"]]
    if result["status"] in ("none", "origin"):
        if result["status"] == "origin":
            lines = _origin(result["origin"], language)
        else:
            lines = [text["none"]]
            lines += [text["looked-for"], f"  {printable(result['looked_for'])}"] if result["looked_for"] else [text["nothing-printed"]]
            lines.append(text["elsewhere"])
        if result["neighbours"]:
            lines.append(text["neighbours"] + ", ".join(known.symptoms[stem]["id"] for stem in result["neighbours"]))
        lines += [text["report"], f"  {printable(result['report'])}"] if result["report"] else []
        return "\n".join(lines)
    parts = [text["ambiguous"]] if result["status"] == "ambiguous" else []
    shown = result["hits"] if result["status"] == "ambiguous" else result["hits"][:1]
    parts += [_hit(known, hit, language, colour) for hit in shown]
    return "\n\n".join(parts)


def _hit(known: Knowledge, hit: dict[str, Any], language: str, colour: bool) -> str:
    text = TEXT[language]
    bold, plain = ("\x1b[1m", "\x1b[0m") if colour else ("", "")
    lines = [f"{bold}{hit['title'][language]}{plain}  ({hit['topic']}/{hit['symptom']})"]
    lines.append(f"  {text['line'].format(line=hit['line'])}{text['colon']}{printable(hit['raw'].strip())[:300]}")
    if hit["seen_in"]:
        lines.append("  " + text["seen-in"] + ", ".join(hit["seen_in"]))
    diagnosis = lookup.diagnose(known.index, hit, language)
    if diagnosis:
        lines += ["", printable(diagnosis)]
    if picture := lookup.drawn(known.index, hit, words.of(language, "picture")):
        lines += ["", *("  " + line for line in picture["lines"])]
    if not hit["page"]:
        lines += ["", text["unwritten"]]
        lines += [text["docs"] + hit["docs"]] if hit["docs"] else []
        return "\n".join(lines)
    symptom = known.symptoms[hit["symptom"]]
    own, cause = symptom[language], hit["cause"]
    if cause is None:
        lines += ["", bold + text["which"] + plain, *([text["ask"] + own["ask"]] if own["ask"] else []), "", *_table(own["causes"])]
    else:
        lines += ["", f"{bold}{text['leaning' if cause['leaning'] else 'cause']}{cause['title'][language].replace('`', '')}{plain}"]
        if cause["case"]:
            case = own["cases"][cause["case"]]
            lines += _fix(cause["case"], case, text)
            if case["check"]:
                lines += [text["check"] + text["colon"].rstrip(), "", *("    " + line if line else "" for line in case["check"].splitlines()), ""]
        else:
            lines += [*_table([row for row in own["causes"] if row["row"] == cause["row"]]), ""]
        if others := [row for row in own["causes"] if row["row"] != cause["row"]]:
            lines += [text["other-causes"] + text["colon"].rstrip(), "", *_table(others)]
    lines += ["", text["recover"][hit["recover"]]]
    if len(symptom["cases"]) > 1:
        lines += ["", text["other-fix"].format(command=f"{knowledge.program()} fix {symptom['id']} CASE")]
    lines.append(text["page"].format(command=f"{knowledge.program()} show {symptom['id']}"))
    return "\n".join(lines)


def _origin(origin: dict[str, Any], language: str) -> list[str]:
    text, own = TEXT[language], words.of(language, "origin")
    lines = [
        own["heading"] + text["stop"],
        own["no-advice"],
        "",
        f"  {text['line'].format(line=origin['line'])}{text['colon']}{printable(origin['raw'].strip())[:300]}",
        "",
    ]
    for number, place in enumerate(origin["places"]):
        lines += ["", own["also"]] if number == 1 else []
        lines.append(origin_sentence(place, language) if not number else f"- {origin_sentence(place, language)}")
        lines += [f"  {own['source']}{place['source']}"] if place["source"] else []
        lines += [f"  {own['documentation'].format(**place)}{text['colon']}{place['documentation']}"] if place["public"] else []
    return [*lines, "", f"{own['issues']}{text['colon']}{origin['search']}", ""]


def origin_sentence(place: dict[str, Any], language: str) -> str:
    """Where PyTorch writes a message, when, and in which releases: a place of `find.origins.origin` as a sentence."""
    own = words.of(language, "origin")
    where = own["in-function" if place["function"] else "in-file" if place["file"] else "somewhere"].format(**place)
    when = own["when"].format(**place) if place["condition"] else ""
    older = own["older"] if place["unread"] else ""
    return printable(where + when + own["releases" if place["first"] != place["last"] else "one-release"].format(**place, older=older))


def _table(rows: list[dict[str, Any]]) -> list[str]:
    """What is seen, what to do then, and the case whose fix that is."""
    return [f"  - {row['see']} → {row['do']}" + (f" [{row['case']}]" if row["case"] else "") for row in rows]


def _fix(name: str, case: dict[str, Any], text: dict[str, Any]) -> list[str]:
    lines = [text["fix"].format(case=name), ""]
    for place, fix in case["fixes"].items():
        lines += [
            *([f"  {text['places'][place]}{text['colon'].rstrip()}"] if len(case["fixes"]) > 1 else []),
            *("    " + line if line else "" for line in fix.splitlines()),
            "",
        ]
    return lines


def fix(symptom: dict[str, Any], case: dict[str, Any], language: str, colour: bool) -> str:
    """What the symptom is, the table of its causes, and the fix of one of them."""
    text, own = TEXT[language], symptom[language]
    bold, plain = ("\x1b[1m", "\x1b[0m") if colour else ("", "")
    lines = [f"{bold}{own['title']}{plain}  ({symptom['id']})", "", own["summary"]]
    if own["causes"]:
        lines += ["", text["causes"].format(command=f"{knowledge.program()} fix {symptom['id']}"), "", *_table(own["causes"])]
    return "\n".join([*lines, "", *_fix(case["name"], own["cases"][case["name"]], text)]).rstrip()


def printable(text: str) -> str:
    return "".join(c if c.isprintable() else " " for c in text)


def columns(text: str) -> int:
    """How many columns of a terminal a text takes: Chinese characters take two."""
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def wrapped(text: str, width: int) -> list[str]:
    """Lines of at most `width` columns, broken at blanks, between Chinese characters, and within a word that is longer."""
    lines = []
    for line in text.strip().split("\n"):
        made = ""
        for piece in re.findall(r"[!-~]+ ?|.", line):
            for part in [piece[at : at + width] for at in range(0, len(piece), width)]:
                if columns((made + part).rstrip()) > width:
                    lines.append(made.rstrip())
                    made = ""
                made += part
        lines.append(made.rstrip())
    return lines


def dumps(data: Any) -> str:
    """JSON to read: Chinese as it is, what could steer a terminal as \\uXXXX."""
    text = json.dumps(data, ensure_ascii=False, indent=1)
    if text.replace("\n", "").isprintable():
        return text
    return "".join(c if c.isprintable() or c == "\n" else json.dumps(c)[1:-1] for c in text)
