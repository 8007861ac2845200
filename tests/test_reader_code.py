"""What a reader is given to run: checks without our harness, and lines out of sentences."""

from __future__ import annotations

import pytest

from torchclinic import LANGUAGES
from torchclinic.content import answers, code, command
from torchclinic.content.catalogue import Catalogue
from torchclinic.site import symptom_page

SETUP = """
import subprocess


def python(program):
    return subprocess.run(program)


class Net:
    pass


model = Net()
scores = [1]
"""


@pytest.mark.parametrize(
    ("check", "strange"),
    [
        ("print(scores)", []),
        ("print(Net)", []),  # the failing program is made of it
        ("print(python('import torch'))", ["python"]),
        ("print(left)", ["left"]),
        ("left = 1\nprint(left)", []),
        ("PROGRAM = 'print(scores)'\nprint(python(PROGRAM))", []),
        ("PROGRAM = 'print(folder)'\nprint(python(PROGRAM))", ["folder"]),
        ("COMMAND = 'python -m pip list'\nprint(python(COMMAND))", []),
    ],
)
def test_names_of_a_check(check: str, strange: list[str]) -> None:
    assert code.strange_names(check, "python(model, scores)", [SETUP]) == strange


def test_what_is_handed_over_is_shown_below_the_comments() -> None:
    check = (
        'PROGRAM = """\nimport torch\n"""\nprint(python(PROGRAM))  # None: not there\nassert True'
    )
    assert code.as_shown(check, [SETUP]) == "# None: not there\nimport torch"
    assert code.handed_over("COMMAND = 'ls'\nrun(COMMAND)") == ("console", "ls")
    assert code.handed_over("OTHER = 'ls'\nrun(OTHER)") is None


@pytest.mark.parametrize(
    ("told", "line"),
    [
        ("restart it: `sudo reboot`", ("console", "sudo reboot")),
        ("`unset A_B`, in PowerShell `Remove-Item Env:A_B`", ("console", "unset A_B")),
        ("set `TORCH_DEVICE_X=0` first", ("console", "TORCH_DEVICE_X=0")),
        ("the line `unrecognized arguments`, or `pin_memory=False`", None),
        ("call `backward()` once, then `x.contiguous()`", None),
        ("keep it on the CPU, `x.to('cpu')`", ("python", "x.to('cpu')")),
        ("around it `with torch.no_grad():`", ("python", "with torch.no_grad():")),
        ("`docker run --shm-size=8g …`", None),
    ],
)
def test_the_line_to_type(told: str, line: tuple[str, str] | None) -> None:
    assert command.to_type(told) == line


def test_a_row_without_a_case_gives_its_line_as_a_block(clinic: Catalogue) -> None:
    text = symptom_page.symptom_page(clinic, clinic.symptoms["cuda-unknown-error"], "en")
    assert "`sudo reboot`\n{ .tc-do }\n\n```{ .console .tc-type }\nsudo reboot\n```" in text


def test_a_power_in_code_is_no_bold(clinic: Catalogue) -> None:
    symptom = clinic.symptoms["mps-assertion"]
    assert answers.causes(symptom, "en")[0]["see"] == "`> 2**32`, `> 2**31`, `INT_MAX`"
    text = symptom_page.symptom_page(clinic, symptom, "en")
    assert "<code>&gt; 2**32</code>, <code>&gt; 2**31</code>" in text


def test_a_page_says_that_the_program_may_tell_only_where_a_condition_asks_it(
    clinic: Catalogue,
) -> None:
    for stem, tells in {"matmul-shapes": True, "undefined-symbol": False}.items():
        symptom = clinic.symptoms[stem]
        asks = any("live" in str((cause.decides, cause.leans)) for cause in symptom.snippet.causes)
        assert asks is tells, stem
        for language in LANGUAGES:
            text = symptom_page.symptom_page(clinic, symptom, language)
            assert ("run --live python train.py" in text) is tells, (stem, language)


def test_a_case_without_a_break_stands_behind_its_row(clinic: Catalogue) -> None:
    symptom = clinic.symptoms["cuda-oom"]
    read, ran = (symptom.snippet.cases[name] for name in ("other-program", "optimizer-state"))
    assert read.unbroken and not read.cells and "powershell" in read.fixes
    assert set(ran.cells) == {"fix", "proof"} and ran.cure.name in symptom.snippet.later
    text = symptom_page.symptom_page(clinic, symptom, "en")
    row = text.partition('data-tc-row="other-program"')[2].partition("</details>")[0]
    assert '<div data-tc-case="other-program" markdown>' in row and "Stop-Process" in row
    row = text.partition('data-tc-row="optimizer-state"')[2].partition("</div>")[0]
    assert "Its error was not produced here." in row
