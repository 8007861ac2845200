"""What is replaced within MkDocs, mkdocs-jupyter and nbconvert is what it was when it was replaced."""

from __future__ import annotations

import hashlib
import inspect
from types import SimpleNamespace

import mkdocs.commands.build
import nbconvert.exporters.html
import pytest

from torchclinic.site import patches
from torchclinic.site.patches import PINS, Pin

#: Of each function that is replaced, or whose work is: the first 12 hex digits of SHA-256 over its source.
SOURCES = {
    "mkdocs.commands.build:_populate_page": "31a70ea4caef",
    "mkdocs.commands.build:_build_page": "adcdbd14b236",
    "mkdocs_jupyter.plugin:_get_nb_toc_tokens": "ae10e6cbdefd",
    "nbconvert.exporters.html:HTMLExporter._validate_preprocessor": "b028bdb8c9cb",
    "nbconvert.exporters.templateexporter:TemplateExporter._create_environment": "b64cb98c0ee3",
    "mkdocs.commands.build:build": "c476b64474ac",
    "mkdocs_jupyter.plugin:Plugin.on_pre_page": "efe78837a6c6",
    "nbconvert.exporters.html:HTMLExporter.from_notebook_node": "3dccafff45cc",
}


def source_hash(place: str) -> str:
    owner, name = patches.find(place)
    made = getattr(owner, name)
    return hashlib.sha256(inspect.getsource(made.fget if isinstance(made, property) else made).encode()).hexdigest()[:12]


@pytest.fixture(autouse=True)
def unpatched() -> None:
    assert not patches._ORIGINALS, "the tests build in processes of their own"


@pytest.mark.parametrize("pin", PINS, ids=lambda pin: pin.place)
def test_what_is_replaced_is_still_there(pin: Pin) -> None:
    assert not patches.changed(pin)


@pytest.mark.parametrize("place", SOURCES)
def test_what_is_replaced_still_does_the_same(place: str) -> None:
    assert source_hash(place) == SOURCES[place], (
        f"{place} is not what it was. Read what it does now, bring torchclinic/site/patches.py along, build the site, then write {source_hash(place)!r} here"
    )


def test_everything_that_is_replaced_is_compared() -> None:
    assert {pin.place for pin in PINS if pin.parameters is not None} <= set(SOURCES)


# ---- when they change


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda patch: patch.delattr(mkdocs.commands.build, "_populate_page"), "there is no mkdocs.commands.build:_populate_page"),
        (
            lambda patch: patch.setattr(mkdocs.commands.build, "_populate_page", lambda page, files: None),
            "takes (page, files), not (page, config, files, dirty)",
        ),
        (lambda patch: patch.setattr(mkdocs.commands.build, "build", lambda config: None), "mkdocs.commands.build:build does not ask for _populate_page"),
    ],
)
def test_a_change_of_mkdocs_is_told_in_words(monkeypatch: pytest.MonkeyPatch, change: object, told: str) -> None:
    change(monkeypatch)
    with pytest.raises(patches.Outdated) as found:
        patches.make_only({"index.md"})
    assert str(found.value).startswith("mkdocs ") and told in str(found.value)
    assert "torchclinic/site/patches.py" in str(found.value) and "constraints.txt" in str(found.value)


def test_a_package_that_moved_something_is_told_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nbconvert.exporters.html, "HTMLExporter", SimpleNamespace())
    assert "there is no nbconvert.exporters.html:HTMLExporter." in patches.changed(patches.VALIDATE)


def test_a_second_replacement_begins_from_the_original(monkeypatch: pytest.MonkeyPatch) -> None:
    original = mkdocs.commands.build._build_page
    monkeypatch.setattr(mkdocs.commands.build, "_build_page", original)  # put back in the end
    monkeypatch.setattr(patches, "_ORIGINALS", {})
    seen = []
    for _ in range(2):
        patches.replace(patches.MAKE, lambda made: seen.append(made) or (lambda *arguments: None))
    assert seen == [original, original]
