"""What no machine here can run on a GPU is run up to its first call of CUDA.

So the first hour on a GPU is not spent on typing errors. It says nothing of what follows that call.
"""

from __future__ import annotations

import ast
import multiprocessing
import traceback
from multiprocessing.connection import Connection
from pathlib import Path

import pytest
import torch

from torchclinic.content.catalogue import Catalogue

#: How torch says that there is no GPU, by build; the last: a CPU build lacks its own functions.
NO_GPU = (
    *("Torch not compiled with CUDA enabled", "Found no NVIDIA driver", "No CUDA GPUs", "NVIDIA"),
    "has no attribute '_cuda",
)
#: What a wrong name, a wrong argument or a missing import ends in.
TYPING = (NameError, AttributeError, TypeError, SyntaxError, ImportError)


def programs(clinic: Catalogue) -> dict[str, str]:
    """The cells that need CUDA, each with what runs before it: `symptom cell` -> code."""
    made = {}
    for symptom in clinic.symptoms.values():
        snippet = symptom.snippet
        plain = "\n".join(cell.source for cell in snippet.cells if cell.kind == "")
        for case in snippet.cases.values():
            needs = {*snippet.needs, *case.needs}
            if "cuda" in needs and not any(need.startswith("package:") for need in needs):
                for kind, cell in case.cells.items():
                    fix = case.cells.get("fix") if kind == "proof" else None
                    before = fix.source if fix else ""
                    made[f"{symptom.id} {kind} {case.name}"] = f"{plain}\n{before}\n{cell.source}"
    return made


def end_of(code: str) -> str:
    """How a program ends in a process of its own: "" well, else its traceback."""
    here, there = multiprocessing.get_context("fork").Pipe()
    process = multiprocessing.get_context("fork").Process(target=_run, args=(code, there))
    process.start()
    there.close()
    try:
        return str(here.recv())
    except EOFError:
        return "it ended its process"
    finally:
        process.join()


def _run(code: str, out: Connection) -> None:
    try:
        exec(compile(code, "cell", "exec"), {"__name__": "__main__"})
    except BaseException as error:
        said = "".join(traceback.format_exception(error))
        lacks_gpu = any(text in said for text in NO_GPU)
        out.send(said if isinstance(error, TYPING) and not lacks_gpu else "")
    else:
        out.send("")


def test_cells_for_cuda_run_up_to_it(
    clinic: Catalogue, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # some save a file
    made = programs(clinic)
    assert made
    ends = {name: end_of(code) for name, code in made.items()}
    assert {name: end for name, end in ends.items() if end} == {}


def test_a_typing_error_would_be_seen() -> None:
    assert "no attribute" in end_of("import torch\ntorch.zeroes(3)")
    assert end_of("import torch\ntorch.zeros(3, device='cuda')") == ""


def test_names_of_torch_in_cells_for_cuda_are_there(clinic: Catalogue) -> None:
    """Those behind the first call of CUDA, too; in the torch at hand, which may be a CPU build."""
    missing = {
        f"{name}: {ast.unparse(node)}"
        for name, code in programs(clinic).items()
        for node in ast.walk(ast.parse(code))
        if isinstance(node, ast.Attribute) and not _resolves(ast.unparse(node))
    }
    assert missing == set()


def _resolves(dotted: str) -> bool:
    first, *names = dotted.split(".")
    if first != "torch" or not all(name.isidentifier() for name in names):
        return True
    value: object = torch
    for name in names:
        if not hasattr(value, name):
            return False
        value = getattr(value, name)
        if not isinstance(value, (type(torch), type)):
            return True
    return True
