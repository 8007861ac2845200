"""The site: built once, from a project of one symptom with made-up evidence, with a torch that
cannot be imported."""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import json
import re
import shutil
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from making import IDENT, OLD, STEM, copy_of, read, traceback_of, visible
from selectolax.lexbor import LexborHTMLParser

from torchclinic import LANGUAGES, ROOT
from torchclinic.content import catalogue, changes, chinese, index, page
from torchclinic.content.evidence import Evidence
from torchclinic.content.fields import Place
from torchclinic.content.header import make_wording
from torchclinic.site import (
    build,
    builds,
    case_view,
    choice,
    evidence_view,
    file_scheme,
    markup,
    message_view,
    notebook,
    server,
    styles,
    symptom_page,
    watch,
)
from torchclinic.site.labels import LABELS


def page_of_symptom(built: Path, language: str) -> str:
    return read(built / language / IDENT / "index.html")


# ---- a symptom's page


def test_evidence_stands_right_under_the_title(built: Path) -> None:
    english, chinese_page = (
        re.sub(r"\s+", " ", visible(page_of_symptom(built, language).partition("<h1")[2]))
        for language in LANGUAGES
    )
    assert (
        "Ran on torch 2.13.0, CPU, 2026-11-02; not run on NVIDIA H200: needs two GPUs."
        in english[:250]
    )
    assert (
        "2026-11-02 在 torch 2.13.0（CPU）上跑过；NVIDIA H200 上未运行：需要两块 GPU。"
        in chinese_page[:200]
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_sections_have_the_same_anchors_in_both_languages(built: Path, language: str) -> None:
    """The quick fix stands behind the first row, and "Why" behind the choice."""
    anchors = re.findall(r'<h2 id="([^"]+)"', page_of_symptom(built, language))
    assert anchors == ["see", "causes", "why", "tried", "cost", "more"]
    for case in ("fix", "before-the-loop", "carried-state", "shared-output", "running-total"):
        assert f'<h3 id="{case}"' in page_of_symptom(built, language)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_page_is_a_choice(built: Path, loaded: catalogue.Catalogue, language: str) -> None:
    tree = LexborHTMLParser(page_of_symptom(built, language))
    rows = tree.css("[data-tc-choice] details[data-tc-row]")
    symptom = loaded.symptoms[STEM]
    assert {row.attributes["data-tc-row"] for row in rows} == {
        cause.row for cause in symptom.snippet.causes
    }
    assert [("open" in row.attributes) for row in rows] == [True] + [False] * (len(rows) - 1)
    assert rows[0].css_first("#fix") and rows[0].css_first("[data-tc-case] .highlight")
    more = LABELS[language]["more-causes"]
    row, share = loaded.met[STEM][0]
    shown = {row.attributes["data-tc-row"]: row.css_first("small.tc-met") for row in rows}
    assert [name for name, badge in shown.items() if badge] == [row] * bool(share)
    folded = tree.css_first("[data-tc-choice] > details.tc-more")
    assert more.format(count=len(rows) - choice.SEEN) in folded.css_first("summary").text()
    assert len(folded.css("[data-tc-row]")) == len(rows) - choice.SEEN
    for row in rows:
        assert row.css_first("[data-tc-case], a"), "each row ends in code or a link"


def test_one_cause_is_no_choice(clinic: catalogue.Catalogue) -> None:
    alone = [symptom for symptom in clinic.symptoms.values() if len(symptom.snippet.causes) < 2]
    for symptom in alone:
        text = symptom_page.symptom_page(clinic, symptom, "en")
        assert "data-tc-choice" not in text and "## Quick fix {#fix}" in text
        assert 'id="causes"' in text, "what led there still does"
    assert alone


def test_tabs_of_a_case(built: Path) -> None:
    text = page_of_symptom(built, "en")
    labels = re.findall(r'<label for="__tabbed_1_\d">(.*?)</label>', text)
    assert labels == ["Fixed code", "Diff", "Failing code", "Output"]
    blocks = text.partition('<div class="tabbed-content">')[2].split('<div class="tabbed-block">')[
        1:5
    ]
    fixed, diff, failing, output = (visible(block) for block in blocks)
    detached = "hidden = tuple(h.detach() for h in hidden)"
    assert detached in fixed and fixed.lstrip().startswith("from torch import nn"), (
        "what is copied stands on its own"
    )
    assert f'<span class="gi">+    {detached}' in blocks[1] and "@@" not in diff
    assert (
        failing.lstrip().startswith("import torch") and "rnn" in failing and detached not in failing
    )
    assert (
        "torch 2.13.0 · CPU · 2026-11-02" in output
        and traceback_of("carried-state").strip() in output
    )
    assert all(block.count("<pre>") == 1 for block in blocks[:3]), "a copy button copies one block"


def test_wordings_are_shown_with_their_exception(built: Path) -> None:
    text = page_of_symptom(built, "en")
    assert (
        "<b>RuntimeError</b>: Trying to backward through the graph a second time (or directly"
        in text
    )
    assert re.search(
        r'<details class="tc-older"><summary>Other wordings \(2\)</summary>'
        r".*buffers have already been freed",
        text,
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_links_of_a_page_lead_somewhere(built: Path, language: str) -> None:
    folder = built / language / IDENT
    targets = re.findall(r'href="([^"#]+)(?:#[^"]*)?"', page_of_symptom(built, language))
    local = [target for target in targets if "://" not in target]
    missing = [
        target
        for target in local
        if not (folder / target / "index.html").exists() and not (folder / target).is_file()
    ]
    assert not missing
    assert (
        f"../../notebooks/{IDENT}/{STEM}.ipynb" in local and f"../../notebooks/{IDENT}.py" in local
    )


def test_the_site_works_below_any_address(built: Path) -> None:
    """All pages but those for addresses that are not there, which cannot know how deep that is."""
    pages = [file for file in built.rglob("*.html") if file.name != "404.html"]
    asked = {
        (file.relative_to(built).as_posix(), target)
        for file in pages
        for node in LexborHTMLParser(read(file)).css("[href], [src]")
        if node.attributes.get("rel") not in ("canonical", "alternate")
        for target in (node.attributes.get("href"), node.attributes.get("src"))
        if target and (target.startswith("/") or "127.0.0.1" in target)
    }
    assert len(pages) > 10 and not asked


def test_tags_are_localised(built: Path) -> None:
    assert ">反向传播</a>" in page_of_symptom(built, "zh") and ">backward</a>" in page_of_symptom(
        built, "en"
    )
    assert "反向传播" in read(built / "zh" / "tags" / "index.html")


def test_a_page_is_light(built: Path) -> None:
    for language in LANGUAGES:
        assert len(page_of_symptom(built, language).encode()) < 120_000
        assert len(read(built / language / "notebooks" / IDENT / "index.html").encode()) < 85_000


# ---- notebooks


@pytest.mark.parametrize("language", LANGUAGES)
def test_notebook_page_shows_the_recorded_traceback(built: Path, language: str) -> None:
    text = read(built / language / "notebooks" / IDENT / "index.html")
    assert traceback_of("carried-state").strip() in visible(text) and "step 1" in visible(text)
    assert '<h2 id="break-carried-state">' in text and 'href="#break-carried-state"' in text
    heading = {
        "en": "Break: A state carried from step to step",
        "zh": "出错：隐藏状态带着计算图传到下一步",
    }[language]
    assert heading in visible(text)
    assert "# ---" not in text and "wordings" not in text, "the header is no code"
    assert "jp-" not in text and "<style" not in text and "clipboard-copy-txt" not in text


@pytest.mark.parametrize("language", LANGUAGES)
def test_downloads(built: Path, checkout: Path, language: str) -> None:
    folder = built / language / "notebooks" / "autograd"
    made, loaded = json.loads(read(folder / STEM / f"{STEM}.ipynb")), catalogue.load(checkout)
    assert read(folder / f"{STEM}.py") == loaded.symptoms[STEM].code(language).text
    assert (made["nbformat"], made["nbformat_minor"]) == (4, 5)
    ids = [cell["id"] for cell in made["cells"]]
    assert len(set(ids)) == len(ids) and all(
        re.fullmatch(r"[A-Za-z0-9_-]{1,64}", ident) for ident in ids
    )
    errors = [
        output
        for cell in made["cells"]
        for output in cell.get("outputs", [])
        if output["output_type"] == "error"
    ]
    assert len(errors) == sum(
        cell.kind == "break" for cell in loaded.symptoms[STEM].snippet.cells
    ) and "\n".join(errors[0]["traceback"]) == traceback_of("carried-state").rstrip("\n")
    assert notebook.dumps(notebook.make(loaded, loaded.symptoms[STEM], language)) == read(
        folder / STEM / f"{STEM}.ipynb"
    ), "the same in every build"


# ---- the whole


def test_root_pages(built: Path) -> None:
    start, missing = read(built / "index.html"), read(built / "404.html")
    assert 'href="en/"' in start and 'href="zh/"' in start and "navigator.languages" in start
    # A host shows it at any depth, so its links begin at the root of the site.
    assert (
        'href="/clinic/en/lookup/"' in missing
        and 'href="/clinic/zh/lookup/"' in missing
        and "页面不存在" in missing
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_link_of_a_heading_has_words_of_its_language(built: Path, language: str) -> None:
    page = read(built / language / IDENT / "index.html")
    assert f'title="{LABELS[language]["permalink"]}"' in page and "Permanent link" not in page


def test_what_printed_nothing_is_told_in_chinese_punctuation(clinic: catalogue.Catalogue) -> None:
    texts = [
        case_view.printed(clinic, symptom, cell, "zh")
        for symptom in clinic.symptoms.values()
        for cell in symptom.snippet.cells
        if cell.kind
    ]
    silent = [text for text in texts if "没有输出。" in text]
    assert silent and all(re.search("\\d\uff1a没有输出", text) for text in silent)


def test_sitemap_names_both_languages(built: Path) -> None:
    text = read(built / "sitemap.xml")
    for language in LANGUAGES:
        assert (
            f'hreflang="{language}" href="https://example.org/clinic/{language}/{IDENT}/"' in text
        )
        assert f"<loc>https://example.org/clinic/{language}/{IDENT}/</loc>" in text
        assert f"<loc>https://example.org/clinic/{language}/{IDENT}/</loc>" in read(
            built / language / "sitemap.xml"
        )


@pytest.mark.parametrize(("language", "other"), [("en", "zh"), ("zh", "en")])
def test_every_page_leads_to_itself_in_the_other_language(
    built: Path, language: str, other: str
) -> None:
    pages = [
        file
        for file in (built / language).rglob("index.html")
        if file.parent != built / language / OLD
    ]
    for file in pages:
        (link,) = LexborHTMLParser(read(file)).css("[data-tc-language]")
        assert link.attributes["hreflang"] == other
        leads_to = (file.parent / link.attributes["href"] / "index.html").resolve()
        assert leads_to == built.resolve() / other / file.relative_to(built / language), file
    assert len(pages) + 1 == len(list((built / other).rglob("index.html")))


def test_search_index(built: Path) -> None:
    for language in LANGUAGES:
        folder = built / language
        config = json.loads(
            re.search(r'<script id="__config"[^>]*>(.*?)</script>', read(folder / "index.html"))[1]
        )
        assert (folder / config["search"]).is_file() and config[
            "search"
        ] == "assets/search-worker.js"
        assert json.loads(read(folder / "search" / "search_index.json"))["docs"] == [], (
            "Material asks for it with every page"
        )
        assert not list(folder.rglob("lunr*")) and not list(folder.rglob("workers"))
        raw = read(folder / "assets" / "search.json")
        made = json.loads(raw)
        found = {doc[0]: doc[1] for doc in made["docs"]}
        assert (
            found[IDENT] == f"{IDENT}/"
            and found["about"] == "about/"
            and found["autograd"] == "autograd/"
        )
        for address in found.values():
            page, _, fragment = address.partition("#")
            assert (folder / page / "index.html").is_file() and (
                not fragment or fragment.startswith("q=")
            ), address
        texts = json.loads(read(folder / "assets" / "search-texts.json"))
        assert len(texts) == len(made["docs"])
        page = read(folder / IDENT / "index.html")
        assert all(f'id="{anchor}"' in page for anchor, _ in texts[list(found).index(IDENT)][1])
    assert "\\u53cd" not in raw, "Chinese stands in it as itself"
    assert {"栈词", "反向", "向传"} <= set(made["terms"].split())


def test_lookup_page(built: Path, checkout: Path) -> None:
    for language in LANGUAGES:
        text = read(built / language / "lookup" / "index.html")
        page = LexborHTMLParser(text)
        for selector in ('label[for="tc-paste"]', "textarea#tc-paste", "noscript"):
            assert page.css_first(selector), selector
        assert page.css('[aria-live="polite"]') and len(page.css("[data-example]")) == 3
        for name, data in index.served(catalogue.load(checkout).index((language,))).items():
            assert read(built / language / "assets" / name) == index.dumps(data)
        for name in ("lookup.js", "lookup-page.js", "site.js"):
            assert (built / language / "assets" / name).exists()


def test_every_inline_script_is_in_the_policy_and_nothing_is_loaded_from_elsewhere(
    built: Path,
) -> None:
    policies = set()
    for file in built.rglob("*.html"):
        text = read(file)
        policy = re.search(
            r'<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="([^"]+)">',
            text,
        )
        assert policy, file
        if file.parent != built:
            policies.add((file.relative_to(built).parts[0], policy[1]))
        for script in re.findall(r"<script>(.*?)</script>", text, re.DOTALL):
            assert base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() in policy[1]
        assert not re.search(r"<style|\sstyle=|\son(click|load|error)=", text), file
        assert not re.search(
            r'(?:src=|<link[^>]*rel="(?:stylesheet|icon|preconnect)"[^>]*href=)"(?:https?:)?//',
            text,
        ), file
    assert len(policies) == 2, "one policy a language"


def test_site_is_replaced_as_a_whole(built: Path) -> None:
    assert not [entry for entry in built.parent.iterdir() if entry.name.startswith(".site-")]


# ---- what is broken


@pytest.fixture
def broken(checkout: Path, tmp_path: Path) -> Path:
    """The project with a page whose snippet is gone."""
    root = tmp_path / "project"
    copy_of(checkout, root)
    for language in LANGUAGES:
        shutil.copy(
            root / f"docs/{language}/{IDENT}.md", root / f"docs/{language}/autograd/lost.md"
        )
    return root


def test_a_page_without_its_snippet_fails_the_build(
    broken: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert build.build(catalogue.load(broken), broken / "site") == 1
    told = capsys.readouterr().err
    assert (
        "docs/en/autograd/lost.md: its snippet is gone: there is no snippets/autograd/lost.py"
        in told
        and "docs/zh/autograd/lost.md" in told
    )
    assert "nothing was built" in told and not (broken / "site").exists()


def test_mkdocs_alone_fails_as_well(broken: Path) -> None:
    done = build.run_mkdocs(broken, broken / "out", "en", {}, strict=True)
    assert (
        done.returncode and "its snippet is gone" in done.stdout and "Traceback" not in done.stdout
    )


def test_serving_goes_on_and_tells(broken: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert build.build(catalogue.load(broken), broken / "site", strict=False) == 0
    assert "its snippet is gone" in capsys.readouterr().err
    assert (broken / "site" / "en" / IDENT / "index.html").exists()


# ---- evidence, word by word


@pytest.fixture
def loaded(checkout: Path) -> catalogue.Catalogue:
    return catalogue.load(checkout)


def line(made: catalogue.Catalogue, language: str = "en") -> str:
    return visible(evidence_view.evidence_html(made, made.symptoms[STEM], language))


def test_no_evidence(loaded: catalogue.Catalogue) -> None:
    loaded.evidence.clear()
    assert line(loaded) == "Not yet run on CPU."
    assert line(loaded, "zh") == "CPU 上未运行。"
    assert badge(loaded) == ("absent", "Not run here yet")
    cell = loaded.symptoms[STEM].snippet.runs[0]
    assert "Not yet run" in case_view.printed(loaded, loaded.symptoms[STEM], cell, "en")


def badge(made: catalogue.Catalogue, language: str = "en") -> tuple[str, str]:
    return evidence_view.badge(made, made.symptoms[STEM], language)


def test_the_badge_says_where_all_passed(loaded: catalogue.Catalogue) -> None:
    assert badge(loaded) == ("passed", "Run on torch 2.13, CPU"), "CUDA is not needed here"
    elsewhere(loaded, "2.6.0-3.11", "2.15.0-3.11")
    assert badge(loaded) == ("passed", "Run on torch 2.6 to 2.15, CPU")
    elsewhere(loaded, "2.0.1-3.11", fix={"outcome": "failed"})
    assert badge(loaded) == ("passed", "Run on torch 2.6 to 2.15, CPU"), "told at the fix"
    assert badge(loaded, "zh")[1] == "已在 torch 2.6 到 2.15（CPU）上跑过"


def test_the_badge_hides_nothing_of_the_release_that_pages_show(
    loaded: catalogue.Catalogue,
) -> None:
    loaded.symptoms[STEM].snippet.needs.append("cuda")
    assert badge(loaded) == (
        "partly",
        "Run on torch 2.13, CPU; what is about CUDA here was not run: no GPU yet",
    )
    for record in loaded.evidence:
        record.symptoms.clear()
    assert badge(loaded) == ("absent", "What is about CUDA here was not run: no GPU yet")


def test_the_badge_tells_of_cells_that_did_not_run(loaded: catalogue.Catalogue) -> None:
    cells = loaded.evidence[0].symptoms[STEM]["cells"]
    cells["break carried-state"] = {"outcome": "skipped", "why": "needs the package scipy"}
    assert badge(loaded) == ("partly", "Run in part on torch 2.13, CPU")
    cells["fix carried-state"]["outcome"] = "failed"
    assert badge(loaded) == ("failed", "Failed in its last run")
    loaded.evidence[0].symptoms[STEM]["hash"] = "0" * 12
    assert badge(loaded) == ("stale", "Changed since its last run")


def test_stale_evidence(loaded: catalogue.Catalogue) -> None:
    loaded.evidence[0].symptoms[STEM]["hash"] = "0" * 12
    assert line(loaded).startswith(
        "Ran on torch 2.13.0, CPU, 2026-11-02, before the last change of the code;"
    )
    assert "之后代码有改动" in line(loaded, "zh")
    cell = loaded.symptoms[STEM].snippet.runs[0]
    assert "Not yet run" in case_view.printed(loaded, loaded.symptoms[STEM], cell, "en"), (
        "old output is not shown under new code"
    )


def test_failed_and_partial_evidence(loaded: catalogue.Catalogue) -> None:
    cells = loaded.evidence[0].symptoms[STEM]["cells"]
    cells["break carried-state"] = {"outcome": "skipped", "why": "needs the package scipy"}
    assert line(loaded).startswith(
        "Ran in part on torch 2.13.0, CPU, 2026-11-02 (needs the package scipy);"
    )
    assert "（需要安装 scipy）" in line(loaded, "zh")
    cells["fix carried-state"]["outcome"] = "failed"
    assert line(loaded).startswith("Failed on torch 2.13.0, CPU")


def test_newer_runs_come_first_and_old_ones_say_so(loaded: catalogue.Catalogue) -> None:
    cpu = loaded.evidence[0]
    old = Evidence(
        "2.12.0", "3.11", "cpu", "CPU", "", {STEM: {**cpu.symptoms[STEM], "hash": "0" * 12}}
    )
    loaded.evidence.insert(1, old)
    assert line(loaded).startswith(
        "Ran on torch 2.13.0, CPU, 2026-11-02; ran on torch 2.12.0, CPU, 2026-11-02, "
        "before the last change of the code;"
    )
    old.symptoms[STEM]["hash"] = cpu.symptoms[STEM]["hash"]
    assert line(loaded).startswith("Ran on torch 2.12.0 and 2.13.0, CPU, 2026-11-02;")


def elsewhere(
    made: catalogue.Catalogue, *environments: str, **outcomes: dict[str, Any]
) -> list[Evidence]:
    """Runs of the first record's symptom on other torches and Pythons (`2.12.0-3.11`), in which the
    cells of one case did otherwise."""
    entry = made.evidence[0].symptoms[STEM]
    cells = {**entry["cells"], **{f"{kind} carried-state": cell for kind, cell in outcomes.items()}}
    records = [
        Evidence(torch, python, "cpu", "CPU", "", {STEM: {**entry, "cells": cells}})
        for torch, python in (name.split("-") for name in environments)
    ]
    made.evidence[1:1] = records
    return records


def test_releases_that_follow_each_other_are_named_together(loaded: catalogue.Catalogue) -> None:
    elsewhere(loaded, "2.14.0-3.11", "2.10.0-3.11", "2.9.1-3.11", "2.13.0-3.13")
    assert line(loaded).startswith("Ran on torch 2.9.1 to 2.14.0, CPU, 2026-11-02;")
    assert line(loaded, "zh").startswith("2026-11-02 在 torch 2.9.1 到 2.14.0（CPU）上跑过；")
    (failed,) = elsewhere(loaded, "2.13.0-3.12", fix={"outcome": "failed"})
    failed.symptoms[STEM]["date"] = "2026-11-03"
    assert "failed on torch 2.13.0 (Python 3.12), CPU, 2026-11-03;" in line(loaded)
    assert line(loaded).startswith(
        "Ran on torch 2.9.1, 2.10.0, 2.13.0 (Python 3.11, 3.13) and 2.14.0, CPU, 2026-11-02;"
    ) or "Failed" in line(loaded)


FAILED = {"outcome": "failed", "exception": "TypeError", "message": "unexpected keyword `x`"}


@pytest.mark.parametrize(
    ("failing", "others", "says"),
    [
        (["2.0.1-3.11", "2.2.0-3.11", "2.3.1-3.11"], ["2.6.0-3.11"], "torch 2.0.1 to 2.3.1, CPU"),
        (["2.0.1-3.11"], ["2.6.0-3.11"], "torch 2.0.1, CPU"),
        (["2.11.0-3.12", "2.13.0-3.12"], ["2.6.0-3.11"], "Python 3.12"),
        (["2.11.0-3.12"], ["2.13.0-3.12"], "torch 2.11.0 (Python 3.12), CPU"),
        (["2.13.0-3.13"], ["2.15.0-3.13"], "torch 2.13.0 (Python 3.13), CPU"),
    ],
)
def test_a_page_says_where_a_fix_does_not_work(
    loaded: catalogue.Catalogue, failing: list[str], others: list[str], says: str
) -> None:
    elsewhere(loaded, *others)
    elsewhere(loaded, *failing, fix=FAILED)
    symptom = loaded.symptoms[STEM]
    made = symptom.snippet.cases["carried-state"]
    assert (
        visible(case_view.case(loaded, symptom, made, "en")).count(
            f"This fix does not work with {says}: `` TypeError: unexpected keyword `x` ``"
        )
        == 1
    )
    assert "这个修复在 " in case_view.case(loaded, symptom, made, "zh")


def test_builds_for_cuda_are_named_as_such(loaded: catalogue.Catalogue) -> None:
    good = elsewhere(loaded, "2.6.0-3.10")
    bad = elsewhere(loaded, "2.13.0-3.12", "2.15.0-3.11")
    for record in bad:
        record.cuda = "13.0"
    among = [record for record in loaded.evidence if record.device == "cpu"]
    assert evidence_view.environments(bad, among, "en") == "torch built for CUDA, without a GPU"
    assert evidence_view.environments(good, among, "en") == "torch 2.6.0 (Python 3.10), CPU"


def test_a_fix_that_fails_where_its_break_does_not_break_is_no_fault(
    loaded: catalogue.Catalogue,
) -> None:
    quiet = {"outcome": "failed", "why": "ended without an error and printed nothing: …"}
    elsewhere(loaded, "2.0.1-3.11", **{"break": quiet, "fix": FAILED})
    elsewhere(
        loaded,
        "2.1.0-3.11",
        **{
            "break": {
                "outcome": "failed",
                "exception": "AttributeError",
                "message": "no such thing",
            },
            "fix": FAILED,
        },
    )
    symptom = loaded.symptoms[STEM]
    page = case_view.case(loaded, symptom, symptom.snippet.cases["carried-state"], "en")
    assert "does not work" not in page
    assert (
        "With torch 2.0.1, CPU the same code runs without this." in page
        and "On torch 2.1.0, CPU the same code printed:" in page
    )


def test_injected_faults_are_named(loaded: catalogue.Catalogue) -> None:
    loaded.symptoms[STEM].snippet.needs = ["fault: SIGKILL of a worker"]
    assert line(loaded).endswith("; the fault is injected: SIGKILL of a worker.")


# ---- Markdown


def test_wordings_with_versions_and_holes(loaded: catalogue.Catalogue) -> None:
    """A wording that some releases print and others do not is dated by the runs."""
    symptom = loaded.symptoms[STEM]
    entries = [
        {
            "text": "old words about <tensor> number {n:int} here",
            "exception": "TypeError",
            "sample": "x",
            "device": "cuda",
        },
        {
            "text": "new words about a tensor of size {k2:int} and {_:shape}!",
            "exception": "RuntimeError",
            "sample": "x",
        },
        {"text": "words of another break altogether", "exception": "RuntimeError"},
    ]
    symptom.snippet.wordings = [
        made
        for entry in entries
        if (made := make_wording(entry, Place(symptom.snippet.file, "", loaded.problems)))
    ]
    vars(loaded).pop("table", None)  # it was made of other wordings
    other = ("RuntimeError", "words of another break altogether")
    loaded.evidence = []
    for torch, device, first, second in (
        ("2.1.0", "cpu", ("RuntimeError", "new words about a tensor of size 3 and 4, 5!"), other),
        ("1.8.0", "cpu", ("TypeError", "old words about <tensor> number 7 here"), other),
        (
            "2.10.0",
            "cpu",
            ("RuntimeError", "new words about a tensor of size 8 and 4, 5!"),
            ("RuntimeError", "new words about a tensor of size 1 and 2!"),
        ),
        (
            "2.11.0",
            "cuda",
            ("TypeError", "old words about <tensor> number 7 here"),
            other,
        ),  # of another device, which says nothing of releases
    ):
        cells = {
            name: {
                "outcome": "passed",
                "exception": exception,
                "message": message,
                "traceback": "",
                "seconds": 1.0,
            }
            for name, (exception, message) in (
                ("break before-the-loop", first),
                ("break carried-state", second),
            )
        }
        entry = {
            "hash": symptom.snippet.hash,
            "date": "2026-11-02",
            "python": "3.12",
            "cells": cells,
        }
        loaded.evidence.append(
            Evidence(
                torch,
                "3.11",
                device,
                "CPU" if device == "cpu" else "NVIDIA H200",
                "",
                {STEM: entry},
            )
        )
    assert {text[:3]: span for text, span in changes.spans(loaded, symptom).items()} == {
        "old": changes.Span("", "1.8.0"),
        "new": changes.Span("2.1.0", ""),
        "wor": changes.Span("", "2.1.0"),
    }
    # A wording that one break prints everywhere is not dated by another break.
    for record in loaded.evidence:
        record.symptoms[STEM]["cells"]["break shared-output"] = {
            "outcome": "passed",
            "exception": other[0],
            "message": other[1],
            "seconds": 1.0,
        }
    assert entries[2]["text"] not in changes.spans(loaded, symptom)
    current, older = message_view.wordings(loaded, symptom, "zh")
    assert "<var>⟨数字⟩</var> and <var>⟨形状⟩</var>!" in current and "（自 2.1.0 起）" in current
    assert (
        "&lt;tensor&gt; number <var>⟨数字⟩</var>" in older
        and "（最后见于 1.8.0，仅 CUDA）" in older
    )
    assert "another break altogether</code></p>" in current + older


def test_a_fence_holds_what_would_end_it() -> None:
    made = markup.fence("x = '''\n```\n'''", "python")
    assert made.splitlines()[0] == "````{ .python }" and made.splitlines()[-1] == "````"


def test_a_long_setup_stands_once(loaded: catalogue.Catalogue) -> None:
    symptom = loaded.symptoms[STEM]
    first, second = (
        symptom.snippet.cases[name].cells["break"] for name in ("carried-state", "before-the-loop")
    )
    assert "import torch" in case_view.program(
        symptom, first, "en"
    ) and "import torch" in case_view.program(symptom, second, "en")
    setup = symptom.snippet.setup_of(first)[0]
    symptom.snippet.cells[symptom.snippet.cells.index(setup)] = dataclasses.replace(
        setup, source=setup.source + "\n" * case_view.LONG_SETUP + "x = 1"
    )
    assert "import torch" in case_view.program(symptom, first, "en")
    shortened = case_view.program(symptom, second, "en")
    assert (
        shortened.startswith("# set-up: as in the first failing code")
        and shortened.endswith(second.source)
        and "import torch" not in shortened
    )


def test_long_output_is_shortened_and_says_so(loaded: catalogue.Catalogue) -> None:
    output = "".join(f"line {number}\n" for number in range(200))
    loaded.evidence[0].symptoms[STEM]["cells"]["break carried-state"]["output"] = output
    cell = next(
        cell for cell in loaded.symptoms[STEM].snippet.runs if cell.name == "break carried-state"
    )
    text = case_view.printed(loaded, loaded.symptoms[STEM], cell, "en")
    assert (
        "line 0\n" in text
        and "line 199\n" in text
        and "line 100\n" not in text
        and "… 160 lines left out" in text
    )


@pytest.mark.parametrize(
    "text", ["a_b and c_d < 3", "uses `x[0]`, *not* [y]", "<script>alert(1)</script>"]
)
def test_front_matter_is_text(text: str) -> None:
    import markdown

    shown = markdown.markdown(markup.plain(text))
    assert "<script" not in shown and "<em>" not in shown
    assert visible(shown).replace("`", "") == text.replace("`", "").strip()


def test_general_pages_stand_in_both_languages() -> None:
    names = [
        {file.name for file in (ROOT / "docs" / language).glob("*.md")} for language in LANGUAGES
    ]
    assert names[0] == names[1] and "lookup.md" in names[0]
    for file in (*(ROOT / "docs" / "zh").glob("*.md"), *(ROOT / "docs" / "zh").glob("*/index.md")):
        _, body, first = page.split_front_matter(read(file))
        wrong = [
            f"{file.name}:{number}"
            for number, text in enumerate(body.splitlines(), first)
            if chinese.punctuate(text) != text
        ]
        assert not wrong


# ---- light


def test_rules_of_style_that_match_no_page_are_left_out() -> None:
    css = """@charset "utf-8";.a,.gone>.a{color:red}/* .a{} */ .a::before{content:"}.gone{"}
@media screen{.gone{top:0}.a:not(.gone){top:1px}} @media print{.gone{top:0}} [dir=rtl] .a{left:0}
.a{--read:url("x)y");mask:var(--read)} :root{--unread:url('data:,;{}')}
@font-face{font-family:x;src:local("y")}
.a img[src$="#gone"],\n.a[title=".gone"]  >  b { left : 0 !important ; }"""
    expected = (
        '@charset "utf-8";.a{color:red}.a::before{content:"}.gone{"}'
        "@media screen{.a:not(.gone){top:1px}}"
        '.a{--read:url("x)y");mask:var(--read)}@font-face{font-family:x;src:local("y")}'
        '.a img[src$="#gone"],.a[title=".gone"] > b{left:0!important}'
    )
    assert (
        styles.slim(
            css,
            styles.names(LexborHTMLParser('<p class="a b">'))
            | styles.words(["const c = 'md-tooltip';"]),
        )
        == expected
    )


def test_scripts_lose_their_comments() -> None:
    assert (
        styles.uncommented("/** Why.\n * More. */\nconst a = '//'; // here\n  // there\n")
        == "const a = '//'; // here\n"
    )
    # One that code follows is no line of its own, and ends where it ends.
    cast = "  /** @type {number} */ (a) -\n  b;\n"
    assert styles.uncommented(f"{cast}/** What it is. */\n") == cast


def test_each_rung_of_the_lookup_has_a_look_of_its_own(built: Path) -> None:
    """Rules that no page and no script names are left out."""
    rungs = set(re.findall(r"data-tc-rung=\W?([a-z]+)", read(built / "en/assets/site.css")))
    assert rungs == {"likely", "origin", "cut", "other", "about"}


def test_every_class_of_a_page_that_had_rules_still_has_them(built: Path) -> None:
    """As the browser sees it: whatever Material styles and a page holds."""
    import material

    (whole,) = (Path(material.__file__).parent / "templates/assets/stylesheets").glob("main.*.css")
    made = read(next((built / "en/assets/stylesheets").glob("main.*.css")))
    styled = set(re.findall(r"\.((?:md|tabbed)-[a-z0-9_-]+)", read(whole)))
    shown = {
        name
        for file in (built / "en").rglob("*.html")
        for names in re.findall(r'class="([^"]+)"', read(file))
        for name in names.split()
    }
    assert len(styled & shown) > 60
    assert not {name for name in styled & shown if not re.search(rf"\.{name}(?![\w-])", made)}
    assert len(made) < len(read(whole)) * 0.7


# ---- serving


def test_server_redirects_and_shows_the_root_404(built: Path) -> None:
    running = server.listen(built, 0)
    address = f"http://127.0.0.1:{running.server_port}"
    try:
        with urllib.request.urlopen(f"{address}/en/lookup") as answer:
            assert answer.url == f"{address}/en/lookup/"
        with urllib.request.urlopen(f"{address}/en/assets/site.js") as answer:
            assert answer.headers["Content-Type"] == "text/javascript"
        with pytest.raises(urllib.error.HTTPError) as caught:
            urllib.request.urlopen(f"{address}/zh/nothing/here")
        assert caught.value.code == 404 and "页面不存在" in caught.value.read().decode()
        with pytest.raises(urllib.error.HTTPError) as caught:
            urllib.request.urlopen(f"{address}/en/assets/")  # no listing of a folder
        assert caught.value.code == 404
    finally:
        running.shutdown()
        running.server_close()


@pytest.mark.parametrize("address", ["en/lookup/", "zh/", "en/assets/search.json", "en/lookup"])
def test_what_is_still_being_built_is_told_and_asked_for_again(
    tmp_path: Path, address: str
) -> None:
    work = builds.Builds(tmp_path, tmp_path / "out")
    running = server.listen(tmp_path / "out", 0, work.may_come)
    place = f"http://127.0.0.1:{running.server_port}/{address}"
    try:
        with pytest.raises(urllib.error.HTTPError) as caught:
            urllib.request.urlopen(place, timeout=10)
        page = caught.value.read().decode()
        assert caught.value.code == 503 and int(caught.value.headers["Retry-After"]) > 0
        assert 'http-equiv="refresh"' in page and "is being built" in page and "正在生成" in page
        name = address.strip("/")
        pages = {"zh/index.md"} if name == "zh" else {f"{name}.md", f"{name}/index.md"}
        assert work.asked == (set() if "assets" in name else pages)
        work.complete = True
        with pytest.raises(urllib.error.HTTPError) as caught:
            urllib.request.urlopen(place, timeout=10)
        assert caught.value.code == 404
    finally:
        running.shutdown()
        running.server_close()


def test_the_first_page_needs_no_built_site(built: Path, checkout: Path, tmp_path: Path) -> None:
    """The lookup comes with all that it loads; a page asked for later is added."""
    out = tmp_path / "out"
    out.mkdir()
    address = "https://example.org/clinic/"
    assert build.refresh(checkout, out, {"en/lookup.md"}, address)
    page = read(out / "en/lookup/index.html")
    for target in re.findall(r'(?:src|href)="\.\./(assets/[^"]+)"', page):
        assert (out / "en" / target).is_file(), target
    indexes = [file.name for file in (out / "en/assets").glob("*.json")]
    assert "index.json" in indexes
    for name in indexes:
        assert read(out / "en/assets" / name) == read(built / "en/assets" / name)
    # Whole, but for the policy: that of the page alone.
    policies = re.compile(r"'sha256-[^']+' ?")
    assert policies.sub("", page) == policies.sub("", read(built / "en/lookup/index.html"))
    assert not (out / "en/index.html").exists() and not (out / "en/tags/index.html").exists()


def test_what_was_built_before_is_shown_at_once(
    built: Path, checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, out = copy_of(checkout, tmp_path / "project"), tmp_path / "kept"
    started: list[tuple[str, ...]] = []
    monkeypatch.setattr(builds.Builds, "_start", lambda self, *work: started.append(work))
    work = builds.Builds(root, out, "http://127.0.0.1:8000/")
    assert watch.changed_since(root, out, work.address) is None, "nothing was built"
    shutil.copytree(built, out)
    watch.keep(out, work.address, watch.digests(root))
    work.begin("en/lookup.md")
    assert not started and work.complete and (out / "zh" / IDENT / "index.html").is_file()
    page = root / f"docs/zh/{IDENT}.md"
    page.write_text(read(page) + "\n再加一句。\n", encoding="utf-8")
    assert watch.changed_since(root, out, work.address) == [str(page)]
    builds.Builds(root, out, work.address).begin("en/lookup.md")
    assert started == [("refresh", f"zh/{IDENT}.md"), ("whole",)]
    # Were it taken back now, the site would still show the change.
    page.write_text(read(page).removesuffix("\n再加一句。\n"), encoding="utf-8")
    assert watch.changed_since(root, out, work.address) == [str(page)]
    assert watch.changed_since(root, out, "http://127.0.0.1:8001/") is None, "its addresses differ"


def test_a_taken_port_is_told(
    checkout: Path, built: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    running = server.listen(built, 0)
    try:
        assert (
            builds.serve(
                checkout, checkout / "out", running.server_port, open_browser=False, language="en"
            )
            == 2
        )
        assert f"--port {running.server_port + 1}" in capsys.readouterr().err
    finally:
        running.shutdown()
        running.server_close()


def test_changes_are_seen(checkout: Path, tmp_path: Path) -> None:
    root = tmp_path / "project"
    shutil.copytree(checkout / "docs", root / "docs")
    before = watch.snapshot(root)
    assert before and watch.snapshot(root) == before
    (root / "docs" / "en" / "new.md").write_text("new", encoding="utf-8")
    assert watch.snapshot(root) != before


def test_a_changed_page_is_made_alone(built: Path, checkout: Path, tmp_path: Path) -> None:
    """As a build of everything makes it; the rest stays."""
    root, out = copy_of(checkout, tmp_path / "project"), shutil.copytree(built, tmp_path / "out")
    page_file, snippet_file = root / f"docs/zh/{IDENT}.md", root / f"snippets/{IDENT}.py"
    page_file.write_text(read(page_file) + "\n再加一句。\n", encoding="utf-8")
    snippet_file.write_text(
        read(snippet_file).replace("import torch\n", "import torch  # a changed snippet\n", 1),
        encoding="utf-8",
    )
    pages = watch.pages_of(root, [str(page_file), str(snippet_file)])
    assert pages == {
        f"{language}/{name}"
        for language in LANGUAGES
        for name in (f"{IDENT}.md", f"notebooks/{IDENT}.md")
    }
    before = {file: file.stat().st_mtime_ns for file in out.rglob("*") if file.is_file()}
    assert build.refresh(root, out, pages, "https://example.org/clinic/")
    made = {
        file.relative_to(out).as_posix()
        for file in before
        if file.stat().st_mtime_ns != before[file]
    }
    assert made == {
        f"{language}/{name}/index.html"
        for language in LANGUAGES
        for name in (IDENT, f"notebooks/{IDENT}")
    }
    assert "再加一句。" in read(out / f"zh/{IDENT}/index.html") and "a changed snippet" in read(
        out / f"en/{IDENT}/index.html"
    )
    whole = tmp_path / "whole"
    assert (
        build.build(
            catalogue.load(root), whole, site_url="https://example.org/clinic/", strict=False
        )
        == 0
    )
    for name in made:
        assert read(out / name) == read(whole / name), name


def test_what_belongs_to_more_than_its_pages_is_built_as_a_whole(checkout: Path) -> None:
    assert watch.pages_of(checkout, [str(checkout / "docs/en/lookup.md")]) == {"en/lookup.md"}
    for name in (
        "docs/assets/site.css",
        "facts/vocabulary.yml",
        "torchclinic/site/lists.py",
        "docs/en/gone.md",
    ):
        assert (
            watch.pages_of(checkout, [str(checkout / "docs/en/lookup.md"), str(checkout / name)])
            == set()
        ), name


def test_a_changed_style_is_served_at_once(checkout: Path, tmp_path: Path) -> None:
    style, page = checkout / "docs/assets/site.css", checkout / "docs/en/lookup.md"
    watch.copy_assets(
        checkout, tmp_path, [str(style), str(page), str(checkout / "docs/assets/gone.svg")]
    )
    written = sorted(
        file.relative_to(tmp_path).as_posix() for file in tmp_path.rglob("*") if file.is_file()
    )
    assert written == ["en/assets/site.css", "zh/assets/site.css"]
    assert (tmp_path / "zh/assets/site.css").read_bytes() == style.read_bytes()


def test_a_module_that_would_not_work_from_a_folder_stops_the_build() -> None:
    for text in (
        'import * as a from "./a.js";',
        "export default 1;",
        "const a = await import(name);",
    ):
        with pytest.raises(ValueError, match=r"d\.js: `"):
            file_scheme.module(text, "d.js")


def test_of_a_vain_attempt_the_frames_of_the_page_are_shown() -> None:
    own = '  File "loss.py", line 3, in <module>\n    loss(x)\n    ^^^^^^^'
    torchs = '  File "torch/nn/modules/module.py", line 9, in _call_impl\n    return f(x)'
    printed = f"step 1\nTraceback (most recent call last):\n{own}\n{torchs}\nValueError: no\n  why"
    assert case_view.frames_of("loss.py", printed) == printed.replace(f"{torchs}\n", "")
