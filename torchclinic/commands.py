"""What each command does. Exit status: 0 done (lookup: a match), 1 a check failed (lookup: no match), 2 bad input."""

from __future__ import annotations

import argparse
import codecs
import json
import sys
import time
from pathlib import Path
from typing import Any

from . import LANGUAGES, ROOT, catalogue, changes, index, lookup, scaffold
from .catalogue import Catalogue, UnknownSymptom


class BadInput(Exception):
    """What was asked for cannot be done; the message says what to do."""


def add_all(commands: Any) -> None:
    """Add every command to the parser."""
    command = commands.add_parser("catalogue", help="check all files and list the symptoms")
    command.add_argument("--json", action="store_true", help="print JSON")
    command.set_defaults(run=run_catalogue)

    command = commands.add_parser("lookup", help="find the page of an error text")
    command.add_argument("files", nargs="*", default=["-"], metavar="FILE", help="files with the text; standard input if left out or -")
    command.add_argument("--follow", action="store_true", help="go on reading a growing log and report each new error")
    command.add_argument("--lang", choices=LANGUAGES, default=None, help="language of the answer; from the locale if left out")
    output = command.add_mutually_exclusive_group()
    output.add_argument("--json", action="store_true", help="print JSON")
    output.add_argument("--jsonl", action="store_true", help='FILE holds lines {"id", "text"}; print lines {"id", "status", "hits"}')
    command.set_defaults(run=run_lookup)

    command = commands.add_parser("verify", help="run the breaks and fixes of snippets")
    command.add_argument("ids", nargs="*", metavar="ID", help="symptoms, as topic/stem or stem; all if left out")
    command.add_argument("--device", choices=("cpu", "cuda"), default="cpu", help="where tensors are made by default")
    command.add_argument("--repeat", type=int, default=1, metavar="N", help="run each cell N times, in random order")
    command.add_argument("--busy", action="store_true", help="keep every core at work meanwhile")
    command.add_argument("--third-party", action="store_true", help="only symptoms that need a third-party package")
    command.add_argument("--record", action="store_true", help="write what was seen into evidence/")
    command.add_argument("--jobs", type=int, default=0, metavar="N", help="cells at a time; from the number of cores if left out")
    command.add_argument("--plain", action="store_true", help="a new interpreter for each cell, for comparison")
    command.set_defaults(run=run_verify)

    command = commands.add_parser("changes", help="which breaks print other words on another torch or device, as the evidence has them")
    command.set_defaults(run=lambda options: _print_all(changes.report(catalogue.load(lint=False))))

    command = commands.add_parser("new", help="make the three files of a new symptom")
    command.add_argument("id", metavar="TOPIC/STEM")
    command.set_defaults(run=lambda options: _print_all(scaffold.new(ROOT, options.id)))

    command = commands.add_parser("stamp", help="say that Chinese sections follow the English ones of today")
    command.add_argument("id", metavar="TOPIC/STEM", help="a symptom, or a tip as tips/TOPIC/STEM")
    command.add_argument(
        "sections", nargs="*", metavar="SECTION", help="title, summary, diagnosis, see, fix, why, causes, cost, more, or a tip's; all if left out"
    )
    command.add_argument("--format", action="store_true", help="also give the Chinese page full-width punctuation")
    command.set_defaults(run=run_stamp)

    command = commands.add_parser("figures", help="run the scripts of figures and draw what they measured")
    command.add_argument("names", nargs="*", metavar="NAME", help="as in figures/NAME.py; all if left out")
    command.set_defaults(run=run_figures)

    command = commands.add_parser("site", help="build or serve the site")
    command.add_argument("what", choices=("build", "serve"))
    command.add_argument("--out", type=Path, default=ROOT / "site", metavar="DIR")
    command.add_argument("--port", type=int, default=8000)
    command.add_argument("--no-browser", action="store_true", help="do not open a browser")
    command.set_defaults(run=run_site)


def _print_all(lines: list[str]) -> int:
    for line in lines:
        print(line)
    return 0


def report(made: Catalogue) -> int:
    """Print every broken rule; the exit status."""
    for problem in made.problems:
        print(problem, file=sys.stderr)
    if made.problems:
        print(f"{len(made.problems)} problem{'s' * (len(made.problems) > 1)}.", file=sys.stderr)
    return 1 if made.problems else 0


def run_catalogue(options: argparse.Namespace) -> int:
    made = catalogue.load()
    if options.json:
        print(json.dumps(made.as_json(), ensure_ascii=False, indent=1))
        return report(made)
    for symptom in made.symptoms.values():
        states = ", ".join(f"{record.environment} {record.status(symptom.snippet)}" for record in made.evidence) or "no evidence"
        print(f"{symptom.id}\n  {symptom.title('en')}\n  {symptom.title('zh')}")
        needs = f"; needs {', '.join(symptom.snippet.needs)}" if symptom.snippet.needs else ""
        print(f"  {len(symptom.snippet.wordings)} wordings; cases {', '.join(symptom.snippet.cases)}{needs}; tags {', '.join(symptom.snippet.tags)}; {states}")
    for found in made.tips.values():
        print(f"{found.id}\n  {found.title('en')}\n  {found.title('zh')}\n  tags {', '.join(found.tags)}")
    print(f"{len(made.symptoms)} symptoms, {len(made.tips)} tips, {len(made.known)} known messages without a page.")
    return report(made)


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
    from . import answer

    made = catalogue.load(lint=False)
    if made.problems:
        print(f"torchclinic: the catalogue has {len(made.problems)} problems; `python -m torchclinic catalogue` lists them", file=sys.stderr)
    table = index.build(made)
    language = options.lang or answer.language_of_locale()
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
            print(answer.render(made, table, result, language, sys.stdout.isatty()))
    return max(statuses, default=0)


#: Characters of a growing log that are looked at again with what is new: an error that was half written is found whole.
WINDOW = 50_000


def _follow(made: Catalogue, table: dict[str, Any], files: list[str], language: str) -> int:
    """Report each error of a growing log once, until interrupted (or, for standard input, until it ends)."""
    from . import answer

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
                        print(answer.render(made, table, {**result, "status": "match", "hits": [hit]}, language, sys.stdout.isatty()) + "\n", flush=True)
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


def run_verify(options: argparse.Namespace) -> int:
    from . import verify

    made = catalogue.load(lint=False)
    try:
        symptoms = [made.find(name) for name in options.ids] or list(made.symptoms.values())
    except UnknownSymptom as error:
        raise BadInput(str(error)) from None
    if options.third_party:
        symptoms = [symptom for symptom in symptoms if symptom.snippet.packages]
    if options.jobs < 0:
        raise BadInput("--jobs is a number of cells at a time, 1 or more")
    if options.repeat < 1 or (options.repeat > 1 and options.record):
        raise BadInput("--repeat is a number of runs, 1 or more, and does not go with --record: evidence is one run's")
    broken = [symptom for symptom in symptoms if symptom.snippet.broken]
    if broken:
        for problem in made.problems:
            if any(problem.file == f"snippets/{symptom.id}.py" for symptom in broken):
                print(problem, file=sys.stderr)
        raise BadInput("nothing was run: mend these snippets first")
    return verify.run(
        made, symptoms, device=options.device, record=options.record, jobs=options.jobs, plain=options.plain, repeat=options.repeat, busy=options.busy
    )


def run_stamp(options: argparse.Namespace) -> int:
    made = catalogue.load(lint=False)
    try:
        found = made.find_page(options.id)
    except UnknownSymptom as error:
        raise BadInput(str(error)) from None
    try:
        return _print_all(scaffold.stamp(found, options.sections, options.format))
    except ValueError as error:
        raise BadInput(str(error)) from None


def run_figures(options: argparse.Namespace) -> int:
    from . import figures

    known = sorted(file.stem for file in (ROOT / "figures").glob("*.py"))
    if unknown := [name for name in options.names if name not in known]:
        raise BadInput(f"no figure {', '.join(unknown)}; there are {', '.join(known)}")
    for name in options.names or known:
        figures.make(ROOT, name)
        print(f"drew {name}")
    return 0


def run_site(options: argparse.Namespace) -> int:
    from . import site

    if options.what == "build":
        return site.build(ROOT, options.out)
    return site.serve(ROOT, options.port, not options.no_browser)
