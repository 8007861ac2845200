"""The real catalogue keeps every rule; and each rule, broken, is reported with file, line and what to do."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from making import change

from torchclinic import ROOT
from torchclinic.content import catalogue, evidence, overview
from torchclinic.content.catalogue import Catalogue
from torchclinic.content.problem import Problems
from torchclinic.site import machine_readable

SNIPPET = "snippets/autograd/backward-second-time.py"
EN = "docs/en/autograd/backward-second-time.md"
ZH = "docs/zh/autograd/backward-second-time.md"


def test_the_catalogue_breaks_no_rule(clinic: Catalogue) -> None:
    assert [str(problem) for problem in clinic.problems] == []


def test_every_symptom_has_current_cpu_evidence(clinic: Catalogue) -> None:
    record = clinic.evidence[0]
    assert (record.device, record.torch) == ("cpu", evidence.RELEASE)
    assert f"\ntorch=={evidence.RELEASE}\n" in (ROOT / "constraints.txt").read_text(
        encoding="utf-8"
    )
    states = {stem: record.status(symptom.snippet) for stem, symptom in clinic.symptoms.items()}
    wrong = {
        stem: state
        for stem, state in states.items()
        if state not in ("passed", "partly", "skipped")
    }
    assert not wrong, f"run `nox -s verify -- --record {' '.join(wrong)}`"
    lacking = {
        stem: names
        for stem, symptom in clinic.symptoms.items()
        if (names := record.lacks(symptom.snippet))
    }
    assert not lacking, f"run `nox -s verify -- --record {' '.join(lacking)}`"
    for stem, state in states.items():
        if state in ("partly", "skipped"):
            snippet = clinic.symptoms[stem].snippet
            assert any(snippet.needs_of(case) for case in snippet.cases), (
                f"{stem} was skipped, but its header names no need"
            )


def test_every_row_of_the_documents_is_answered(clinic: Catalogue) -> None:
    """facts/sources.yml has the rows of the documents and no others, and a page answers each."""
    lines = (Path(__file__).parent / "data/seed-rows.txt").read_text(encoding="utf-8").splitlines()
    kinds = dict(line.split() for line in lines)
    assert len(kinds) == 220
    assert {
        f"{document}-{number}": row["kind"]
        for document, source in clinic.sources.items()
        for number, row in source["rows"].items()
    } == kinds
    unanswered = [f"{row} ({kinds[row]})" for row, pages in clinic.answers().items() if not pages]
    assert not unanswered


@pytest.mark.parametrize(
    ("file", "edit", "says"),
    [
        (SNIPPET, change("tags: [autograd,", "tags: [autograde,"), "unknown tag `autograde`"),
        (SNIPPET, change("# wordings:", "# wordings: ["), "YAML that does not parse"),
        (SNIPPET, change("# rows:", "# rowz:"), "unknown field `rowz`"),
        (
            SNIPPET,
            change(
                "# wordings:\n",
                "# wordings:\n#   - {text: '{n:int} backward passes over this graph', sample: 2 backward passes over this graph}\n",
            ),
            "begins with words, not with a hole",
        ),
        (
            SNIPPET,
            change(
                "# wordings:\n",
                "# wordings:\n#   - {text: 'backward passes {n:int}{_:line}', sample: backward passes 2}\n",
            ),
            "two holes in a row",
        ),
        (SNIPPET, change("# docs:", "# needs: [gpu]\n# docs:"), "unknown need `gpu`"),
        (
            SNIPPET,
            lambda text: text.replace("\n    loss.backward()", "\n    loss.backward("),
            "syntax error in the cell",
        ),
        (
            SNIPPET,
            change("# %% fix running-total", "# %% fix other-case"),
            "case `running-total` has no `fix` cell",
        ),
        (SNIPPET, change("# %% fix running-total", "# %% mend running-total"), "a cell is `# %%`"),
        (
            SNIPPET,
            change("# %% check running-total", "# %% break running-total"),
            "two cells named",
        ),
        (SNIPPET, lambda text: text.replace("assert ", "print "), "syntax error"),
        (SNIPPET, lambda text: text.replace("# ---\n", "", 1), "begins with `# ---`"),
        (
            SNIPPET,
            change("# docs:", "# outranks: [no-such]\n# docs:"),
            "`outranks` names `no-such`",
        ),
        (
            EN,
            change("{{ case running-total }}", "{{ case no-such }}"),
            "the snippet has no case `no-such`",
        ),
        (EN, change("{{ case running-total }}", ""), "never shows `{{ case running-total }}`"),
        (EN, change("{{ check running-total }}", ""), "never shows `{{ check running-total }}`"),
        (EN, change("{{ wordings }}", "{{ wording }}"), "is no directive"),
        (EN, change("## Why", "## How so"), "is no section"),
        (EN, change("{#running-total}", "{#no-such}"), "no heading"),
        (EN, change("](#causes)", "](#no-such)"), "no such section or case"),
        (
            SNIPPET,
            change("#   running-total:", "#   no-such:"),
            "no row of the header's `causes` leads to the case `running-total`",
        ),
        (
            SNIPPET,
            change("#   running-total:", "#   running-total: {if: k ==}\n#   other:"),
            "cause `running-total`: `if`: ",
        ),
        (
            SNIPPET,
            change("#   running-total:", "#   running-total: {if: k == 3}\n#   other:"),
            "reads `k`, which no wording has",
        ),
        (
            EN,
            change("  running-total:\n", "  no-such:\n"),
            "`causes` has a row `no-such`, which the snippet's header has not",
        ),
        (EN, change("    see:", "    seen:"), "unknown field `seen`; known are do, say, see"),
        (EN, change("    see:", "    seen:"), "row `carried-state` of `causes`: lacks `see`"),
        (EN, change("  carried-state:\n", "  carried-state: x\n  y:\n"), "holds `see`, `do`"),
        (EN, change("title:", "heading: x\ntitle:"), "unknown field `heading` of the front"),
        (ZH, change("comments:\n", "comments:\n  two: [x]\n"), "`comments` maps texts to texts"),
        (
            SNIPPET,
            change(
                "# causes:\n#   carried-state:\n",
                "# causes:\n#   carried-state: {case: two-losses}\n#   x:\n",
            ),
            "the quick fix is that of `carried-state`, and the first row of `causes` leads to "
            "`two-losses`",
        ),
        (
            SNIPPET,
            lambda text: text.replace("#     exception: RuntimeError\n", "#     near: [nowhere]\n"),
            "the first wording is the page's headline, and the lookup does not find it",
        ),
        (
            SNIPPET,
            change(
                "#     exception: RuntimeError\n",
                "#     sample: |\n#       Cell In[9], line 1\n#       ----> 1 loss.backward()\n"
                "#       RuntimeError: Trying to backward through the graph a second time (or "
                "directly access saved tensors after they have already been freed)\n",
            ),
            "the headline is looked up as the cause `same-loss-twice`, and `carried-state` is",
        ),
        (EN, change("{{ causes }}", ""), "never shows `{{ causes }}`"),
        (
            EN,
            change("## Why", "```python\nx = 1\n```\n\n## Why"),
            "a fence of `python`: a page holds no code that is not run",
        ),
        (
            EN,
            change("## Why", "TODO\n\n## Why"),
            "left of the template, to be written or taken out: line ",
        ),
        (
            SNIPPET,
            change("    total = total + loss", f"    # {'x' * 79}\n    total = total + loss"),
            "a line of 85 characters: the page's column",
        ),
        (
            SNIPPET,
            change("# recover: fix", "# recover: pray"),
            "`recover` says what brings the reader on",
        ),
        (EN, change("](backward-second-time.md)", "](gone.md)"), "leads nowhere"),
        (ZH, change("title: ", "title: 报错 #15 "), "quote the whole text"),
        (EN, change("title:", "heading:"), "front matter lacks `title`"),
        (
            EN,
            change("summary:", "diagnosis: You have {k}.\nsummary:"),
            "uses {k}, but no wording has a hole of that name",
        ),
        (
            EN,
            change("The forward pass keeps", "The forward pass holds"),
            "changed in English since this was written: `why`",
        ),
        (
            ZH,
            change("{{ check running-total }}\n\n", ""),
            "directives differ from the English page: it lacks `{{ check running-total }}`",
        ),
        (ZH, change("\uff0c", ","), "half-width punctuation"),
        (ZH, change("  why: ", "  why: 0"), "changed in English since this was written: `why`"),
        (
            "facts/vocabulary.yml",
            change("gan: {en: GAN, zh: GAN}", "gan: {en: GAN}"),
            "tag `gan` has no label in `zh`",
        ),
    ],
)
def test_a_broken_rule_is_reported(
    project: Path, file: str, edit: Callable[[str], str], says: str
) -> None:
    path = project / file
    path.write_text(edit(path.read_text(encoding="utf-8")), encoding="utf-8")
    found = [str(problem) for problem in catalogue.load(project).problems]
    assert any(says in line for line in found), found
    assert all(line.startswith(("snippets/", "docs/", "facts/")) for line in found)


@pytest.mark.parametrize(
    ("do", "ends"),
    [
        ("look closely", False),
        ("set `drop_last`, or call `model.train()`", False),
        ("`print(loss)`", True),
        ("[the quick fix](#fix)", True),
    ],
)
def test_every_row_has_an_end(project: Path, do: str, ends: bool) -> None:
    for file, old, new in (
        (SNIPPET, "#   running-total:", "#   other: {}\n#   running-total:"),
        (
            EN,
            "  running-total:\n",
            f'  other:\n    see: "another"\n    do: "{do}"\n  running-total:\n',
        ),
    ):
        path = project / file
        path.write_text(change(old, new)(path.read_text(encoding="utf-8")), encoding="utf-8")
    said = [problem.message for problem in catalogue.load(project).problems]
    assert any("row `other` has no end" in message for message in said) is not ends


@pytest.mark.parametrize(
    ("file", "says"), [(SNIPPET, "its snippet is gone"), (EN, "is missing"), (ZH, "is missing")]
)
def test_a_missing_file_is_reported(project: Path, file: str, says: str) -> None:
    (project / file).unlink()
    assert any(says in problem.message for problem in catalogue.load(project).problems)


def test_a_fix_without_assertion_is_reported(project: Path) -> None:
    path = project / SNIPPET
    text = path.read_text(encoding="utf-8")
    start = text.index("# %% fix running-total")
    path.write_text(text[:start] + "# %% fix running-total\nprint(data)\n", encoding="utf-8")
    assert any("asserts nothing" in problem.message for problem in catalogue.load(project).problems)


def test_all_problems_are_reported_at_once(project: Path) -> None:
    for file, edit in (
        (EN, change("## Why", "## How so")),
        (ZH, change("\uff0c", ",")),
        (SNIPPET, change("tags: [autograd,", "tags: [autograde,")),
    ):
        (project / file).write_text(
            edit((project / file).read_text(encoding="utf-8")), encoding="utf-8"
        )
    assert {problem.file for problem in catalogue.load(project).problems} >= {EN, ZH, SNIPPET}


def test_unknown_symptoms_are_named_with_their_neighbours(clinic: Catalogue) -> None:
    with pytest.raises(
        catalogue.UnknownSymptom, match="did you mean autograd/backward-second-time"
    ):
        clinic.find("autograd/backward-second-tim")


def test_a_file_that_does_not_parse_is_reported_alone(project: Path) -> None:
    for file, line in (
        (SNIPPET, "# tags: [autograd: x, ]: y\n"),
        (EN, "summary: One line: what it is\n"),
    ):
        path = project / file
        before = path.read_text(encoding="utf-8")
        start = before.index(line.partition(":")[0] + ":")
        path.write_text(
            before[:start] + line + before[before.index("\n", start) + 1 :], encoding="utf-8"
        )
        found = [str(problem) for problem in catalogue.load(project).problems]
        assert len(found) == 1 and "YAML that does not parse" in found[0], found
        path.write_text(before, encoding="utf-8")


def test_a_missing_section_is_reported_where_it_belongs(project: Path) -> None:
    path = project / EN
    lines = path.read_text(encoding="utf-8").splitlines()
    start, end = (
        next(number for number, line in enumerate(lines) if line.startswith(f"## {name}"))
        for name in ("Why", "Which cause")
    )
    path.write_text("\n".join(lines[:start] + lines[end:]) + "\n", encoding="utf-8")
    assert (EN, start + 1, "section `## Why` is missing; it stands above this line") in [
        (p.file, p.line, p.message) for p in catalogue.load(project).problems
    ]


def test_the_badge_says_what_the_evidence_says(clinic: Catalogue) -> None:
    ran = sum(
        clinic.evidence[0].status(symptom.snippet) in ("passed", "partly")
        for symptom in clinic.symptoms.values()
    )
    assert f">{ran} of {len(clinic.symptoms)} symptoms" in machine_readable.badge(clinic)


def test_an_overview_stands_in_both_languages_and_leads_to_the_same_pages(tmp_path: Path) -> None:
    def problems(english: str, chinese: str | None) -> list[str]:
        for language, text in (("en", english), ("zh", chinese)):
            folder = tmp_path / "docs" / language / "nn"
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "a.md").touch()
            (folder / "b.md").touch()
            (folder / "index.md").unlink(missing_ok=True)
            if text is not None:
                (folder / "index.md").write_text(text, encoding="utf-8")
        found = Problems(tmp_path)
        overview.check(tmp_path, ["nn", "shapes"], found)
        return [str(problem) for problem in found]

    good = "| Is it `a`? | [`A`](a.md) |\n| Is it b? | [B](b.md#x), [there](https://example.org) |\n\n{{ symptoms nn }}\n"
    assert problems(good, good) == []
    assert "other language only" in problems(good, None)[0]
    assert (
        "other pages than the English overview: b.md#x"
        in problems(good, good.replace("b.md#x", "a.md"))[0]
    )
    assert (
        "other pages than the English overview: the order"
        in problems(
            "[A](a.md) [B](b.md)\n{{ symptoms nn }}\n", "[B](b.md) [A](a.md)\n{{ symptoms nn }}\n"
        )[0]
    )
    assert [
        "leads nowhere" in line
        for line in problems(good.replace("a.md", "c.md"), good.replace("a.md", "c.md"))
    ] == [True, True]
    assert (
        "`{{ symptoms nn }}` once"
        in problems(good, good.replace("symptoms nn", "symptoms shapes"))[0]
    )
