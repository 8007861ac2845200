"""`torchclinic search`: find pages by a few words, in the order of the site's search box.

Exit status: 0 found, 1 nothing fits well, 2 bad input.
"""

from __future__ import annotations

import argparse
import json

from .. import LANGUAGES
from ..content import words
from ..content.problem import BadInput
from ..find import lookup
from ..find.answer import Hit, Index
from ..find.search import Found, lead, may_be_message, recognised, search
from ..find.search_table import SearchIndex, SearchTable
from . import knowledge, source, terminal
from .knowledge import Knowledge
from .options import Subcommands, add_language

#: Results that are printed for a person.
SHOWN = 10


def add(commands: Subcommands) -> None:
    command = commands.add_parser(
        "search",
        help="find pages by a few words",
        epilog="Exit status: 0 found, 1 nothing fits well, 2 bad input.",
    )
    command.add_argument("words", nargs="*", metavar="WORD")
    add_language(command, "the pages")
    command.add_argument(
        "--all", action="store_true", help=f"print all results, not only the first {SHOWN}"
    )
    command.add_argument(
        "--jsonl",
        metavar="FILE",
        help='it holds lines {"id", "query"}, of another language with "lang"; print lines '
        '{"id", "hits", "weak"}; standard input for -',
    )
    command.set_defaults(run=run_search)


class Answer(Found):
    lookup: list[Hit]  # the lookup's hits, whose pages come first


class Box:
    """The search box of the site in one language."""

    def __init__(self, index: Index, search_index: SearchIndex):
        self.index, self.search_index = index, search_index
        self.table = SearchTable(search_index)

    def search(self, query: str) -> Answer:
        found = search(self.table, query)
        hits: list[Hit] = []
        if may_be_message(query):
            hits = lookup.lookup(self.index, query)["hits"]
            stems = recognised(hits, self.index, query)
            found = lead(self.table, found, stems, bool(hits))
        return {**found, "lookup": hits}

    def ids(self, found: Found) -> list[str]:
        return [self.table.docs[hit["doc"]][0] for hit in found["hits"]]


def run_search(options: argparse.Namespace) -> int:
    if bool(options.words) == bool(options.jsonl):
        raise BadInput(
            "give words to search for, or --jsonl FILE: `torchclinic search loss is nan`"
        )
    known = knowledge.load()
    if options.jsonl:
        return _search_lines(known, options.jsonl, options.lang)
    language = options.lang
    box = Box(known.index, known.search_index(language))
    answer = box.search(" ".join(options.words))
    text = words.of(language, "search")
    if answer["weak"]:
        print(text["weak-hint"] if answer["hits"] else text["nothing-found"])
    if answer["lookup"] and (sentence := lookup.diagnose(box.index, answer["lookup"][0], language)):
        print(terminal.printable(sentence))
    shown = answer["hits"] if options.all else answer["hits"][:SHOWN]
    for hit in shown:
        ident, _, title, _ = box.table.docs[hit["doc"]]
        summary, sections = box.table.texts[hit["doc"]]
        print(f"{title}  ({ident})" + (f"\n    {summary}" if summary else ""))
        for number, _ in hit["sections"]:
            print(f"    # {sections[number][1]}")
    if more := len(answer["hits"]) - len(shown):
        print(text["more"].format(count=more))
    return int(answer["weak"])


def _search_lines(known: Knowledge, name: str, default: str) -> int:
    boxes: dict[str, Box] = {}  # opened as they are needed
    rows = source.rows(name, "id", "lang", "query", lang=default)
    for number, (ident, language, query) in rows:
        if language not in LANGUAGES:
            raise BadInput(f"line {number}: `lang` is {' or '.join(LANGUAGES)}, not {language!r}")
        if language not in boxes:
            boxes[language] = Box(known.index, known.search_index(language))
        answer = boxes[language].search(str(query))
        row = {"id": ident, "hits": boxes[language].ids(answer), "weak": answer["weak"]}
        print(json.dumps(row), flush=True)
    return 0
