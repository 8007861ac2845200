"""Wrong versions of a command that is handed out: another version, package, variable or option."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..content import command, snippet
from ..content.snippet import Case
from .mutants import Mutant

_BOUND = re.compile(r"(?<=[A-Za-z0-9_-])(<=|>=|==|<|>)(?=\d)")
_OTHER = {"<": ">=", ">": "<=", "<=": ">", ">=": "<", "==": "!="}
_BUILD = re.compile(r"(?<=/whl/)\w+")
_OPTION = re.compile(r" --?[A-Za-z][\w-]*(?:=\S+)?(?= |$)", re.MULTILINE)
_SWAPPED = {"0": "1", "1": "0", "true": "false", "false": "true", "True": "False", "False": "True"}


def versions(text: str) -> Iterator[tuple[str, str]]:
    """(name, wrong text) of a place's commands."""
    code = command.uncommented(text)
    for bound in _BOUND.finditer(code):
        words = re.search(r"\S+$", code[: bound.start()])
        new = _OTHER[bound[0]]
        yield f"swap: {new} in {words[0] if words else ''}{bound[0]}…", _put(code, bound, new)
    for build in _BUILD.finditer(code):
        new = "cu126" if build[0] == "cpu" else "cpu"
        yield f"swap: {new} for {build[0]}", _put(code, build, new)
    named = command.read("shell", code)
    for program, name in sorted(named.packages):
        bare = re.split("[<>=~!]", name)[0]
        if stands := re.search(rf"(?<![\w-]){re.escape(bare)}(?![\w-])", code):
            yield f"swap: other-{bare} in {program}", _put(code, stands, f"other-{bare}")
    for name, value in sorted(named.variables):
        if stands := re.search(rf"\b{name}\b", code):
            yield f"swap: OTHER_{name}", _put(code, stands, f"OTHER_{name}")
        held = re.search(rf"\b{name}\b\"?\]?( ?= ?\"?)({re.escape(value)})", code)
        if held and value:
            new = _SWAPPED.get(value, f"{value}9")
            yield f"swap: {name}={new}", code[: held.start(2)] + new + code[held.end(2) :]
    for option in _OPTION.finditer(code):
        yield f"without:{option[0]}", _put(code, option, "")
    lines = [line for line in code.splitlines() if line.strip()]
    for at, line in enumerate(lines if len(lines) > 1 else ()):
        rest = "\n".join(lines[:at] + lines[at + 1 :])
        yield f"without: {' '.join(line.split())[:60]}", rest


def _put(text: str, place: re.Match[str], new: str) -> str:
    return text[: place.start()] + new + text[place.end() :]


def of(case: Case) -> list[Mutant]:
    """The wrong versions of each command that a case's proof runs, as programs."""
    mutants: dict[str, Mutant] = {}
    for place in sorted(case.commands_run):
        for name, text in versions(case.commands[place]):
            wrong = {**case.commands, place: text}
            source = snippet.with_commands(case.cells["proof"], wrong)
            mutants.setdefault(f"{name} ({place})", Mutant(f"{name} ({place})", source))
    return list(mutants.values())
