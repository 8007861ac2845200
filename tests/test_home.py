"""The home page, and what ends a symptom's page: where to look next, how to run it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from making import IDENT, STEM, read, visible
from selectolax.lexbor import LexborHTMLParser

from torchclinic import LANGUAGES
from torchclinic.content import catalogue, related
from torchclinic.content.catalogue import Catalogue
from torchclinic.site import home, symptom_page


@pytest.fixture
def loaded(checkout: Path) -> Catalogue:
    return catalogue.load(checkout)


# ---- the home page


@pytest.mark.parametrize("language", LANGUAGES)
def test_home_says_what_was_run(built: Path, checkout: Path, language: str) -> None:
    text = read(built / language / "index.html")
    fixes = len(catalogue.load(checkout).symptoms[STEM].snippet.cases)
    totals = visible(re.search(r'<p class="tc-totals">(.*?)</p>', text)[1])
    assert re.findall(r"[\d-]+", totals)[:4] == ["1", str(fixes), "1", "2026-11-02"], totals
    often = re.search(r'<ol class="tc-often">(.*?)</ol>', text)[1]
    assert (
        f'<a href="{IDENT}/">' in often
        and "<code>Trying to backward through the graph a second time" in often
    )
    assert (
        f'href="{IDENT.partition("/")[0]}/"' in text.partition("tc-topics")[2]
        and 'href="tips/"' in text
    )


def test_totals_count_what_ran_and_nothing_else(loaded: Catalogue) -> None:
    cells = loaded.evidence[0].symptoms[STEM]["cells"]
    before = len(loaded.symptoms[STEM].snippet.cases)
    assert f"**{before}** fixes executed" in home.totals(loaded, "en")
    cells["fix carried-state"]["outcome"] = "skipped"
    assert f"**{before - 1}** fixes executed" in home.totals(loaded, "en")
    loaded.evidence[0].symptoms[STEM]["hash"] = "0" * 12
    assert "**0** fixes executed · **0** environments · last run –" in home.totals(loaded, "en"), (
        "of older code nothing is claimed"
    )


def test_an_unknown_stem_among_the_most_met_is_a_problem(project: Path) -> None:
    (project / "facts/often.yml").write_text(
        "symptoms: [backward-second-time, lost]\n", encoding="utf-8"
    )
    found = catalogue.load(project)
    assert [symptom.stem for symptom in found.often] == [STEM]
    assert (
        len(found.problems) == 1
        and "often.yml" in str(found.problems[0])
        and "`lost` is the stem of no symptom" in str(found.problems[0])
    )


# ---- what comes after the causes


@pytest.mark.parametrize("language", LANGUAGES)
def test_after_the_causes_a_page_says_where_to_look_next(built: Path, language: str) -> None:
    text = read(built / language / IDENT / "index.html")
    parts = [text.index(mark) for mark in ('id="running-total"', "data-tc-next=", '<h2 id="cost"')]
    assert parts == sorted(parts)
    links = LexborHTMLParser(text).css("[data-tc-next] a")
    assert {"../../lookup/", "../"} <= {link.attributes["href"] for link in links}


def test_candidates_are_other_pages_likeliest_first(clinic: Catalogue) -> None:
    for symptom in clinic.symptoms.values():
        found = related.candidates(clinic, symptom)
        assert (
            symptom not in found
            and len({other.stem for other in found}) == len(found) <= related.LIMIT
        )
        above = {
            other.stem
            for other in clinic.symptoms.values()
            if symptom.stem in other.snippet.outranks
        }
        assert {other.stem for other in found[: len(above)]} <= above
    assert (
        related.candidates(clinic, clinic.symptoms["device-side-assert"])[0].stem
        == "label-out-of-range"
    )


@pytest.mark.parametrize(
    ("repository", "address"),
    [
        ("", None),
        ("https://codeberg.org/ann/clinic", None),
        ("https://github.com.example.org/ann/clinic", None),
        ("https://github.com/ann", None),
        (
            "https://github.com/ann/clinic",
            "https://colab.research.google.com/github/ann/clinic/blob/notebooks/",
        ),
        (
            "https://github.com/ann/clinic.git",
            "https://colab.research.google.com/github/ann/clinic/blob/notebooks/",
        ),
        (
            "https://github.com/ann/clinic/",
            "https://colab.research.google.com/github/ann/clinic/blob/notebooks/",
        ),
    ],
)
def test_colab_opens_notebooks_of_a_repository_on_github(
    clinic: Catalogue, built: Path, repository: str, address: str | None
) -> None:
    symptom = clinic.symptoms[STEM]
    for language in LANGUAGES:
        text = symptom_page.symptom_page(clinic, symptom, language, repository)
        file = f"{language}/notebooks/{IDENT}/{STEM}.ipynb"
        assert (built / file).is_file(), "the branch holds the files of the site"
        assert f"[Colab]({address}{file})" in text if address else "colab" not in text.lower()
        assert (
            f"`python -m torchclinic verify {IDENT}`" in text
            and f"{STEM}.ipynb" in text
            and f"{STEM}.py" in text
        )
        assert (f"{repository.rstrip('/')}/edit/main/snippets/{IDENT}.py" in text) == bool(
            repository
        )
