"""`torchclinic catalogue`: all files checked, and what they hold."""

from __future__ import annotations

import argparse
from typing import Any

from ..content import catalogue
from ..content.catalogue import Catalogue, UnknownSymptom
from ..content.problem import BadInput
from .problems import print_all, problems_of, report


def add(commands: Any) -> None:
    command = commands.add_parser(
        "catalogue", help="check all files, and print which rules are broken"
    )
    command.add_argument(
        "ids", nargs="*", metavar="ID", help="only what concerns these symptoms or tips; drafts too"
    )
    command.add_argument(
        "--list", action="store_true", help="list the symptoms, with their cases, and the tips"
    )
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    stems = {name.rpartition("/")[2] for name in options.ids}
    pages = catalogue.load(drafts=stems, only=next(iter(stems)) if len(stems) == 1 else "")
    try:
        chosen = [pages.find_page(name) for name in options.ids]
    except UnknownSymptom as error:
        raise BadInput(str(error)) from None
    if options.list:
        print_all(_listed(pages))
    if chosen:
        return report(problem for page in chosen for problem in problems_of(pages, page.id))
    print(f"{len(pages.symptoms)} symptoms, {len(pages.tips)} tips.")
    for draft in pages.drafts.values():
        print(f"draft {draft.id}: {_lacks(draft.id)}")
    return report(pages.problems)


def _lacks(ident: str) -> str:
    """What a draft still lacks, its first problem named."""
    stem = ident.rpartition("/")[2]
    problems = problems_of(catalogue.load(drafts={stem}, only=stem), ident)
    if not problems:
        return "ready to be published"
    return problems[0].message + (f" (and {len(problems) - 1} more)" if problems[1:] else "")


def _listed(pages: Catalogue) -> list[str]:
    lines = []
    for symptom in pages.symptoms.values():
        snippet = symptom.snippet
        lines += [symptom.id, f"  {symptom.title('en')}", f"  {symptom.title('zh')}"]
        facts = [
            f"{len(snippet.wordings)} wordings",
            f"cases {', '.join(snippet.cases)}",
            *([f"needs {', '.join(snippet.needs)}"] if snippet.needs else []),
            f"tags {', '.join(snippet.tags)}",
            ", ".join(f"{record.environment} {record.status(snippet)}" for record in pages.evidence)
            or "no evidence",
        ]
        lines.append(f"  {'; '.join(facts)}")
    for tip in pages.tips.values():
        lines += [tip.id, f"  {tip.title('en')}", f"  {tip.title('zh')}"]
        lines.append(f"  tags {', '.join(tip.facts.tags)}")
    return lines
