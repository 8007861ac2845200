"""The author's bench: new, drafts, check, publish, stamp."""

from __future__ import annotations

import builtins
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from making import change

from torchclinic import ROOT
from torchclinic.authoring import conditions, new, publish, stamp
from torchclinic.commands import parser
from torchclinic.content import catalogue, words
from torchclinic.content.problem import BadInput


def test_new_makes_three_files_and_overwrites_nothing(project: Path) -> None:
    lines = new.new(project, "nn/made-up", ["main-cause"])
    assert [line for line in lines if line.startswith("made ")] == [
        "made snippets/nn/made-up.py",
        "made docs/en/nn/made-up.md",
        "made docs/zh/nn/made-up.md",
    ]
    for name, cases in (
        ("nn/made-up", ["a"]),
        ("nn/backward-second-time", ["a"]),
        ("nowhere/x", ["a"]),
        ("nn/Bad_Name", ["a"]),
        ("nn/fine", ["A B"]),
        ("nn/fine", ["a", "a"]),
    ):
        with pytest.raises(BadInput):
            new.new(project, name, cases)


def test_all_that_is_open_is_told_file_by_file(project: Path) -> None:
    new.new(project, "nn/made-up", ["first", "second"])
    found = [str(problem) for problem in catalogue.load(project, drafts={"made-up"}).problems]
    assert sum("left of the template" in line for line in found) == 3
    assert not any("YAML" in line or "stamp" in line for line in found), found


def test_a_draft_is_no_page(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    new.new(project, "nn/made-up", ["first"])
    (project / "docs/zh/nn/made-up.md").unlink()
    made = catalogue.load(project)
    assert not made.problems and "made-up" not in made.symptoms and list(made.drafts) == ["made-up"]
    assert "made-up" not in made.index()["symptoms"]
    monkeypatch.setattr(
        catalogue,
        "load",
        lambda root=project, _load=catalogue.load, **options: _load(project, **options),
    )
    assert parser.main(["catalogue"]) == 0
    assert "draft nn/made-up: " in capsys.readouterr().out


def test_what_is_not_ready_is_not_published(project: Path) -> None:
    new.new(project, "nn/made-up", ["first"])
    with pytest.raises(BadInput, match="nn/made-up is not ready"):
        publish.publish(project, "nn/made-up")
    with pytest.raises(BadInput, match=r"no draft `nn/no-such`; there are nn/made-up"):
        publish.publish(project, "nn/no-such")


def test_what_is_published_is_a_page(project: Path) -> None:
    ident, stem = "autograd/backward-second-time", "backward-second-time"
    snippet = project / f"snippets/{ident}.py"
    snippet.write_text(
        snippet.read_text(encoding="utf-8").replace("# ---\n", "# ---\n# draft: true\n", 1),
        encoding="utf-8",
    )
    assert catalogue.load(project).drafts.keys() == {stem}
    assert publish.publish(project, ident) == [f"published {ident}"]
    made = catalogue.load(project)
    assert stem in made.symptoms and not made.problems


# ---- what is said of a draft


def test_what_stops_the_run_is_said_first(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    new.new(project, "nn/made-up", ["first"])
    load = catalogue.load
    monkeypatch.setattr(catalogue, "load", lambda root=project, **options: load(project, **options))
    assert parser.main(["check", "nn/made-up"]) == 2
    lines = capsys.readouterr().err.splitlines()
    stops = [line.startswith("STOPS THE RUN  snippets/nn/made-up.py") for line in lines]
    assert stops[0] and stops == sorted(stops, reverse=True) and not all(stops)
    assert "nothing was run" in lines[-1]


def test_a_long_line_is_reported_and_does_not_stop_the_run(project: Path) -> None:
    file = project / "snippets/autograd/backward-second-time.py"
    text = file.read_text(encoding="utf-8")
    head, mark, rest = text.partition("# %% fix ")
    name, _, rest = rest.partition("\n")
    file.write_text(f"{head}{mark}{name}\nlong = 1  #{' x' * 50}\n{rest}", encoding="utf-8")
    pages = catalogue.load(project, lint=False)
    (problem,) = [problem for problem in pages.problems if "the page's column" in problem.message]
    assert not problem.stops and not pages.symptoms["backward-second-time"].snippet.broken


def test_a_half_of_a_condition_that_nothing_meets_is_named(project: Path) -> None:
    file = project / "snippets/autograd/backward-second-time.py"
    old, mended = 'paste("lbfgs.py")', 'paste("lbfgs.py") or paste("never said")'
    file.write_text(change(old, mended)(file.read_text(encoding="utf-8")), encoding="utf-8")
    pages = catalogue.load(project, lint=False)
    symptom = pages.symptoms["backward-second-time"]
    lines = list(conditions.unmet(pages.index(), symptom, []))
    assert any("`before-the-loop`" in line and "`paste('never said')`" in line for line in lines)
    assert not any("`paste('lbfgs.py')`" in line for line in lines)


# ---- stamps


def answers(monkeypatch: pytest.MonkeyPatch, *given: str) -> None:
    left = list(given)
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    monkeypatch.setattr(builtins, "input", lambda _: left.pop(0))


@pytest.fixture
def changed(project: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project whose English page says two things in other words."""
    page = project / "docs/en/autograd/backward-second-time.md"
    text = change("## Why\n\n", "## Why\n\nIn other words. ")(page.read_text(encoding="utf-8"))
    page.write_text(change("title: ", "title: Now ")(text), encoding="utf-8")
    monkeypatch.setattr(
        catalogue,
        "load",
        lambda root=project, _load=catalogue.load, **options: _load(project, **options),
    )
    return project


def stale(root: Path) -> set[str]:
    return set(stamp.unstamped(catalogue.load(root).symptoms["backward-second-time"])[1])


def test_what_changed_is_shown_and_asked_for(
    changed: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert stale(changed) == {"title", "why"}
    answers(monkeypatch, "n", "what?", "y")
    assert parser.main(["stamp", "autograd/backward-second-time"]) == 0
    shown = capsys.readouterr().out
    assert "== title" in shown and "In other words." in shown
    assert stale(changed) == {"title"}


def test_without_a_terminal_the_sections_are_named(
    changed: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin.isatty", lambda: False)
    assert parser.main(["stamp", "--format", "autograd/backward-second-time"]) == 2
    assert "`title`, `why` changed in English" in capsys.readouterr().err and stale(changed) == {
        "title",
        "why",
    }
    assert parser.main(["stamp", "autograd/backward-second-time", "why"]) == 0
    assert stale(changed) == {"title"}


def test_a_blanket_yes_is_not_given_by_formatting(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        catalogue,
        "load",
        lambda root=project, _load=catalogue.load, **options: _load(project, **options),
    )
    assert parser.main(["stamp", "--format", "autograd/backward-second-time"]) == 0
    assert stale(project) == set()


@pytest.mark.parametrize("width", [10, 31])
def test_lines_are_wrapped_by_columns(width: int) -> None:
    text = "先看什么时候报错 `torch.nn.BatchNorm2d(256)` 再看。 a supercalifragilistic word\n\nend"
    lines = stamp.wrapped(text, width)
    assert all(words.columns(line) <= width for line in lines)
    assert "".join("".join(lines).split()) == "".join(text.split())


# ---- check


@pytest.mark.skipif(
    not hasattr(__import__("os"), "fork"), reason="cells are shut into processes, which needs fork"
)
def test_check_tells_all_of_one_page(capsys: pytest.CaptureFixture[str]) -> None:
    assert parser.main(["check", "autograd/backward-second-time"]) == 0
    out = capsys.readouterr().out
    assert (
        "passed autograd/backward-second-time: break carried-state" in out
        and "wrong versions: " in out
    )
    assert (
        "lookup: Trying to backward through the graph a second time" in out
        and out.rstrip().endswith("autograd/backward-second-time: ready")
    )


def test_check_of_what_is_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    assert parser.main(["check", "no-such"]) == 2
    assert "no symptom `no-such`" in capsys.readouterr().err


def test_preview_shows_both_languages(tmp_path: Path) -> None:
    pytest.importorskip("mkdocs")
    if not shutil.which("chromium"):
        pytest.skip("no Chromium here")
    # In a process of its own: other tests keep a browser's loop running in this one.
    command = [
        sys.executable,
        "-m",
        "torchclinic",
        "preview",
        "autograd/backward-second-time",
        "--out",
        str(tmp_path / "x.png"),
    ]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    head = (tmp_path / "x.png").read_bytes()[:24]
    assert head[1:4] == b"PNG" and int.from_bytes(head[16:20]) > 3000


def test_the_template_says_what_every_field_is() -> None:
    """Fields that a header may have, and that a newcomer could not know of."""
    text: Any = new.snippet(["a", "b"])
    for name in (
        "wordings",
        "tags",
        "needs",
        "outranks",
        "related",
        "docs",
        "timeout",
        "recover",
        "causes",
        "draft",
    ):
        assert f" {name}:" in text, name
    assert (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").count("torchclinic check") >= 1
