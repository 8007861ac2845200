"""A checkout with one symptom and made-up evidence, from which tests build a site."""

from __future__ import annotations

import html
import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

from torchclinic import LANGUAGES, ROOT
from torchclinic.authoring import stamp
from torchclinic.content import catalogue
from torchclinic.content.evidence import Evidence

STEM = "backward-second-time"
IDENT = f"autograd/{STEM}"
#: An id that the symptom had once.
OLD = "autograd/retain-graph"
SITE_FILES = ("mkdocs.yml", "mkdocs.zh.yml", "facts/sources.yml", "facts/vocabulary.yml")


def alone(name: str) -> str:
    """A file of the checkout; links to other symptoms would lead nowhere in a project of one."""
    return (
        read(ROOT / name)
        .replace("modified-by-inplace.md#stepped-weights", f"{STEM}.md")
        .replace("modified-by-inplace.md", f"{STEM}.md")
        .replace("# related: [autograd/modified-by-inplace]\n", "")
    )


def make_project(root: Path) -> Path:
    """A checkout with one symptom, and all that the site is made of."""
    for name in (*SITE_FILES, f"snippets/{IDENT}.py", f"docs/en/{IDENT}.md", f"docs/zh/{IDENT}.md"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(alone(name), encoding="utf-8")
    (root / "facts/redirects.yml").write_text(f"{OLD}: {IDENT}\n", encoding="utf-8")
    (root / "facts/often.yml").write_text(f"symptoms: [{STEM}]\n", encoding="utf-8")
    for name in ("overrides", "docs/assets", "docs/root", "docs/programs", "torchclinic"):
        shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
    for language in LANGUAGES:
        for file in (ROOT / "docs" / language).glob("*.md"):
            text = read(file)
            if file.name in ("no-message.md", "unknown.md"):  # they lead to symptoms and tips
                text = re.sub(r"\]\([\w-]+/[^)]*\)", f"]({IDENT}.md)", text)
            (root / "docs" / language / file.name).write_text(text, encoding="utf-8")
    chinese_page = root / f"docs/zh/{IDENT}.md"
    text = read(chinese_page).replace("source:", "synonyms: [爆栈词, 二次反传]\nsource:", 1)
    chinese_page.write_text(text, encoding="utf-8")
    record(root)
    stamp.stamp(catalogue.load(root).symptoms[STEM], None, True)
    assert not catalogue.load(root).problems
    return root


def change(old: str, new: str) -> Callable[[str], str]:
    """An edit of a file's text, which must be possible."""

    def apply(text: str) -> str:
        assert old in text
        return text.replace(old, new, 1)

    return apply


def copy_of(checkout: Path, target: Path) -> Path:
    """The checkout without the site that was built in it."""
    return shutil.copytree(
        checkout,
        target,
        ignore=lambda folder, names: {"site"} if Path(folder) == checkout else set(),
    )


def traceback_of(case: str) -> str:
    """What the break of a case really printed, with what a page must not take for markup."""
    recorded = json.loads(read(ROOT / "evidence/2.13.0-py3.11-cpu.json"))
    cell = recorded["symptoms"][STEM]["cells"][f"break {case}"]
    return f"{cell['traceback'].rstrip()} <b>&\n"


def _printed(case: str) -> dict[str, str]:
    return {"traceback": traceback_of(case), "output": f"step 1\n{traceback_of(case)}"}


def record(root: Path) -> None:
    """Evidence of one run on a CPU, and of a GPU machine that lacked something."""
    snippet = catalogue.load(root).symptoms[STEM].snippet
    cells = {
        cell.name: {
            "outcome": "passed",
            "exception": "RuntimeError",
            "message": "…",
            **_printed(cell.case),
            "seconds": 1.0,
        }
        if cell.kind == "break"
        else {"outcome": "passed", "seconds": 1.0}
        for cell in snippet.runs
    }
    facts = {"hash": snippet.hash, "date": "2026-11-02", "platform": "linux x86_64"}
    run = {**facts, "python": "3.11.7", "cells": cells}
    lacking = {**facts, "python": "3.12.1", "cells": {}, "skipped": "needs two GPUs; 1 here"}
    (root / "evidence").mkdir(exist_ok=True)
    for evidence in (
        Evidence("2.13.0", "3.11", "cpu", "CPU", "", {STEM: run}),
        Evidence("2.13.0", "3.12", "cuda", "NVIDIA H200", "13.0", {STEM: lacking}),
    ):
        file = root / "evidence" / evidence.file
        file.write_text(json.dumps(evidence.as_json()), encoding="utf-8")


def read(file: Path) -> str:
    """A file's text; of a page the tree that a browser makes of it, written out: all attributes
    quoted."""
    text = file.read_text(encoding="utf-8")
    if file.suffix == ".html":
        from selectolax.lexbor import LexborHTMLParser  # installed only where a site is built

        return LexborHTMLParser(text).html or ""
    return text


def visible(text: str) -> str:
    """The words of a page, without markup."""
    return html.unescape(
        re.sub(r"<[^>]+>", "", re.sub(r"<(script|style).*?</\1>", "", text, flags=re.DOTALL))
    )
