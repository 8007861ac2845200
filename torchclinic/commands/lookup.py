"""`torchclinic lookup`: find the page of an error text. Exit status: 0 a match, 1 no match (an origin is none), 2 bad input."""

from __future__ import annotations

import argparse
import codecs
import json
import sys
import time
from pathlib import Path
from typing import Any

from .. import LANGUAGES
from ..content.problem import BadInput
from ..find import lookup
from . import knowledge, paste, terminal
from .knowledge import Knowledge


def add(commands: Any) -> None:
    command = commands.add_parser("lookup", help="find the page of an error text")
    command.add_argument("files", nargs="*", default=["-"], metavar="FILE", help="logs, or error files of torchrun; standard input if left out or -")
    command.add_argument("--follow", action="store_true", help="go on reading a growing log and report each new error")
    command.add_argument("--lang", choices=LANGUAGES, default=None, help="language of the answer; from the locale if left out")
    output = command.add_mutually_exclusive_group()
    output.add_argument("--json", action="store_true", help="print JSON")
    output.add_argument(
        "--jsonl",
        action="store_true",
        help='FILE holds lines {"id", "text"}; print a line {"id", "status", "hits", "cause", "leaning"} for each, at once; "origin", places in PyTorch, where "status" is "origin"',
    )
    command.set_defaults(run=run_lookup)


def run_lookup(options: argparse.Namespace) -> int:
    known = knowledge.load()
    language = options.lang or terminal.language_of_locale()
    if options.follow:
        return _follow(known, options.files, language)
    statuses = []
    for file in options.files:
        if options.jsonl:
            _lookup_lines(known, file)
            continue
        text = paste.read(file)
        if text.skipped:
            print(f"torchclinic: {terminal.printable(_only_the_end(file, text.skipped))}", file=sys.stderr)
        result = text.place(known.look_up(text.text))
        statuses.append({"match": 0, "ambiguous": 0, "none": 1, "origin": 1}.get(result["status"], 2))
        if len(options.files) > 1 and not options.json:
            print(f"{'' if file == options.files[0] else chr(10)}== {terminal.printable(file)}")
        if options.json:
            for hit in result["hits"]:
                hit["diagnosis"] = {name: lookup.diagnose(known.index, hit, name) for name in LANGUAGES}
            about = {**({"file": file} if len(options.files) > 1 else {}), **({"skipped": text.skipped} if text.skipped else {})}
            print(terminal.dumps({**about, **result}))
        else:
            print(terminal.render(known, result, language, sys.stdout.isatty()))
    return max(statuses, default=0)


def _only_the_end(file: str, skipped: int) -> str:
    name = "standard input" if file == "-" else file
    return f"{name} is long: its last {paste.LIMIT >> 20} MiB were looked up, {-(-skipped >> 20)} MiB before them were not; lines are counted from there"


#: Characters of a growing log that are looked at again with what is new: an error that was half written is found whole.
WINDOW = 50_000


def _follow(known: Knowledge, files: list[str], language: str) -> int:
    """Report each error of a growing log once, until interrupted (or, for standard input, until it ends)."""
    if len(files) != 1:
        raise BadInput("--follow reads one log")
    try:
        source = sys.stdin.buffer if files[0] == "-" else Path(files[0]).open("rb")  # noqa: SIM115 open until interrupted
    except OSError as error:
        raise BadInput(f"{files[0]} cannot be read ({error.strerror})") from None
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    text, dropped, seen = "", 0, set()
    try:
        while True:
            data = source.read1(1 << 20) if files[0] == "-" else source.read(1 << 20)
            text += decoder.decode(data)
            if data:
                made = paste.unpack(text)
                result = made.place(lookup.lookup(known.index, made.text))
                for hit in result["hits"]:
                    hit["line"] += dropped
                    if (hit["symptom"], hit["line"]) not in seen:
                        seen.add((hit["symptom"], hit["line"]))
                        print(terminal.render(known, {**result, "status": "match", "hits": [hit]}, language, sys.stdout.isatty()) + "\n", flush=True)
                cut = text.rfind("\n", 0, max(0, len(text) - WINDOW)) + 1
                dropped += text.count("\n", 0, cut)
                text = text[cut:]
            elif files[0] == "-":
                return 0 if seen else 1
            else:
                time.sleep(0.3)
    except KeyboardInterrupt:
        return 0 if seen else 1
    finally:
        source.close()


def _lookup_lines(known: Knowledge, name: str) -> None:
    """A line in, a line out at once: another program may be at both ends of the pipe."""
    try:
        source = sys.stdin.buffer if name == "-" else Path(name).open("rb")  # noqa: SIM115 standard input is not ours to close
    except OSError as error:
        raise BadInput(f"{name} cannot be read ({error.strerror})") from None
    for number, line in enumerate(source, 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            ident, text = row["id"], str(row["text"])
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise BadInput(f'line {number} is not {{"id": …, "text": …}}: {error}') from None
        result = known.look_up(paste.unpack(text).text)
        cause = (result["hits"][0]["cause"] if result["hits"] else None) or {}
        answer = {"id": ident, "status": result["status"], "hits": [hit["symptom"] for hit in result["hits"]]}
        if result["status"] == "origin":
            answer["origin"] = result["origin"]["places"]
        print(json.dumps({**answer, "cause": cause.get("case") or None, "leaning": cause.get("leaning", False)}), flush=True)
