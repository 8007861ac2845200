"""Wrong versions of a fix: which are made, and that a weak proof lets them pass."""

from __future__ import annotations

from pathlib import Path

import pytest

from torchclinic.authoring.mutants import mutants, shortened
from torchclinic.authoring.mutate import mutate
from torchclinic.commands import parser
from torchclinic.content import catalogue, mutation
from torchclinic.content.code import loose_names, redefined, untouched
from torchclinic.content.problem import Problems

BREAK = "import torch\nfrom torch import nn\n\nmodel = nn.BatchNorm1d(3)\nout = model(x)"
FIX = """import torch
from torch import nn

model = nn.LayerNorm(3)
with torch.no_grad():
    out = model(x).detach().sum(dim=1, keepdim=True)
print(out)


@torch.no_grad()
def rest():
    return torch.cat([out, out], -1).to(torch.float32)"""


def test_the_wrong_versions_of_a_fix() -> None:
    by_name = {mutant.name: mutant.source for mutant in mutants(BREAK, FIX)}
    assert (
        "with torch.no_grad()" not in by_name["without: with torch.no_grad()"]
        and "model(x)" in by_name["without: with torch.no_grad()"]
    )
    assert "@" not in by_name["without: @torch.no_grad()"]
    assert "nn.Identity()" in by_name["swap: Identity for nn.LayerNorm(3)"]
    assert (
        "sum(dim=0, keepdim=True)"
        in by_name["swap: 0 for 1 in model(x).detach().sum(dim=1, keepdim=True)"]
    )
    assert "keepdim=False" in by_name["swap: False in model(x).detach().sum(dim=1, keepdim=True)"]
    summed = "model(x).detach().sum(dim=1, keepdim=True)"
    assert "keepdim" not in by_name[f"without: keepdim= in {summed}"]
    assert "torch.cat([out, out], -2)" in by_name["swap: -2 for -1 in torch.cat([out, out], -1)"]
    wider = "swap: float64 in torch.cat([out, out], -1).to(torch.float32)"
    assert "torch.float64" in by_name[wider]
    assert ".detach()" not in by_name["raw: model(x).detach()"]
    assert "BatchNorm1d" in by_name["back: model = nn.LayerNorm(3)"]
    assert not any("print" in name or "import" in name for name in by_name)
    assert len(set(by_name.values())) == len(by_name) and all(
        compile(source, "mutant", "exec") for source in by_name.values()
    )
    assert {name.partition(": ")[0] for name in by_name} <= set(mutation.KINDS)
    assert [mutant.name for mutant in mutants(BREAK, FIX)] == list(by_name), (
        "names are the same from run to run: excuses quote them"
    )


@pytest.mark.parametrize(
    ("source", "loose"),
    [
        ("import torch\nout = model(images.to(device))", []),
        ("from torch import nn\nmodel = nn.Linear(3, out_features)", ["out_features"]),
        ("loss = helper(x)\nfor i in range(3): total = [y for y in loss if i]", ["helper"]),
        (
            "def work(rank, *rest, key=None):\n    try:\n        return rank, rest, key\n"
            "    except OSError as error:\n        print(error)",
            [],
        ),
    ],
)
def test_names_that_a_copied_fix_would_lack(source: str, loose: list[str]) -> None:
    assert [name for name, _ in loose_names(source)] == loose


@pytest.mark.parametrize(
    ("proof", "setup", "without"),
    [
        ("assert total == 6", "", False),
        ("assert seen == 6", "", True),
        ("assert seen == 6", "seen = []\ndef note(): seen.append(launch)\nnote()", False),
        ("assert calls() == 6", "def calls():\n    return total", False),
        ("import os\nassert os.environ", "import os", True),
    ],
)
def test_a_proof_that_uses_nothing_of_its_fix(proof: str, setup: str, without: bool) -> None:
    fix = "def launch(x):\n    return x\n\ntotal = launch(6)"
    assert untouched(fix, proof, [setup]) == without


def test_a_proof_that_defines_what_is_copied() -> None:
    fix = "class Net:\n    size = 3\n\n\ndef launch(x):\n    return x"
    assert redefined(fix, "def launch(x):\n    return 2\nassert launch(2) == 2") == {"launch"}
    assert redefined(fix, "Net = 3\nassert Net == 3") == {"Net"}
    assert redefined(fix, "size = Net.size\nassert launch(2) == 2") == set()


SNIPPET = """# ---
# tags: [autograd]
# recover: fix
# cases:
#   plain: {{{survives}}}
# ---

# %%
import torch

x = torch.tensor([1.0, 2.0, 3.0])

# %% break plain
total = x.mean()
assert total != 6

# %% fix plain
total = x.sum(dim=0)
best = x.max()

# %% proof plain
{proof}
"""
WEAK, STRONG = "assert total > 0", "assert total == 6 and best == 3"


def project(folder: Path, proof: str, survives: str = "") -> catalogue.Catalogue:
    (folder / "facts").mkdir(parents=True)
    (folder / "facts/vocabulary.yml").write_text(
        "topics:\n  autograd: {en: A, zh: A}\ntags:\n  autograd: {en: A, zh: A}\n", encoding="utf-8"
    )
    (folder / "snippets/autograd").mkdir(parents=True)
    (folder / "snippets/autograd/sums.py").write_text(
        SNIPPET.format(proof=proof, survives=survives), encoding="utf-8"
    )
    return catalogue.load(folder, lint=False)


def test_a_weak_proof_is_found_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    clinic = project(tmp_path / "weak", WEAK)
    assert mutate(clinic.index(), list(clinic.symptoms.values()), record=clinic.root) == 1
    printed = capsys.readouterr().out
    assert (
        "SURVIVED autograd/sums: fix plain: without: best = x.max()" in printed
        and "back: total = x.sum(dim=0)" in printed
    )
    again = catalogue.load(clinic.root, lint=False)
    assert any(
        "lets a wrong version of the fix pass: `without: best = x.max()`" in problem.message
        for problem in again.problems
    )


def test_a_proof_that_catches_them_all(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # A vector has one dimension: `dim=0` may be left out.
    excuse = 'survives: {"without: dim= in x.sum(dim=0)": "a vector has one dimension"}'
    clinic = project(tmp_path / "strong", STRONG, excuse)
    assert mutate(clinic.index(), list(clinic.symptoms.values()), record=clinic.root) == 0
    again = catalogue.load(clinic.root, lint=False)
    assert not [problem for problem in again.problems if problem.file.startswith("snippets/")]
    tried = again.mutants.symptoms["sums"].cases["plain"]
    assert tried.survived == ["without: dim= in x.sum(dim=0)"] and tried.tried > 3


def test_an_excuse_that_is_not_needed_fails(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    clinic = project(
        tmp_path / "excused",
        STRONG,
        'survives: {"without: best = x.max()": "never needed", '
        '"without: dim= in x.sum(dim=0)": "one dimension"}',
    )
    assert mutate(clinic.index(), list(clinic.symptoms.values()), record=clinic.root) == 1
    assert "NEEDLESS autograd/sums" in capsys.readouterr().out
    assert any(
        "excuses `without: best = x.max()`" in problem.message
        for problem in catalogue.load(clinic.root, lint=False).problems
    )


def test_a_record_of_other_code_says_nothing(tmp_path: Path) -> None:
    clinic = project(tmp_path, STRONG)
    record = mutation.Record(
        "2.13.0",
        "cpu",
        {
            "sums": mutation.Entry(
                "0" * 12, "2026-11-22", {"plain": mutation.Tried(3, ["without: best = x.max()"])}
            )
        },
    )
    mutation.merge(clinic.root, record)
    assert mutation.read(clinic.root, "cpu").of(clinic.symptoms["sums"].snippet) is None
    assert not mutation.unexplained(clinic.symptoms["sums"].snippet, record)
    problems = Problems(clinic.root)
    (clinic.root / mutation.FOLDER / "cpu.json").write_text("{", encoding="utf-8")
    assert not mutation.read(clinic.root, "cpu", problems).symptoms and problems


BLOCK = """import torch

\"\"\"Words.\"\"\"
model = torch.nn.Linear(2, 1)
for _ in range(2):
    loss = model(torch.ones(2)).sum()
    loss.backward()
    assert loss.isfinite()
for name, _ in model.named_parameters():
    print(name)
with torch.no_grad():
    model.weight.zero_()
torch.testing.assert_close(model.weight, torch.zeros(1, 2))


def work(rank):
    assert rank >= 0


work(1)
try:
    loss.backward()
    raise AssertionError("ran twice")
except RuntimeError as error:
    text = str(error)
"""


def test_what_is_taken_out_of_a_block() -> None:
    """No assertion, and no loop, branch or call with one; nothing that only shows."""
    assert [mutant.name.removeprefix("without: ") for mutant in shortened(BLOCK)] == [
        "model = torch.nn.Linear(2, 1)",
        "with torch.no_grad(): model.weight.zero_()",
        "with torch.no_grad()",
        "def work(rank): assert rank >= 0",
        "loss = model(torch.ones(2)).sum()",
        "loss.backward()",
        "model.weight.zero_()",
        "loss.backward() (2)",
        "text = str(error)",
    ]


FIND = '__import__("importlib.util").util.find_spec'
TIP = """---
title: Sums
want: sum
rule: Sum.
summary: Sums.
tags: [autograd]
{survives}
---

```python
import torch

x = torch.tensor([1.0, 2.0])
best = x.max()
```

Then:

<!--pytest-codeblocks:cont-->
```python
{asserts}
```

## On a GPU {{#gpu}}

<!--pytest.mark.skipif(not {find}("no_such_package"), reason="needs the package no_such_package")-->
```python
import no_such_package

y = 1
assert True
```

```python
for fancy in [3]:
    fancy = 3
    assert fancy == 3
```
"""


def tip_project(folder: Path, asserts: str, survives: str) -> catalogue.Catalogue:
    """One tip, in both languages.

    With a block that goes on, one that is skipped, and one whose statement does nothing.
    """
    project(folder, STRONG)
    for language in ("en", "zh"):
        file = folder / "docs" / language / "tips/autograd/sums.md"
        file.parent.mkdir(parents=True)
        file.write_text(
            TIP.format(find=FIND, asserts=asserts, survives=survives if language == "en" else ""),
            encoding="utf-8",
        )
    return catalogue.load(folder, lint=False)


EXCUSE = '"gpu 2: without: fancy = 3": "for show"'


@pytest.mark.parametrize(
    ("asserts", "excuses", "status", "printed", "reported"),
    [
        (
            "assert x.sum() == 3 and best == 2",
            EXCUSE,
            0,
            "SKIPPED tips/autograd/sums: gpu: needs the package no_such_package",
            "",
        ),
        (
            "assert x.sum() == 3",
            EXCUSE,
            1,
            "SURVIVED tips/autograd/sums: opening: without: best = x.max()",
            "holds for a wrong version of it: `opening: without: best",
        ),
        (
            "assert best == 2",
            "",
            1,
            "SURVIVED tips/autograd/sums: gpu 2: without: fancy = 3",
            "`gpu 2: without: fancy = 3`. Make it fail",
        ),
        (
            "assert best == 2",
            f'{EXCUSE}, "opening: without: best = x.max()": "why"',
            1,
            "NEEDLESS",
            "excuses `opening: without: best = x.max()`, which is caught",
        ),
        (
            "assert best == 2",
            f'{EXCUSE}, "gpu: without: y = 1": "not tried here"',
            0,
            "3 tried, 2 caught, 1 excused, 0 to mend",
            "",
        ),
        (
            "assert best == 2",
            f'{EXCUSE}, "without: best": "of which block?"',
            0,
            "recorded in",
            "begins with no block; they are opening, gpu, gpu 2",
        ),
    ],
)
def test_blocks_of_tips(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    asserts: str,
    excuses: str,
    status: int,
    printed: str,
    reported: str,
) -> None:
    clinic = tip_project(tmp_path, asserts, f"survives: {{{excuses}}}")
    assert mutate(clinic.index(), list(clinic.tips.values()), record=clinic.root) == status
    assert printed in capsys.readouterr().out
    again = catalogue.load(clinic.root, lint=False)
    assert (
        set(again.mutants.tips["sums"].cases) == {"opening", "gpu 2"} and not again.mutants.symptoms
    ), "the skipped block is none that was tried"
    problems = [
        problem.message
        for problem in again.problems
        if "wrong version" in problem.message or "survives" in problem.message
    ]
    assert bool(problems) == bool(reported) and any(
        reported in message for message in [*problems, ""]
    ), problems


def test_an_unknown_tip_and_a_tip_without_mutate(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments, says in (
        (
            ["verify", "--mutate", "tips/nn/batchnor"],
            "no tip `tips/nn/batchnor`; did you mean tips/nn/batchnorm",
        ),
        (["verify", "tips/nn/batchnorm"], "is a tip: `verify --mutate tips/nn/batchnorm` tries"),
    ):
        assert parser.main(arguments) == 2
        assert says in capsys.readouterr().err


def test_what_another_machine_tried_is_kept(tmp_path: Path) -> None:
    """While the code is the same: this machine had to skip the block that needs a package."""
    for code, block, kept in (
        ("a" * 12, "opening", {"opening"}),
        ("a" * 12, "gpu", {"opening", "gpu"}),
        ("b" * 12, "gpu", {"gpu"}),
    ):
        entry = mutation.Entry(code, "2026-11-22", {block: mutation.Tried(2, [])})
        mutation.merge(tmp_path, mutation.Record("2.13.0", "cpu", tips={"sums": entry}))
        assert set(mutation.read(tmp_path, "cpu").tips["sums"].cases) == kept
