"""Wrong versions of a fix: which are made, and that a weak proof lets them pass."""

from __future__ import annotations

from pathlib import Path

import pytest

from torchclinic.content import catalogue, mutation
from torchclinic.content.problem import Problems
from torchclinic.content.snippet import loose_names
from torchclinic.run import verify
from torchclinic.run.mutate import mutants

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


def test_what_is_made() -> None:
    made = {one.name: one.source for one in mutants(BREAK, FIX)}
    assert "with torch.no_grad()" not in made["without: with torch.no_grad()"] and "model(x)" in made["without: with torch.no_grad()"]
    assert "@" not in made["without: @torch.no_grad()"]
    assert "nn.Identity()" in made["swap: Identity for nn.LayerNorm(3)"]
    assert "sum(dim=0, keepdim=True)" in made["swap: 0 for 1 in model(x).detach().sum(dim=1, keepdim=True)"]
    assert "keepdim=False" in made["swap: False in model(x).detach().sum(dim=1, keepdim=True)"]
    assert "keepdim" not in made["without: keepdim= in model(x).detach().sum(dim=1, keepdim=True)"]
    assert "torch.cat([out, out], -2)" in made["swap: -2 for -1 in torch.cat([out, out], -1)"]
    assert "torch.float64" in made["swap: float64 in torch.cat([out, out], -1).to(torch.float32)"]
    assert ".detach()" not in made["raw: model(x).detach()"]
    assert "BatchNorm1d" in made["back: model = nn.LayerNorm(3)"]
    assert not any("print" in name or "import" in name for name in made)
    assert len(set(made.values())) == len(made) and all(compile(source, "mutant", "exec") for source in made.values())
    assert [one.name for one in mutants(BREAK, FIX)] == list(made), "names are the same from run to run: excuses quote them"


@pytest.mark.parametrize(
    ("source", "loose"),
    [
        ("import torch\nout = model(images.to(device))", []),
        ("from torch import nn\nmodel = nn.Linear(3, out_features)", ["out_features"]),
        ("loss = helper(x)\nfor i in range(3): total = [y for y in loss if i]", ["helper"]),
        ("def work(rank, *rest, key=None):\n    try:\n        return rank, rest, key\n    except OSError as error:\n        print(error)", []),
    ],
)
def test_names_that_a_copied_fix_would_lack(source: str, loose: list[str]) -> None:
    assert [name for name, _ in loose_names(source)] == loose


SNIPPET = """# ---
# tags: [autograd]
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
    (folder / "facts/vocabulary.yml").write_text("topics:\n  autograd: {en: A, zh: A}\ntags:\n  autograd: {en: A, zh: A}\n", encoding="utf-8")
    (folder / "snippets/autograd").mkdir(parents=True)
    (folder / "snippets/autograd/sums.py").write_text(SNIPPET.format(proof=proof, survives=survives), encoding="utf-8")
    return catalogue.load(folder, lint=False)


def test_a_weak_proof_is_found_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = project(tmp_path / "weak", WEAK)
    assert verify.mutate(made.index(), list(made.symptoms.values()), record=made.root) == 1
    printed = capsys.readouterr().out
    assert "SURVIVED autograd/sums: fix plain: without: best = x.max()" in printed and "back: total = x.sum(dim=0)" in printed
    again = catalogue.load(made.root, lint=False)
    assert any("lets a wrong version of the fix pass: `without: best = x.max()`" in problem.message for problem in again.problems)


def test_a_proof_that_catches_them_all(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # A vector has one dimension: `dim=0` may be left out.
    excuse = 'survives: {"without: dim= in x.sum(dim=0)": "a vector has one dimension"}'
    made = project(tmp_path / "strong", STRONG, excuse)
    assert verify.mutate(made.index(), list(made.symptoms.values()), record=made.root) == 0
    again = catalogue.load(made.root, lint=False)
    assert not [problem for problem in again.problems if problem.file.startswith("snippets/")]
    tried = again.mutants.symptoms["sums"].cases["plain"]
    assert tried.survived == ["without: dim= in x.sum(dim=0)"] and tried.tried > 3


def test_an_excuse_that_is_not_needed_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = project(tmp_path / "excused", STRONG, 'survives: {"without: best = x.max()": "never needed", "without: dim= in x.sum(dim=0)": "one dimension"}')
    assert verify.mutate(made.index(), list(made.symptoms.values()), record=made.root) == 1
    assert "NEEDLESS autograd/sums" in capsys.readouterr().out
    assert any("excuses `without: best = x.max()`" in problem.message for problem in catalogue.load(made.root, lint=False).problems)


def test_a_record_of_other_code_says_nothing(tmp_path: Path) -> None:
    made = project(tmp_path, STRONG)
    record = mutation.Record("2.13.0", "cpu", {"sums": mutation.Entry("0" * 12, "2026-11-22", {"plain": mutation.Tried(3, ["without: best = x.max()"])})})
    mutation.merge(made.root, record)
    assert mutation.read(made.root, "cpu").of(made.symptoms["sums"].snippet) is None
    assert not mutation.unexplained(made.symptoms["sums"].snippet, record)
    problems = Problems(made.root)
    (made.root / mutation.FOLDER / "cpu.json").write_text("{", encoding="utf-8")
    assert not mutation.read(made.root, "cpu", problems).symptoms and problems
