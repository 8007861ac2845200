"""The roll-call of a program that hangs, and its verdict, in words."""

from __future__ import annotations

from typing import Any

from ..content import words
from ..find.hang import Group, RollCall

#: [what the processes are called by, are they workers of loaders?] -> of one, of several.
NAMES = {
    ("rank", False): ("rank", "ranks"),
    ("rank", True): ("worker-of-rank", "workers-of-ranks"),
    ("process", False): ("process", "processes"),
    ("process", True): ("worker", "workers"),
}


def said(call: RollCall, language: str) -> list[str]:
    """A line for each place, and the verdict; not fit for a terminal yet: it holds what the text
    held. docs/assets/lookup-page.js shows the same."""
    text, verdict = words.of(language, "hang", "punctuation"), call["verdict"]
    lines = [_line(call, group, text) for group in call["groups"]]
    worker = verdict["name"].startswith("worker-")
    sentence = text["verdicts"][verdict["name"]].format(
        who=_who(call["by"], verdict["who"], worker, text),
        others=_who(call["by"], verdict["others"], False, text),
        at=text["at"].format(place=verdict["place"]) if verdict["place"] else "",
    )
    return [*lines, "", sentence]


def _line(call: RollCall, group: Group, text: dict[str, Any]) -> str:
    kind = text["kinds"].get(group["kind"], text["kinds"]["own"])
    moves = text["moves"] if group["works"] else ""
    parts = [kind.format(detail=group["detail"]), group["place"], moves]
    who = _who(call["by"], group["who"], group["worker"], text)
    return f"{who}{text['colon']}{' · '.join(filter(None, parts))}"


def _who(by: str, names: list[str], worker: bool, text: dict[str, Any]) -> str:
    one, several = NAMES[by, worker]
    name: str = text["names"][one if len(names) == 1 else several]
    return name.format(names=text["enumeration"].join(names))
