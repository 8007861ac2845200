"""Verify says no to every kind of cell that does not do what it must."""

from __future__ import annotations

import argparse
import dataclasses
import gzip
import os
import time
from pathlib import Path
from typing import Any

import pytest

from torchclinic.commands import verify as command
from torchclinic.content import catalogue, evidence
from torchclinic.content.catalogue import Catalogue
from torchclinic.content.problem import Problems
from torchclinic.run import verify

pytest.importorskip("torch")

HEADER = """# ---
# wordings:
#   - text: "the flux capacitor has only {n:int} gigawatts"
#     exception: RuntimeError
#     sample: "RuntimeError: the flux capacitor has only 3 gigawatts"
# tags: [autograd]
# needs: NEEDS
# timeout: 5
# ---

# %%
import torch

x = torch.ones(2)
"""
BREAK = '# %% break a\nraise RuntimeError("the flux capacitor has only 3 gigawatts")\n'
FIX = "# %% fix a\nassert x.sum() == 2\n"


@pytest.fixture(scope="module")
def machine() -> verify.Machine:
    return verify.ask_machine()


@pytest.fixture
def run(tmp_path: Path, machine: verify.Machine) -> Any:
    """Verify a snippet made of the given cells: {cell: its run}."""

    def apply(cells: str, needs: str = "[]", **options: Any) -> dict[str, verify.Run]:
        file = tmp_path / "snippets/autograd/flux.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(HEADER.replace("NEEDS", needs) + "\n" + cells, encoding="utf-8")
        (tmp_path / "facts").mkdir(exist_ok=True)
        (tmp_path / "facts/vocabulary.yml").write_text("topics:\n  autograd: {en: A, zh: A}\ntags:\n  autograd: {en: A, zh: A}\n", encoding="utf-8")
        made = catalogue.load(tmp_path)
        return {one.cell.name: one for one in verify.execute(made.index(), list(made.symptoms.values()), machine, **options)}

    return apply


def test_a_good_case_passes_and_keeps_the_snippets_line_numbers(run: Any) -> None:
    done = run(BREAK + FIX)
    assert {name: one.outcome for name, one in done.items()} == {"break a": "passed", "fix a": "passed"}
    assert (done["break a"].exception, done["break a"].message) == ("RuntimeError", "the flux capacitor has only 3 gigawatts")
    assert 'File "flux.py", line 17, in <module>' in done["break a"].traceback


@pytest.mark.parametrize(
    ("cells", "cell", "says"),
    [
        ("# %% break a\nx + 1\n" + FIX, "break a", "ended without an error and printed nothing"),
        ('# %% break a\nraise RuntimeError("something else")\n' + FIX, "break a", "looked up as no match"),
        ('# %% break a\nprint("RuntimeError: the flux capacitor has only 3 gigawatts")\n' + FIX, "break a", "raised nothing"),
        (BREAK + "# %% fix a\nassert x.sum() == 3\n", "fix a", "raised AssertionError"),
        (BREAK + '# %% fix a\nprint("the flux capacitor has only 1 gigawatts")\nassert True\n', "fix a", "still prints the message"),
        (BREAK + "# %% check a\nraise KeyError(1)\n" + FIX, "check a", "raised KeyError"),
        (BREAK + "# %% fix a\nimport time\ntime.sleep(60)\nassert True\n", "fix a", "still running after 5 s"),
        (BREAK + "# %% fix a\nimport os\nos._exit(3)\nassert True\n", "fix a", "died with exit status 3"),
        (BREAK + "# %% fix a\nimport os, signal\nos.kill(os.getpid(), signal.SIGKILL)\nassert True\n", "fix a", "SIGKILL"),
    ],
)
def test_a_bad_cell_fails_with_the_reason(run: Any, cells: str, cell: str, says: str) -> None:
    done = run(cells)
    assert done[cell].outcome == "failed"
    assert says in done[cell].why
    assert all(one.outcome == "passed" for name, one in done.items() if name != cell)


def test_a_cell_that_takes_too_much_memory_is_killed(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(verify.MEMORY, "cpu", 1 << 30)
    done = run(BREAK + "# %% fix a\nimport time\ny = bytearray(b'1') * (3 << 29)\ntime.sleep(4)\nassert True\n")
    assert done["fix a"].why == "took more than 1 GiB of memory"


def test_what_hangs_is_killed_with_its_children(run: Any) -> None:
    cell = "# %% fix a\nimport subprocess\nchild = subprocess.Popen(['sleep', '300'])\nprint(child.pid, flush=True)\nchild.wait()\nassert True\n"
    done = run(BREAK + cell)["fix a"]
    assert done.outcome == "failed"
    pid = int(done.output)
    for _ in range(50):
        if not Path(f"/proc/{pid}").exists():
            break
        time.sleep(0.1)
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


@pytest.mark.parametrize(
    ("needs", "says"),
    [
        ("[cuda]", "needs CUDA"),
        ("[multi-gpu]", "two GPUs"),
        ('["package:no_such_package.inner"]', "needs the package no_such_package.inner"),
        ('["torch:99.1"]', "needs torch ≥ 99.1"),
        ('["torch:<1.0"]', "needs torch < 1.0"),
    ],
)
def test_what_the_machine_lacks_is_skipped_with_its_reason(run: Any, needs: str, says: str) -> None:
    for one in run(BREAK + FIX, needs).values():
        assert one.outcome == "skipped" and says in one.why


def test_cells_are_fresh_processes(run: Any) -> None:
    leak = "# %% check a\nimport torch\ntorch.set_default_dtype(torch.float64)\nx.add_(1)\nopen('left', 'w').close()\nassert True\n"
    fix = "# %% fix a\nimport os\nassert torch.ones(1).dtype == torch.float32 and x.sum() == 2 and not os.path.exists('left')\n"
    assert run(BREAK + leak + fix, jobs=1)["fix a"].outcome == "passed"


def test_a_plain_interpreter_gives_the_same(run: Any) -> None:
    forked, plain = run(BREAK + FIX), run(BREAK + FIX, plain=True)
    for name in forked:
        assert (forked[name].outcome, forked[name].output) == (plain[name].outcome, plain[name].output)


def test_no_path_of_this_machine_is_recorded(run: Any) -> None:
    cell = "# %% check a\nimport torch, os\nprint(torch.__file__, os.getcwd(), os.path.expanduser('~'))\nassert True\n"
    output = run(BREAK + cell + FIX)["check a"].output
    assert output.startswith("torch/__init__.py") and "/tmp" not in output and "/root" not in output


def test_evidence_is_merged_and_goes_stale(tmp_path: Path, run: Any, machine: verify.Machine) -> None:
    done = list(run(BREAK + FIX).values())
    folder = tmp_path / "evidence"
    file = evidence.merge(folder, verify._evidence(done, machine, "cpu"))
    assert file.name == f"{machine.torch}-py{'.'.join(machine.python.split('.')[:2])}-cpu.json"
    snippet = done[0].symptom.snippet
    record = evidence.read(file)
    assert record.status(snippet) == "passed"
    assert record.cell(snippet, "break a")["exception"] == "RuntimeError"
    changed = run(BREAK + FIX + "# %% check a\nassert True\n")["fix a"].symptom.snippet
    assert record.status(changed) == "stale" and record.cell(changed, "break a") is None
    # What was skipped elsewhere does not wipe out what ran here, and other symptoms stay.
    other = verify._evidence(done, machine, "cpu")
    other.symptoms = {"other": other.symptoms["flux"], "flux": {**other.symptoms["flux"], "skipped": "needs CUDA", "cells": {}}}
    evidence.merge(folder, other)
    assert evidence.read(file).status(snippet) == "passed" and "other" in evidence.read(file).symptoms


def test_an_older_torch_that_lacks_a_name_is_no_failure(tmp_path: Path, run: Any, machine: verify.Machine) -> None:
    def outcomes(cells: str, torch: str, why: str = "AttributeError: module 'torch' has no attribute 'flux'") -> list[str]:
        symptom = run(cells)["fix a"].symptom
        done = verify.execute(catalogue.load(tmp_path).index(), [symptom], dataclasses.replace(machine, torch=torch))
        assert all(one.why == f"needs a newer torch: {why}" for one in done if one.outcome == "skipped")
        return [one.outcome for one in done]

    assert outcomes("# %%\ntorch.flux\n\n" + BREAK + FIX, "1.0.0") == ["skipped", "skipped"]
    assert outcomes("# %%\ntorch.flux\n\n" + BREAK + FIX, machine.torch) == ["failed", "failed"]
    refused = "# %% break a\nraise RuntimeError('Python 3.11+ not yet supported for torch.compile')\n\n# %% fix a\nassert False\n"
    assert outcomes(refused, "1.0.0", "RuntimeError: Python 3.11+ not yet supported for torch.compile") == ["skipped", "skipped"]
    # A fix that asks for what is not there is no cure there.
    assert outcomes(BREAK + "# %% fix a\ntorch.flux\nassert True\n", "1.0.0") == ["passed", "failed"]


def test_a_symptom_is_recorded_as_soon_as_it_is_done(tmp_path: Path, run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that is cut off keeps what it did, and the next one goes on from there."""
    monkeypatch.setattr(verify, "_report", lambda *given: pytest.fail("cut off here"))
    symptom = run(BREAK + FIX)["fix a"].symptom
    with pytest.raises(pytest.fail.Exception):
        verify.run(catalogue.load(tmp_path).index(), [symptom], record=tmp_path / "evidence")
    (file,) = (tmp_path / "evidence").iterdir()
    assert evidence.read(file).status(symptom.snippet) == "passed"
    ran: list[Any] = []
    monkeypatch.setattr(verify, "_report", lambda runs, *given: ran.extend(runs))
    verify.run({}, [symptom], missing=tmp_path / "evidence")
    assert ran == []
    verify.run(catalogue.load(tmp_path).index(), [symptom], missing=tmp_path / "nowhere")
    assert len(ran) == 2


def test_records_of_other_releases_are_compressed(tmp_path: Path) -> None:
    for torch, python, device, name in (
        (evidence.RELEASE, evidence.PYTHON, "cpu", f"{evidence.RELEASE}-py{evidence.PYTHON}-cpu.json"),
        (evidence.RELEASE, "3.8", "cpu", f"{evidence.RELEASE}-py3.8-cpu.json.gz"),
        ("1.0.0", "3.8", "cpu", "1.0.0-py3.8-cpu.json.gz"),
        ("1.0.0", "3.8", "cuda", "1.0.0-py3.8-nvidia-h200.json"),
    ):
        made = evidence.Evidence(torch, python, device, "CPU" if device == "cpu" else "NVIDIA H200")
        file = evidence.merge(tmp_path, made)
        assert file.name == name and evidence.read(file) == made
    problems = Problems(tmp_path)
    assert len(evidence.read_all(tmp_path, problems)) == 4 and not problems
    (tmp_path / "1.0.0-py3.8-cpu.json").write_bytes(gzip.decompress((tmp_path / "1.0.0-py3.8-cpu.json.gz").read_bytes()))
    (tmp_path / "2.0.0-py3.8-cpu.json.gz").write_bytes((tmp_path / "1.0.0-py3.8-cpu.json.gz").read_bytes()[:-9])
    evidence.read_all(tmp_path, problems)
    assert ["gzip -n" in problem.message or "not compressed" in problem.message for problem in problems] == [True, True]


def test_a_cell_skipped_for_want_of_a_package_keeps_what_ran_where_it_was_installed(tmp_path: Path, run: Any, machine: verify.Machine) -> None:
    """The third-party session and the plain one record into one file, in any order."""
    done = list(run(BREAK + FIX, '["package:yaml"]').values())
    folder = tmp_path / "evidence"
    first = verify._evidence(done, machine, "cpu")
    assert list(first.symptoms["flux"]["packages"]) == ["PyYAML"]
    first.symptoms["flux"]["date"] = "2026-01-02"
    evidence.merge(folder, first)
    second = verify._evidence(done, machine, "cpu")
    del second.symptoms["flux"]["packages"]
    second.symptoms["flux"]["cells"]["fix a"] = {"outcome": "skipped", "why": "needs the package yaml"}
    for _ in range(2):  # the day on which it ran stays the same, however often it is skipped
        entry = evidence.read(evidence.merge(folder, second)).symptoms["flux"]
        assert (entry["cells"]["fix a"]["outcome"], entry["cells"]["fix a"]["date"], list(entry["packages"])) == ("passed", "2026-01-02", ["PyYAML"])
        assert entry["date"] > "2026-01-02" and "date" not in entry["cells"]["break a"]
    # What failed before its need was named is gone; what passed is not.
    second.symptoms["flux"]["cells"]["fix a"] = {"outcome": "failed", "seconds": 1.0}
    evidence.merge(folder, second)
    second.symptoms["flux"]["cells"]["fix a"] = {"outcome": "skipped", "why": "needs torch < 1.0"}
    cells = evidence.read(evidence.merge(folder, second)).symptoms["flux"]["cells"]
    assert (cells["break a"]["outcome"], cells["fix a"]["outcome"]) == ("passed", "skipped")
    # Of other code, what ran before says nothing.
    second = verify._evidence(done, machine, "cpu")
    second.symptoms["flux"].update(hash="0" * 12)
    second.symptoms["flux"]["cells"]["fix a"] = {"outcome": "skipped", "why": "needs the package yaml"}
    assert evidence.read(evidence.merge(folder, second)).symptoms["flux"]["cells"]["fix a"]["outcome"] == "skipped"


def test_an_interpreter_without_torch_is_told_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "torch.py").write_text("raise ImportError('no torch here')", encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with pytest.raises(verify.NoTorch, match="no torch here"):
        verify.ask_machine()


def test_what_changed_since_its_record_is_run_and_a_share_of_the_others(clinic: Catalogue) -> None:
    options = argparse.Namespace(mutate=False, device="cpu")
    symptoms = list(clinic.symptoms.values())
    todays = [one for one in symptoms if command._is_todays(one.stem, command.DAYS)]
    assert 0 < len(todays) < len(symptoms) / 2 and command._changed(clinic, symptoms, options) == todays
    other = next(one for one in symptoms if one not in todays)
    changed = dataclasses.replace(other, snippet=dataclasses.replace(other.snippet, cells=other.snippet.cells[:-1]))
    assert changed in command._changed(clinic, [changed, *todays], options)
    assert command._changed(clinic, symptoms, argparse.Namespace(mutate=False, device="cuda")) == symptoms


def test_a_record_from_elsewhere_is_checked(run: Any, machine: verify.Machine) -> None:
    good = verify._evidence(list(run(BREAK + FIX).values()), machine, "cpu")
    assert evidence.complaints(good) == []
    entry = next(iter(good.symptoms.values()))
    cell = next(iter(entry["cells"].values()))
    cell |= {"outcome": "fine", "host": "gpu7", "output": "in /home/ann/train.py"}
    entry["python"] = "2.7.18"
    del entry["platform"]
    said = "\n".join(evidence.complaints(good))
    for part in ("lacks `platform`", "a field `host`", "passed, failed or skipped", "/home/ann", "Python 2.7.18"):
        assert part in said, part


def test_a_machine_without_a_record_is_asked_for_one(run: Any, machine: verify.Machine, capsys: Any) -> None:
    here = f"{machine.torch}-py{'.'.join(machine.python.split('.')[:2])}-cpu"
    for known, asked in (({here}, False), ({"2.0.1-py3.8-cpu"}, True)):
        verify.run({}, [], known=known)
        assert ("docs/en/lend.md" in capsys.readouterr().out) is asked


def test_a_stack_is_the_same_on_every_python() -> None:
    """From 3.13 on Python shows the code of `-c` as well: here the line that starts the server of processes, with the paths of this machine."""
    frames = '  File "<string>", line 1, in <module>\n{}  File "multiprocessing/forkserver.py", line 277, in main\n    code = _serve_one(child_r, fds,\n'
    line = "    from multiprocessing.forkserver import main; main(3, 5, ['torch'], **{'sys_path': ['/srv/checkout']})\n"
    assert verify._without_paths(frames.format(line), "/nowhere") == frames.format("")
