"""Python and JavaScript give the same answer.

On the vectors, which fix what the answer is, and on mutations, which only fix that it is the same.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from twins import Twin, conditions, lookup_twin, mutations, python_holds, python_lookup

from tools import live
from torchclinic.content.collection import Catalogue
from torchclinic.content.index import TABLES

VECTORS = json.loads(Path(__file__).with_name("vectors.json").read_text(encoding="utf-8"))
#: `nox -s fuzz` runs 200,000.
MUTATIONS = 3000


@pytest.fixture(scope="module")
def twin(table: dict[str, Any]) -> Iterator[Twin]:
    with lookup_twin(table) as twin:
        yield twin


@pytest.mark.parametrize("vector", VECTORS, ids=[vector["name"] for vector in VECTORS])
def test_vectors(table: dict[str, Any], twin: Twin, vector: dict[str, Any]) -> None:
    here, there = python_lookup(table, vector["text"]), twin.ask(vector["text"])
    assert here == there
    assert here["status"] == vector["status"]
    expected = vector.get("hits", [])
    assert here.get("harmless", []) == vector.get("harmless", [])
    assert [hit["symptom"] for hit in here["hits"]] == [hit["symptom"] for hit in expected]
    for hit, wanted in zip(here["hits"], expected, strict=True):
        assert {name: hit[name] for name in wanted} == wanted


def test_mutations(table: dict[str, Any], twin: Twin) -> None:
    texts = [vector["text"] for vector in VECTORS if vector["text"]] + [
        "".join(part if isinstance(part, str) else "3" for part in wording["parts"])
        for wording in table["wordings"]
    ]
    for text in mutations(texts, MUTATIONS, seed=20261121):
        assert python_lookup(table, text) == twin.ask(text), repr(text)


def test_what_programs_knew(table: dict[str, Any], clinic: Catalogue, twin: Twin) -> None:
    pastes = [crash.text + crash.facts for crash in live.breaks(clinic)]
    assert pastes
    for paste in pastes + list(mutations(pastes, MUTATIONS // 10, seed=20261128)):
        assert python_lookup(table, paste) == twin.ask(paste), repr(paste)


def test_conditions_of_any_form() -> None:
    """Random conditions over hostile values: true, false and unknown alike, and never an error."""
    answers = set()
    with Twin("condition-twin.mjs", TABLES) as twin:
        for asked in conditions(MUTATIONS, seed=20261122):
            answers.add(here := python_holds(asked))
            assert here == twin.ask(asked), asked
    assert answers == {True, False, None}


@pytest.mark.parametrize("where", ["beginning", "end", "middle"])
def test_a_line_as_long_as_a_file(table: dict[str, Any], twin: Twin, where: str) -> None:
    noise, message = (
        '{"loss": 0.25, "step": 17} ' * 20_000,
        "RuntimeError: mat1 and mat2 shapes cannot be multiplied (64x400 and 784x10) ",
    )
    text = {
        "beginning": message + noise,
        "end": noise + message,
        "middle": noise + message + noise,
    }[where]
    here = python_lookup(table, text)
    assert here == twin.ask(text)
    assert (here["status"] == "match") == (where != "middle")
