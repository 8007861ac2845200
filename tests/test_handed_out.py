"""Commands that pages hand out: what they name, which are run, and that wrong ones are found."""

from __future__ import annotations

import dataclasses
import subprocess
from pathlib import Path

import pytest

from torchclinic.authoring import command_mutants
from torchclinic.content import command
from torchclinic.content.catalogue import Catalogue
from torchclinic.content.problem import Problems
from torchclinic.content.snippet import Case, Cell


@pytest.mark.parametrize(
    ("place", "text", "packages", "variables"),
    [
        (
            "shell",
            'python -m pip install "setuptools<81"  # not pip install x',
            "setuptools<81",
            "",
        ),
        ("shell", "pip install -c torch.txt einops && pip install -e ./mine", "einops", ""),
        ("notebook", "%pip install soundfile\nimport os\nos.environ['x']", "soundfile", ""),
        ("notebook", 'import os\nos.environ["RANK"] = "0"  # above', "", "RANK=0"),
        ("linux", "RANK=0 WORLD_SIZE=2 python train.py", "", "RANK=0 WORLD_SIZE=2"),
        ("powershell", '$env:RANK = "0"; $env:USE_LIBUV=1; python x.py', "", "RANK=0 USE_LIBUV=1"),
        ("docker", "docker run -e RANK=0 IMAGE", "", "RANK=0"),
        ("trainer", "set RANK=0\naccelerate launch train.py", "", "RANK=0"),
        ("trainer", 'model = load(name, kind="sdpa")', "", ""),
        ("linux", "sudo apt-get install -y gcc | tee log 2>&1", "gcc", ""),
        ("comfyui", "take the node out of the workflow", "", ""),
        ("comfyui", r'.\python_embeded\python.exe -s -m pip install "numpy<2"', "numpy<2", ""),
    ],
)
def test_what_a_command_names(place: str, text: str, packages: str, variables: str) -> None:
    named = command.read(place, text)
    assert {name for _, name in named.packages} == set(packages.split())
    assert {f"{name}={value}" for name, value in named.variables} == set(variables.split())


def _case(clinic: Catalogue, page: str, case: str, old: str, new: str) -> list[str]:
    """What is said of a page's commands when they are changed."""
    shown = clinic.symptoms[page].snippet.cases[case]
    assert any(old in text for text in shown.commands.values())
    wrong = {place: text.replace(old, new) for place, text in shown.commands.items()}
    known = command.load(clinic.root, Problems(clinic.root))
    assert known is not None
    return command.complaints(wrong, shown.cells["proof"].source, known)


@pytest.mark.parametrize(
    ("page", "case", "old", "new"),
    [
        (
            "transformers-disables-torch",
            "older-transformers",
            "transformers<4.52",
            "transformers>=4",
        ),
        ("torchcodec-load", "ffmpeg", "apt install ffmpeg", "apt install ffmpeg-python"),
        ("gpu-hardware-error", "bad-gpu", "nvidia-smi -q -d", "nvidia-smi -e 0 -d"),
        ("libuv-windows", "no-libuv", "USE_LIBUV", "USE_UV"),
        ("libuv-windows", "no-libuv", '"0"', '"1"'),
        ("extension-not-built", "without-torch", "setuptools<81", "setuptools>=81"),
    ],
)
def test_a_wrong_command_that_nothing_runs_is_read(
    clinic: Catalogue, page: str, case: str, old: str, new: str
) -> None:
    assert not _case(clinic, page, case, old, old)
    assert _case(clinic, page, case, old, new)


def test_what_one_place_runs_the_others_say_too(clinic: Catalogue) -> None:
    case = clinic.symptoms["pkg-resources"].snippet.cases["removed"]
    assert case.commands_run == {"shell"}
    wrong = {**case.commands, "notebook": '%pip install "setuptools<82"'}
    known = command.load(clinic.root, Problems(clinic.root))
    assert known is not None
    assert command.complaints(wrong, case.cells["proof"].source, known)


def test_the_wrong_versions_of_a_command() -> None:
    proof = Cell("proof", "a", 'run(commands["shell"])', 1)
    text = 'RANK=0 python -m pip install -U "torch>=2.6" --index-url https://x/whl/cu126'
    case = Case("a", {"proof": proof}, commands={"shell": text, "docker": "docker run IMAGE"})
    names = {mutant.name for mutant in command_mutants.of(case)}
    assert names == {
        'swap: < in "torch>=… (shell)',
        "swap: cpu for cu126 (shell)",
        "swap: other-torch in pip (shell)",
        "swap: OTHER_RANK (shell)",
        "swap: RANK=1 (shell)",
        "without: -m (shell)",
        "without: -U (shell)",
        "without: --index-url (shell)",
    }
    other = dataclasses.replace(case, commands={**case.commands, "shell": "true"})
    assert not command_mutants.of(other)


def test_every_shell_command_parses(clinic: Catalogue, tmp_path: Path) -> None:
    """As bash reads it: `…` and names in capitals stand for what is the reader's."""
    wrong = {}
    for symptom in clinic.symptoms.values():
        for case in symptom.snippet.cases.values():
            for place in {"shell", "linux", "slurm"} & set(case.commands):
                file = tmp_path / "command.sh"
                file.write_text(case.commands[place], encoding="utf-8")
                done = subprocess.run(["bash", "-n", file], capture_output=True, text=True)
                if done.returncode:
                    wrong[f"{symptom.id} {case.name} {place}"] = done.stderr
    assert not wrong
