"""`torchclinic verify`: run the breaks and fixes of snippets."""

from __future__ import annotations

import argparse
import datetime
import os
import sys
import zlib
from pathlib import Path
from typing import Any

from .. import ROOT
from ..content import catalogue, evidence, mutation, snippet
from ..content.catalogue import Catalogue, UnknownSymptom
from ..content.problem import BadInput, Problems
from ..content.symptom import Symptom
from ..content.tip import FOLDER, Tip
from . import knowledge


def add(commands: Any) -> None:
    command = commands.add_parser("verify", help="run the breaks and fixes of snippets")
    command.add_argument("ids", nargs="*", metavar="ID", help="symptoms, as topic/stem or stem, and with --mutate tips, as tips/topic/stem; all if left out")
    command.add_argument("--device", choices=("cpu", "cuda"), default="cpu", help="where tensors are made by default")
    command.add_argument("--repeat", type=int, default=1, metavar="N", help="run each cell N times, in random order")
    command.add_argument("--busy", action="store_true", help="keep every core at work meanwhile")
    command.add_argument("--third-party", action="store_true", help="only symptoms that need a third-party package")
    command.add_argument("--record", action="store_true", help="write what was seen into evidence/")
    command.add_argument("--evidence", type=Path, metavar="DIR", help="with --record: another folder than evidence/ of the checkout")
    command.add_argument("--jobs", type=int, default=0, metavar="N", help="cells at a time; from the number of cores if left out")
    command.add_argument("--plain", action="store_true", help="a new interpreter for each cell, for comparison")
    command.add_argument("--mutate", action="store_true", help="run wrong versions of the fixes, and of the blocks of tips, instead: each must be caught")
    command.add_argument(
        "--changed", action="store_true", help="only symptoms, and with --mutate tips, whose code changed since the record, and today's share of the others"
    )
    command.add_argument("--missing", action="store_true", help="only symptoms that this torch, Python and device have not run as they stand now")
    command.set_defaults(run=run_verify)


#: Days in which every symptom's turn comes once, with --changed: as it stands, and in its wrong versions.
DAYS, DAYS_OF_MUTANTS = 5, 20


def _is_todays(stem: str, days: int) -> bool:
    """A share of the symptoms, another one each day: what others changed under an unchanged record is found out in time."""
    return zlib.crc32(stem.encode()) % days == datetime.date.today().toordinal() % days


def _changed(made: Catalogue, symptoms: list[Symptom | Tip], options: argparse.Namespace) -> list[Symptom | Tip]:
    """Those whose code changed since the record of this device, on the release that CI runs, and today's share of the others."""
    if options.mutate:
        record = mutation.read(ROOT, options.device)
        return [one for one in symptoms if record.of(one.snippet) is None or _is_todays(one.stem, DAYS_OF_MUTANTS)]
    recorded = next((one for one in made.evidence if one.torch == evidence.RELEASE and one.python == evidence.PYTHON and one.device == options.device), None)
    return [one for one in symptoms if not recorded or recorded.status(one.snippet) not in ("passed", "partly", "skipped") or _is_todays(one.stem, DAYS)]


def run_verify(options: argparse.Namespace) -> int:
    if not hasattr(os, "fork"):
        raise BadInput("verify shuts each cell into a process of its own, which needs Linux or macOS (on Windows: WSL)")
    if options.jobs < 0:
        raise BadInput("--jobs is a number of cells at a time, 1 or more")
    if options.repeat < 1 or (options.repeat > 1 and options.record):
        raise BadInput("--repeat is a number of runs, 1 or more, and does not go with --record: evidence is one run's")
    if options.changed or (options.mutate and options.record):
        knowledge.need_checkout("verify --changed" if options.changed else "verify --mutate --record")
    if options.record and not options.evidence and not knowledge.in_checkout():
        raise BadInput("--record writes into evidence/ of a checkout, and this is none: name a folder, `--record --evidence DIR`")
    from ..run import verify  # cannot be imported on Windows

    if not options.mutate and (tips := [name for name in options.ids if name.startswith(f"{FOLDER}/")]):
        raise BadInput(
            f"`{tips[0]}` is a tip: `verify --mutate {tips[0]}` tries its blocks, and `pytest --codeblocks docs/en/{tips[0]}.md` runs them as they are"
        )
    made = _read_checkout(options) if knowledge.in_checkout() else None
    table, symptoms = (made.index(), _asked(made, options)) if made else _carried(options.ids)
    if options.third_party:
        symptoms = [symptom for symptom in symptoms if symptom.snippet.packages]
    if options.changed and made:
        symptoms = _changed(made, symptoms, options)
    if options.mutate:
        return verify.mutate(table, symptoms, device=options.device, record=ROOT if options.record else None, jobs=options.jobs)
    folder = options.evidence or ROOT / "evidence"
    return verify.run(
        table,
        symptoms,
        device=options.device,
        record=folder if options.record else None,
        jobs=options.jobs,
        plain=options.plain,
        repeat=options.repeat,
        busily=options.busy,
        show=bool(options.ids) and options.repeat == 1,
        missing=folder if options.missing else None,
        known={record.environment for record in made.evidence} if made else {f"{evidence.RELEASE}-py{evidence.PYTHON}-cpu"},
    )


def _asked(made: Catalogue, options: argparse.Namespace) -> list[Symptom | Tip]:
    """What is named; of nothing named all symptoms, and where wrong versions are run all tips.

    Raises:
        UnknownSymptom: names the nearest ids.
    """
    return [made.find_page(name) for name in options.ids] or [*made.symptoms.values(), *(made.tips.values() if options.mutate else ())]


def _read_checkout(options: argparse.Namespace) -> Catalogue:
    """The catalogue of a checkout, if the snippets that are asked for can be run."""
    made = catalogue.load(lint=False, drafts={name.rpartition("/")[2] for name in options.ids})
    try:
        broken = [symptom for symptom in _asked(made, options) if symptom.snippet.broken]
    except UnknownSymptom as error:
        raise BadInput(str(error)) from None
    for problem in made.problems:
        if any(problem.file == symptom.snippet.file.relative_to(ROOT).as_posix() for symptom in broken):
            print(problem, file=sys.stderr)
    if broken:
        raise BadInput("nothing was run: mend these files first")
    return made


def _carried(ids: list[str]) -> tuple[dict[str, Any], list[Symptom]]:
    """The index and the symptoms that an installed package carries."""
    known = knowledge.load()
    snippets = known.snippets()
    entries = [known.find(name) for name in ids] or [entry for stem, entry in known.symptoms.items() if stem in snippets]
    symptoms = []
    for entry in entries:
        stem = entry["id"].rpartition("/")[2]
        if stem not in snippets:
            raise BadInput(f"the message of {entry['id']} is known; its page is not written yet, so there is nothing to run")
        file = ROOT / "snippets" / f"{entry['id']}.py"  # where it would lie; its name stands in tracebacks
        symptoms.append(Symptom(snippet.make(file, snippets[stem]["text"], snippets[stem]["facts"], Problems(ROOT)), {}))
    return known.index, symptoms
