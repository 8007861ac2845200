"""Fixtures that several tests share."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from torchclinic import ROOT
from torchclinic.commands import scaffold
from torchclinic.content import catalogue
from torchclinic.content.catalogue import Catalogue
from torchclinic.site import build

sys.path.insert(0, str(Path(__file__).resolve().parent))
from making import make_project


@pytest.fixture(scope="session")
def clinic() -> Catalogue:
    return catalogue.load()


@pytest.fixture(scope="session")
def table(clinic: Catalogue) -> dict[str, Any]:
    """The index of the whole catalogue."""
    return clinic.index()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A small project that breaks no rule: one symptom in both languages. Tests break it."""
    root = tmp_path / "project"
    for file in ("snippets/autograd/backward-second-time.py", "docs/en/autograd/backward-second-time.md", "docs/zh/autograd/backward-second-time.md"):
        (root / file).parent.mkdir(parents=True, exist_ok=True)
        # Links to other symptoms lead nowhere in a project of one.
        (root / file).write_text((ROOT / file).read_text(encoding="utf-8").replace("modified-by-inplace.md", "backward-second-time.md"), encoding="utf-8")
    snippet = root / "snippets/autograd/backward-second-time.py"
    snippet.write_text(snippet.read_text(encoding="utf-8").replace("# related: [autograd/modified-by-inplace]\n", ""), encoding="utf-8")
    (root / "facts").mkdir()
    for name in ("vocabulary.yml", "sources.yml"):
        shutil.copy(ROOT / "facts" / name, root / "facts")
    scaffold.stamp(catalogue.load(root).symptoms["backward-second-time"], None, False)
    assert not catalogue.load(root).problems
    return root


@pytest.fixture(scope="session")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_project(tmp_path_factory.mktemp("site") / "project")


@pytest.fixture(scope="session")
def built(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The strictly built site; any import of torch would have stopped it."""
    trap = tmp_path_factory.mktemp("no-torch")
    (trap / "torch").mkdir()
    (trap / "torch" / "__init__.py").write_text("raise SystemExit('torch was imported')\n", encoding="utf-8")
    out = checkout / "site"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", os.pathsep.join([str(trap), *filter(None, [os.environ.get("PYTHONPATH")])]))
        assert build.build(checkout, out, site_url="https://example.org/clinic/") == 0
    return out
