"""Programs as people write them, which crash: what they knew names the right cause or none."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools import live
from torchclinic.content.collection import Catalogue
from torchclinic.find.answer import Index

#: Those that always run: an operand, a property, a checkpoint's names, a value, a loop.
ALWAYS = (
    "bilstm_head",
    "property_raises",
    "renamed_layers",
    "temperature_zero",
    "graph_embedding_once",
)
PROGRAMS = sorted(live.PROGRAMS.glob("*.py"))


@pytest.mark.parametrize(
    "program",
    [
        pytest.param(file, marks=() if file.stem in ALWAYS else pytest.mark.full)
        for file in PROGRAMS
    ],
    ids=lambda file: file.stem,
)
def test_a_program_tells_no_wrong_cause(program: Path, table: Index, clinic: Catalogue) -> None:
    pytest.importorskip("torch")
    crash = live.crash(program)
    rows = [row.row for row in clinic.symptoms[crash.symptom].snippet.causes]
    assert set(crash.right) <= set(rows), f"the page has no such row; it has {rows}"
    verdict = crash.verdict(table)
    assert verdict not in ("other", "other page"), f"{verdict}:\n{crash.text}\n{crash.facts}"
    if program.stem in ALWAYS:
        assert verdict in ("right", "right, leaning"), f"{verdict}:\n{crash.text}\n{crash.facts}"


def test_no_recorded_break_tells_a_wrong_cause(table: Index, clinic: Catalogue) -> None:
    verdicts = {crash.name: crash.verdict(table) for crash in live.breaks(clinic)}
    assert verdicts
    assert [name for name, verdict in verdicts.items() if verdict == "other"] == []
