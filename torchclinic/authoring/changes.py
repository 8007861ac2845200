"""`torchclinic changes`: which breaks print other words on another torch or device."""

from __future__ import annotations

import argparse
from typing import Any

from ..content import catalogue, changes
from .problems import print_all


def add(commands: Any) -> None:
    command = commands.add_parser(
        "changes",
        help="which breaks print other words on another torch or device, as the evidence has them",
    )
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    return print_all(changes.report(catalogue.load(lint=False)))
