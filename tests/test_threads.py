"""The public threads of `tests/data/threads`: complete, with a source, and on rows that exist."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from torchclinic.content.catalogue import Catalogue

THREADS = sorted((Path(__file__).parent / "data" / "threads").glob("*.jsonl"))
WORDS = ("address", "text", "first", "matter", "cure", "why")


def read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("path", THREADS, ids=lambda path: path.stem)
def test_each_line_is_whole_and_names_a_row_of_its_page(path: Path, clinic: Catalogue) -> None:
    symptom = clinic.symptoms[path.stem]
    causes = {*symptom.pages["en"].front.causes, *(cause.row for cause in symptom.snippet.causes)}
    lines = read(path)
    assert lines
    for line in lines:
        assert set(line) == {*WORDS, "row", "held"}
        assert all(isinstance(line[word], str) and line[word].strip() for word in WORDS), line
        assert line["address"].startswith("https://"), line["address"]
        assert line["row"] is None or line["row"] in causes, line
    assert len({line["address"] for line in lines}) == len(lines)


@pytest.mark.parametrize("path", THREADS, ids=lambda path: path.stem)
def test_every_third_is_held_back(path: Path) -> None:
    assert [line["held"] for line in read(path)] == [
        number % 3 == 0 for number in range(1, 1 + len(read(path)))
    ]
