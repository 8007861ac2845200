"""Which cause stands first where a text tells none: by threads, by the wording, by the table."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest

from torchclinic.content import index, most_met, threads
from torchclinic.content.catalogue import Catalogue
from torchclinic.content.problem import Problems
from torchclinic.content.threads import Thread
from torchclinic.find import lookup

STEM = "matmul-shapes"
TEXT = "RuntimeError: mat1 and mat2 shapes cannot be multiplied (64x400 and 784x10)"
MATRIX = "RuntimeError: mat2 must be a matrix"


def most(clinic: Catalogue, text: str, *met: Thread) -> index.Met:
    """The row of the wording that a text prints, where these threads are all that is known."""
    symptom = dataclasses.replace(clinic.symptoms[STEM], threads=list(met))
    alone = index.build({STEM: symptom}, ())
    wording = next(n for n, w in enumerate(symptom.snippet.wordings) if w.text.startswith(text))
    return most_met.of_wordings(symptom, clinic.evidence, alone)[wording]


def test_few_threads_leave_the_order_of_the_table(clinic: Catalogue) -> None:
    met = [Thread(TEXT, "no-flatten")] * (most_met.ENOUGH - 1)
    assert most(clinic, "mat1 and", *met) == (clinic.symptoms[STEM].snippet.causes[0].row, ())


def test_threads_say_what_is_met_most(clinic: Catalogue) -> None:
    met = [Thread(TEXT, "no-flatten")] * 5 + [Thread(TEXT, "image-size")] * 2
    assert most(clinic, "mat1 and", *met) == ("no-flatten", (5, 7))


def test_of_another_wording_only_rows_that_print_it(clinic: Catalogue) -> None:
    met = [Thread(TEXT, "no-flatten")] * 5
    row, share = most(clinic, "mat2 must be", *met)
    assert row != "no-flatten" and not share


def test_threads_that_tell_their_cause_are_not_counted(clinic: Catalogue) -> None:
    told = [Thread(MATRIX, "mm-with-batch")] * 9
    count = most_met.ENOUGH
    met = [Thread(TEXT, "no-flatten")] * count
    assert most(clinic, "mat1 and", *told, *met) == ("no-flatten", (count, count))


def test_a_hit_names_the_row_that_is_shown_first(clinic: Catalogue) -> None:
    met = {STEM: [("no-flatten", (5, 7))]}
    table = index.build({STEM: clinic.symptoms[STEM]}, met=met)
    hit = lookup.lookup(table, TEXT)["hits"][0]
    assert hit["cause"] is None and hit["often"] and hit["row"] == "no-flatten"
    assert hit["often"]["case"] == "no-flatten" and hit["often"]["threads"] == [5, 7]
    hit = lookup.lookup(table, TEXT.replace("784x10", "1x32"))["hits"][0]
    assert hit["cause"] and hit["row"] == hit["cause"]["row"] and hit["often"] is None


def test_a_page_without_a_table_has_no_row(clinic: Catalogue, table: Any) -> None:
    for stem, symptom in clinic.symptoms.items():
        of = table["symptoms"][stem]
        assert bool(symptom.snippet.causes) == bool(of.get("often")), stem
        if len(of.get("often", [])) > 1:
            assert len(of["often"]) == len(symptom.snippet.wordings), stem
        assert all(number < len(of["causes"]) for number, *_ in of.get("often", []))


@pytest.mark.parametrize("line", ["[]", "no", '{"text": "x"}'])
def test_a_line_that_is_no_thread_is_a_problem(tmp_path: Path, line: str) -> None:
    file = tmp_path / threads.FOLDER / "page.jsonl"
    file.parent.mkdir(parents=True)
    good = [json.dumps({"text": TEXT, "row": row}) for row in ("one", None)]
    file.write_text("\n".join([*good, line]), encoding="utf-8")
    problems = Problems(tmp_path)
    assert threads.read(tmp_path, problems) == {"page": [Thread(TEXT, "one")]}
    assert [problem.line for problem in problems] == [3]
