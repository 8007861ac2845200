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
from torchclinic.commands import author, parser, scaffold, terminal
from torchclinic.content import catalogue
from torchclinic.content.problem import BadInput

KNOWN = """# Messages about layers.
made-up:
  title: {en: "A layer: made up", zh: 虚构的层}
  synonyms: {en: [made up layer], zh: [虚构层]}
  docs: https://docs.pytorch.org/docs/stable/nn.html
  diagnosis:
    en: ["It has {n} values."]
    zh: ["它有 {n} 个值。"]
  wordings:
    - text: "the made-up layer expected values but got {n:int}"
      exception: [ValueError, RuntimeError]
      sample: "ValueError: the made-up layer expected values but got 3"

other:
  title: {en: Other, zh: 其他}
  docs: https://docs.pytorch.org/docs/stable/nn.html
  wordings:
    - text: "some other message altogether of a layer"
"""


@pytest.fixture
def known(project: Path) -> Path:
    (project / "facts" / "known").mkdir()
    (project / "facts" / "known" / "nn.yml").write_text(KNOWN, encoding="utf-8")
    return project


def test_new_makes_three_files_and_overwrites_nothing(project: Path) -> None:
    lines = scaffold.new(project, "nn/made-up", ["main-cause"])
    assert [line for line in lines if line.startswith("made ")] == ["made snippets/nn/made-up.py", "made docs/en/nn/made-up.md", "made docs/zh/nn/made-up.md"]
    for name, cases in (
        ("nn/made-up", ["a"]),
        ("nn/backward-second-time", ["a"]),
        ("nowhere/x", ["a"]),
        ("nn/Bad_Name", ["a"]),
        ("nn/fine", ["A B"]),
        ("nn/fine", ["a", "a"]),
    ):
        with pytest.raises(BadInput):
            scaffold.new(project, name, cases)


def test_what_is_known_of_a_message_is_taken_over(known: Path) -> None:
    scaffold.new(known, "nn/made-up", ["first", "second"])
    made = catalogue.load(known, drafts={"made-up"})
    symptom = made.symptoms["made-up"]
    assert symptom.title("en") == "A layer: made up" and symptom.title("zh") == "虚构的层"
    assert [wording.sample for wording in symptom.snippet.wordings] == ["ValueError: the made-up layer expected values but got 3"]
    assert (symptom.snippet.wordings[0].exception, symptom.snippet.wordings[0].also) == ("ValueError", ("RuntimeError",))
    assert symptom.pages["zh"].diagnoses == ["它有 {n} 个值。"] and symptom.pages["en"].synonyms == ["made up layer"]
    assert list(symptom.snippet.cases) == ["first", "second"] and list(symptom.pages["en"].causes) == ["first", "second"]
    with pytest.raises(BadInput, match="nn/other"):
        scaffold.new(known, "autograd/other", ["a"])


def test_all_that_is_open_is_told_file_by_file(project: Path) -> None:
    scaffold.new(project, "nn/made-up", ["first", "second"])
    found = [str(problem) for problem in catalogue.load(project, drafts={"made-up"}).problems]
    assert sum("left of the template" in line for line in found) == 3
    assert not any("YAML" in line or "stamp" in line for line in found), found


def test_a_draft_is_no_page(known: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    scaffold.new(known, "nn/made-up", ["first"])
    (known / "docs/zh/nn/made-up.md").unlink()
    made = catalogue.load(known)
    assert not made.problems and "made-up" not in made.symptoms and list(made.drafts) == ["made-up"]
    assert made.index()["symptoms"]["made-up"]["page"] is False  # the message is still known
    monkeypatch.setattr(author, "ROOT", known)
    monkeypatch.setattr(author.catalogue, "load", lambda root=known, _load=catalogue.load, **options: _load(known, **options))
    assert parser.main(["catalogue"]) == 0
    assert "draft nn/made-up: " in capsys.readouterr().out


def test_what_is_not_ready_is_not_published(known: Path) -> None:
    scaffold.new(known, "nn/made-up", ["first"])
    with pytest.raises(BadInput, match="nn/made-up is not ready"):
        scaffold.publish(known, "nn/made-up")
    with pytest.raises(BadInput, match=r"no draft `nn/no-such`; there are nn/made-up"):
        scaffold.publish(known, "nn/no-such")


def test_what_is_published_is_a_page_and_known_no_more(project: Path) -> None:
    ident, stem = "autograd/backward-second-time", "backward-second-time"
    snippet = project / f"snippets/{ident}.py"
    snippet.write_text(snippet.read_text(encoding="utf-8").replace("# ---\n", "# ---\n# draft: true\n", 1), encoding="utf-8")
    (project / "facts" / "known").mkdir()
    entry = f'{stem}:\n  title: {{en: Twice, zh: 两次}}\n  docs: https://docs.pytorch.org/\n  wordings:\n    - text: "Trying to backward through the graph a second time"\n'
    file = project / "facts" / "known" / "autograd.yml"
    file.write_text(f"# First.\n{entry}\nother:{KNOWN.partition('other:')[2]}", encoding="utf-8")
    assert catalogue.load(project).drafts.keys() == {stem}
    assert scaffold.publish(project, ident)[0] == f"published {ident}"
    made = catalogue.load(project)
    assert stem in made.symptoms and stem not in made.known and "other" in made.known and not made.problems


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
    monkeypatch.setattr(author.catalogue, "load", lambda root=project, _load=catalogue.load, **options: _load(project, **options))
    return project


def stale(root: Path) -> set[str]:
    return set(scaffold.unstamped(catalogue.load(root).symptoms["backward-second-time"])[1])


def test_what_changed_is_shown_and_asked_for(changed: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert stale(changed) == {"title", "why"}
    answers(monkeypatch, "n", "what?", "y")
    assert parser.main(["stamp", "autograd/backward-second-time"]) == 0
    shown = capsys.readouterr().out
    assert "== title" in shown and "In other words." in shown
    assert stale(changed) == {"title"}


def test_without_a_terminal_the_sections_are_named(changed: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.stdin.isatty", lambda: False)
    assert parser.main(["stamp", "--format", "autograd/backward-second-time"]) == 2
    assert "`title`, `why` changed in English" in capsys.readouterr().err and stale(changed) == {"title", "why"}
    assert parser.main(["stamp", "autograd/backward-second-time", "why"]) == 0
    assert stale(changed) == {"title"}


def test_a_blanket_yes_is_not_given_by_formatting(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(author.catalogue, "load", lambda root=project, _load=catalogue.load, **options: _load(project, **options))
    assert parser.main(["stamp", "--format", "autograd/backward-second-time"]) == 0
    assert stale(project) == set()


@pytest.mark.parametrize("width", [10, 31])
def test_lines_are_wrapped_by_columns(width: int) -> None:
    text = "先看什么时候报错 `torch.nn.BatchNorm2d(256)` 再看。 a supercalifragilistic word\n\nend"
    lines = terminal.wrapped(text, width)
    assert all(terminal.columns(line) <= width for line in lines)
    assert "".join("".join(lines).split()) == "".join(text.split())


# ---- check


@pytest.mark.skipif(not hasattr(__import__("os"), "fork"), reason="cells are shut into processes, which needs fork")
def test_check_tells_all_of_one_page(capsys: pytest.CaptureFixture[str]) -> None:
    assert parser.main(["check", "autograd/backward-second-time"]) == 0
    out = capsys.readouterr().out
    assert "passed autograd/backward-second-time: break carried-state" in out and "wrong versions: " in out
    assert "lookup: Trying to backward through the graph a second time" in out and out.rstrip().endswith("autograd/backward-second-time: ready")


def test_check_of_what_is_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    assert parser.main(["check", "no-such"]) == 2
    assert "no symptom `no-such`" in capsys.readouterr().err


def test_preview_shows_both_languages(tmp_path: Path) -> None:
    pytest.importorskip("mkdocs")
    if not shutil.which("chromium"):
        pytest.skip("no Chromium here")
    # In a process of its own: other tests keep a browser's loop running in this one.
    command = [sys.executable, "-m", "torchclinic", "preview", "autograd/backward-second-time", "--out", str(tmp_path / "x.png")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    head = (tmp_path / "x.png").read_bytes()[:24]
    assert head[1:4] == b"PNG" and int.from_bytes(head[16:20]) > 3000


def test_the_template_says_what_every_field_is() -> None:
    """Fields that a header may have, and that a newcomer could not know of."""
    text: Any = scaffold._snippet(None, "", ["a", "b"])
    for name in ("wordings", "tags", "needs", "outranks", "related", "docs", "timeout", "recover", "causes", "draft"):
        assert f" {name}:" in text, name
    assert (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").count("torchclinic check") >= 1
