"""What someone needs who writes pages: `catalogue`, `new`, `publish`, `stamp`, `changes`, `figures`."""

from __future__ import annotations

import argparse
import itertools
import json
import shutil
import sys
from typing import Any

from .. import ROOT
from ..content import catalogue, changes, figure
from ..content.catalogue import Catalogue, UnknownSymptom
from ..content.problem import BadInput, Problem
from ..content.symptom import Symptom
from ..content.tip import Tip
from ..run import figures
from . import scaffold, terminal


def add(commands: Any) -> None:
    command = commands.add_parser("catalogue", help="check all files, and print which rules are broken")
    command.add_argument("ids", nargs="*", metavar="ID", help="only what concerns these symptoms or tips; drafts too")
    output = command.add_mutually_exclusive_group()
    output.add_argument("--list", action="store_true", help="list the symptoms and tips")
    output.add_argument("--json", action="store_true", help="print the symptoms as JSON")
    command.set_defaults(run=run_catalogue)

    command = commands.add_parser("new", help="make the three files of a new symptom, as a draft")
    command.add_argument("id", metavar="TOPIC/STEM")
    command.add_argument("--cases", default="main-cause", metavar="A,B,C", help="its causes, the most common first")
    command.set_defaults(run=lambda options: _print_all(scaffold.new(ROOT, options.id, options.cases.split(","))))

    command = commands.add_parser("publish", help="make a draft that breaks no rule a page of the site")
    command.add_argument("id", metavar="TOPIC/STEM")
    command.set_defaults(run=lambda options: _print_all(scaffold.publish(ROOT, options.id)))

    command = commands.add_parser("stamp", help="say that Chinese sections follow the English ones of today")
    command.add_argument("id", metavar="TOPIC/STEM", help="a symptom, or a tip as tips/TOPIC/STEM")
    command.add_argument(
        "sections",
        nargs="*",
        metavar="SECTION",
        help="those that follow, such as title, see, fix, why, causes; if left out, all that were never stamped, and each that changed is shown and asked for",
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


def report(problems: list[Problem]) -> int:
    """Print every broken rule; the exit status."""
    for problem in problems:
        print(problem, file=sys.stderr)
    if problems:
        print(f"{len(problems)} problem{'s' * (len(problems) > 1)}.", file=sys.stderr)
    return 1 if problems else 0


def problems_of(made: Catalogue, ident: str) -> list[Problem]:
    """The broken rules in the files of one page, by its id."""
    return [problem for problem in made.problems if problem.file.rpartition(".")[0].endswith(f"/{ident}")]


def run_catalogue(options: argparse.Namespace) -> int:
    made = catalogue.load(drafts={name.rpartition("/")[2] for name in options.ids})
    try:
        chosen = [made.find_page(name) for name in options.ids]
    except UnknownSymptom as error:
        raise BadInput(str(error)) from None
    if options.json:
        print(json.dumps(made.as_json(), ensure_ascii=False, indent=1))
    elif options.list:
        _list(made)
    if chosen:
        return report([problem for one in chosen for problem in problems_of(made, one.id)])
    if not options.json:
        print(f"{len(made.symptoms)} symptoms, {len(made.tips)} tips, {len(made.known)} known messages without a page.")
        for draft in made.drafts.values():
            missing = problems_of(catalogue.load(drafts={draft.stem}), draft.id)
            print(
                f"draft {draft.id}: "
                + (f"{missing[0].message}{f' (and {len(missing) - 1} more)' if missing[1:] else ''}" if missing else "ready to be published")
            )
    return report(made.problems)


def _list(made: Catalogue) -> None:
    for symptom in made.symptoms.values():
        states = ", ".join(f"{record.environment} {record.status(symptom.snippet)}" for record in made.evidence) or "no evidence"
        print(f"{symptom.id}\n  {symptom.title('en')}\n  {symptom.title('zh')}")
        needs = f"; needs {', '.join(symptom.snippet.needs)}" if symptom.snippet.needs else ""
        print(f"  {len(symptom.snippet.wordings)} wordings; cases {', '.join(symptom.snippet.cases)}{needs}; tags {', '.join(symptom.snippet.tags)}; {states}")
    for found in made.tips.values():
        print(f"{found.id}\n  {found.title('en')}\n  {found.title('zh')}\n  tags {', '.join(found.tags)}")


def run_stamp(options: argparse.Namespace) -> int:
    made = catalogue.load(lint=False, drafts={options.id.rpartition("/")[2]})
    try:
        found = made.find_page(options.id)
    except UnknownSymptom as error:
        raise BadInput(str(error)) from None
    try:
        new, changed = scaffold.unstamped(found)
        if changed and not options.sections:
            if not sys.stdin.isatty():
                raise BadInput(f"`{'`, `'.join(changed)}` changed in English: name those that the Chinese follows, or answer at a terminal")
            new += [name for name in changed if _agrees(found, name)]
        if not (options.sections or new or options.format or scaffold.untranslated(found)):
            print("nothing was stamped")
            return 0
        return _print_all(scaffold.stamp(found, options.sections or new, options.format))
    except ValueError as error:
        raise BadInput(str(error)) from None


def _agrees(found: Symptom | Tip, name: str) -> bool:
    """Show both texts of a section side by side, and ask."""
    english, chinese = (found.pages[language].texts()[name] for language in ("en", "zh"))
    width = (shutil.get_terminal_size().columns - 3) // 2
    print(f"\n== {name}")
    for left, right in itertools.zip_longest(terminal.wrapped(english, width), terminal.wrapped(chinese, width), fillvalue=""):
        print(left + " " * (width - terminal.columns(left)) + " | " + right)
    while True:
        answer = input("Does the Chinese say what the English says? [y/n] ").strip().lower()
        if answer in ("y", "n"):
            return answer == "y"


def run_figures(options: argparse.Namespace) -> int:
    known = sorted(file.stem for file in (ROOT / figure.SCRIPTS).glob("*.py"))
    if unknown := [name for name in options.names if name not in known]:
        raise BadInput(f"no figure {', '.join(unknown)}; there are {', '.join(known)}")
    for name in options.names or known:
        figures.make(ROOT, name)
        print(f"drew {name}")
    return 0
