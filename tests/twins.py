"""The matchers, and the searches, of both languages side by side: the same texts to both, and where they differ."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from torchclinic import LANGUAGES
from torchclinic.content import index
from torchclinic.find import ladder, lookup
from torchclinic.find.condition import Facts, holds
from torchclinic.find.likely import Likeness
from torchclinic.find.pasted import Pasted

HERE = Path(__file__).resolve().parent


def node() -> str:
    """A Node.js: the one on the PATH, else the one that Playwright carries, so that the tests need no other."""
    found = shutil.which("node")
    if found is None:
        from playwright._impl._driver import compute_driver_executable

        found = compute_driver_executable()[0]
    return str(found)


def lookup_twin(table: Any) -> Twin:
    """Of what the site serves, with what it fetches later."""
    return Twin("twin.mjs", *index.served(table).values())


class Twin:
    """The JavaScript one, in a Node process of its own: a script that is given indexes, and answers each text."""

    def __init__(self, script: str, *indexes: dict[str, Any]):
        self.folder = tempfile.TemporaryDirectory()
        files = [Path(self.folder.name, f"{number}.json") for number in range(len(indexes))]
        for file, data in zip(files, indexes, strict=True):
            file.write_text(json.dumps(data), encoding="utf-8")
        command = [node(), str(HERE / script), *map(str, files)]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
        )

    def ask(self, text: Any) -> Any:
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write(json.dumps(text) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        assert line, f"the JavaScript died on {str(text)[:2000]!r}"
        return json.loads(line)

    def __enter__(self) -> Twin:
        return self

    def __exit__(self, *_: object) -> None:
        assert self.process.stdin and self.process.stdout
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()
        self.folder.cleanup()


#: By the identity of an index, which the tests keep.
LIKENESS: dict[int, Likeness] = {}


def _search(query: str) -> tuple[list[tuple[str, float]], bool]:
    """In place of the search, which has a twin of its own: the longest words are the pages."""
    words = [word for word in query.split(" ") if len(word) > 4]
    return [(word, 1 / (1 + place)) for place, word in enumerate(words)], len(query) % 2 == 1


def python_lookup(index: dict[str, Any], text: str) -> dict[str, Any]:
    """Python's answer, in the form in which the twin gives its own."""
    likeness = LIKENESS.setdefault(id(index), Likeness(index))
    answer = ladder.climb(index, lambda: likeness, text, lambda _: None, _search)
    for hit in answer["hits"]:
        hit["diagnosis"] = {
            language: lookup.diagnose(index, hit, language) for language in LANGUAGES
        }
    return answer


#: Values that a paste may hold: plain ones, and ones that no number holds.
VALUES = ["3", "768", "4096", "-1", "0", "1.5", "1e3", "1e999", "9" * 400, "9" * 401, "0x10", "1_000", "nan", "inf", "", " ", "+7", "1.", ".5", ".", "e5", "1e", "8x864",
          "3, 224, 224", "[1, 256, 1, 1]", "2,", ",".join(["7"] * 65), "1, a, 3", "1.70 GiB", "20 MB", "0 bytes", "5 parsecs", "1e300 TiB", "cuda:0",
          "ReluBackward0", "\u0661", "\u212a", "1 024", "--3", "3-4"]  # fmt: skip
NAMES = ["a", "b", "c", "constructor"]


def condition(rng: random.Random, depth: int = 3) -> list[Any]:
    """A condition of any form that content/condition.py makes."""
    kind = rng.choice(
        [
            "and",
            "or",
            "not",
            "compare",
            "compare",
            "in",
            "paste",
            "frames",
            "also",
            "read",
            "begins",
            "square",
        ]
    )
    if depth and kind in ("and", "or"):
        return [kind, *(condition(rng, depth - 1) for _ in range(rng.randint(1, 3)))]
    if depth and kind == "not":
        return [kind, condition(rng, depth - 1)]
    name = rng.choice(NAMES)
    if kind == "in":
        return [
            kind,
            _value(rng),
            *(
                rng.choice([768, 3.0, ["text", rng.choice(VALUES)]])
                for _ in range(rng.randint(1, 3))
            ),
        ]
    if kind in ("paste", "frames", "also"):
        return [kind, *rng.sample(["File", "loss", "x.py", "Relu", "zz"], rng.randint(1, 2))]
    if kind == "read":
        return [kind, name]
    if kind == "begins":
        return [kind, name, *rng.sample(["Relu", "cuda", "3", "zz"], rng.randint(1, 2))]
    if kind == "square":
        return [kind, _value(rng)]
    one = _value(rng)
    return [rng.choice(["==", "!=", "<", "<=", ">", ">="]), one, rng.choice([_value(rng), one])]


def conditions(count: int, seed: int) -> Iterator[list[Any]]:
    """[condition, text, values, all values of each name, stems]: random conditions over hostile values; the same for the same seed."""
    rng = random.Random(seed)
    for _ in range(count):
        values = {name: rng.choice(VALUES) for name in NAMES if rng.random() < 0.8}
        every = {
            name: [value, *rng.choices(VALUES, k=rng.randint(0, 3))]
            for name, value in values.items()
        }
        clean = "".join(
            rng.choice(
                [
                    *NOISE,
                    "loss",
                    "  --> 3 x",
                    "~/lib/x.py in f(self)",
                    "    loss",
                    "File ~/x.py:3, in f",
                    "\n",
                ]
            )
            for _ in range(rng.randint(0, 8))
        ).replace("\ud800", "")
        yield [condition(rng), clean, values, every, ["zz"]]


def python_holds(asked: list[Any]) -> bool | None:
    tree, clean, values, every, stems = asked
    return holds(tree, Facts(Pasted(clean), values, every, set(stems)))


def _value(rng: random.Random, depth: int = 2) -> Any:
    kind = rng.choice(
        [
            "hole",
            "hole",
            "number",
            "text",
            "item",
            "slice",
            "len",
            "product",
            "bytes",
            "count",
            "kinds",
            "+",
            "-",
            "*",
            "/",
            "%",
        ]
    )
    name, sizes = rng.choice(NAMES), ["sizes", rng.choice(NAMES)]
    if kind == "number":
        return rng.choice([0, 1, 3, -1, 768, 1.5, 2**53 - 1, 1073741824])
    if kind == "text":
        return [kind, rng.choice(VALUES)]
    if kind == "item":
        return [kind, sizes, rng.randint(-5, 5)]
    if kind in ("slice", "len", "product"):
        part = (
            ["slice", sizes, rng.choice([None, -2, 0, 1, 3]), rng.choice([None, -1, 0, 2])]
            if kind == "slice" or rng.random() < 0.5
            else sizes
        )
        return part if kind == "slice" else [kind, part]
    if kind in "+-*/%":
        return [kind, _value(rng, depth - 1), _value(rng, depth - 1)] if depth else ["hole", name]
    return [kind, name]


NOISE = ["\n", "\r", "\r\n", "\t", " ", "  ", "\x1b[31m", "\x1b[0m", "\x1b]0;t\x07", "\x00", "\u00a0", "\u200b", "\uff08", "\u201c", "\U0001f525", "\ud800", "\x85",
         "&lt;", "&amp;", "\\n", "[rank0]: ", "E   ", "\u2502 ", "> ", "(pid=12) ", "2026-01-02 10:00:00,123 ", 'File "x.py", line 3, in f\n', "RuntimeError: ",
         "During handling of the above exception, another exception occurred:\n", "\u6587", "\u0130", "\u212a", "-1", "0x", "[", "]", "(", ")"]  # fmt: skip


def mutations(texts: list[str], count: int, seed: int) -> Iterator[str]:
    """Splices, truncations, flips and noise of the given texts; the same for the same seed."""
    rng = random.Random(seed)
    for _ in range(count):
        text = rng.choice(texts)
        for _ in range(rng.randint(1, 4)):
            at = rng.randrange(len(text) + 1)
            kind = rng.randrange(7)
            if kind == 0:
                other = rng.choice(texts)
                cut = rng.randrange(len(other) + 1)
                text = text[:at] + other[cut : cut + rng.randint(0, 800)] + text[at:]
            elif kind == 1:
                text = text[at:] if rng.random() < 0.5 else text[:at]
            elif kind == 2 and text:
                at = min(at, len(text) - 1)
                text = text[:at] + chr(ord(text[at]) ^ (1 << rng.randrange(7))) + text[at + 1 :]
            elif kind == 3:
                text = text[:at] + rng.choice(NOISE) + text[at:]
            elif kind == 4:
                width = rng.randint(20, 120)  # a terminal's hard wrap
                text = "\n".join(
                    line[i : i + width]
                    for line in text.split("\n")
                    for i in range(0, max(1, len(line)), width)
                )
            elif kind == 5:
                text = text.replace(" ", rng.choice(NOISE), rng.randint(1, 5))
            else:
                prefix = rng.choice(NOISE)
                text = "\n".join(prefix + line for line in text.split("\n"))
        yield text[:6000]
