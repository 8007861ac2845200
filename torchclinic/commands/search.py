"""`torchclinic search`: find pages by a few words, in the order of the site's search box. Exit status: 0 found, 1 nothing fits well, 2 bad input."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from .. import LANGUAGES
from ..content import words
from ..content.problem import BadInput
from ..find import lookup
from ..find.search import Searcher, may_be_message, recognised
from . import knowledge, terminal
from .knowledge import Knowledge

#: Results that are printed for a person.
SHOWN = 10


def add(commands: Any) -> None:
    command = commands.add_parser("search", help="find pages by a few words")
    command.add_argument("words", nargs="*", metavar="WORD")
    command.add_argument("--lang", choices=LANGUAGES, default=None, help="language of the pages; from the locale if left out")
    command.add_argument("--jsonl", type=Path, metavar="FILE", help='it holds lines {"id", "lang", "query"}; print lines {"id", "hits", "weak"}')
    command.set_defaults(run=run_search)


class Box:
    """The search box of the site in one language."""

    def __init__(self, table: dict[str, Any], index: dict[str, Any]):
        """`table` is the lookup's index, `index` the search's."""
        self.table, self.index, self.searcher = table, index, Searcher(index)

    def search(self, query: str) -> dict[str, Any]:
        """The search's answer, the lookup's hits first; these under "lookup"."""
        answer = self.searcher.search(query)
        if not may_be_message(query):
            return {**answer, "lookup": []}
        hits = lookup.lookup(self.table, query)["hits"]
        return {**self.searcher.lead(answer, recognised(hits, self.table, query), bool(hits)), "lookup": hits}

    def ids(self, answer: dict[str, Any]) -> list[str]:
        return [self.searcher.docs[hit["doc"]][0] for hit in answer["hits"]]


def run_search(options: argparse.Namespace) -> int:
    if bool(options.words) == bool(options.jsonl):
        raise BadInput("give words to search for, or --jsonl FILE: `torchclinic search loss is nan`")
    made = knowledge.load()
    if options.jsonl:
        return _search_lines(made, options.jsonl)
    language = options.lang or terminal.language_of_locale()
    box = Box(made.index, made.search_index(language))
    answer = box.search(" ".join(options.words))
    text = words.of(language, "search")
    if answer["weak"]:
        print(text["weak-hint"] if answer["hits"] else text["nothing-found"])
    if answer["lookup"] and (sentence := lookup.diagnose(box.table, answer["lookup"][0], language)):
        print(terminal.printable(sentence))
    for hit in answer["hits"][:SHOWN]:
        ident, _, title, _ = box.searcher.docs[hit["doc"]]
        summary, sections = box.searcher.texts[hit["doc"]]
        print(f"{title}  ({ident})" + (f"\n    {summary}" if summary else ""))
        for number, _ in hit["sections"]:
            print(f"    # {sections[number][1]}")
    return int(answer["weak"])


def _search_lines(made: Knowledge, file: Path) -> int:
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"{file} cannot be read as UTF-8 text: {error}") from None
    boxes: dict[str, Box] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            ident, language, query = row["id"], row["lang"], str(row["query"])
        except (ValueError, KeyError, TypeError) as error:
            raise BadInput(f'line {number} is not {{"id": …, "lang": …, "query": …}}: {error}') from None
        if language not in LANGUAGES:
            raise BadInput(f"line {number}: `lang` is {' or '.join(LANGUAGES)}, not {language!r}")
        if language not in boxes:
            boxes[language] = Box(made.index, made.search_index(language))
        answer = boxes[language].search(query)
        print(json.dumps({"id": ident, "hits": boxes[language].ids(answer), "weak": answer["weak"]}))
    sys.stdout.flush()
    return 0
