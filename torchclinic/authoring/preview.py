"""`torchclinic preview`: pictures of one page, drafts included."""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import Any

from .. import LANGUAGES, ROOT
from ..content.problem import BadInput
from .problems import load_symptom


def add(commands: Any) -> None:
    command = commands.add_parser(
        "preview",
        help="build one page alone, and take pictures of it: both languages, phone and desktop,"
        " light and dark",
    )
    command.add_argument("id", metavar="ID")
    command.add_argument(
        "--out", type=Path, metavar="FILE.png", help="preview.png in .cache/ if left out"
    )
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    try:
        from ..site import preview
    except ModuleNotFoundError as error:
        raise BadInput(
            f"a preview needs the package {error.name}: `python3 -m nox -s page -- {options.id}`"
            " installs what is needed"
        ) from None
    _, symptom = load_symptom(options.id, lint=False, check=False)
    languages = [language for language in LANGUAGES if language in symptom.pages]
    out = options.out or ROOT / ".cache" / "preview.png"
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="torchclinic-preview-") as folder:
        try:
            preview.pictures(ROOT, symptom, languages, Path(folder), out)
        except preview.CannotShow as error:
            raise BadInput(str(error)) from None
    pictures = len(languages) * len(preview.VIEWS)
    print(f"{out}: {symptom.id} in {' and '.join(languages)}, {pictures} pictures in one")
    return 0
