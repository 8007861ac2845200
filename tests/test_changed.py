"""What changed, by release: rows have runs behind them, and both languages show the same."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from torchclinic import ROOT
from torchclinic.content import catalogue, changed
from torchclinic.content.catalogue import Catalogue
from torchclinic.content.evidence import RELEASE
from torchclinic.site import changed as page


def test_old_code_and_what_takes_its_place_were_run(clinic: Catalogue) -> None:
    rows = list(changed.old_code(clinic))
    assert len(rows) >= 30
    for row in rows:
        for kind in ("break", "fix"):
            name = row.case.cells[kind].name
            outcomes = {
                cell["outcome"]
                for record in clinic.evidence
                if record.torch == RELEASE and (cell := record.cell(row.symptom.snippet, name))
            }
            assert "passed" in outcomes, (row.symptom.id, row.case.name, kind)


@pytest.mark.parametrize(
    ("row", "says"),
    [
        (
            'autograd/backward-second-time/carried-state: ["loss.data[1]", "x"]',
            "not hold 'loss.data[1]'",
        ),
        ('autograd/backward-second-time/loss: ["a", "b"]', "no such case"),
        ("autograd/backward-second-time/carried-state: loss", "write [a piece of the break"),
    ],
)
def test_a_row_without_a_run_behind_it_is_a_problem(project: Path, row: str, says: str) -> None:
    (project / changed.OLD_CODE).write_text(row + "\n", encoding="utf-8")
    problems = [str(problem) for problem in catalogue.load(project).problems]
    assert any(says in problem for problem in problems), problems


def test_releases_of_the_files_belong_to_wordings(clinic: Catalogue) -> None:
    ours = {
        symptom.id: {wording.text for wording in symptom.snippet.wordings}
        for symptom in clinic.symptoms.values()
    }
    for symptom, spans in changed.since(ROOT).items():
        assert set(spans) <= ours[symptom], f"{symptom}: run `python -m tools.origins --since`"
        assert all(any(span) for span in spans.values())


def test_both_languages_show_the_same_rows(clinic: Catalogue) -> None:
    shown = [page.page(clinic, language) for language in ("en", "zh")]
    rows, headings, links = (
        [re.findall(pattern, text) for text in shown]
        for pattern in ("<li>", r"(?m)^## .*(\{#.*\})$", r'href="\.\./([^"]+)/"')
    )
    assert len(rows[0]) == len(rows[1]) > 100
    assert headings[0] == headings[1]
    assert links[0] == links[1]
    assert {link for link in links[0] if link != "lookup"} <= {
        symptom.id for symptom in clinic.symptoms.values()
    }


def test_a_known_change_stands_under_its_release(clinic: Catalogue) -> None:
    text = page.page(clinic, "en")
    under = text.split("## torch 2.12.1")[1].split("\n## ")[0]
    assert "expected target dtype to be Long or Byte" in under
    assert "expected scalar type Long but found" in under
