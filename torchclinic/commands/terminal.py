"""What `lookup` and `fix` print for a person."""

from __future__ import annotations

import json
import os
from typing import Any

from ..find import lookup
from . import knowledge
from .knowledge import Knowledge

TEXT = {
    "en": {
        "empty": "There is nothing to look up: the text is empty. Paste the last lines of what your program printed.",
        "binary": "This is not text. Paste the error text itself, or name a log file.",
        "none": "No match: no page here knows these words. Looked for:",
        "neighbours": "Not a match, but these pages share words with it: {stems}",
        "report": "To report it, without paths, addresses and numbers: {report}",
        "none-hint": "If this is an error of another program or library, its own documentation is the place to ask.",
        "ambiguous": "Several independent errors are in this text, the most likely first.",
        "line": "line {line}",
        "unwritten": "The message is known; its page is not written yet, so there is no fix here.",
        "docs": "Official documentation: {docs}",
        "seen-in": "It shows inside: {stems}",
        "fix": "Fix ({case}):",
        "other": "If that is not your cause, `{command}` tells it from {count} others: {cases}",
        "page": "Page: {path}",
        "causes": "Which cause is yours? `{command} CASE` shows the fix of another:",
    },
    "zh": {
        "empty": "没有可查的内容：文本是空的。请粘贴程序最后打印的几行报错。",
        "binary": "这不是文本。请粘贴报错文字，或者给出日志文件。",
        "none": "没有匹配：这里没有页面认识这段报错。查找的是：",
        "neighbours": "不是匹配，只是用词相近的页面：{stems}",
        "report": "要反馈的话，可以用这一行（已去掉路径、地址和数字）：{report}",
        "none-hint": "如果报错来自别的程序或库，请查它自己的文档。",
        "ambiguous": "这段文本里有几个互不相关的报错，最可能的排在前面。",
        "line": "第 {line} 行",
        "unwritten": "这条报错已收录，但页面还没有写，所以这里没有修复。",
        "docs": "官方文档：{docs}",
        "seen-in": "外层报错：{stems}",
        "fix": "修复（{case}）：",
        "other": "如果不是这个原因，`{command}` 教你分辨另外 {count} 种：{cases}",
        "page": "页面：{path}",
        "causes": "是哪一种原因？看别的修复，用 `{command} CASE`：",
    },
}


def language_of_locale() -> str:
    """`zh` where the user's messages are Chinese, else `en`."""
    name = os.environ.get("LC_ALL") or os.environ.get("LC_MESSAGES") or os.environ.get("LANG")
    if not name:
        import locale

        name = locale.getlocale()[0] or ""
    return "zh" if name.lower().startswith(("zh", "chinese")) else "en"


def render(known: Knowledge, result: dict[str, Any], language: str, colour: bool) -> str:
    """The answer as lines of text. Control characters of the paste never reach the terminal."""
    text = TEXT[language]
    if result["status"] in ("empty", "binary"):
        return text[result["status"]]
    if result["status"] == "none":
        lines = [text["none"], f"  {printable(result['looked_for'])}", text["none-hint"]]
        if result["neighbours"]:
            lines.append(text["neighbours"].format(stems=", ".join(known.symptoms[stem]["id"] for stem in result["neighbours"])))
        lines.append(text["report"].format(report=printable(result["report"])))
        return "\n".join(lines)
    parts = [text["ambiguous"]] if result["status"] == "ambiguous" else []
    shown = result["hits"] if result["status"] == "ambiguous" else result["hits"][:1]
    parts += [_hit(known, hit, language, colour) for hit in shown]
    return "\n\n".join(parts)


def _hit(known: Knowledge, hit: dict[str, Any], language: str, colour: bool) -> str:
    text = TEXT[language]
    bold, plain = ("\x1b[1m", "\x1b[0m") if colour else ("", "")
    lines = [f"{bold}{hit['title'][language]}{plain}  ({hit['topic']}/{hit['symptom']})"]
    lines.append(f"  {text['line'].format(line=hit['line'])}: {printable(hit['raw'].strip())[:300]}")
    if hit["seen_in"]:
        lines.append("  " + text["seen-in"].format(stems=", ".join(hit["seen_in"])))
    diagnosis = lookup.diagnose(known.index, hit, language)
    if diagnosis:
        lines += ["", printable(diagnosis)]
    if not hit["page"]:
        lines += ["", text["unwritten"]]
        lines += [text["docs"].format(docs=hit["docs"])] if hit["docs"] else []
        return "\n".join(lines)
    symptom = known.symptoms[hit["symptom"]]
    first, *others = symptom["cases"]
    lines += ["", *_fix(first, text)]
    if others:
        lines.append(
            text["other"].format(command=f"{knowledge.program()} fix {symptom['id']}", count=len(others), cases=", ".join(case["name"] for case in others))
        )
    lines.append(text["page"].format(path=f"{knowledge.program()} show {symptom['id']}"))
    return "\n".join(lines)


def _fix(case: dict[str, Any], text: dict[str, str]) -> list[str]:
    lines = [text["fix"].format(case=case["name"]), ""]
    for place, fix in case["fixes"].items():
        lines += [*([f"  {place}:"] if len(case["fixes"]) > 1 else []), *("    " + line if line else "" for line in fix.splitlines()), ""]
    return lines


def fix(symptom: dict[str, Any], case: dict[str, Any], language: str, colour: bool) -> str:
    """What the symptom is, the table of its causes, and the fix of one of them."""
    text, own = TEXT[language], symptom[language]
    bold, plain = ("\x1b[1m", "\x1b[0m") if colour else ("", "")
    lines = [f"{bold}{own['title']}{plain}  ({symptom['id']})", "", own["summary"]]
    if own["causes"]:
        lines += ["", text["causes"].format(command=f"{knowledge.program()} fix {symptom['id']}"), ""]
        lines += [f"  - {row['see']} → {row['do']}{''.join(f' [{name}]' for name in row['cases'])}" for row in own["causes"]]
    return "\n".join([*lines, "", *_fix(case, text)]).rstrip()


def printable(text: str) -> str:
    return "".join(c if c.isprintable() else " " for c in text)


def dumps(data: Any) -> str:
    """JSON to read: Chinese as it is, what could steer a terminal as \\uXXXX."""
    text = json.dumps(data, ensure_ascii=False, indent=1)
    if text.replace("\n", "").isprintable():
        return text
    return "".join(c if c.isprintable() or c == "\n" else json.dumps(c)[1:-1] for c in text)
