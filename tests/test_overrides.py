"""What we replace of other packages' templates: each file in overrides/ was made from an original,
and an update that changes it must be looked at."""

from __future__ import annotations

import hashlib
import importlib.metadata
import importlib.util
import re
from pathlib import Path

import pytest

from torchclinic import ROOT
from torchclinic.site.mkdocs_hooks import MATERIALS_SEARCH

#: file in overrides/ -> package, original in it, and the beginning of the hash of the text that
#: ours was made from, or was last compared with.
MADE_FROM = {
    "main.html": ("mkdocs-material", "material/templates/base.html", "1e24b971e871"),
    "404.html": ("mkdocs-material", "material/templates/404.html", "80c93494b543"),
    "partials/alternate.html": (
        "mkdocs-material",
        "material/templates/partials/alternate.html",
        "572b1d4dae61",
    ),
    "partials/content.html": (
        "mkdocs-material",
        "material/templates/partials/content.html",
        "ce33929c85af",
    ),
    "partials/javascripts/palette.html": (
        "mkdocs-material",
        "material/templates/partials/javascripts/palette.html",
        "8790389765ea",
    ),
    "partials/search.html": (
        "mkdocs-material",
        "material/templates/partials/search.html",
        "bfd556535abc",
    ),
    "partials/source.html": (
        "mkdocs-material",
        "material/templates/partials/source.html",
        "6847616d67be",
    ),
    "partials/tags.html": (
        "mkdocs-material",
        "material/templates/partials/tags.html",
        "166225609857",
    ),
    "sitemap.xml": ("mkdocs", "mkdocs/templates/sitemap.xml", "0950766d642a"),
}
#: Pages of our own.
OURS = "root/"
#: Names of scripts and styles carry a hash of their own, which every release changes.
_HASHED = re.compile(r"\.[0-9a-f]{8}\.min\.")


def original(name: str, *, hashed: bool = False) -> str:
    """The text of an installed template; with the hashes in names of scripts, or without."""
    package, _, path = name.partition("/")
    found = importlib.util.find_spec(package)
    assert found is not None and found.origin is not None
    text = Path(found.origin).parent.joinpath(path).read_text(encoding="utf-8")
    return text if hashed else _HASHED.sub(".min.", text)


def test_every_override_names_its_original() -> None:
    files = {
        file.relative_to(ROOT / "overrides").as_posix()
        for file in (ROOT / "overrides").rglob("*")
        if file.is_file()
    }
    assert {name for name in files if not name.startswith(OURS)} == set(MADE_FROM)


@pytest.mark.parametrize("name", MADE_FROM)
def test_the_original_is_the_one_that_ours_was_made_from(name: str) -> None:
    package, file, digest = MADE_FROM[name]
    now = hashlib.sha256(original(file).encode()).hexdigest()[:12]
    assert now == digest, (
        f"{package} {importlib.metadata.version(package)} changed {file}: "
        f"compare it with overrides/{name}, take over what is new, then write {now} into MADE_FROM"
    )


def test_what_main_html_replaces_in_base_html_is_there() -> None:
    """Two of its blocks are Material's with a text replaced: were it gone, nothing would be
    replaced, and nobody would be told."""
    base, ours = (
        original("material/templates/base.html", hashed=True),
        (ROOT / "overrides/main.html").read_text(encoding="utf-8"),
    )
    blocks = dict(re.findall(r"\{% block (\w+) %\}(.*?)\{% endblock %\}", base, re.DOTALL))
    assert "| own_search" in ours and len(MATERIALS_SEARCH.findall(blocks["config"])) == 1
    assert 'replace("<script src=", ' in ours and blocks["scripts"].lstrip().startswith(
        "<script src="
    )
    assert set(re.findall(r"\{% block (\w+) %\}", ours)) <= set(
        re.findall(r"\{% block (\w+) %\}", base)
    )
