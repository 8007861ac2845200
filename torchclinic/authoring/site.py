"""`torchclinic site`: build or serve the site, or write it out for another generator."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from .. import ROOT
from ..content import catalogue, words
from ..content.problem import BadInput


def add(commands: Any) -> None:
    command = commands.add_parser(
        "site", help="build or serve the site, or write it out as plain Markdown"
    )
    command.add_argument(
        "what",
        choices=("build", "serve", "stage"),
        help="stage: the tree of Markdown, with all directives expanded, for any generator",
    )
    command.add_argument(
        "--out",
        type=Path,
        metavar="DIR",
        help="site/ if left out; .cache/serve/ for `serve`, stage/ for `stage`",
    )
    command.add_argument(
        "--generator",
        choices=("mkdocs", "properdocs"),
        default="mkdocs",
        help="what `build` runs: MkDocs, or its maintained fork",
    )
    command.add_argument("--port", type=int, default=8000)
    command.add_argument("--no-browser", action="store_true", help="do not open a browser")
    command.set_defaults(run=run_site)


def run_site(options: argparse.Namespace) -> int:
    try:
        # Their packages are installed only where a site is built.
        from ..site import build, builds, stage
    except ModuleNotFoundError as error:
        raise BadInput(
            f"building the site needs the package {error.name}: "
            "`python3 -m nox -s site` and `-s serve` install what is needed"
        ) from None
    if options.what == "build":
        out = options.out or ROOT / "site"
        return build.build(catalogue.load(ROOT), out, generator=options.generator)
    if options.what == "stage":
        return stage.stage(ROOT, options.out or ROOT / "stage")
    return builds.serve(
        ROOT,
        options.out or ROOT / ".cache" / "serve",
        options.port,
        not options.no_browser,
        words.language_of_locale(),
    )
