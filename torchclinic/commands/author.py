"""What someone needs who writes pages: `catalogue`, `new`, `stamp`, `changes`, `figures`."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from .. import ROOT
from ..content import catalogue, changes, figure
from ..content.catalogue import Catalogue, UnknownSymptom
from ..content.problem import BadInput
from ..run import figures
from . import scaffold


def add(commands: Any) -> None:
    command = commands.add_parser("catalogue", help="check all files and list the symptoms")
    command.add_argument("--json", action="store_true", help="print JSON")
    command.set_defaults(run=run_catalogue)

    command = commands.add_parser("new", help="make the three files of a new symptom")
    command.add_argument("id", metavar="TOPIC/STEM")
    command.set_defaults(run=lambda options: _print_all(scaffold.new(ROOT, options.id)))

    command = commands.add_parser("stamp", help="say that Chinese sections follow the English ones of today")
    command.add_argument("id", metavar="TOPIC/STEM", help="a symptom, or a tip as tips/TOPIC/STEM")
    command.add_argument(
        "sections", nargs="*", metavar="SECTION", help="title, summary, diagnosis, see, fix, why, causes, cost, more, or a tip's; all if left out"
    )
    command.add_argument("--format", action="store_true", help="also give the Chinese page full-width punctuation")
    command.set_defaults(run=run_stamp)

    command = commands.add_parser("changes", help="which breaks print other words on another torch or device, as the evidence has them")
    command.set_defaults(run=lambda options: _print_all(changes.report(catalogue.load(lint=False))))

    command = commands.add_parser("figures", help="run the scripts of figures and draw what they measured")
    command.add_argument("names", nargs="*", metavar="NAME", help="as in docs/figures/NAME.py; all if left out")
    command.set_defaults(run=run_figures)


def _print_all(lines: list[str]) -> int:
    for line in lines:
        print(line)
    return 0


def report(made: Catalogue) -> int:
    """Print every broken rule; the exit status."""
    for problem in made.problems:
        print(problem, file=sys.stderr)
    if made.problems:
        print(f"{len(made.problems)} problem{'s' * (len(made.problems) > 1)}.", file=sys.stderr)
    return 1 if made.problems else 0


def run_catalogue(options: argparse.Namespace) -> int:
    made = catalogue.load()
    if options.json:
        print(json.dumps(made.as_json(), ensure_ascii=False, indent=1))
        return report(made)
    for symptom in made.symptoms.values():
        states = ", ".join(f"{record.environment} {record.status(symptom.snippet)}" for record in made.evidence) or "no evidence"
        print(f"{symptom.id}\n  {symptom.title('en')}\n  {symptom.title('zh')}")
        needs = f"; needs {', '.join(symptom.snippet.needs)}" if symptom.snippet.needs else ""
        print(f"  {len(symptom.snippet.wordings)} wordings; cases {', '.join(symptom.snippet.cases)}{needs}; tags {', '.join(symptom.snippet.tags)}; {states}")
    for found in made.tips.values():
        print(f"{found.id}\n  {found.title('en')}\n  {found.title('zh')}\n  tags {', '.join(found.tags)}")
    print(f"{len(made.symptoms)} symptoms, {len(made.tips)} tips, {len(made.known)} known messages without a page.")
    return report(made)


def run_stamp(options: argparse.Namespace) -> int:
    made = catalogue.load(lint=False)
    try:
        found = made.find_page(options.id)
    except UnknownSymptom as error:
        raise BadInput(str(error)) from None
    try:
        return _print_all(scaffold.stamp(found, options.sections, options.format))
    except ValueError as error:
        raise BadInput(str(error)) from None


def run_figures(options: argparse.Namespace) -> int:
    known = sorted(file.stem for file in (ROOT / figure.SCRIPTS).glob("*.py"))
    if unknown := [name for name in options.names if name not in known]:
        raise BadInput(f"no figure {', '.join(unknown)}; there are {', '.join(known)}")
    for name in options.names or known:
        figures.make(ROOT, name)
        print(f"drew {name}")
    return 0
