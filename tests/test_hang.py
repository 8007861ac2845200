"""The roll-call of programs that hang, and of sound ones: on stacks recorded from the programs of
hang_programs.py, and, in full, on these programs themselves."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from twins import Twin, mutations, python_lookup

from torchclinic.commands import knowledge, processes, terminal
from torchclinic.commands.parser import main
from torchclinic.find import hang

HERE = Path(__file__).parent
DUMPS = {file.stem: file.read_text(encoding="utf-8") for file in HERE.glob("data/hangs/*.txt")}
#: program -> verdict, of whom (None: a number of a process), ranks that torchrun starts.
VERDICTS: dict[str, tuple[str, list[str] | None, int]] = {
    "branch": ("absent", ["1"], 4),
    "late": ("late", ["1"], 3),
    "barrier_rank0": ("different", ["0", "1", "2"], 3),
    "uneven": ("different", ["0", "1"], 2),
    "caught": ("different", ["0", "1"], 2),
    "same": ("same", ["0", "1"], 2),
    "one_loader": ("worker-reads", ["1"], 2),
    "sound_ddp": ("works", ["0", "1"], 2),
    "store": ("store", None, 0),
    "spawn": ("absent", None, 0),
    "stuck_loader": ("worker-reads", None, 0),
    "full_pipe": ("worker-reads", None, 0),
    "lock_at_fork": ("worker-lock", None, 0),
    "extension": ("lock-file", None, 0),
    "long_compile": ("compile", None, 0),
    "no_feeder": ("queue", None, 0),
    "queue_get": ("queue", None, 0),
    "ask": ("input", None, 0),
    "stand": ("lock", None, 0),
    "slow_loader": ("worker-slow", None, 0),
    "sound_loader": ("works", None, 0),
    "sound_sleep": ("works", None, 0),
    "sound_save": ("works", None, 0),
    "compute": ("works", None, 0),
    "idle_server": ("server", None, 0),
}
PAGES = {
    "absent": "collective-deadlock",
    "late": "collective-deadlock",
    "different": "collective-deadlock",
    "same": "collective-deadlock",
    "store": "rendezvous-network",
    "lock-file": "extension-lock-hang",
    "compile": "compile-never-ends",
    **dict.fromkeys(["worker-reads", "worker-lock", "worker-slow"], "loader-hangs"),
}


def verdict(text: str) -> hang.Verdict:
    call = hang.roll_call(text)
    assert call
    return call["verdict"]


@pytest.fixture(scope="module")
def twin(table: dict[str, Any]) -> Iterator[Twin]:
    with Twin("twin.mjs", table) as twin:
        yield twin


def test_every_program_is_recorded() -> None:
    assert DUMPS.keys() == VERDICTS.keys()


@pytest.mark.parametrize("name", VERDICTS)
def test_recorded(table: dict[str, Any], twin: Twin, name: str) -> None:
    wanted, who, _ = VERDICTS[name]
    found = verdict(DUMPS[name])
    assert found["name"] == wanted
    assert who is None or found["who"] == who
    answer = python_lookup(table, DUMPS[name])
    assert answer == twin.ask(DUMPS[name])
    assert [hit["symptom"] for hit in answer["hits"]][:1] == [*filter(None, [PAGES.get(wanted)])]
    assert all("train.py" not in hit["title"]["en"] for hit in answer["hits"])


def test_one_dump_is_enough_for_those_who_wait(table: dict[str, Any], twin: Twin) -> None:
    """As people paste them: py-spy's own lines, nothing above them, ranks unknown."""
    bare = [line for line in DUMPS["branch"].split("\n") if not line.startswith("# torch")]
    text = "\n".join(bare)
    assert verdict(text)["name"] == "absent"
    call = hang.roll_call(text)
    assert call and call["by"] == "process"
    assert python_lookup(table, text) == twin.ask(text)


FRAME = 'File "/venv/lib/python3.12/site-packages/torch/distributed/distributed_c10d.py", line 3000'


def stack(rank: int, inner: str, line: int, prefix: bool = True) -> str:
    lines = [
        "Timeout (0:05:00)!",
        f"Thread 0x00007f1d4489b{rank}80 (most recent call first):",
        f"  {inner}",
        f'  File "/home/me/train.py", line {line} in step',
        f'  File "/home/me/train.py", line {line + 100} in <module>',
    ]
    return "\n".join(f"[rank{rank}]: {text}" if prefix else text for text in lines) + "\n"


def test_of_faulthandler(table: dict[str, Any], twin: Twin) -> None:
    waits, reads = f"{FRAME} in all_reduce", 'File "/home/me/data.py", line 7 in read'
    text = stack(0, waits, 8) + stack(1, reads, 3) + stack(2, waits, 8)
    found = verdict(text)
    assert (found["name"], found["who"], found["others"]) == ("absent", ["1"], ["0", "2"])
    assert found["place"] == "read (/home/me/data.py:7)"
    assert python_lookup(table, text) == twin.ask(text)
    # One below the other without a word of whose they are.
    alone = stack(0, waits, 8, False) + stack(1, reads, 3, False)
    assert verdict(alone)["who"] == ["2"]
    assert verdict(stack(0, waits, 8))["name"] == "alone"
    assert verdict(stack(1, waits, 8) + stack(2, waits, 8))["name"] == "missing"


def test_the_same_process_twice_tells_whether_it_moves() -> None:
    one = 'Process 7: python train.py\nPython v3.12.1 (/usr/bin/python3.12)\n\nThread 7 (idle): "MainThread"\n    {} (train.py:3)\n    <module> (train.py:9)\n'
    assert verdict(one.format("read") + one.format("read"))["name"] == "unclear"
    assert verdict(one.format("read") + one.format("write"))["name"] == "works"


def test_crashes_and_profiles_are_no_hang() -> None:
    crash = "Fatal Python error: Segmentation fault\n\nCurrent thread 0x00007f (most recent call first):\n"
    assert hang.roll_call(crash + f"  {FRAME} in all_reduce\n") is None
    assert hang.roll_call("Thread 7 of my program hangs (I think)") is None
    assert hang.roll_call("RuntimeError: x") is None


def test_twins_on_mutations(table: dict[str, Any], twin: Twin) -> None:
    texts = [DUMPS[name][:6000] for name in ("branch", "one_loader", "lock_at_fork", "spawn")]
    for text in mutations([*texts, stack(3, f"{FRAME} in barrier", 5)], 300, seed=20261124):
        assert python_lookup(table, text) == twin.ask(text), repr(text)


def test_five_hundred_threads_and_hostile_names(table: dict[str, Any]) -> None:
    thread = 'Thread {} (idle): "a\x1b[31m{}"\n' + "    f (t\u202e.py:1)\n" * 400
    text = "Process 9: \x1b[2J python\n" + "".join(thread.format(n, n) for n in range(500))
    answer = python_lookup(table, text)
    assert "hang" in answer
    shown = terminal.render(knowledge.load(), answer, "en", False)
    assert "process 9" in shown and "\x1b" not in shown and "\u202e" not in shown


def test_saved_stacks_of_several_machines(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mark = "# torchclinic pid="
    _, *dumps = DUMPS["branch"].split(mark)
    for number, dump in enumerate(dumps):
        machine = number % 2  # each process is dumped twice: once here, once there
        with (tmp_path / f"stacks-{machine}.txt").open("a", encoding="utf-8") as file:
            file.write(mark + dump)
    assert main(["hang", "--lang", "en", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert "ranks 0, 2, 3: waiting in all_reduce" in out
    assert "Not coming: rank 1" in out and "collective-deadlock" in out
    assert main(["hang", "--lang", "zh", str(tmp_path)]) == 0
    assert "没来的：rank 1" in capsys.readouterr().out
    assert main(["hang", str(tmp_path / "nothing")]) == 2
    assert "no such file" in capsys.readouterr().err


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs Linux' /proc")
def test_what_is_not_there(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "pyspy", lambda: None)
    assert main(["hang", "--seconds", "0", str(os.getpid())]) == 1
    told = capsys.readouterr()
    assert "pip install py-spy" in told.err and "No stack" in told.out
    with subprocess.Popen([sys.executable, "-c", ""]) as child:
        child.wait()
    assert main(["hang", str(child.pid)]) == 2
    assert f"no process of yours: {child.pid}" in capsys.readouterr().err


@pytest.mark.full
@pytest.mark.skipif(
    not processes.available() or processes.pyspy() is None, reason="needs Linux and py-spy"
)
@pytest.mark.parametrize("name", VERDICTS)
def test_real(name: str, tmp_path: Path) -> None:
    """The program itself: asked again until it stands where it must, and then stays there."""
    pytest.importorskip("torch")
    wanted, who, ranks = VERDICTS[name]
    launcher = ["-m", "torch.distributed.run", "--standalone", f"--nproc-per-node={ranks}"]
    line = [*(launcher if ranks else []), str(HERE / "hang_programs.py"), name, "1"]
    with (tmp_path / "log").open("wb") as log:
        child = subprocess.Popen(
            [sys.executable, *line],
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=log,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
        )
    try:
        found = None
        end = time.monotonic() + 240
        while found is None or found["name"] != wanted or (who and found["who"] != who):
            assert time.monotonic() < end, found
            assert child.poll() is None, (tmp_path / "log").read_text()
            known = processes.every()
            dump = processes.dump(processes.tree(known, [child.pid]), 1.0, False)
            if "not permitted" in dump.why or "ermission denied" in dump.why:
                pytest.skip(dump.why)
            call = hang.roll_call(dump.text)
            found = call["verdict"] if call else None
    finally:
        for one in reversed(processes.tree(processes.every(), [child.pid])):
            os.kill(one.pid, 9)
        child.communicate()
