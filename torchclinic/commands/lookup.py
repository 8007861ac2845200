"""`torchclinic lookup`: find the page of an error text.

Exit status: 0 a match, 1 no match (an origin is none), 2 something could not be read.
"""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from .. import LANGUAGES
from ..content.problem import BadInput
from ..find import lookup
from ..find.answer import Answer
from . import follow, knowledge, paste, source, terminal
from .knowledge import Knowledge
from .options import Subcommands, add_language


def add(commands: Subcommands) -> None:
    command = commands.add_parser(
        "lookup",
        help="find the page of an error text",
        epilog="Exit status: 0 a page was found, or probably; 1 none was; 2 something could not be "
        "read, or the answer not be written.",
    )
    command.add_argument(
        "files",
        nargs="*",
        default=["-"],
        metavar="FILE",
        help="logs (plain, .gz, .zst), or error files of torchrun; standard input if left out or -",
    )
    command.add_argument(
        "--follow",
        action="store_true",
        help="go on reading a growing log and report each new error",
    )
    add_language(command)
    output = command.add_mutually_exclusive_group()
    output.add_argument("--json", action="store_true", help="print JSON")
    output.add_argument(
        "--jsonl",
        action="store_true",
        help='FILE holds lines {"id", "text"}; print a line {"id", "status", "hits", '
        '"cause", "leaning", "row"} for each, at once; "origin", places in PyTorch, where '
        '"status" is "origin"',
    )
    command.set_defaults(run=run_lookup)


def run_lookup(options: argparse.Namespace) -> int:
    known = knowledge.load()
    if options.follow:
        if len(options.files) != 1 or options.jsonl:
            raise BadInput("--follow reads one log, of text")
        return follow.follow(known, options.files[0], options.lang, options.json)
    if options.jsonl:
        for file in options.files:
            for _, (ident, text) in source.rows(file, "id", "text"):
                read = paste.unpack(str(text)).text
                print(json.dumps(row_of(ident, known.look_up(read))), flush=True)
        return 0
    return max(_answer(known, file, options) for file in options.files)


def _answer(known: Knowledge, file: str, options: argparse.Namespace) -> int:
    """Look up a file and print what is known; the exit status. One that cannot be read keeps
    nobody from the answers of the others."""
    try:
        text = paste.read(file)
    except BadInput as error:
        terminal.complain(str(error))
        return 2
    if text.skipped:
        terminal.complain(_only_the_end(file, text.skipped))
    answer = text.place(known.look_up(text.text))
    several = len(options.files) > 1
    if options.json:
        about = {"file": file} if several else {}
        skipped = {"skipped": text.skipped} if text.skipped else {}
        print(terminal.dumps({**about, **skipped, **as_json(known, answer)}))
    else:
        if several:
            print(f"{'' if file == options.files[0] else chr(10)}== {terminal.printable(file)}")
        print(terminal.render(known, answer, options.lang, sys.stdout.isatty()))
    return {"match": 0, "ambiguous": 0, "likely": 0, "none": 1, "origin": 1}.get(
        answer["status"], 2
    )


def as_json(known: Knowledge, answer: Answer) -> dict[str, Any]:
    """An answer as `--json` prints it: each hit with its sentence in both languages."""
    hits = [
        {**hit, "diagnosis": {name: lookup.diagnose(known.index, hit, name) for name in LANGUAGES}}
        for hit in answer["hits"]
    ]
    return {**answer, "hits": hits}


def _only_the_end(file: str, skipped: int) -> str:
    name = "standard input" if file == "-" else file
    return (
        f"{name} is long: its last {paste.LIMIT >> 20} MiB were looked up, "
        f"{-(-skipped >> 20)} MiB before them were not; lines are counted from there"
    )


def row_of(ident: Any, answer: Answer) -> dict[str, Any]:
    cause = answer["hits"][0]["cause"] if answer["hits"] else None
    return {
        "id": ident,
        "status": answer["status"],
        "hits": [hit["symptom"] for hit in answer["hits"]],
        "rung": answer["rung"],
        "about": [name.rpartition("/")[2] for name in answer.get("about", [])],
        **({"origin": answer["origin"]["places"]} if answer["status"] == "origin" else {}),
        "cause": (cause["case"] or None) if cause else None,
        "leaning": bool(cause and cause["leaning"]),
        "row": answer["hits"][0]["row"] if answer["hits"] else "",
    }
