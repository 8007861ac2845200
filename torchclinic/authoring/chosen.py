"""Which pages of a checkout `verify` runs."""

from __future__ import annotations

import argparse
import datetime
import math
import sys
import zlib

from .. import ROOT
from ..content import catalogue, mutation
from ..content.catalogue import Catalogue, UnknownSymptom
from ..content.problem import BadInput
from ..content.symptom import Symptom
from ..content.tip import Tip
from . import plan


def chosen(options: argparse.Namespace) -> tuple[Catalogue, list[Symptom | Tip]]:
    """The catalogue, and of what is asked for by name the pages that the other options leave.

    Raises:
        BadInput: one of them cannot be run.
    """
    clinic = _read(options)
    pages = _asked(clinic, options)
    if options.third_party:
        pages = [page for page in pages if page.snippet.packages]
    if options.changed:
        pages = _changed(clinic, pages, options)
    if options.missing and options.mutate:
        mutants = mutation.read(ROOT, options.device)
        pages = [page for page in pages if mutants.of(page.snippet) is None]
    return clinic, plan.by_value(clinic, pages) if options.device == "cuda" else pages


def _read(options: argparse.Namespace) -> Catalogue:
    """The catalogue of a checkout, if the snippets that are asked for can be run.

    Raises:
        BadInput: they cannot.
    """
    clinic = catalogue.load(lint=False, drafts={name.rpartition("/")[2] for name in options.ids})
    try:
        files = [page.snippet.file for page in _asked(clinic, options) if page.snippet.broken]
    except UnknownSymptom as error:
        raise BadInput(str(error)) from None
    broken = {file.relative_to(ROOT).as_posix() for file in files}
    for problem in clinic.problems:
        if problem.file in broken:
            print(problem, file=sys.stderr)
    if broken:
        raise BadInput("nothing was run: mend these files first")
    return clinic


def _asked(clinic: Catalogue, options: argparse.Namespace) -> list[Symptom | Tip]:
    """What is named; of nothing named all symptoms, and where wrong versions are run all tips.

    Raises:
        UnknownSymptom: names the nearest ids.
    """
    return [clinic.find_page(name) for name in options.ids] or [
        *clinic.symptoms.values(),
        *(clinic.tips.values() if options.mutate else ()),
    ]


def _changed(
    clinic: Catalogue, pages: list[Symptom | Tip], options: argparse.Namespace
) -> list[Symptom | Tip]:
    """Pages whose code changed since the record of this device, and today's share of the others.

    The record is that of the release that CI runs.
    """
    recorded = plan.record_of(clinic, options.device)
    mutants = mutation.read(ROOT, options.device)
    changed, others = [], []
    for page in pages:
        code = page.snippet
        seconds = plan.seconds_of(code, recorded)
        if options.mutate:
            entry = mutants.of(code)
            same = entry is not None
            cost = sum(
                seconds[code.cases[name].cure.name] * (case.tried + 1)
                for name, case in (entry.cases if entry else {}).items()
            )
        else:
            status = recorded.status(code) if recorded and not recorded.lacks(code) else ""
            same = status in ("passed", "partly", "skipped")
            cost = sum(seconds.values())
        if same:
            others.append((page, cost))
        else:
            changed.append(page)
    today = datetime.date.today().toordinal()
    return changed + _todays_share(others, options.share, today)


def _todays_share(
    pages: list[tuple[Symptom | Tip, float]], share: float, day: int
) -> list[Symptom | Tip]:
    """A part of the pages (each with the seconds that it takes) that takes about `share` seconds.

    Another part each day: what others changed under an unchanged record is found out in time.
    """
    total = sum(seconds for _, seconds in pages)
    parts = max(1, math.ceil(total / share))
    chosen, before = [], 0.0
    for page, seconds in sorted(pages, key=lambda pair: zlib.crc32(pair[0].stem.encode())):
        if int(before / (total or 1) * parts) == day % parts:
            chosen.append(page)
        before += seconds
    return chosen
