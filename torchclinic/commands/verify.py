"""`torchclinic verify`: run the breaks and fixes of snippets."""

from __future__ import annotations

import argparse
import importlib
import math
import os
import time
from pathlib import Path
from typing import Any

from .. import ROOT
from ..content import evidence, snippet_file
from ..content.problem import BadInput, Problems
from ..content.symptom import Symptom
from ..content.tip import FOLDER
from ..find.answer import Index
from . import knowledge


def add(commands: Any) -> None:
    command = commands.add_parser("verify", help="run the breaks and fixes of snippets")
    add = command.add_argument
    add(
        "ids",
        nargs="*",
        metavar="ID",
        help="symptoms, as topic/stem or stem, and with --mutate tips, as tips/topic/stem; "
        "all if left out",
    )
    add("--device", choices=("cpu", "cuda"), default="cpu", help="where tensors are by default")
    add("--repeat", type=int, default=1, metavar="N", help="run each cell N times, in random order")
    add("--busy", action="store_true", help="keep all cores at work meanwhile, and as many again")
    add("--third-party", action="store_true", help="only symptoms that need a third-party package")
    add("--record", action="store_true", help="write what was seen into evidence/")
    add(
        "--evidence",
        type=Path,
        metavar="DIR",
        help="with --record: another folder than evidence/ of the checkout",
    )
    add(
        "--jobs",
        type=int,
        default=0,
        metavar="N",
        help="cells at a time; from the number of cores if left out",
    )
    add(
        "--mutate",
        action="store_true",
        help="run wrong versions of the fixes, and of the blocks of tips, instead: each must be "
        "caught; in a checkout",
    )
    add(
        "--changed",
        action="store_true",
        help="only symptoms, and with --mutate tips, whose code changed since the record, and "
        "today's share of the others",
    )
    add(
        "--share",
        type=float,
        default=120,
        metavar="SECONDS",
        help="with --changed: processor time that today's share takes; another share each day",
    )
    add(
        "--missing",
        action="store_true",
        help="only symptoms that this torch, Python and device have not run as they stand now; "
        "with --mutate what this device has not",
    )
    add(
        "--within",
        type=float,
        default=math.inf,
        metavar="SECONDS",
        help="begin no cell later than this; with --record --missing the next run goes on",
    )
    add(
        "--plan",
        action="store_true",
        help="run nothing: say in which order, and how long each page took when it was recorded; "
        "in a checkout",
    )
    command.set_defaults(run=run_verify)


def run_verify(options: argparse.Namespace) -> int:
    _check(options)
    until = time.monotonic() + options.within
    from ..run import verify  # cannot be imported on Windows

    if not knowledge.in_checkout():
        index, symptoms = _carried(options.ids)
        known = {f"{evidence.RELEASE}-py{evidence.PYTHON}-cpu"}
    else:
        # A room that this one may not know, and that the wheel leaves out.
        clinic, pages = importlib.import_module("torchclinic.authoring.chosen").chosen(options)
        index = clinic.table
        if options.plan:
            plan = importlib.import_module("torchclinic.authoring.plan")
            plan.show(clinic, pages, options.device, options.mutate)
            return 0
        if options.mutate:
            mutate = importlib.import_module("torchclinic.authoring.mutate").mutate
            root = ROOT if options.record else None
            given = {"device": options.device, "record": root, "jobs": options.jobs}
            return int(mutate(index, pages, until=until, **given))
        symptoms = [page for page in pages if isinstance(page, Symptom)]
        known = {record.environment for record in clinic.evidence}
    folder = options.evidence or ROOT / "evidence"
    return verify.run(
        index,
        symptoms,
        device=options.device,
        record=folder if options.record else None,
        jobs=options.jobs,
        repeat=options.repeat,
        busily=options.busy,
        show=bool(options.ids) and options.repeat == 1,
        missing=folder if options.missing else None,
        known=known,
        until=until,
    )


def _check(options: argparse.Namespace) -> None:
    """Raises: BadInput: these options do not go together, or not here."""
    if not hasattr(os, "fork"):
        raise BadInput(
            "verify shuts each cell into a process of its own, which needs Linux or macOS "
            "(on Windows: WSL)"
        )
    if options.jobs < 0:
        raise BadInput("--jobs is a number of cells at a time, 1 or more")
    if options.repeat < 1 or (options.repeat > 1 and options.record):
        raise BadInput(
            "--repeat is a number of runs, 1 or more, and does not go with --record: "
            "evidence is one run's"
        )
    if options.plan and options.missing and not options.mutate:
        raise BadInput("--plan asks no torch, and so does not know what is --missing")
    if options.share <= 0:
        raise BadInput("--share is a number of seconds")
    if options.within <= 0:
        raise BadInput("--within is a number of seconds")
    for option in ("mutate", "changed", "plan"):
        if getattr(options, option):
            knowledge.need_checkout(f"verify --{option}")
    if options.record and not options.evidence and not knowledge.in_checkout():
        raise BadInput(
            "--record writes into evidence/ of a checkout, and this is none: "
            "name a folder, `--record --evidence DIR`"
        )
    tips = [name for name in options.ids if name.startswith(f"{FOLDER}/")]
    if tips and not options.mutate:
        raise BadInput(
            f"`{tips[0]}` is a tip: `verify --mutate {tips[0]}` tries its blocks, and "
            f"`pytest --codeblocks docs/en/{tips[0]}.md` runs them as they are"
        )


def _carried(ids: list[str]) -> tuple[Index, list[Symptom]]:
    """The index and the symptoms that an installed package carries.

    Raises:
        BadInput: there is no such symptom, or nothing of it to run.
    """
    data = knowledge.load()
    snippets = data.snippets()
    entries = [data.find(name) for name in ids] or [
        entry for stem, entry in data.symptoms.items() if stem in snippets
    ]
    symptoms = []
    for entry in entries:
        stem = entry["id"].rpartition("/")[2]
        # Where it would lie; its name stands in tracebacks.
        file = ROOT / "snippets" / f"{entry['id']}.py"
        carried = snippets[stem]
        code = snippet_file.make(file, carried["text"], carried["facts"], Problems(ROOT))
        symptoms.append(Symptom(code, {}))
    return data.index, symptoms
