"""Fixtures that several tests share.

What they need they import themselves, so that a test needs the libraries that it uses, and no more.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from torchclinic.content.catalogue import Catalogue

sys.path.insert(0, str(Path(__file__).resolve().parent))


@pytest.fixture(scope="session")
def clinic() -> Catalogue:
    from torchclinic.content import catalogue

    return catalogue.load()


@pytest.fixture(scope="session")
def table() -> dict[str, Any]:
    """The index of the whole catalogue: of the checkout's cache, where nothing has changed."""
    import torchclinic

    return torchclinic.load_index()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A small project that breaks no rule: one symptom in both languages. Tests break it."""
    from making import IDENT, STEM, alone

    from torchclinic import ROOT
    from torchclinic.authoring import stamp
    from torchclinic.content import catalogue

    root = tmp_path / "project"
    for name in (f"snippets/{IDENT}.py", f"docs/en/{IDENT}.md", f"docs/zh/{IDENT}.md"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(alone(name), encoding="utf-8")
    (root / "facts").mkdir()
    for name in ("vocabulary.yml", "sources.yml"):
        shutil.copy(ROOT / "facts" / name, root / "facts")
    stamp.stamp(catalogue.load(root).symptoms[STEM], None, False)
    assert not catalogue.load(root).problems
    return root


@pytest.fixture(scope="session")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from making import make_project

    return make_project(tmp_path_factory.mktemp("site") / "project")


@pytest.fixture(scope="session")
def built(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The strictly built site; any import of torch would have stopped it."""
    from torchclinic.content import catalogue
    from torchclinic.site import build

    trap = tmp_path_factory.mktemp("no-torch")
    (trap / "torch").mkdir()
    (trap / "torch" / "__init__.py").write_text(
        "raise SystemExit('torch was imported')\n", encoding="utf-8"
    )
    out = checkout / "site"
    paths = [str(trap), *filter(None, [os.environ.get("PYTHONPATH")])]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", os.pathsep.join(paths))
        assert (
            build.build(catalogue.load(checkout), out, site_url="https://example.org/clinic/") == 0
        )
    return out
