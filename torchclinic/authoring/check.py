"""`torchclinic check`: all that concerns one page, for its author, drafts included."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

from .. import ROOT
from ..content.page import SECTIONS
from ..content.problem import BadInput
from ..content.symptom import Symptom
from ..find.answer import Hit, Index
from ..find.lookup import lookup
from .conditions import unmet
from .problems import load_symptom, print_all, problems_of, report


def add(commands: Any) -> None:
    command = commands.add_parser(
        "check", help="run one page's code, and check all rules that concern it"
    )
    command.add_argument("id", metavar="ID")
    command.add_argument("--record", action="store_true", help="write what was seen into evidence/")
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Cells with what they printed, wrong versions of the fixes, what its messages are looked up
    as, and the rules."""
    from ..run import verify  # cannot be imported on Windows
    from . import mutate

    pages, symptom = load_symptom(options.id)
    if symptom.snippet.broken:
        report(problems_of(pages, symptom.id))
        raise BadInput("nothing was run: mend what stops the run first")
    index = pages.table
    evidence = ROOT / "evidence" if options.record else None
    status = verify.run(index, [symptom], record=evidence, show=True)
    if not status:  # what a wrong version shows, where the right one fails, says nothing
        status = mutate.mutate(index, [symptom], record=ROOT if options.record else None)
    if options.record:
        pages, symptom = load_symptom(options.id)
    print_all(_looked_up(index, symptom))
    print_all(f"condition: {line}" for line in unmet(index, symptom, pages.evidence))
    print(f"anchors: {' '.join([*SECTIONS, *symptom.snippet.cases])}")
    status |= report(problems_of(pages, symptom.id))
    draft = ", a draft" if symptom.snippet.draft else ""
    print(f"{symptom.id}: {'not ready' if status else 'ready'}{draft}")
    return status


def _looked_up(index: Index, symptom: Symptom) -> Iterator[str]:
    """Each wording's sample: the cause that it tells, and which neighbours claim it as well."""
    for wording in symptom.snippet.wordings:
        text = "\n".join([wording.sample, *wording.near[:1]])
        hits = lookup(index, text)["hits"]
        line = f"lookup: {wording.text[:70]}: {_told(hits, symptom.stem)}"
        others = [hit["symptom"] for hit in hits if hit["symptom"] != symptom.stem]
        yield line + (f"; also {', '.join(others)}" if others else "")


def _told(hits: list[Hit], stem: str) -> str:
    """Which cause of a symptom its hit tells."""
    hit = next((hit for hit in hits if hit["symptom"] == stem), None)
    if hit is None:
        return "not found"
    if not hit["cause"]:
        return "no cause told"
    return f"{'leans to' if hit['cause']['leaning'] else 'cause'} {hit['cause']['row']}"
