"""Verify says no to every kind of cell that does not do what it must."""

from __future__ import annotations

import argparse
import dataclasses
import gzip
import json
import math
import os
import signal
import sys
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from torchclinic import ROOT
from torchclinic.authoring import chosen, plan
from torchclinic.content import catalogue, evidence, snippet_file
from torchclinic.content.catalogue import Catalogue
from torchclinic.content.problem import Problems
from torchclinic.run import client, engine, verify
from torchclinic.run.environment import environment
from torchclinic.run.judge import Run
from torchclinic.run.machine import Machine, NoTorch, ask_machine, cores
from torchclinic.run.report import evidence_of

pytest.importorskip("torch")

HEADER = """# ---
# wordings:
#   - text: "the flux capacitor has only {n:int} gigawatts"
#     exception: RuntimeError
#     sample: "RuntimeError: the flux capacitor has only 3 gigawatts"
# tags: [autograd]
# needs: NEEDS
# timeout: 4
# ---

# %%
import torch

x = torch.ones(2)
"""
BREAK = '# %% break a\nraise RuntimeError("the flux capacitor has only 3 gigawatts")\n'
FIX = "# %% fix a\nassert x.sum() == 2\n"


@pytest.fixture(scope="module")
def machine() -> Machine:
    return ask_machine()


@pytest.fixture
def run(tmp_path: Path, machine: Machine) -> Any:
    """Verify a snippet made of the given cells: {cell: its run}."""

    def apply(cells: str, needs: str = "[]", **options: Any) -> dict[str, Run]:
        file = tmp_path / "snippets/autograd/flux.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(HEADER.replace("NEEDS", needs) + "\n" + cells, encoding="utf-8")
        (tmp_path / "facts").mkdir(exist_ok=True)
        (tmp_path / "facts/vocabulary.yml").write_text(
            "topics:\n  autograd: {en: A, zh: A}\ntags:\n  autograd: {en: A, zh: A}\n",
            encoding="utf-8",
        )
        clinic = catalogue.load(tmp_path)
        symptoms = list(clinic.symptoms.values())
        runs = verify.execute(clinic.index(), symptoms, machine, **options)
        return {run.cell.name: run for run in runs}

    return apply


def test_a_good_case_passes_and_keeps_the_snippets_line_numbers(run: Any) -> None:
    done = run(BREAK + FIX)
    assert {name: run.outcome for name, run in done.items()} == {
        "break a": "passed",
        "fix a": "passed",
    }
    assert (done["break a"].exception, done["break a"].message) == (
        "RuntimeError",
        "the flux capacitor has only 3 gigawatts",
    )
    assert 'File "flux.py", line 17, in <module>' in done["break a"].traceback


@pytest.mark.parametrize(
    ("cells", "cell", "says"),
    [
        ("# %% break a\nx + 1\n" + FIX, "break a", "ended without an error and printed nothing"),
        (
            '# %% break a\nraise RuntimeError("something else")\n' + FIX,
            "break a",
            "looked up as no match",
        ),
        (
            '# %% break a\nprint("RuntimeError: the flux capacitor has only 3 gigawatts")\n' + FIX,
            "break a",
            "raised nothing",
        ),
        (BREAK + "# %% fix a\nassert x.sum() == 3\n", "fix a", "raised AssertionError"),
        (
            BREAK + '# %% fix a\nprint("the flux capacitor has only 1 gigawatts")\nassert True\n',
            "fix a",
            "still prints the message",
        ),
        (BREAK + "# %% check a\nraise KeyError(1)\n" + FIX, "check a", "raised KeyError"),
        (
            BREAK + "# %% fix a\nimport time\ntime.sleep(60)\nassert True\n",
            "fix a",
            "still running after 4 s in which it did nothing",
        ),
        (
            BREAK + "# %% fix a\nwhile True:\n    pass\nassert True\n",
            "fix a",
            "used 4 s of processor time",
        ),
        (
            BREAK
            + "# %% fix a\nimport subprocess, sys\n"
            + "subprocess.run([sys.executable, '-c', 'while True: pass'])\nassert True\n",
            "fix a",
            "used 4 s of processor time",
        ),
        (
            BREAK + "# %% fix a\nimport os\nos._exit(3)\nassert True\n",
            "fix a",
            "died with exit status 3",
        ),
        (
            BREAK
            + "# %% fix a\nimport os, signal\nos.kill(os.getpid(), signal.SIGKILL)\nassert True\n",
            "fix a",
            "SIGKILL",
        ),
    ],
)
def test_a_bad_cell_fails_with_the_reason(run: Any, cells: str, cell: str, says: str) -> None:
    done = run(cells)
    assert done[cell].outcome == "failed"
    assert says in done[cell].why
    assert all(run.outcome == "passed" for name, run in done.items() if name != cell)


WRONG = "cases: {a: {wrong: {hope: https://example.org/1}}}"
TRIED = "# %% wrong hope\n# hoping: it stays\n"
PROOF = "# %% fix a\ny = x.sum()\n# %% proof a\nassert y == 2\n"
PROGRAM = """# %% use a
x = torch.ones(3)
if x.sum() == 3:
    # >>>
    BROKEN
    # <<<
assert y == 3
"""


@pytest.mark.parametrize(
    ("cells", "cell", "says"),
    [
        (TRIED + "y = x.mean()\n", "wrong hope", ""),
        (TRIED + "y = x + 'a'\n", "wrong hope", ""),
        (TRIED + "assert x.mean() == 1  # what it costs\n", "wrong hope", ""),
        (TRIED + "y = x.sum()\n", "wrong hope", "it helps: the proof of the fix passes"),
        (TRIED + "y = z\n", "wrong hope", "a slip: name 'z' is not defined"),
        (TRIED + "assert x.mean() == 2\n", "wrong hope", "raised AssertionError"),
        (PROGRAM.replace("BROKEN", BREAK.splitlines()[1]), "unfixed a", ""),
        (PROGRAM.replace("BROKEN", BREAK.splitlines()[1]), "use a", ""),
        (PROGRAM.replace("BROKEN", "y = x.mean()"), "unfixed a", "looked up as no match"),
        (PROGRAM.replace("y == 3", "y == 2"), "use a", "raised AssertionError"),
    ],
)
def test_programs_and_vain_attempts(run: Any, cells: str, cell: str, says: str) -> None:
    done = run(BREAK + PROOF + cells, needs="[]\n# " + WRONG * (TRIED in cells))
    assert done[cell].outcome == ("failed" if says else "passed")
    assert says in done[cell].why and done["fix a"].outcome == "passed"


def test_a_vain_attempt_leaves_what_else_was_recorded(
    tmp_path: Path, run: Any, machine: Machine
) -> None:
    before = list(run(BREAK + PROOF).values())
    file = evidence.merge(tmp_path / "evidence", evidence_of(before, machine, "cpu"))
    again = run(BREAK + PROOF + TRIED + "y = 3\n", needs="[]\n# " + WRONG)
    snippet, record = again["fix a"].symptom.snippet, evidence.read(file)
    assert record.status(snippet) == "passed" and record.lacks(snippet) == ["wrong hope"]
    evidence.merge(tmp_path / "evidence", evidence_of(list(again.values()), machine, "cpu"))
    assert not evidence.read(file).lacks(snippet)
    assert evidence.read(file).cell(snippet, "wrong hope")["exception"] == "AssertionError"
    other = run(BREAK + PROOF + TRIED + "y = 4\n", needs="[]\n# " + WRONG)
    assert evidence.read(file).lacks(other["fix a"].symptom.snippet) == ["wrong hope"]


@pytest.mark.parametrize(
    ("cells", "says"),
    [
        (TRIED.replace("hope", "other") + "y = 3\n", "say whose fix `other` is tried for"),
        ("# %% wrong hope\ny = 3\n", "begins with a comment: what is tried"),
        (PROGRAM.replace("# <<<", ""), "the fix's place is between one `# >>>`"),
        (PROGRAM.replace("assert", "print"), "asserts nothing"),
    ],
)
def test_what_is_no_program_and_no_attempt(tmp_path: Path, cells: str, says: str) -> None:
    file, problems = tmp_path / "flux.py", Problems(tmp_path)
    header = HEADER.replace("NEEDS", "[]\n# " + WRONG)
    file.write_text(header + "\n" + BREAK + PROOF + cells, encoding="utf-8")
    snippet_file.read(file, problems)
    assert any(says in problem.message for problem in problems)


def test_a_cell_that_takes_too_much_memory_is_killed(
    run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(engine.MEMORY, "cpu", 1 << 30)
    done = run(
        BREAK
        + "# %% fix a\nimport time\ny = bytearray(b'1') * (3 << 29)\ntime.sleep(4)\nassert True\n"
    )
    assert done["fix a"].why == "took more than 1 GiB of memory"


def test_what_hangs_is_killed_with_its_children(run: Any) -> None:
    cell = (
        "# %% fix a\nimport subprocess\nchild = subprocess.Popen(['sleep', '300'])\n"
        "print(child.pid, flush=True)\nchild.wait()\nassert True\n"
    )
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
    for skipped in run(BREAK + FIX, needs).values():
        assert skipped.outcome == "skipped" and says in skipped.why


def test_cells_are_fresh_processes(run: Any) -> None:
    leak = (
        "# %% check a\nimport torch\ntorch.set_default_dtype(torch.float64)\nx.add_(1)\n"
        "open('left', 'w').close()\nassert True\n"
    )
    fix = (
        "# %% fix a\nimport os\nassert torch.ones(1).dtype == torch.float32\n"
        "assert x.sum() == 2 and not os.path.exists('left')\n"
    )
    assert run(BREAK + leak + fix, jobs=1)["fix a"].outcome == "passed"


@pytest.fixture
def another_server(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Cells of this test are forked from a server of their own, started when the first runs."""
    monkeypatch.setattr(client, "_server", None)
    yield
    client.stop()


def test_nothing_of_the_machines_settings_reaches_a_cell(
    run: Any, another_server: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in [
        "PIP_CONFIG_FILE",
        "PIP_INDEX_URL",
        "PYTHONOPTIMIZE",
        "PYTHONWARNINGS",
        "TORCH_LOGS",
        "OMP_NUM_THREADS",
        "MKL_NUM_THREADS",
        "http_proxy",
        "XDG_CONFIG_HOME",
        "LC_ALL",
        "LANGUAGE",
        "TORCHINDUCTOR_CACHE_DIR",
        "CC",
    ]:
        monkeypatch.setenv(name, "64")
    monkeypatch.delenv("HOME", raising=False)
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
    try:
        cell = """# %% check a
import json, locale, os, signal, subprocess, sys
environment = dict(os.environ)
assert not [name for name, value in environment.items() if value == "64"]
environment["locale"] = locale.setlocale(locale.LC_ALL, "")
environment["home"] = os.path.expanduser("~") == os.getcwd()
environment["debug"] = [__debug__, sys.flags.optimize, sys.warnoptions]
environment["signals"] = [
    signal.getsignal(signal.SIGINT) is signal.default_int_handler,
    len(signal.pthread_sigmask(signal.SIG_BLOCK, [])),
]
options = [sys.executable, "-m", "pip", "config", "list"]
environment["pip"] = subprocess.run(options, capture_output=True, text=True).stdout
print(json.dumps(environment))
assert torch.get_num_threads() == 1
"""
        done = run(BREAK + cell + FIX)["check a"]
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGTERM])
        signal.signal(signal.SIGINT, before)
    assert done.outcome == "passed", done.why
    seen = json.loads(done.output)
    assert seen["PIP_CONFIG_FILE"] == os.devnull and seen["OMP_NUM_THREADS"] == "1"
    assert "UTF-8" in seen["locale"] and seen["home"] is True
    assert seen["pip"].split() == [f":env:.config-file='{os.devnull}'"]
    assert seen["debug"] == [True, 0, []] and seen["signals"] == [True, 0]


def test_a_torch_that_only_the_environment_shows_is_found(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """As on clusters, whose modules set PYTHONPATH; any other does not reach a cell."""
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    assert "PYTHONPATH" not in environment()
    folder = Path(find_spec("torch").origin).parent.parent
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), str(folder)]))
    assert environment()["PYTHONPATH"] == os.environ["PYTHONPATH"]
    monkeypatch.delenv("PYTHONPATH")
    monkeypatch.setattr("site.getusersitepackages", lambda: str(folder))
    assert environment()["PYTHONUSERBASE"]


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="needs taskset's system call")
def test_as_many_cells_at_a_time_as_there_are_cores_for_us() -> None:
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, [min(before)])
    try:
        assert cores() == 1
    finally:
        os.sched_setaffinity(0, before)


def test_a_server_that_ends_fails_its_cells_and_another_one_takes_over(
    run: Any, another_server: None
) -> None:
    first = client.server()
    first.process.kill()
    first.process.wait()
    done = run(BREAK + FIX)
    assert client.server() is not first
    assert {cell.outcome for cell in done.values()} == {"passed"}


def test_no_path_of_this_machine_is_recorded(run: Any) -> None:
    cell = (
        "# %% check a\nimport torch, os\n"
        "print(torch.__file__, os.getcwd(), os.path.expanduser('~'))\nassert True\n"
    )
    output = run(BREAK + cell + FIX)["check a"].output
    assert output.startswith("torch/__init__.py") and "/tmp" not in output and "/root" not in output


def test_evidence_is_merged_and_goes_stale(tmp_path: Path, run: Any, machine: Machine) -> None:
    done = list(run(BREAK + FIX).values())
    folder = tmp_path / "evidence"
    file = evidence.merge(folder, evidence_of(done, machine, "cpu"))
    assert file.name == f"{machine.torch}-py{'.'.join(machine.python.split('.')[:2])}-cpu.json"
    snippet = done[0].symptom.snippet
    record = evidence.read(file)
    assert record.status(snippet) == "passed"
    assert record.cell(snippet, "break a")["exception"] == "RuntimeError"
    changed = run(BREAK + FIX + "# %% check a\nassert True\n")["fix a"].symptom.snippet
    assert record.status(changed) == "stale" and record.cell(changed, "break a") is None
    # What was skipped elsewhere does not wipe out what ran here, and other symptoms stay.
    other = evidence_of(done, machine, "cpu")
    other.symptoms = {
        "other": other.symptoms["flux"],
        "flux": {**other.symptoms["flux"], "skipped": "needs CUDA", "cells": {}},
    }
    evidence.merge(folder, other)
    assert (
        evidence.read(file).status(snippet) == "passed" and "other" in evidence.read(file).symptoms
    )


def test_an_older_torch_that_lacks_a_name_is_no_failure(
    tmp_path: Path, run: Any, machine: Machine
) -> None:
    def outcomes(
        cells: str, torch: str, why: str = "AttributeError: module 'torch' has no attribute 'flux'"
    ) -> list[str]:
        symptom = run(cells)["fix a"].symptom
        done = verify.execute(
            catalogue.load(tmp_path).index(), [symptom], dataclasses.replace(machine, torch=torch)
        )
        assert all(
            cell.why == f"needs a newer torch: {why}" for cell in done if cell.outcome == "skipped"
        )
        return [cell.outcome for cell in done]

    assert outcomes("# %%\ntorch.flux\n\n" + BREAK + FIX, "1.0.0") == ["skipped", "skipped"]
    assert outcomes("# %%\ntorch.flux\n\n" + BREAK + FIX, machine.torch) == ["failed", "failed"]
    refused = (
        "# %% break a\nraise RuntimeError('Python 3.11+ not yet supported for torch.compile')\n\n"
        "# %% fix a\nassert False\n"
    )
    assert outcomes(
        refused, "1.0.0", "RuntimeError: Python 3.11+ not yet supported for torch.compile"
    ) == ["skipped", "skipped"]
    # A fix that asks for what is not there is no cure there.
    assert outcomes(BREAK + "# %% fix a\ntorch.flux\nassert True\n", "1.0.0") == [
        "passed",
        "failed",
    ]


def test_a_symptom_is_recorded_as_soon_as_it_is_done(
    tmp_path: Path, run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run that is cut off keeps what it did, and the next one goes on from there."""
    monkeypatch.setattr(verify, "report", lambda *given: pytest.fail("cut off here"))
    symptom = run(BREAK + FIX)["fix a"].symptom
    with pytest.raises(pytest.fail.Exception):
        verify.run(catalogue.load(tmp_path).index(), [symptom], record=tmp_path / "evidence")
    (file,) = (tmp_path / "evidence").iterdir()
    assert evidence.read(file).status(symptom.snippet) == "passed"
    ran: list[Any] = []
    monkeypatch.setattr(verify, "report", lambda runs, *given: ran.extend(runs))
    verify.run({}, [symptom], missing=tmp_path / "evidence")
    assert ran == []
    verify.run(catalogue.load(tmp_path).index(), [symptom], missing=tmp_path / "nowhere")
    assert len(ran) == 2


def test_what_the_time_does_not_suffice_for_is_left_to_the_next_run(
    tmp_path: Path, run: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    symptom, folder = run(BREAK + FIX)["fix a"].symptom, tmp_path / "evidence"
    table = catalogue.load(tmp_path).index()
    verify.run(table, [symptom], record=folder, missing=folder, until=0.0)
    assert "1 pages were not done" in capsys.readouterr().out
    (file,) = folder.iterdir()
    assert evidence.read(file).status(symptom.snippet) == "absent"
    verify.run(table, [symptom], record=folder, missing=folder, until=math.inf)
    assert evidence.read(file).status(symptom.snippet) == "passed"


def test_what_only_a_gpu_can_run_comes_first(
    clinic: Catalogue, capsys: pytest.CaptureFixture[str]
) -> None:
    pages = plan.by_value(clinic, [*clinic.tips.values(), *clinic.symptoms.values()])
    needs = [any("cuda" in cell.needs for cell in page.snippet.cases.values()) for page in pages]
    # A snippet's own needs are those of all its cases.
    needs = [need or "cuda" in page.snippet.needs for need, page in zip(needs, pages, strict=True)]
    assert needs == sorted(needs, reverse=True) and sum(needs) > 5
    assert pages[0].stem == "cuda-oom", "the most met of them"
    plan.show(clinic, pages, "cuda", mutate=False)
    told = capsys.readouterr().out
    assert [line.split()[-1] for line in told.splitlines()[1:-4]] == [page.id for page in pages]


def test_records_of_other_releases_are_compressed(tmp_path: Path) -> None:
    for torch, python, device, name in (
        (
            evidence.RELEASE,
            evidence.PYTHON,
            "cpu",
            f"{evidence.RELEASE}-py{evidence.PYTHON}-cpu.json",
        ),
        (evidence.RELEASE, "3.8", "cpu", f"{evidence.RELEASE}-py3.8-cpu.json.gz"),
        ("1.0.0", "3.8", "cpu", "1.0.0-py3.8-cpu.json.gz"),
        ("1.0.0", "3.8", "cuda", "1.0.0-py3.8-nvidia-h200.json"),
    ):
        name_of_device = "CPU" if device == "cpu" else "NVIDIA H200"
        record = evidence.Evidence(torch, python, device, name_of_device)
        file = evidence.merge(tmp_path, record)
        assert file.name == name and evidence.read(file) == record
    problems = Problems(tmp_path)
    assert len(evidence.read_all(tmp_path, problems)) == 4 and not problems
    (tmp_path / "1.0.0-py3.8-cpu.json").write_bytes(
        gzip.decompress((tmp_path / "1.0.0-py3.8-cpu.json.gz").read_bytes())
    )
    (tmp_path / "2.0.0-py3.8-cpu.json.gz").write_bytes(
        (tmp_path / "1.0.0-py3.8-cpu.json.gz").read_bytes()[:-9]
    )
    evidence.read_all(tmp_path, problems)
    assert [
        "gzip -n" in problem.message or "not compressed" in problem.message for problem in problems
    ] == [True, True]


def test_a_cell_skipped_for_want_of_a_package_keeps_what_ran_where_it_was_installed(
    tmp_path: Path, run: Any, machine: Machine
) -> None:
    """The third-party session and the plain one record into one file, in any order."""
    done = list(run(BREAK + FIX, '["package:yaml"]').values())
    folder = tmp_path / "evidence"
    first = evidence_of(done, machine, "cpu")
    assert list(first.symptoms["flux"]["packages"]) == ["PyYAML"]
    first.symptoms["flux"]["date"] = "2026-01-02"
    evidence.merge(folder, first)
    second = evidence_of(done, machine, "cpu")
    del second.symptoms["flux"]["packages"]
    second.symptoms["flux"]["cells"]["fix a"] = {
        "outcome": "skipped",
        "why": "needs the package yaml",
    }
    for _ in range(2):  # the day on which it ran stays the same, however often it is skipped
        entry = evidence.read(evidence.merge(folder, second)).symptoms["flux"]
        assert (
            entry["cells"]["fix a"]["outcome"],
            entry["cells"]["fix a"]["date"],
            list(entry["packages"]),
        ) == ("passed", "2026-01-02", ["PyYAML"])
        assert entry["date"] > "2026-01-02" and "date" not in entry["cells"]["break a"]
    # What failed before its need was named is gone; what passed is not.
    second.symptoms["flux"]["cells"]["fix a"] = {"outcome": "failed", "seconds": 1.0}
    evidence.merge(folder, second)
    second.symptoms["flux"]["cells"]["fix a"] = {"outcome": "skipped", "why": "needs torch < 1.0"}
    cells = evidence.read(evidence.merge(folder, second)).symptoms["flux"]["cells"]
    assert (cells["break a"]["outcome"], cells["fix a"]["outcome"]) == ("passed", "skipped")
    # A cell that was taken out, as one of what is tried in vain, is gone.
    first.symptoms["flux"]["cells"]["wrong hope"] = {"outcome": "passed", "seconds": 1.0}
    evidence.merge(folder, first)
    second = evidence_of(done, machine, "cpu")
    cells = evidence.read(evidence.merge(folder, second)).symptoms["flux"]["cells"]
    assert list(cells) == ["break a", "fix a"]
    # Of other code, what ran before says nothing.
    second = evidence_of(done, machine, "cpu")
    second.symptoms["flux"].update(hash="0" * 12)
    second.symptoms["flux"]["cells"]["fix a"] = {
        "outcome": "skipped",
        "why": "needs the package yaml",
    }
    assert (
        evidence.read(evidence.merge(folder, second)).symptoms["flux"]["cells"]["fix a"]["outcome"]
        == "skipped"
    )


def test_an_interpreter_without_torch_is_told_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bare = tmp_path / "python"
    bare.write_text(f'#!/bin/sh\nexec "{sys.executable}" -S "$@"\n', encoding="utf-8")
    bare.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(bare))
    with pytest.raises(NoTorch, match="No module named 'torch'"):
        ask_machine()


def options(**given: Any) -> argparse.Namespace:
    return argparse.Namespace(**{"mutate": False, "device": "cpu", "share": 60.0, **given})


@pytest.mark.parametrize("mutate", [False, True])
def test_what_changed_since_its_record_is_run_and_a_share_of_the_others(
    clinic: Catalogue, mutate: bool
) -> None:
    symptoms = list(clinic.symptoms.values())
    share = chosen._changed(clinic, symptoms, options(mutate=mutate))
    assert 0 < len(share) < len(symptoms) / 2
    other = next(symptom for symptom in symptoms if symptom not in share)
    changed = dataclasses.replace(
        other, snippet=dataclasses.replace(other.snippet, cells=other.snippet.cells[:-1])
    )
    assert changed in chosen._changed(clinic, [changed, *share], options(mutate=mutate))
    assert chosen._changed(clinic, symptoms, options(device="cuda")) == symptoms


def test_the_share_fits_and_all_have_their_turn(clinic: Catalogue) -> None:
    pages = [(page, 1 + index % 7) for index, page in enumerate(clinic.symptoms.values())]
    total, seconds = sum(cost for _, cost in pages), {page.id: cost for page, cost in pages}
    days = -(-total // 60)
    shares = [chosen._todays_share(pages, 60, 739_000 + day) for day in range(days)]
    assert sorted(page.id for share in shares for page in share) == sorted(seconds)
    assert all(sum(seconds[page.id] for page in share) <= 60 + 7 for share in shares)
    assert chosen._todays_share([], 60, 739_000) == []


def test_a_record_from_elsewhere_is_checked(run: Any, machine: Machine) -> None:
    good = evidence_of(list(run(BREAK + FIX).values()), machine, "cpu")
    assert not list(evidence.complaints(good))
    entry = next(iter(good.symptoms.values()))
    cell = next(iter(entry["cells"].values()))
    cell |= {"outcome": "fine", "host": "gpu7", "output": "in /home/ann/train.py"}
    entry["python"] = "2.7.18"
    del entry["platform"]
    said = "\n".join(evidence.complaints(good))
    for part in (
        "lacks `platform`",
        "a field `host`",
        "passed, failed or skipped",
        "/home/ann",
        "Python 2.7.18",
    ):
        assert part in said, part


def test_a_machine_without_a_record_is_asked_for_one(
    run: Any, machine: Machine, capsys: Any
) -> None:
    here = f"{machine.torch}-py{'.'.join(machine.python.split('.')[:2])}-cpu"
    for known, asked in (({here}, False), ({"2.0.1-py3.8-cpu"}, True)):
        verify.run({}, [], known=known)
        assert ("docs/en/lend.md" in capsys.readouterr().out) is asked


def test_a_stack_shows_no_frames_of_ours() -> None:
    """From 3.13 on Python shows the code of `-c` as well."""
    code = "    import sys; sys.path[0] = sys.argv[1]; server.serve()\n"
    frames = (
        '  File "<string>", line 1, in <module>\n{}'
        f'  File "{ROOT}/torchclinic/run/server.py", line 40, in serve\n    become()\n    ^^^^\n'
        f'  File "{ROOT}/torchclinic/run/cell.py", line 90, in run\n    exec(code)\n'
    )
    cells = '  File "/nowhere/flux.py", line 3, in <module>\n    x.sum()\n'
    for line in (code, ""):
        shown = engine.without_paths("Stack:\n" + frames.format(line) + cells, "/nowhere")
        assert shown == 'Stack:\n  File "flux.py", line 3, in <module>\n    x.sum()\n'
