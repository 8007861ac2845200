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
from torchclinic.find import lookup

HERE = Path(__file__).resolve().parent


def node() -> str:
    """A Node.js: the one on the PATH, else the one that Playwright carries, so that the tests need no other."""
    found = shutil.which("node")
    if found is None:
        from playwright._impl._driver import compute_driver_executable

        found = compute_driver_executable()[0]
    return str(found)


class Twin:
    """The JavaScript one, in a Node process of its own: a script that is given indexes, and answers each text."""

    def __init__(self, script: str, *indexes: dict[str, Any]):
        self.folder = tempfile.TemporaryDirectory()
        files = [Path(self.folder.name, f"{number}.json") for number in range(len(indexes))]
        for file, index in zip(files, indexes, strict=True):
            file.write_text(json.dumps(index), encoding="utf-8")
        command = [node(), str(HERE / script), *map(str, files)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8")

    def ask(self, text: str) -> dict[str, Any]:
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write(json.dumps(text) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        assert line, f"the JavaScript died on {text[:2000]!r}"
        return json.loads(line)

    def __enter__(self) -> Twin:
        return self

    def __exit__(self, *_: object) -> None:
        assert self.process.stdin and self.process.stdout
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait(10)
        self.folder.cleanup()


def python_lookup(index: dict[str, Any], text: str) -> dict[str, Any]:
    """Python's answer, in the form in which the twin gives its own."""
    answer = lookup.lookup(index, text)
    for hit in answer["hits"]:
        hit["diagnosis"] = {language: lookup.diagnose(index, hit, language) for language in LANGUAGES}
    return answer


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
                text = "\n".join(line[i : i + width] for line in text.split("\n") for i in range(0, max(1, len(line)), width))
            elif kind == 5:
                text = text.replace(" ", rng.choice(NOISE), rng.randint(1, 5))
            else:
                prefix = rng.choice(NOISE)
                text = "\n".join(prefix + line for line in text.split("\n"))
        yield text[:6000]
