"""What people type: read from pages and known messages, each broken rule reported with file and line, and shown at the foot of a page."""

from __future__ import annotations

from pathlib import Path

import pytest

from torchclinic.content import catalogue, synonyms
from torchclinic.content.page import Page
from torchclinic.content.problem import Problem, Problems
from torchclinic.site import parts

STEM = "backward-second-time"
EN = f"docs/en/autograd/{STEM}.md"
ZH = f"docs/zh/autograd/{STEM}.md"
KNOWN = """# A comment
other:
  title: {en: Other, zh: 其他}
one:
  title: {en: One, zh: 一}
  wordings:
    - {text: "a message that no page has", exception: RuntimeError}
"""


def write(project: Path, file: str, line: str) -> None:
    """Give a page, or the last entry of the known messages, this line and no other of its kind."""
    path = project / file
    path.parent.mkdir(parents=True, exist_ok=True)
    if file.startswith("facts/known/"):
        path.write_text(f"{KNOWN}  {line}\n", encoding="utf-8")
        return
    kept = [text for text in path.read_text(encoding="utf-8").splitlines(keepends=True) if not text.startswith("synonyms:")]
    path.write_text("".join([kept[0], f"{line}\n", *kept[1:]]), encoding="utf-8")


def problems(project: Path) -> list[Problem]:
    return [problem for problem in catalogue.load(project).problems if "synonym" in problem.message]


@pytest.mark.parametrize("file", [EN, ZH])
def test_a_page_has_synonyms(project: Path, file: str) -> None:
    write(project, file, 'synonyms: [retain_graph 报错, "loss.backward(): twice", 2nd backward]')
    loaded = catalogue.load(project)
    assert not loaded.problems
    assert loaded.symptoms[STEM].pages[file.split("/")[1]].synonyms == ["retain_graph 报错", "loss.backward(): twice", "2nd backward"]


def test_a_known_message_has_synonyms(project: Path) -> None:
    write(project, "facts/known/shapes.yml", "synonyms: {en: [odd shape], zh: [形状不对, shape报错]}")
    loaded = catalogue.load(project)
    assert not loaded.problems
    assert loaded.known["one"].synonyms == {"en": ["odd shape"], "zh": ["形状不对", "shape报错"]} and loaded.known["other"].synonyms == {}


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ("backward twice", "is a list of what people type"),
        ("{a: b}", "is a list of what people type"),
        ("[59]", "the synonym `59` is no text: quote"),
        ("[true]", "the synonym `True` is no text: quote"),
        ("['']", "is no text"),
        ("[' ']", "is no text"),
        ("[[nested]]", "is no text"),
        (f"[{'x' * 61}]", "has 61 characters"),
        ("[loss 不下降, Loss不下降]", "`Loss不下降` stands twice"),
        ("[ＯＯＭ, oom]", "`oom` stands twice"),
    ],
)
@pytest.mark.parametrize(("file", "line"), [(EN, 2), (ZH, 2), ("facts/known/shapes.yml", 4)])
def test_a_broken_rule_is_reported(project: Path, file: str, line: int, value: str, says: str) -> None:
    write(project, file, f"synonyms: {{en: {value}}}" if file.startswith("facts/known/") else f"synonyms: {value}")
    (found,) = problems(project)
    assert (found.file, found.line) == (file, line) and says in found.message


@pytest.mark.parametrize("value", ["[a word]", "{de: [ein Wort]}"])
def test_synonyms_of_a_known_message_name_their_language(project: Path, value: str) -> None:
    write(project, "facts/known/shapes.yml", f"synonyms: {value}")
    (found,) = problems(project)
    assert (found.file, found.line) == ("facts/known/shapes.yml", 4) and "synonyms: {en: […], zh: […]}" in found.message


def test_an_entry_that_tells_no_page_from_the_others_is_reported() -> None:
    files = [Path(f"/root/{number}.md") for number in range(synonyms.MOST_PAGES + 1)]
    few, many = Problems(Path("/root")), Problems(Path("/root"))
    synonyms.check([(file, 3, ["CUDA error"]) for file in files[1:]], few)
    assert not few
    synonyms.check([(file, 3, ["CUDA error" if file == files[0] else "cuda  Error", str(file)]) for file in files], many)
    assert [(problem.file, problem.line) for problem in many] == [(file.name, 3) for file in files]
    assert "`CUDA error` stands on 4 pages" in many[0].message


def test_each_language_counts_for_itself(project: Path) -> None:
    write(project, EN, "synonyms: [OOM]")
    write(project, ZH, "synonyms: [OOM]")
    entry = "{title: {en: One, zh: 一}, synonyms: {en: [OOM]}, wordings: [{text: some words that name it %s}]}"
    (project / "facts/known").mkdir(parents=True, exist_ok=True)
    (project / "facts/known/shapes.yml").write_text("".join(f"stem-{word}: {entry % word}\n" for word in ("alpha", "beta")), encoding="utf-8")
    assert not problems(project)
    with (project / "facts/known/shapes.yml").open("a", encoding="utf-8") as file:
        file.write(f"stem-gamma: {entry % 'gamma'}\n")
    found = problems(project)
    assert {problem.file for problem in found} == {EN, "facts/known/shapes.yml"} and all("stands on 4 pages" in problem.message for problem in found)


@pytest.mark.parametrize(("language", "shown"), [("en", "Also searched as: \\*w\\* 0 · \\*w\\* 1"), ("zh", "相关搜索：\\*w\\* 0、\\*w\\* 1")])
def test_the_foot_of_a_page_names_the_first(language: str, shown: str) -> None:
    made = Page(Path("page.md"), language, "", synonyms=[f"*w* {number}" for number in range(parts.SYNONYMS + 1)])
    text = "\n".join(parts.synonyms(made, language))
    assert shown in text and f" {parts.SYNONYMS - 1}" in text and f" {parts.SYNONYMS}" not in text
    made.synonyms = []
    assert parts.synonyms(made, language) == []
