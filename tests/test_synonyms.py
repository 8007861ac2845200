"""What people type: read from pages, each broken rule reported with file and line, and shown at the foot of a page."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from torchclinic.content import catalogue, synonyms
from torchclinic.content.page import Page
from torchclinic.content.problem import Problem, Problems
from torchclinic.site import parts

STEM = "backward-second-time"
EN = f"docs/en/autograd/{STEM}.md"
ZH = f"docs/zh/autograd/{STEM}.md"


def write(project: Path, file: str, line: str) -> None:
    """Give a page this line and no other of its kind."""
    path = project / file
    kept = [
        text
        for text in path.read_text(encoding="utf-8").splitlines(keepends=True)
        if not text.startswith("synonyms:")
    ]
    path.write_text("".join([kept[0], f"{line}\n", *kept[1:]]), encoding="utf-8")


def problems(project: Path) -> list[Problem]:
    return [problem for problem in catalogue.load(project).problems if "synonym" in problem.message]


@pytest.mark.parametrize("file", [EN, ZH])
def test_a_page_has_synonyms(project: Path, file: str) -> None:
    write(project, file, 'synonyms: [retain_graph 报错, "loss.backward(): twice", 2nd backward]')
    loaded = catalogue.load(project)
    assert not loaded.problems
    assert loaded.symptoms[STEM].pages[file.split("/")[1]].front.synonyms == [
        "retain_graph 报错",
        "loss.backward(): twice",
        "2nd backward",
    ]


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
@pytest.mark.parametrize("file", [EN, ZH])
def test_a_broken_rule_is_reported(project: Path, file: str, value: str, says: str) -> None:
    write(project, file, f"synonyms: {value}")
    (found,) = problems(project)
    assert (found.file, found.line) == (file, 2) and says in found.message


def test_an_entry_that_tells_no_page_from_the_others_is_reported() -> None:
    files = [Path(f"/root/{number}.md") for number in range(synonyms.MOST_PAGES + 1)]
    few, many = Problems(Path("/root")), Problems(Path("/root"))
    synonyms.check([(file, 3, ["CUDA error"]) for file in files[1:]], few)
    assert not few
    synonyms.check(
        [
            (file, 3, ["CUDA error" if file == files[0] else "cuda  Error", str(file)])
            for file in files
        ],
        many,
    )
    assert [(problem.file, problem.line) for problem in many] == [(file.name, 3) for file in files]
    assert "`CUDA error` stands on 4 pages" in many[0].message


def test_each_language_counts_for_itself(project: Path) -> None:
    write(project, EN, "synonyms: [OOM]")
    write(project, ZH, "synonyms: [OOM]")
    for number in range(synonyms.MOST_PAGES):  # twins of the page, the last in English only
        for file in (f"snippets/autograd/{STEM}.py", EN, ZH):
            path = project / file
            shutil.copy(path, path.with_stem(f"{STEM}-{number}"))
    write(project, ZH.replace(STEM, f"{STEM}-{number}"), "synonyms: []")
    found = problems(project)
    assert len(found) == 4 and all(
        problem.file.startswith("docs/en/") and "stands on 4 pages" in problem.message
        for problem in found
    )


@pytest.mark.parametrize(
    ("language", "shown"),
    [
        ("en", "Also searched as: \\*w\\* 0 · \\*w\\* 1"),
        ("zh", "也有人这样搜：\\*w\\* 0、\\*w\\* 1"),
    ],
)
def test_the_foot_of_a_page_names_the_first(language: str, shown: str) -> None:
    made = Page(Path("page.md"), language, "")
    made.front.synonyms = [f"*w* {number}" for number in range(parts.SYNONYMS + 1)]
    text = "\n".join(parts.synonyms(made, language))
    assert shown in text and f" {parts.SYNONYMS - 1}" in text and f" {parts.SYNONYMS}" not in text
    made.front.synonyms = []
    assert parts.synonyms(made, language) == []
