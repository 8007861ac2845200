"""`torchclinic fix ID [CASE]`: what it is, which causes it has, and one fix; nothing else."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from ..content.finished import CaseEntry, SymptomEntry
from ..content.problem import BadInput
from . import knowledge, terminal
from .options import Subcommands, add_language


def add(commands: Subcommands) -> None:
    command = commands.add_parser("fix", help="what a symptom is, its causes, and one fix")
    command.add_argument("id", metavar="ID", help="topic/stem or stem, as lookup prints it")
    command.add_argument(
        "case", nargs="?", metavar="CASE", help="one of its causes; the most common one if left out"
    )
    command.add_argument("--json", action="store_true", help="print JSON")
    add_language(command)
    command.set_defaults(run=run_fix)


def run_fix(options: argparse.Namespace) -> int:
    symptom = knowledge.load().find(options.id)
    case = choose(symptom, options.case)
    if options.json:
        print(terminal.dumps(as_json(symptom, case, options.lang)))
    else:
        print(terminal.fix(symptom, case, options.lang, sys.stdout.isatty()))
    return 0


def choose(symptom: SymptomEntry, name: str | None = None) -> CaseEntry:
    """A case by its name; the first, which is the most common one, for None.

    Raises:
        BadInput: the symptom has no such case.
    """
    cases = {case["name"]: case for case in symptom["cases"]}
    if name is not None and name not in cases:
        raise BadInput(f"{symptom['id']} has no case `{name}`; it has {', '.join(cases)}")
    return cases[name] if name is not None else next(iter(cases.values()))


def as_json(symptom: SymptomEntry, case: CaseEntry, language: str) -> dict[str, Any]:
    """What `--json` prints; of the cases the chosen one, with its texts. content/finished.py says
    what each holds."""
    text = symptom["texts"][language]
    return {
        "id": symptom["id"],
        "title": text["title"],
        "summary": text["summary"],
        "diagnosis": text["diagnosis"],
        "causes": text["causes"],
        "ask": text["ask"],
        "recover": symptom["recover"],
        "docs": symptom["docs"],
        "case": {**case, **text["cases"][case["name"]]},
    }
