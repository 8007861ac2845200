"""Differential fuzz: random mutations of pastes to both matchers; any difference is printed and fails.

python tests/benchmarks/fuzz.py [--pastes PASTES.jsonl] [--count 200000] [--seed 1]
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent.parent), str(HERE.parent)]

from twins import Twin, mutations, python_lookup

from torchclinic.content import catalogue


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pastes", type=Path, help='lines {"text": …}; the test vectors if left out')
    parser.add_argument("--count", type=int, default=200_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if options.pastes:
        texts = [json.loads(line)["text"] for line in options.pastes.read_text(encoding="utf-8").splitlines() if line.strip()]
    else:
        texts = [vector["text"] for vector in json.loads((HERE.parent / "vectors.json").read_text(encoding="utf-8")) if vector["text"]]
    table = catalogue.load().index()
    texts += ["".join(part if isinstance(part, str) else "3" for part in wording["parts"]) for wording in table["wordings"]]
    started, differences, statuses = time.monotonic(), 0, Counter[str]()
    with Twin("twin.mjs", table) as twin:
        for number, text in enumerate(mutations(texts, options.count, options.seed), 1):
            here, there = python_lookup(table, text), twin.ask(text)
            statuses[here["status"]] += 1
            if here != there:
                differences += 1
                if differences <= 5:
                    print(f"DIFFERENT on {text!r}\n  Python     {here}\n  JavaScript {there}")
            if number % 20_000 == 0:
                print(f"{number} of {options.count}: {differences} differences, {time.monotonic() - started:.0f} s", file=sys.stderr)
    print(f"{options.count} mutations of {len(texts)} texts: {differences} differences between Python and JavaScript ({dict(statuses)})")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
