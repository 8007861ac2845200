"""What `lookup` and `fix` print for a person."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .. import LANGUAGES
from ..content import words
from ..find import devices, lookup
from ..find.clean import without_escapes
from . import knowledge, roll_call
from .knowledge import Knowledge

if TYPE_CHECKING:
    from ..content.finished import CaseEntry, CaseText, CauseText, SymptomEntry, SymptomText
    from ..find.answer import Answer, Cause, Hit, Often, Origin, Place, Remark
    from ..find.failure import Failure
    from ..find.ranks import First

#: A verb, an id, a case or "" -> what to type, or to call.
More = Callable[[str, str, str], str]
TEXT = {
    language: words.of(language, "answer", "terminal", "punctuation")
    | words.of(language, "afterwards")
    | {"places": words.of(language, "symptom")["places"]}
    for language in LANGUAGES
}


def typed(verb: str, ident: str, case: str = "") -> str:
    """What a person types for more: a command of this package."""
    return " ".join(filter(None, [knowledge.program(), verb, ident, case]))


def render(
    known: Knowledge, answer: Answer, language: str, colour: bool, more: More = typed
) -> str:
    """The answer as lines of text. Control characters of the paste never reach the terminal.

    Args:
        more: names what leads on, to the fix of a case ("fix") and the page ("show").
    """
    text, status = TEXT[language], answer["status"]
    if status in ("empty", "binary"):
        return str(text[status])
    if status in ("none", "origin"):
        parts = ["\n".join(_unknown(known, answer, language))]
    else:
        parts = [text[status]] if status in ("ambiguous", "likely") else []
        shown = answer["hits"] if status == "ambiguous" else answer["hits"][:1]
        parts += ["\n".join(_hit(known, hit, language, colour, more)) for hit in shown]
    if call := answer.get("hang"):
        lines = [printable(line) for line in roll_call.said(call, language)]
        parts = ["\n".join(lines), *(parts if answer["hits"] else [])]
    if first := answer.get("first"):
        parts.insert(0, first_failed(first, language))
    if remarks := answer.get("harmless"):
        parts.append("\n".join([text["harmless"], *(_remark(known, of, text) for of in remarks)]))
    return "\n\n".join(parts)


def first_failed(first: First, language: str) -> str:
    """Which process failed first, and what became of the others, as a sentence."""
    text, frame, others = TEXT[language], first["frame"], first["others"]
    place = f"{frame['file']}:{frame['line']}" if frame else ""
    only = text["first-one" if len(others) == 1 else "first-others"] if others else ""
    said = text["first"].format(
        rank=first["rank"],
        text=first["text"][:300],
        place=text["first-at"].format(place=place) if place else "",
        others=only.format(others=", ".join(others)),
    )
    return printable(said)


def _remark(known: Knowledge, remark: Remark, text: dict[str, Any]) -> str:
    return f"  {known.symptoms[remark['symptom']]['id']}, {text['line'].format(**remark)}"


def _failure(failure: Failure, rung: str, text: dict[str, Any]) -> list[str]:
    """Of a text that ends too soon, what to copy; of another's error, whose it is."""
    line, frame = f"  {printable(failure['text'])}", failure["frame"]
    if rung == "cut":
        return [text["cut"], text["cut-last"], line, *text["cut-how"].split("\n")]
    if failure["kind"] == "stopped":
        return [text["stopped"], line]
    assert frame is not None  # or it would not be called another's
    whose = text["other"] if frame["library"] else text["other-own"]
    place = printable(f"{frame['file']}:{frame['line']}")
    return [
        whose.format(library=printable(frame["library"])),
        line,
        text["other-at"].format(place=place),
    ]


def _unknown(known: Knowledge, answer: Answer, language: str) -> list[str]:
    """What was looked for, where PyTorch writes it if it does, and what to report."""
    text = TEXT[language]
    if answer["status"] == "origin":
        lines = _origin(answer["origin"], language)
    elif failure := answer.get("failure"):
        lines = _failure(failure, answer["rung"], text)
    elif answer["looked_for"]:
        line = f"  {printable(answer['looked_for'])}"
        heading = [] if answer.get("about") else [text["none"]]
        lines = [*heading, text["looked-for"], line, text["elsewhere"]]
    else:
        lines = [text["none"], text["nothing-printed"], text["elsewhere"]]
    if pages := answer.get("about"):
        titles = [f"  {known.title(name, language)}  ({name})" for name in pages]
        lines = (
            [*lines, text["cut-about"], *titles]
            if "failure" in answer
            else [text["about"], *titles, *lines]
        )
    if answer["report"] and "failure" not in answer:
        lines += [text["report"], f"  {printable(answer['report'])}"]
    return lines


def _hit(known: Knowledge, hit: Hit, language: str, colour: bool, more: More) -> list[str]:
    text, symptom = TEXT[language], known.symptoms[hit["symptom"]]
    page = symptom["texts"][language]
    bold, plain = ("\x1b[1m", "\x1b[0m") if colour else ("", "")
    lines = [
        f"{bold}{hit['title'][language]}{plain}  ({symptom['id']})",
        _line_of_paste(hit["line"], hit["raw"], text),
    ]
    if "likely" in hit["why"]:
        lines += [f"  {text['likely-ours']} {hit['wording']}", "  " + text["likely-sure"]]
    if hit["seen_in"]:
        lines.append("  " + text["seen-in"] + ", ".join(hit["seen_in"]))
    if diagnosis := lookup.diagnose(known.index, hit, language):
        lines += ["", printable(diagnosis)]
    if picture := lookup.drawn(known.index, hit, words.of(language, "picture")):
        lines += ["", *("  " + line for line in picture["lines"])]
    if shown := hit["cause"] or hit["often"]:
        title = shown["title"][language].replace("`", "")
        lines += ["", f"{bold}{how_sure(hit, text)}{title}{plain}"]
        lines += _cause(page, shown, text)
    if hit["cause"] is None:
        lines += [bold + text["which"] + plain]
        lines += [text["ask"] + page["ask"]] if page["ask"] else []
        lines += ["", *_table(page["causes"])]
    elif others := [row for row in page["causes"] if row["row"] != hit["row"]]:
        lines += [text["other-causes"] + text["colon"].rstrip(), "", *_table(others)]
    lines += instead(known, hit, lines, text, language)
    lines += ["", text["recover"][hit["recover"]]]
    if len(symptom["cases"]) > 1:
        lines += ["", text["other-fix"].format(command=more("fix", symptom["id"], "CASE"))]
    return [*lines, text["page"].format(command=more("show", symptom["id"], ""))]


def instead(
    known: Knowledge, hit: Hit, shown: list[str], text: dict[str, Any], language: str
) -> list[str]:
    """What stands for CUDA's names in what is shown, where the reader's device is another."""
    families = known.index["devices"]
    names = {one["id"]: one["name"][language] for one in families}
    pairs = [
        text["instead-pair"].format(cuda=f"`{cuda}`", own=f"`{own}`")
        for cuda, own in devices.instead(families, hit.get("device", ""), "\n".join(shown))
    ]
    name = names.get(hit.get("device", ""), "")
    said = text["instead"].format(name=name, pairs=text["enumeration"].join(pairs))
    return ["", said] if pairs else []


def how_sure(hit: Hit, text: dict[str, Any]) -> str:
    """What stands before the title of the cause that is shown first."""
    if cause := hit["cause"]:
        return str(text["leaning" if cause["leaning"] else "cause"])
    threads = hit["often"]["threads"] if hit["often"] else []
    if not threads:
        return str(text["check-first"])
    return str(text["often-of"].format(count=threads[0], of=threads[1]))


def _line_of_paste(number: int, raw: str, text: dict[str, Any]) -> str:
    where = text["line"].format(line=number)
    return f"  {where}{text['colon']}{printable(without_escapes(raw)).strip()[:300]}"


def _cause(page: SymptomText, cause: Cause | Often, text: dict[str, Any]) -> list[str]:
    """The fix of a cause, and how to see whether it is this one."""
    if not cause["case"]:
        return [*_table([row for row in page["causes"] if row["row"] == cause["row"]]), ""]
    case = page["cases"][cause["case"]]
    lines = _fix(cause["case"], case, text)
    if case["check"]:
        lines += [text["check"] + text["colon"].rstrip(), "", *_code(case["check"]), ""]
    return lines


def _origin(origin: Origin, language: str) -> list[str]:
    text, words_of = TEXT[language], words.of(language, "origin")
    lines = [
        words_of["heading"] + text["stop"],
        words_of["no-advice"],
        "",
        _line_of_paste(origin["line"], origin["raw"], text),
        "",
    ]
    for number, place in enumerate(origin["places"]):
        lines += ["", words_of["also"]] if number == 1 else []
        lines.append(("- " if number else "") + origin_sentence(place, language))
        lines += [f"  {words_of['source']}{place['source']}"] if place["source"] else []
        if place["public"]:
            name = words_of["documentation"].format(**place)
            lines.append(f"  {name}{text['colon']}{place['documentation']}")
    return [*lines, "", f"{words_of['issues']}{text['colon']}{origin['search']}", ""]


def origin_sentence(place: Place, language: str) -> str:
    """Where PyTorch writes a message, when, and in which releases: a place of `find.origins.origin`
    as a sentence."""
    words_of = words.of(language, "origin")
    where = "in-function" if place["function"] else "in-file" if place["file"] else "somewhere"
    when = words_of["when"].format(**place) if place["condition"] else ""
    older = words_of["older"] if place["unread"] else ""
    releases = words_of["releases" if place["first"] != place["last"] else "one-release"]
    return printable(words_of[where].format(**place) + when + releases.format(**place, older=older))


def _table(rows: list[CauseText]) -> list[str]:
    """What is seen, what to do then, and the case whose fix that is."""
    return [
        f"  - {row['see']} → {row['do']}" + (f" [{row['case']}]" if row["case"] else "")
        for row in rows
    ]


def _fix(name: str, case: CaseText, text: dict[str, Any]) -> list[str]:
    lines = [text["fix"].format(case=name), ""]
    for place, fix in case["fixes"].items():
        if len(case["fixes"]) > 1:
            lines.append(f"  {text['places'][place]}{text['colon'].rstrip()}")
        lines += [*_code(fix), ""]
    return lines


def _code(source: str) -> list[str]:
    return ["    " + line if line else "" for line in source.splitlines()]


def fix(
    symptom: SymptomEntry, case: CaseEntry, language: str, colour: bool, more: More = typed
) -> str:
    """What the symptom is, the table of its causes, and the fix of one of them."""
    text, page = TEXT[language], symptom["texts"][language]
    bold, plain = ("\x1b[1m", "\x1b[0m") if colour else ("", "")
    lines = [f"{bold}{page['title']}{plain}  ({symptom['id']})", "", page["summary"]]
    if page["causes"]:
        command = more("fix", symptom["id"], "CASE")
        lines += ["", text["causes"].format(command=command), "", *_table(page["causes"])]
    lines += ["", *_fix(case["name"], page["cases"][case["name"]], text)]
    return "\n".join(lines).rstrip()


def printable(text: str) -> str:
    return "".join(c if c.isprintable() else " " for c in text)


def complain(what: str) -> None:
    """Say on standard error what went wrong, if there is one: None would be standard output."""
    if sys.stderr is not None:
        print(f"torchclinic: {printable(what)}", file=sys.stderr)


def dumps(data: Any) -> str:
    """JSON to read: Chinese as it is, what could steer a terminal as \\uXXXX."""
    text = json.dumps(data, ensure_ascii=False, indent=1)
    if text.replace("\n", "").isprintable():
        return text
    return "".join(c if c.isprintable() or c == "\n" else json.dumps(c)[1:-1] for c in text)
