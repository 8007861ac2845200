"""Tips: each rule, broken, is reported; what a page shows of its front matter, marks, figures and programs."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from making import change

from torchclinic.authoring import stamp
from torchclinic.content import catalogue, figure, search_index, tip
from torchclinic.site import labels, lists, symptom_page, tip_page

EN = "docs/en/tips/nn/made-up.md"
ZH = "docs/zh/tips/nn/made-up.md"
ENGLISH = """---
title: Count twice
want: count and be sure
rule: Count twice, cut once.
summary: How to count.
tags: [shape]
rows: [S000-02]
symptoms: [backward-second-time]
---

```python
count = 1 + 1  # twice
assert count == 2
```

Prose with a [link](#costs).

## What it costs {#costs}

<!--pytest.mark.skipif(not __import__("torch").cuda.is_available(), reason="needs CUDA")-->
```python
assert "cuda"
```

{{ figure made-up }}

{{ program made_up.py }}
"""
CHINESE = """---
title: 数两遍
want: 数得准
rule: 数两遍，剪一次。
summary: 怎么数。
---

```python
count = 1 + 1  # 两遍

assert count == 2
```

正文里的[链接](#costs)。

## 代价 {#costs}

<!--pytest.mark.skipif(not __import__("torch").cuda.is_available(), reason="needs CUDA")-->
```python
assert "cuda"
```

{{ figure made-up }}

{{ program made_up.py }}
"""


@pytest.fixture
def clinic_with_tip(project: Path) -> Path:
    """A small project with one tip, its figure and its program; breaks no rule."""
    files = {
        EN: ENGLISH,
        ZH: CHINESE,
        "docs/programs/made_up.py": "print('made up')\n",
        "docs/figures/made-up.py": "LABELS = {}\n",
    }
    for name, text in files.items():
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text(text, encoding="utf-8")
    drawn = project / figure.DRAWN / "made-up.json"
    drawn.parent.mkdir(parents=True)
    drawn.write_text(
        json.dumps(
            {
                "script": figure.script_hash(project / "docs/figures/made-up.py"),
                "alt": {"en": "Two lines meet.", "zh": "两条线相交。"},
            }
        ),
        encoding="utf-8",
    )
    stamp.stamp(catalogue.load(project).tips["made-up"], None, False)
    assert not catalogue.load(project).problems
    return project


@pytest.mark.parametrize(
    ("file", "edit", "says"),
    [
        (
            ZH,
            change("1 + 1", "1 + 2"),
            "differs from the English page by more than comments: `2` for `1`",
        ),
        (ZH, change("assert count == 2\n", ""), "asserts nothing"),
        (
            ZH,
            change('```python\nassert "cuda"\n```', "text"),
            "1 blocks of code, the English page has 2",
        ),
        (ZH, change("{{ figure made-up }}\n", ""), "directives differ"),
        (ZH, change("{#costs}", "{#cost}"), "sections differ"),
        (ZH, change("\uff0c", ","), "half-width punctuation"),
        (
            EN,
            change("Prose with", "Text with"),
            "changed in English since this was written: `opening`",
        ),
        (EN, change("cut once", "cut never"), "changed in English since this was written: `rule`"),
        (EN, change("1 + 1", "1 +"), "syntax error in the block"),
        (EN, change("{#costs}", ""), "an anchor of its own"),
        (EN, change("](#costs)", "](#gone)"), "no such section"),
        (EN, change("rule: Count twice, cut once.\n", ""), "front matter lacks `rule`"),
        (ZH, change("want: 数得准\n", ""), "front matter lacks `want`"),
        (EN, change("tags: [shape]", "tags: [shapely]"), "unknown tag `shapely`"),
        (EN, change("S000-02", "S000-99"), "sources.yml has not"),
        (EN, change("[backward-second-time]", "[backward]"), "unknown symptom `backward`"),
        (
            EN,
            change("---\n\n```python", "---\n\nA word first.\n\n```python"),
            "opens with the code to copy",
        ),
        (EN, change("```python\ncount", "```bash\ncount"), "a fence of `bash`"),
        (
            EN,
            change('skipif(not __import__("torch").cuda.is_available(), ', "skip("),
            "left out only where something is missing",
        ),
        (EN, change("{{ figure made-up }}", "{{ picture made-up }}"), "is no directive"),
        (
            EN,
            change("{{ figure made-up }}", "{{ figure gone }}"),
            "there is no docs/figures/gone.py",
        ),
        (EN, change("made_up.py", "gone.py"), "there is no docs/programs/gone.py"),
        ("docs/figures/made-up.py", change("{}", "{1: 2}"), "has changed since it was drawn"),
    ],
)
def test_a_broken_rule_is_reported(
    clinic_with_tip: Path, file: str, edit: Callable[[str], str], says: str
) -> None:
    path = clinic_with_tip / file
    path.write_text(edit(path.read_text(encoding="utf-8")), encoding="utf-8")
    found = [str(problem) for problem in catalogue.load(clinic_with_tip).problems]
    assert any(says in line for line in found), found


@pytest.mark.parametrize("file", [EN, ZH])
def test_a_missing_language_is_reported(clinic_with_tip: Path, file: str) -> None:
    (clinic_with_tip / file).unlink()
    assert any(
        "is missing" in problem.message for problem in catalogue.load(clinic_with_tip).problems
    )


def test_a_tip_elsewhere_is_reported(clinic_with_tip: Path) -> None:
    (clinic_with_tip / "docs/en/tips/nowhere").mkdir()
    (clinic_with_tip / EN).rename(clinic_with_tip / "docs/en/tips/nowhere/made-up.md")
    assert any(
        "a tip lies in docs/en/tips/<topic>/" in problem.message
        for problem in catalogue.load(clinic_with_tip).problems
    )


def test_the_page(clinic_with_tip: Path) -> None:
    loaded = catalogue.load(clinic_with_tip)
    english, chinese = (
        tip_page.tip_page(loaded, loaded.tips["made-up"], language) for language in ("en", "zh")
    )
    assert english.startswith("# Count twice\n\nCount twice, cut once.\n{ .tc-rule }\n")
    assert (
        "*Not run: needs CUDA.*" in english
        and "*未运行：需要 CUDA。*" in chinese
        and "pytest.mark" not in english
    )
    assert (
        "![两条线相交。](../../assets/figures/made-up-zh-dark.svg#only-dark)" in chinese
        and "print('made up')" in english
    )
    assert (
        "../../autograd/backward-second-time.md" in english
        and "After notes in: Pytorch 踩坑." in english
    )
    assert "../tips/nn/made-up.md" in symptom_page.symptom_page(
        loaded, loaded.symptoms["backward-second-time"], "en"
    ), "the symptom links back"


@pytest.mark.parametrize("language", ["en", "zh"])
def test_its_tags_are_searched_in_both_languages(clinic_with_tip: Path, language: str) -> None:
    loaded = catalogue.load(clinic_with_tip)
    doc = search_index._page(loaded.tips["made-up"], loaded.tags, language)
    assert set(doc.texts["tags"]) == set(loaded.tags["shape"].values())


@pytest.mark.parametrize(("language", "wish"), [("en", "[count and be sure]"), ("zh", "[数得准]")])
def test_the_overview_lists_what_readers_want(
    clinic_with_tip: Path, language: str, wish: str
) -> None:
    loaded = catalogue.load(clinic_with_tip)
    page = lists.tips_page(loaded, language)
    asked, topic = page.index(labels.LABELS[language]["i-want"]), page.index("{#nn}")
    row = f"- {wish}(nn/made-up.md)\n\n    {loaded.tips['made-up'].title(language)}\n"
    assert asked < topic < page.index(row)


def test_cheat_sheet_and_sources(clinic_with_tip: Path) -> None:
    loaded = catalogue.load(clinic_with_tip)
    assert "**[Count twice](tips/nn/made-up.md)** Count twice, cut once." in lists.cheat_sheet(
        loaded, "en"
    )
    page = lists.sources_page(loaded, "zh")
    row = next(line for line in page.splitlines() if line.startswith("| S000-02 |"))
    assert row.endswith("| 更正 | [数两遍](tips/nn/made-up.md) |")
    assert page.count("| 暂无 |") == len(loaded.answers()) - sum(
        1 for pages in loaded.answers().values() if pages
    )


def test_code_is_compared_without_comments() -> None:
    assert tip.code_of("x = 1  # one\n\n# two\ny = 2\n") == tip.code_of("x = 1\ny = 2  # 二\n")
    assert tip.code_of('def f():\n    """One."""\n    return 1\n') == tip.code_of(
        'def f():\n    """一"""\n    return 1\n'
    )
    assert tip.code_of("x = 1\n") != tip.code_of("x = 2\n")
