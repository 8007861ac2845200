"""The two matchers on 1 MB of text: how often the time of a plain pass, with more wordings, at worst.

`python tests/benchmarks/bench.py speed` takes a minute. Everything is measured twice: with the
symptoms of today, and with a made-up catalogue of 600, of the same words.
"""

from __future__ import annotations

import gzip
import json
import random
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from twins import node

from torchclinic import LANGUAGES
from torchclinic.content import catalogue, index
from torchclinic.find.answer import Index, SymptomEntry
from torchclinic.find.ladder import climb
from torchclinic.find.likely import Likeness
from torchclinic.find.lookup import lookup
from torchclinic.find.wording import HOLES, Part, Wording

HERE = Path(__file__).resolve().parent
MEGABYTE = 1_000_000
HOSTILE = 40
SYMPTOMS = 600


def compare(*works: Callable[[], object], times: int = 9) -> list[float]:
    """For each work but the first: how many times the first's processor time it takes.

    They run in turns, so a busy machine slows all of them.
    """
    rounds = [[once(work) for work in works] for _ in range(times + 1)][1:]
    return [statistics.median(row[at] / row[0] for row in rounds) for at in range(1, len(works))]


def once(work: Callable[[], object]) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started


def training_log() -> str:
    """1 MB of what training prints, with a progress bar, warnings, and a traceback at the end."""
    rng = random.Random(0)
    lines = []
    size = step = 0
    while size < MEGABYTE - 2000:
        step += 1
        line = rng.choice(
            (
                f"2026-11-21 12:{step % 60:02d}:{step % 59:02d},123 INFO train.py:{step % 400} "
                f"epoch {step // 100} step {step} loss {rng.random():.4f} lr 1e-4",
                f"[rank{step % 8}]: step {step}: loss={rng.random():.4f}, "
                f"grad_norm={rng.random():.3f}, tokens/s={rng.randrange(90000)}",
                f" {step % 100}%|{'#' * (step % 30):<30}| {step}/9999 "
                f"[00:{step % 60:02d}<02:13, {rng.random() * 9:.2f}it/s]",
                f"saving checkpoint to /data/runs/exp{step % 9}/step_{step}.pt",
                '  File "/usr/lib/python3.12/site-packages/torch/nn/modules/module.py", '
                "line 1773, in _wrapped_call_impl",
            )
        )
        lines.append(line)
        size += len(line) + 1
    return "\n".join(
        [
            *lines,
            "Traceback (most recent call last):",
            '  File "train.py", line 9, in <module>',
            "    model(x)",
            "RuntimeError: mat1 and mat2 shapes cannot be multiplied (64x400 and 784x10)\n",
        ]
    )


def hostile(table: Index) -> dict[str, str]:
    """1 MB of repeats of wordings' own pieces.

    The first literal, all but its end, its holes filled to the brim, its anchor. Another sample in
    every run.
    """
    anchors = {number: word for word, numbers in table["anchors"].items() for number in numbers}
    texts = {}
    for number in random.Random().sample(range(len(table["wordings"])), HOSTILE):
        parts = table["wordings"][number]["parts"]
        first = str(parts[0])
        filled = "".join(part if isinstance(part, str) else _full(part[1]) for part in parts[:-1])
        kind, piece = random.choice(
            [
                ("first", first),
                ("open", filled or first),
                ("line", (filled or first) + "\n"),
                ("word", anchors[number] + " "),
            ]
        )
        name = f"{kind} of {table['wordings'][number]['symptom']}"
        texts[name] = piece * (MEGABYTE // len(piece))
    return texts


def _full(kind: str) -> str:
    characters, most = HOLES[kind]
    return (characters[:1] or "x") * most


def multiplied(table: Index, times: int) -> Index:
    """The index with `times` as many wordings; the added ones are of words that no log has."""
    rng = random.Random(1)
    wordings, anchors = list(table["wordings"]), dict(table["anchors"])
    for wording in table["wordings"] * (times - 1):
        words = [
            "".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=rng.randint(4, 11)))
            for _ in range(8)
        ]
        for word in sorted(words, key=len)[-2:]:
            anchors[word] = [*anchors.get(word, []), len(wordings)]
        wordings.append({"symptom": wording["symptom"], "parts": [" ".join(words)]})
    return {**table, "wordings": wordings, "anchors": anchors}


def grown(clinic: catalogue.Catalogue, languages: tuple[str, ...] = LANGUAGES) -> Index:
    """The index of 600 symptoms: those that there are, and copies of them in each other's words."""
    rng = random.Random(2)
    symptoms: dict[str, SymptomEntry] = dict(clinic.index(languages)["symptoms"])
    wordings = [
        (stem, wording)
        for stem, symptom in clinic.symptoms.items()
        for wording in symptom.snippet.wordings
    ]
    words = [word for _, wording in wordings for part in wording.literals for word in part.split()]

    def changed(part: Part) -> Part:
        if not isinstance(part, str):
            return part
        return " ".join(rng.choice(words) if word.isalpha() else word for word in part.split(" "))

    for stem in list(symptoms)[: SYMPTOMS - len(symptoms)]:
        symptoms[f"{stem}-again"] = symptoms[stem]
        for wording in clinic.symptoms[stem].snippet.wordings:
            parts = tuple(map(changed, wording.parts))
            copy = Wording(wording.text, parts, wording.exception, near=wording.near)
            wordings.append((f"{stem}-again", copy))
    return index.assemble(symptoms, wordings)


def speed(clinic: catalogue.Catalogue) -> None:
    log = training_log()
    for make in (clinic.index, lambda *asked: grown(clinic, *asked)):
        table = make()
        print(f"{len(table['symptoms'])} symptoms, {len(table['wordings'])} wordings")
        for language in LANGUAGES:
            files = index.served(make((language,)))
            sizes = {
                name: f"{len(gzip.compress(index.dumps(data).encode(), 9)) / 1024:.0f}"
                for name, data in files.items()
            }
            listed = ", ".join(f"{name} {size}" for name, size in sizes.items())
            print(f"  served, {language}, KiB gzip: {listed}")
        _time(table, log)


def _time(table: Index, log: str) -> None:
    pastes, ten = hostile(table), multiplied(table, 10)
    worst = max(pastes, key=lambda name: once(lambda: lookup(table, pastes[name])))
    likeness = Likeness(table)
    unknown = log.replace("mat1 and mat2 shapes cannot be multiplied", "never heard of")
    plain, more, most, rungs = compare(
        log.split,
        lambda: lookup(table, log),
        lambda: lookup(ten, log),
        lambda: lookup(table, pastes[worst]),
        lambda: climb(table, lambda: likeness, unknown, lambda _: None, lambda _: ([], True)),
    )
    _print("Python", "split", plain, more, most, worst)
    print(f"  Python, 1 MB log without a hit, all rungs: {rungs:.1f} times split", flush=True)
    result = _javascript(index=table, ten=ten, log=log, hostile=pastes)
    plain, more, most = result["log"], result["ten"], result["worst"]
    _print("JavaScript", "a loop over characters", plain, more, most, result["name"])


def _print(who: str, what: str, plain: float, more: float, most: float, worst: str) -> None:
    print(
        f"  {who}, 1 MB log: {plain:.1f} times {what}; with ten times the wordings "
        f"{more / plain:.2f} times that; hostile, at worst: {most:.1f} times {what} ({worst})",
        flush=True,
    )


def _javascript(**data: Any) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        for name, of in data.items():
            Path(folder, f"{name}.json").write_text(json.dumps(of), encoding="utf-8")
        command = [node(), str(HERE / "speed.mjs"), folder]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    result: dict[str, Any] = json.loads(done.stdout)
    return result
