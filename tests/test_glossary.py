from __future__ import annotations

import shutil
from pathlib import Path

from torchclinic import ROOT
from torchclinic.content import catalogue, glossary

IDENT = "autograd/backward-second-time"


def test_what_the_glossary_refuses_is_told_with_its_line(project: Path) -> None:
    shutil.copy(ROOT / glossary.FILE, project / glossary.FILE)
    assert not catalogue.load(project).problems
    page = project / f"docs/zh/{IDENT}.md"
    before = page.read_text(encoding="utf-8")
    page.write_text(
        before.replace("## 原因\n", "## 原因\n\n激活检查点\uff0c`激活检查点`。\n"), encoding="utf-8"
    )
    number = page.read_text(encoding="utf-8").splitlines().index("## 原因") + 3
    (found,) = catalogue.load(project).problems
    assert (
        str(found)
        == f"docs/zh/{IDENT}.md:{number}: docs/glossary-zh.md refuses `激活检查点`: write 梯度检查点\uff08重计算\uff09"
    )
    page.write_text(
        before.replace("## 原因\n", "## 原因\n\n`激活检查点`。\n").replace(
            "source:\n", "synonyms: [激活检查点]\nsource:\n"
        ),
        encoding="utf-8",
    )
    assert not [
        problem for problem in catalogue.load(project).problems if "refuses" in problem.message
    ], "code, and what people type"


def test_what_says_nothing_is_refused() -> None:
    """Headings ask nothing, so no list answers them; and a fix is named."""
    assert {"- 不会。", "- 不会\uff0c", "修复就是"} <= glossary.refused(ROOT).keys()


def test_all_chinese_is_looked_through(project: Path) -> None:
    names = {file.relative_to(ROOT).as_posix() for file in glossary.files(ROOT)}
    assert {
        "docs/zh/index.md",
        f"docs/zh/{IDENT}.md",
        "facts/vocabulary.yml",
        "torchclinic/content/words.json",
    } <= names
    assert glossary.TYPED not in names and len(glossary.refused(ROOT)) > 20
    assert not glossary.refused(project), "a project without the file refuses nothing"
