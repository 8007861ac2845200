"""What the writer of a log puts before every line changes neither the page nor the cause."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

import pytest

from torchclinic.content.catalogue import Catalogue
from torchclinic.find.clean import normalise
from torchclinic.find.lookup import lookup

#: How each begins a line; {n} counts lines.
PREFIXES = {
    "docker compose": "trainer-1  | ",
    "docker compose, old": "web_trainer_1    | ",
    "kubernetes": "2026-01-02T03:04:{n:02}.{n}5Z stderr F ",
    "stern": "pod/train-7d9f4-x2k9 trainer ",
    "journald": "Jan 02 03:04:{n:02} gpu-7 python[4242]: ",
    "logging": "2026-01-02 03:04:{n:02},{n:03} - trainer.main - ERROR - ",
    "loguru": "2026-01-02 03:04:{n:02}.{n:03} | ERROR    | __main__:train:{n} - ",
    "airflow": "[2026-01-02, 03:04:{n:02} UTC] {{subprocess.py:93}} INFO - ",
}
#: Of the pages, one in so many.
SAMPLE = 6


def tracebacks(clinic: Catalogue) -> Iterator[str]:
    """What recorded breaks printed, of a sample of pages."""
    record = next(record for record in clinic.evidence if record.device == "cpu")
    for symptom in islice(clinic.symptoms.values(), 0, None, SAMPLE):
        for case in symptom.snippet.cases.values():
            text = record.printed(symptom.snippet, case)
            if text.count('  File "') > 0 and "Traceback (most recent" in text:
                yield text


def told(table: Any, text: str) -> tuple[str, str]:
    """The page and the decided cause."""
    hits = lookup(table, text)["hits"]
    if not hits:
        return "", ""
    cause = hits[0]["cause"]
    return hits[0]["symptom"], cause["row"] if cause else ""


@pytest.mark.parametrize("prefix", PREFIXES.values(), ids=PREFIXES.keys())
def test_a_prefix_changes_no_cause(clinic: Catalogue, table: Any, prefix: str) -> None:
    texts = list(tracebacks(clinic))
    assert len(texts) > 30
    for text in texts:
        lines = text.rstrip("\n").split("\n")
        logged = "\n".join(prefix.format(n=n) + line for n, line in enumerate(lines))
        page, cause = told(table, text)
        assert told(table, logged) in ((page, cause), (page, "")), logged


def test_only_what_stands_before_a_traceback_is_dropped() -> None:
    traced = (
        'a-1 | Traceback (most recent call last):\na-1 |   File "x.py", line 1\na-1 | KeyError: 1'
    )
    other = "b-1 | a-1 | Traceback\na-2 | done"
    assert normalise(f"{traced}\n{other}") == (
        'Traceback (most recent call last):\n  File "x.py", line 1\nKeyError: 1\n'
        "b-1 | a-1 | Traceback\ndone"
    )


def test_a_rank_stays() -> None:
    lines = ["Traceback (most recent call last):", '  File "x.py", line 1', "KeyError: 1"]
    text = "\n".join(f"node-3 | [rank1]: {line}" for line in lines)
    assert normalise(text) == "\n".join(f"[rank1]: {line}" for line in lines)


@pytest.mark.parametrize("mark", ["Traceback (most recent call last)", '  File "'])
def test_hostile_prefixes(mark: str) -> None:
    text = f"x{'1' * 500} | {mark}\n" * 3000 + f"y | {mark}" * 3000
    assert len(normalise(text)) == len(text)
