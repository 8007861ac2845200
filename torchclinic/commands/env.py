"""`torchclinic env`: where a reader stands: Python, pip, torch and its build, driver, GPUs and
libraries, and which of them fit one another.

Exit status: 0 all fits, 1 something does not, 2 bad input.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from dataclasses import asdict
from datetime import date

from ..content import words
from ..content.problem import BadInput
from . import knowledge, terminal
from .options import Subcommands, add_language

#: Days after which this package's own pages are called old.
OLD = 183


def add(commands: Subcommands) -> None:
    command = commands.add_parser(
        "env",
        help="which Python, torch, driver and libraries are here, and what does not fit",
        epilog="Exit status: 0 all fits, 1 something does not, 2 bad input.",
    )
    command.add_argument(
        "--python",
        default=sys.executable,
        metavar="PROGRAM",
        help="the Python that runs your program; this one if left out",
    )
    command.add_argument(
        "--timeout",
        type=float,
        default=120,
        metavar="SECONDS",
        help="how long `import torch` may take (default 120)",
    )
    command.add_argument("--json", action="store_true", help="print JSON")
    add_language(command)
    command.set_defaults(run=run_env)


def run_env(options: argparse.Namespace) -> int:
    try:
        from .env_judge import Judge
    except ModuleNotFoundError as error:
        if error.name != "packaging":
            raise
        raise BadInput(
            "`env` needs the package packaging: python -m pip install packaging"
        ) from None
    python = shutil.which(options.python)
    if not python:
        raise BadInput(
            f"there is no program `{options.python}`; give --python the path of a Python"
        )
    known = knowledge.load()
    lines = Judge(known, python, options.timeout, options.lang).lines()
    text = words.of(options.lang, "env")
    if options.json:
        print(terminal.dumps({"lines": [asdict(line) for line in lines]}))
    else:
        for line in lines:
            says = [f"{text['names'][line.what]}{text['colon-of']}{terminal.printable(line.found)}"]
            if line.fits:
                says.append(text["fits"])
            elif line.fits is False:
                says.append(text["misfit"].format(why=terminal.printable(line.why)))
            if line.see:
                says.append(text["see"].format(command=f"{knowledge.program()} show {line.see}"))
            print(text["join"].join(says))
    if known.day and (date.today() - date.fromisoformat(known.day)).days > OLD:
        terminal.complain(text["old"].format(day=known.day))
    return 1 if any(line.fits is False for line in lines) else 0
