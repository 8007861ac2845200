"""`torchclinic lookup`: find the page of an error text. Exit status: 0 a match, 1 no match, 2 bad input."""

from __future__ import annotations

import argparse
import codecs
import json
import sys
import time
from pathlib import Path
from typing import Any

from .. import LANGUAGES
from ..content import catalogue
from ..content.catalogue import Catalogue
from ..content.problem import BadInput
from ..find import lookup
from . import terminal


def add(commands: Any) -> None:
    command = commands.add_parser("lookup", help="find the page of an error text")
    command.add_argument("files", nargs="*", default=["-"], metavar="FILE", help="files with the text; standard input if left out or -")
    command.add_argument("--follow", action="store_true", help="go on reading a growing log and report each new error")
    command.add_argument("--lang", choices=LANGUAGES, default=None, help="language of the answer; from the locale if left out")
    output = command.add_mutually_exclusive_group()
    output.add_argument("--json", action="store_true", help="print JSON")
    output.add_argument("--jsonl", action="store_true", help='FILE holds lines {"id", "text"}; print lines {"id", "status", "hits"}')
    command.set_defaults(run=run_lookup)


def decode(data: bytes) -> str:
    """Text from the bytes of a paste: UTF-8, or UTF-16 as PowerShell writes it; bytes that are neither become U+FFFD."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return data.decode("utf-16", "replace")
    if data[1:200:2].count(0) > len(data[1:200:2]) // 2:
        return data.decode("utf-16-le", "replace")
    return data.decode("utf-8", "replace")


def _read_paste(file: str) -> str:
    if file == "-":
        return decode(sys.stdin.buffer.read())
    try:
        return decode(Path(file).read_bytes())
    except OSError as error:
        raise BadInput(
            f"{file} cannot be read ({error.strerror}). Give a file, or pipe the text in: `python train.py 2>&1 | python -m torchclinic lookup`"
        ) from None


def run_lookup(options: argparse.Namespace) -> int:
    made = catalogue.load(lint=False)
    if made.problems:
        print(f"torchclinic: the catalogue has {len(made.problems)} problems; `python -m torchclinic catalogue` lists them", file=sys.stderr)
    table = made.index()
    language = options.lang or terminal.language_of_locale()
    if options.follow:
        return _follow(made, table, options.files, language)
    statuses = []
    for file in options.files:
        paste = _read_paste(file)
        if options.jsonl:
            _lookup_lines(table, paste)
            continue
        result = lookup.lookup(table, paste)
        statuses.append({"match": 0, "ambiguous": 0, "none": 1}.get(result["status"], 2))
        if len(options.files) > 1 and not options.json:
            print(f"{'' if file == options.files[0] else chr(10)}== {file}")
        if options.json:
            for hit in result["hits"]:
                hit["diagnosis"] = {name: lookup.diagnose(table, hit, name) for name in LANGUAGES}
            print(json.dumps(result if len(options.files) == 1 else {"file": file, **result}, ensure_ascii=False, indent=1))
        else:
            print(terminal.render(made, table, result, language, sys.stdout.isatty()))
    return max(statuses, default=0)


#: Characters of a growing log that are looked at again with what is new: an error that was half written is found whole.
WINDOW = 50_000


def _follow(made: Catalogue, table: dict[str, Any], files: list[str], language: str) -> int:
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
                result = lookup.lookup(table, text)
                for hit in result["hits"]:
                    hit["line"] += dropped
                    if (hit["symptom"], hit["line"]) not in seen:
                        seen.add((hit["symptom"], hit["line"]))
                        print(terminal.render(made, table, {**result, "status": "match", "hits": [hit]}, language, sys.stdout.isatty()) + "\n", flush=True)
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


def _lookup_lines(table: dict[str, Any], text: str) -> None:
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            ident, paste = row["id"], row["text"]
        except (ValueError, KeyError, TypeError) as error:
            raise BadInput(f'line {number} is not {{"id": …, "text": …}}: {error}') from None
        result = lookup.lookup(table, str(paste))
        print(json.dumps({"id": ident, "status": result["status"], "hits": [hit["symptom"] for hit in result["hits"]]}))
