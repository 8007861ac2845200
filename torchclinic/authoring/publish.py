"""`torchclinic publish`: a draft that breaks no rule becomes a page of the site."""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import Any

from .. import ROOT
from ..content import catalogue
from ..content.problem import BadInput
from .problems import print_all, problems_of


def add(commands: Any) -> None:
    command = commands.add_parser(
        "publish", help="make a draft that breaks no rule a page of the site"
    )
    command.add_argument("id", metavar="TOPIC/STEM")
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    return print_all(publish(ROOT, options.id))


def publish(root: Path, name: str) -> list[str]:
    """Take `draft: true` out of a snippet's header. Returns what was done.

    Raises:
        BadInput: there is no such draft, or it still breaks rules; nothing was written.
    """
    stem = name.rpartition("/")[2]
    pages = catalogue.load(root, drafts={stem}, only=stem)
    symptom = pages.symptoms.get(stem)
    if symptom is None or not symptom.snippet.draft:
        drafts = ", ".join(draft.id for draft in pages.drafts.values())
        raise BadInput(f"no draft `{name}`; there are {drafts or 'none'}")
    problems = problems_of(pages, symptom.id)
    if problems:
        more = f" (and {len(problems) - 1} more; `check {symptom.id}`)" if problems[1:] else ""
        raise BadInput(f"{symptom.id} is not ready: {problems[0]}{more}")
    file = symptom.snippet.file
    text = file.read_text(encoding="utf-8")
    text = re.sub(r"^# draft:.*\n", "", text, count=1, flags=re.MULTILINE)
    file.write_text(text, encoding="utf-8")
    return [f"published {symptom.id}"]
