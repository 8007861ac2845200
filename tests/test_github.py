"""Answers in GitHub's own places: the runner's variables and files as they are, and the steps of
action.yml run in a shell as the runner runs them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from torchclinic import LANGUAGES, ROOT
from torchclinic.commands import knowledge, markdown
from torchclinic.commands.parser import main

MATMUL = "RuntimeError: mat1 and mat2 shapes cannot be multiplied (64x400 and 784x10)"
#: As a runner's log has it: a time before each line, the checkout's path in frames.
LOG = """Run python train.py
step 1
Traceback (most recent call last):
  File "{root}/train.py", line 3, in <module>
    y = model(x)
  File "{root}/env/lib/python3.11/site-packages/torch/nn/modules/linear.py", line 125, in forward
    return F.linear(input, self.weight, self.bias)
{message}
##[error]Process completed with exit code 1.
"""
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))


@pytest.fixture
def runner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace with a checkout and a log, and the files that a step writes to."""
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    (workspace / "train.py").write_text("\n\ny = model(x)\n", encoding="utf-8")
    lines = LOG.format(root=workspace, message=MATMUL).splitlines()
    stamped = [f"2026-11-23T10:00:{at:02}.1234567Z {line}" for at, line in enumerate(lines)]
    (workspace / "job.log").write_text("\n".join(stamped), encoding="utf-8-sig")
    for name in ("GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT"):
        monkeypatch.setenv(name, str(tmp_path / name))
        (tmp_path / name).touch()
    monkeypatch.setenv("GITHUB_WORKSPACE", str(workspace))
    monkeypatch.setenv("RUNNER_TEMP", str(tmp_path / "temp"))
    (tmp_path / "temp").mkdir()
    monkeypatch.chdir(workspace)
    return tmp_path


def outputs(runner: Path) -> dict[str, str]:
    """What a step gave, as the runner reads it."""
    values, lines = {}, (runner / "GITHUB_OUTPUT").read_text(encoding="utf-8").split("\n")
    while lines and lines[0]:
        name, _, mark = lines.pop(0).partition("<<")
        end = lines.index(mark)
        values[name], lines = "\n".join(lines[:end]), lines[end + 1 :]
    return values


def test_a_failed_jobs_log(runner: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["github", "--lang", "en", "log", "job.log"]) == 0
    (said,) = capsys.readouterr().out.splitlines()
    assert said.startswith("::error file=train.py,line=3,title=Torch Clinic::Each row you pass")
    summary = (runner / "GITHUB_STEP_SUMMARY").read_text(encoding="utf-8")
    assert "line 8: " in summary and "show shapes/matmul-shapes" in summary
    given = outputs(runner)
    assert (given["status"], given["symptom"]) == ("match", "shapes/matmul-shapes")
    assert given["answer"] in summary


@pytest.mark.parametrize("text", ["all is well", "ValueError: my own", "", "\0\1\2" * 99])
def test_what_is_not_known_is_left_alone(
    runner: Path, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    Path("job.log").write_text(text, encoding="utf-8")
    assert main(["github", "log", "job.log"]) == 0
    assert capsys.readouterr().out == ""
    assert (runner / "GITHUB_STEP_SUMMARY").read_text(encoding="utf-8") == ""
    assert outputs(runner)["answer"] == outputs(runner)["symptom"] == ""


def test_an_annotation_stays_in_the_checkout(
    runner: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """No file of elsewhere is named, and nothing of a log is a command to the runner."""
    (runner / "secret.py").touch()
    for path in ("../secret.py", "/etc/passwd", "missing.py", "a%0A::add-mask::x,line=1.py"):
        text = LOG.format(root=".", message=MATMUL).replace("./train.py", path)
        Path("job.log").write_text(f"{text}\n::set-env::x\n##[group]y\n", encoding="utf-8")
        assert main(["github", "--lang", "en", "log", "job.log"]) == 0
        (said,) = capsys.readouterr().out.splitlines()
        assert said.startswith("::error title=Torch Clinic::")


def test_a_new_issue(
    runner: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    event = runner / "event.json"
    monkeypatch.setenv("GITHUB_EVENT_PATH", str(event))
    body = f"Hello @team,\n```\n{LOG.format(root='/home/me', message=MATMUL)}\n```\n"
    event.write_text(json.dumps({"issue": {"title": "crash", "body": body}}), encoding="utf-8")
    for language in LANGUAGES:
        assert main(["github", "issue", "--lang", language]) == 0
        printed = capsys.readouterr().out
        assert printed.startswith("*") and MATMUL in printed and "@team" not in printed
    event.write_text(json.dumps({"issue": {"title": "?", "body": None}}), encoding="utf-8")
    assert main(["github", "issue"]) == 0 and capsys.readouterr().out == ""
    for content in ("{}", "[]", "{", '{"issue": 3}'):
        event.write_text(content, encoding="utf-8")
        assert main(["github", "issue"]) == 2


def test_of_a_cause_that_is_told_the_fix_stands_there() -> None:
    known = knowledge.load()
    answer = known.look_up(MATMUL.replace("64x400 and 784x10", "8x864 and 1176x10"), False)
    shown = markdown.render(known, answer, "en")
    assert "```python\n" in shown and "nn.Flatten()" in shown
    known.site = "https://example.org/clinic/"  # as a release knows it
    link = "(https://example.org/clinic/zh/shapes/matmul-shapes/)"
    assert markdown.render(known, answer, "zh").endswith(link)


HOSTILE = [
    f"{MATMUL} ``` @everyone <img src=x> [a](http://b) #1",
    f"{MATMUL} ````` </details><script>",
    f"##[error]x {MATMUL}",
    f"\x1b]0;t\x07{MATMUL}\x1b[2J\u202e",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_of_a_text_is_markup(text: str) -> None:
    """It stands in one fence, whose marks it does not hold."""
    known = knowledge.load()
    shown = markdown.render(known, known.look_up(text, False), "en").split("\n")
    opening = next(at for at, line in enumerate(shown) if line.startswith("```"))
    marks = shown[opening].removesuffix("text")
    closing = shown.index(marks, opening + 1)
    outside = "\n".join(shown[:opening] + shown[closing + 1 :])
    assert not any(sign in outside for sign in ("@everyone", "<img", "<script", "http://b"))
    assert "##[" not in "\n".join(shown) and all(line.isprintable() for line in shown)


def test_each_page_has_an_answer_in_markdown() -> None:
    """Each wording's text, with and without a cause."""
    known = knowledge.load()
    for stem, entry in known.symptoms.items():
        numbers = [w for w in known.index["wordings"] if w["symptom"] == stem]
        for wording in numbers[:1]:
            text = "".join(part if isinstance(part, str) else "1" for part in wording["parts"])
            answer = known.look_up(f"RuntimeError: {text}", False)
            for language in LANGUAGES:
                shown = markdown.render(known, answer, language)
                assert shown.count("<details>") == shown.count("</details>"), entry["id"]


# ---- action.yml


def step(name: str) -> dict[str, Any]:
    return next(step for step in ACTION["runs"]["steps"] if step["name"] == name)


def run_step(name: str, runner: Path, **inputs: str) -> str:
    """Run a step's script as the runner does: `inputs` in place of its expressions."""
    given = {key: str(value["default"]) for key, value in ACTION["inputs"].items()} | inputs
    variables = {}
    for key, value in step(name)["env"].items():
        variables[key] = given[value.removeprefix("${{ inputs.").removesuffix(" }}")]
    script = runner / "script.sh"
    script.write_text(step(name)["run"], encoding="utf-8")
    command = ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", str(script)]
    environment = {**os.environ, **variables, "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        command, env=environment, check=True, capture_output=True, text=True
    ).stdout


@pytest.fixture
def installed(
    runner: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """The command, where the first step puts it on a system."""
    system = getattr(request, "param", "Linux")
    monkeypatch.setenv("RUNNER_OS", system)
    if sys.platform == "win32" or not shutil.which("bash"):
        pytest.skip("needs bash")
    folder = "Scripts" if system == "Windows" else "bin"
    program = runner / f"temp/torchclinic/{folder}/torchclinic"
    program.parent.mkdir(parents=True)
    program.write_text(
        f'#!/bin/sh\nexec "{sys.executable}" -m torchclinic "$@"\n', encoding="utf-8"
    )
    program.chmod(0o755)
    return runner


def test_scripts_take_their_inputs_from_the_environment() -> None:
    """An expression in a script would be code of whoever writes an issue."""
    for made in ACTION["runs"]["steps"]:
        assert "${{" not in made["run"], made["name"]
        assert made["shell"] == "bash"
    used = {value for made in ACTION["runs"]["steps"] for value in made["env"].values()}
    assert used == {f"${{{{ inputs.{name} }}}}" for name in ACTION["inputs"]}


@pytest.mark.parametrize("installed", ["Linux", "Windows"], indirect=True)
def test_the_action_answers_a_log(installed: Path) -> None:
    said = run_step("Answer", installed, log="job.log\n")
    assert "::error file=train.py,line=3," in said
    assert outputs(installed)["symptom"] == "shapes/matmul-shapes"


def test_the_action_without_a_log_says_so(installed: Path) -> None:
    assert run_step("Answer", installed) == "No failed job, no log: nothing to look up.\n"


def test_the_action_fetches_what_failed(installed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a program in place of `gh` that answers as the service does."""
    tools = installed / "tools"
    tools.mkdir()
    (tools / "gh").write_text(
        '#!/bin/sh\ncase "$2" in *attempts/1/jobs) echo 7;; *jobs/7/logs) cat job.log;; esac\n',
        encoding="utf-8",
    )
    (tools / "gh").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tools}{os.pathsep}{os.environ['PATH']}")
    for name, value in (("REPOSITORY", "me/mine"), ("RUN_ID", "1"), ("RUN_ATTEMPT", "1")):
        monkeypatch.setenv(f"GITHUB_{name}", value)
    run_step("Fetch the logs of failed jobs", installed)
    assert "::error file=train.py,line=3," in run_step("Answer", installed)
