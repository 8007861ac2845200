"""What another generator would read: the staged tree, without our hooks, templates and plugins."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from making import IDENT, copy_of, read

from torchclinic import LANGUAGES, ROOT
from torchclinic.content.problem import BadInput
from torchclinic.site import stage
from torchclinic.site.build import CONFIGS

#: Fenced code, and code within a line.
_CODE = re.compile(r"^ *(`{3,}).*?^ *\1$|(`+)[^\n]*?\2", re.DOTALL | re.MULTILINE)
#: Made by what only MkDocs' hooks do.
_BUILT = re.compile(
    r"feed\.xml$|/(index\.json|llms\.txt|sitemap\.xml|index\.md)$|\.well-known/|^(\.\./)*evidence/"
)


@pytest.fixture(scope="module")
def staged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The whole catalogue's."""
    out = tmp_path_factory.mktemp("stage") / "tree"
    assert stage.stage(ROOT, out) == 0
    return out


def test_every_page_is_there_and_no_directive_is_left(staged: Path) -> None:
    for language in LANGUAGES:
        docs = staged / "docs" / language
        sources = {
            file.relative_to(ROOT / "docs" / language)
            for file in (ROOT / "docs" / language).rglob("*.md")
        }
        pages = {file.relative_to(docs): _CODE.sub("", read(file)) for file in docs.rglob("*.md")}
        assert (
            sources < set(pages)
            and Path("symptoms/index.md") in pages
            and Path("cheat-sheet.md") in pages
        )
        assert not [name for name, text in pages.items() if "{{ " in text]
        assert all(read(docs / name).startswith('---\ntitle: "') for name in sources)


def test_links_of_the_tree_lead_somewhere(staged: Path) -> None:
    for language in LANGUAGES:
        docs = staged / "docs" / language
        for file in docs.rglob("*.md"):
            text = _CODE.sub("", read(file))
            # Markdown's links begin at the file, those of raw HTML at the page's address: a folder,
            # unless the file is the index of one.
            served = file.parent if file.name == "index.md" else file.with_suffix("")
            for folder, targets in (
                (file.parent, re.findall(r"\]\(([^)\s]+)\)", text)),
                (served, re.findall(r'(?:href|src)="([^"]+)"', text)),
            ):
                for target in targets:
                    path = target.partition("#")[0]
                    if path and "://" not in path and not _BUILT.search(path):
                        place = Path(os.path.normpath(folder / path))
                        assert place.exists() or place.with_suffix(".md").exists(), (file, target)


def test_mkdocs_builds_it_without_us(checkout: Path, tmp_path: Path) -> None:
    out = tmp_path / "tree"
    assert stage.stage(copy_of(checkout, tmp_path / "project"), out) == 0
    for language in LANGUAGES:
        settings = yaml.safe_load(read(out / CONFIGS[language]))
        assert (
            "hooks" not in settings
            and "custom_dir" not in settings["theme"]
            and set(settings["plugins"]) == {"search", "tags"}
        )
        command = [sys.executable, "-m", "mkdocs", "build", "--strict", "-f", CONFIGS[language]]
        # From nowhere that has the package.
        environment = {
            **os.environ,
            "NO_MKDOCS_2_WARNING": "1",
            "PYTHONSAFEPATH": "1",
            "PYTHONPATH": "",
        }
        run = subprocess.run(
            command, cwd=out, env=environment, capture_output=True, text=True, check=False
        )
        assert run.returncode == 0, run.stderr
        page = read(out / "site" / language / IDENT / "index.html")
        assert '<h2 id="causes">' in page and "tabbed-set" in page and "tc-message" in page


def test_only_a_staged_tree_is_replaced(checkout: Path, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "mkdocs.yml").write_text("site_name: mine\n", encoding="utf-8")
    with pytest.raises(BadInput, match="something else than a staged tree"):
        stage.stage(checkout, tmp_path / "mine")
    assert read(tmp_path / "mine" / "mkdocs.yml") == "site_name: mine\n"
    for _ in range(2):
        assert stage.stage(checkout, tmp_path / "tree") == 0
