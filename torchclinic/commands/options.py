"""What several commands' options have in common."""

from __future__ import annotations

import argparse
from typing import TypeAlias

from .. import LANGUAGES
from ..content.words import language_of_locale

#: Where a command adds itself.
Subcommands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"


def add_language(command: argparse.ArgumentParser, of: str = "the answer") -> None:
    command.add_argument(
        "--lang",
        choices=LANGUAGES,
        default=language_of_locale(),
        help=f"language of {of}; from the locale if left out",
    )
