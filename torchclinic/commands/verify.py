"""`torchclinic verify`: run the breaks and fixes of snippets."""

from __future__ import annotations

import argparse
import datetime
import sys
import zlib
from typing import Any

from ..content import catalogue, mutation
from ..content.catalogue import UnknownSymptom
from ..content.problem import BadInput
from ..run import verify


def add(commands: Any) -> None:
    command = commands.add_parser("verify", help="run the breaks and fixes of snippets")
    command.add_argument("ids", nargs="*", metavar="ID", help="symptoms, as topic/stem or stem; all if left out")
    command.add_argument("--device", choices=("cpu", "cuda"), default="cpu", help="where tensors are made by default")
    command.add_argument("--repeat", type=int, default=1, metavar="N", help="run each cell N times, in random order")
    command.add_argument("--busy", action="store_true", help="keep every core at work meanwhile")
    command.add_argument("--third-party", action="store_true", help="only symptoms that need a third-party package")
    command.add_argument("--record", action="store_true", help="write what was seen into evidence/")
    command.add_argument("--jobs", type=int, default=0, metavar="N", help="cells at a time; from the number of cores if left out")
    command.add_argument("--plain", action="store_true", help="a new interpreter for each cell, for comparison")
    command.add_argument("--mutate", action="store_true", help="run wrong versions of the fixes instead: each must be caught by its proof")
    command.add_argument(
        "--changed", action="store_true", help="with --mutate: only symptoms whose code changed since the record, and today's share of the others"
    )
    command.set_defaults(run=run_verify)


#: Days in which every symptom's turn comes once, with --changed.
DAYS = 20


def _is_todays(stem: str) -> bool:
    """A share of the symptoms, another one each day: what others changed under an unchanged record is found out in time."""
    return zlib.crc32(stem.encode()) % DAYS == datetime.date.today().toordinal() % DAYS


def run_verify(options: argparse.Namespace) -> int:
    made = catalogue.load(lint=False)
    try:
        symptoms = [made.find(name) for name in options.ids] or list(made.symptoms.values())
    except UnknownSymptom as error:
        raise BadInput(str(error)) from None
    if options.third_party:
        symptoms = [symptom for symptom in symptoms if symptom.snippet.packages]
    if options.jobs < 0:
        raise BadInput("--jobs is a number of cells at a time, 1 or more")
    if options.repeat < 1 or (options.repeat > 1 and options.record):
        raise BadInput("--repeat is a number of runs, 1 or more, and does not go with --record: evidence is one run's")
    broken = [symptom for symptom in symptoms if symptom.snippet.broken]
    if broken:
        for problem in made.problems:
            if any(problem.file == f"snippets/{symptom.id}.py" for symptom in broken):
                print(problem, file=sys.stderr)
        raise BadInput("nothing was run: mend these snippets first")
    if options.changed:
        record = mutation.read(made.root, options.device)
        symptoms = [symptom for symptom in symptoms if record.of(symptom.snippet) is None or _is_todays(symptom.stem)]
    if options.mutate:
        return verify.mutate(made, symptoms, device=options.device, record=options.record, jobs=options.jobs)
    return verify.run(
        made, symptoms, device=options.device, record=options.record, jobs=options.jobs, plain=options.plain, repeat=options.repeat, busily=options.busy
    )
