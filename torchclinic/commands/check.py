"""`torchclinic check ID` and `preview ID`: all that concerns one page, for its author, drafts included."""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import Any

from .. import LANGUAGES, ROOT
from ..content import catalogue
from ..content.catalogue import Catalogue, UnknownSymptom
from ..content.problem import BadInput
from ..content.symptom import Symptom
from ..find import lookup
from .author import problems_of, report


def add(commands: Any) -> None:
    command = commands.add_parser("check", help="run one page's code, and check all rules that concern it")
    command.add_argument("id", metavar="ID")
    command.add_argument("--record", action="store_true", help="write what was seen into evidence/")
    command.set_defaults(run=run_check)

    command = commands.add_parser("preview", help="build one page alone, and take pictures of it: both languages, phone and desktop, light and dark")
    command.add_argument("id", metavar="ID")
    command.add_argument("--out", type=Path, metavar="FILE.png", help="preview.png in .cache/ if left out")
    command.set_defaults(run=run_preview)


def _find(name: str) -> tuple[Catalogue, Symptom]:
    made = catalogue.load(drafts={name.rpartition("/")[2]})
    try:
        return made, made.find(name)
    except UnknownSymptom as error:
        raise BadInput(str(error)) from None


def run_check(options: argparse.Namespace) -> int:
    """Cells with what they printed, wrong versions of the fixes, what its messages are looked up as, and the rules."""
    from ..run import verify  # cannot be imported on Windows

    made, symptom = _find(options.id)
    if symptom.snippet.broken:
        report(problems_of(made, symptom.id))
        raise BadInput("nothing was run: mend the snippet first")
    table = made.index()
    status = verify.run(table, [symptom], record=ROOT / "evidence" if options.record else None, show=True)
    # What a wrong version shows, where the right one fails, says nothing.
    status |= verify.mutate(table, [symptom], record=ROOT if options.record else None) if not status else 0
    for line in _looked_up(table, symptom):
        print(line)
    made, symptom = _find(options.id) if options.record else (made, symptom)
    status |= report(problems_of(made, symptom.id))
    print(f"{symptom.id}: {'ready' if not status else 'not ready'}" + (", a draft" if symptom.snippet.draft else ""))
    return status


def _looked_up(table: dict[str, Any], symptom: Symptom) -> list[str]:
    """Each wording's sample: the cause that it tells, and which neighbours claim it as well."""
    found = []
    for wording in symptom.snippet.wordings:
        hits = lookup.lookup(table, wording.sample + "".join(f"\n{text}" for text in wording.near[:1]))["hits"]
        own = next((hit for hit in hits if hit["symptom"] == symptom.stem), None)
        cause = own and own["cause"]
        told = "not found" if own is None else f"{'leans to' if cause['leaning'] else 'cause'} {cause['row']}" if cause else "no cause told"
        others = [hit["symptom"] for hit in hits if hit["symptom"] != symptom.stem]
        found.append(f"lookup: {wording.text[:70]}: {told}" + (f"; also {', '.join(others)}" if others else ""))
    return found


def run_preview(options: argparse.Namespace) -> int:
    try:
        from ..site import preview
    except ModuleNotFoundError as error:
        raise BadInput(f"a preview needs the package {error.name}: `python3 -m nox -s page -- {options.id}` installs what is needed") from None
    _, symptom = _find(options.id)
    languages = [language for language in LANGUAGES if language in symptom.pages]
    out = options.out or ROOT / ".cache" / "preview.png"
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="torchclinic-preview-") as folder:
        try:
            preview.pictures(ROOT, symptom, languages, Path(folder), out)
        except preview.CannotShow as error:
            raise BadInput(str(error)) from None
    print(f"{out}: {symptom.id} in {' and '.join(languages)}, {len(languages) * len(preview.VIEWS)} pictures in one")
    return 0
