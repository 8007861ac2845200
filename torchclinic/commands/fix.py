"""`torchclinic fix ID [CASE]`: what it is, which causes it has, and one fix; nothing else."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from .. import LANGUAGES
from ..content.problem import BadInput
from . import knowledge, terminal


def add(commands: Any) -> None:
    command = commands.add_parser("fix", help="what a symptom is, its causes, and one fix")
    command.add_argument("id", metavar="ID", help="topic/stem or stem, as lookup prints it")
    command.add_argument("case", nargs="?", metavar="CASE", help="one of its causes; the most common one if left out")
    command.add_argument("--json", action="store_true", help="print JSON")
    command.add_argument("--lang", choices=LANGUAGES, default=None, help="language of the answer; from the locale if left out")
    command.set_defaults(run=run_fix)


def run_fix(options: argparse.Namespace) -> int:
    symptom = knowledge.load().find(options.id)
    case = choose(symptom, options.case)
    language = options.lang or terminal.language_of_locale()
    if options.json:
        print(terminal.dumps(as_json(symptom, case, language)))
    else:
        print(terminal.fix(symptom, case, language, sys.stdout.isatty()))
    return 0


def choose(symptom: dict[str, Any], name: str | None = None) -> dict[str, Any]:
    """A case by its name; the first, which is the most common one, for None.

    Raises:
        BadInput: the symptom has no such case, or no page yet and so no fix.
    """
    cases = {case["name"]: case for case in symptom["cases"]}
    if not cases:
        docs = f" Official documentation: {', '.join(symptom['docs'])}" if symptom["docs"] else ""
        raise BadInput(f"the message of {symptom['id']} is known; its page is not written yet, so there is no fix here.{docs}")
    if name is not None and name not in cases:
        raise BadInput(f"{symptom['id']} has no case `{name}`; it has {', '.join(cases)}")
    return cases[name] if name is not None else next(iter(cases.values()))


def as_json(symptom: dict[str, Any], case: dict[str, Any], language: str) -> dict[str, Any]:
    """id, title, summary, diagnosis [sentences with {holes} for the values of a message], causes [{row, see, do, say, case}], ask
    (what would tell the cause), recover, docs, and of the one case
    its name, title, needs, check and fixes {"python" or the place of a command: what to copy}."""
    own = symptom[language]
    return {
        "id": symptom["id"],
        **{name: own[name] for name in ("title", "summary", "diagnosis", "causes", "ask")},
        "recover": symptom.get("recover", ""),
        "docs": symptom["docs"],
        "case": {**case, **own["cases"][case["name"]]},
    }
