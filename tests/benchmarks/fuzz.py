"""Differential fuzz: random mutations of pastes, of PyTorch's own messages and of queries, and random conditions, to both twins; any difference is printed and fails.

python tests/benchmarks/fuzz.py [--pastes PASTES.jsonl] [--count 200000] [--seed 1]
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent.parent), str(HERE.parent)]

from twins import Twin, conditions, lookup_twin, mutations, python_holds, python_lookup

from tools.origins import table as tables
from torchclinic import LANGUAGES, ROOT
from torchclinic.commands import knowledge
from torchclinic.commands.search import Box
from torchclinic.content import catalogue
from torchclinic.find import origins_table
from torchclinic.find.origins import origin
from torchclinic.site import knowledge_parts as maker


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--pastes", type=Path, help='lines {"text": …}; the test vectors if left out'
    )
    parser.add_argument(
        "--count",
        type=int,
        default=200_000,
        help="mutations for the lookup, and conditions; origins and the searches get a tenth of it each",
    )
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if options.pastes:
        texts = [
            json.loads(line)["text"]
            for line in options.pastes.read_text(encoding="utf-8").splitlines()
            if line.strip()
        ]
    else:
        texts = [
            vector["text"]
            for vector in json.loads((HERE.parent / "vectors.json").read_text(encoding="utf-8"))
            if vector["text"]
        ]
    clinic = catalogue.load()
    table = clinic.index()
    texts += [
        "".join(part if isinstance(part, str) else "3" for part in wording["parts"])
        for wording in table["wordings"]
    ]
    with lookup_twin(table) as twin:
        differences = compare(
            "lookups",
            mutations(texts, options.count, options.seed),
            lambda text: python_lookup(table, text),
            twin,
        )
    if own := knowledge.Knowledge({}, {}, {}, {}).origins():
        mine = [
            *texts,
            *(
                "ValueError: "
                + "".join(part if isinstance(part, str) else "3" for part in wording["parts"])
                for wording in own["wordings"]
            ),
        ]
        with Twin("origins-twin.mjs", tables.load(ROOT / origins_table.FILE), table) as twin:
            differences += compare(
                "origins",
                mutations(mine, options.count // 10, options.seed),
                lambda text: origin(own, text),
                twin,
            )
    with Twin("condition-twin.mjs", table["tables"]) as twin:
        differences += compare(
            "conditions", conditions(options.count, options.seed), python_holds, twin
        )
    queries = [
        json.loads(line)["query"]
        for line in (HERE.parent / "data" / "queries.jsonl")
        .read_text(encoding="utf-8")
        .splitlines()
    ]
    for language in LANGUAGES:
        box = Box(table, maker.search_index(clinic, language))
        with Twin("search-twin.mjs", box.search_index, box.index) as twin:
            differences += compare(
                f"searches ({language})",
                mutations(queries, options.count // 10, options.seed),
                lambda text, box=box: without_lookup(box.search(text)),
                twin,
            )
    return 1 if differences else 0


def without_lookup(answer: dict[str, Any]) -> dict[str, Any]:
    """A search's answer as its twin gives it."""
    there = {name: value for name, value in answer.items() if name != "lookup"}
    told: dict[str, Any] = json.loads(json.dumps(there))
    return told


def compare(name: str, asked: Iterable[Any], here: Callable[[Any], Any], twin: Twin) -> int:
    """Ask both; print and count the differences."""
    started, number, differences = time.monotonic(), 0, 0
    for number, one in enumerate(asked, 1):
        answers = here(one), twin.ask(one)
        if answers[0] != answers[1]:
            differences += 1
            if differences <= 5:
                print(f"DIFFERENT on {one!r}\n  Python     {answers[0]}\n  JavaScript {answers[1]}")
        if number % 20_000 == 0:
            print(
                f"{name}: {number}, {differences} differences, {time.monotonic() - started:.0f} s",
                file=sys.stderr,
            )
    print(f"{number} {name}: {differences} differences between Python and JavaScript")
    return differences


if __name__ == "__main__":
    sys.exit(main())
