"""Causes: what the lookup decides for pastes that were written from the pages, without a look at the conditions.

`case` in tests/data/causes.jsonl is the case, or the row without a case, that the text decides for; null where it cannot tell. `leaning` is true where the text
only hints, false where it must decide, and null where either will do. `stem` is null where nothing may be found at all. `weak` says why a condition falls short; where it
no longer does, the test says so.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from torchclinic.content.catalogue import Catalogue
from torchclinic.find import lookup

PASTES = [
    json.loads(line)
    for line in Path(__file__)
    .with_name("data")
    .joinpath("causes.jsonl")
    .read_text(encoding="utf-8")
    .splitlines()
]


def test_the_pastes_name_what_there_is(clinic: Catalogue) -> None:
    assert len({row["id"] for row in PASTES}) == len(PASTES) >= 120
    assert sum(row["case"] is None for row in PASTES) >= 40
    for row in PASTES:
        if row["case"]:
            assert row["case"] in {
                name
                for cause in clinic.symptoms[row["stem"]].snippet.causes
                for name in (cause.row, cause.case)
            }, row["id"]
    assert len({row["stem"] for row in PASTES if row["case"]}) >= 35


@pytest.mark.parametrize(
    "row",
    [
        pytest.param(
            row,
            id=row["id"],
            marks=[pytest.mark.xfail(strict=True, reason=row["weak"])] if "weak" in row else [],
        )
        for row in PASTES
    ],
)
def test_the_cause_of_a_paste(table: dict[str, Any], row: dict[str, Any]) -> None:
    hits = lookup.lookup(table, row["text"])["hits"]
    assert (hits[0]["symptom"] if hits else None) == row["stem"]
    cause = hits[0]["cause"] if hits else None
    if row["case"] is None:
        assert cause is None or cause["leaning"], f"decided for {cause['row']}"
    else:
        assert cause, "tells no cause"
        assert row["case"] in (cause["case"], cause["row"])
        assert row["leaning"] in (None, cause["leaning"])
