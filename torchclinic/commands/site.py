"""`torchclinic site`: build or serve the site."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from .. import ROOT
from ..site import build, server
from . import terminal


def add(commands: Any) -> None:
    command = commands.add_parser("site", help="build or serve the site")
    command.add_argument("what", choices=("build", "serve"))
    command.add_argument("--out", type=Path, default=ROOT / "site", metavar="DIR")
    command.add_argument("--port", type=int, default=8000)
    command.add_argument("--no-browser", action="store_true", help="do not open a browser")
    command.set_defaults(run=run_site)


def run_site(options: argparse.Namespace) -> int:
    if options.what == "build":
        return build.build(ROOT, options.out)
    return server.serve(ROOT, options.port, not options.no_browser, terminal.language_of_locale())
