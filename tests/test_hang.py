"""The roll-call of programs that hang, and of sound ones: on stacks recorded from the programs of
hang_programs.py, and, in full, on these programs themselves."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import hanging
import pytest
from twins import Twin, lookup_twin, mutations, python_lookup

from torchclinic import LANGUAGES
from torchclinic.commands import knowledge, prepared, processes, recorder, roll_call, terminal
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
    "breakpoint_left": ("stopped", ["1"], 2),
    "stopped_rank": ("stopped", ["1"], 2),
    "work_waited": ("apart", ["1"], 3),
    "sound_rank0_saves": ("late", ["0"], 3),
    "other_machine": ("store", None, -1),
    "store": ("store", None, 0),
    "spawn": ("absent", None, 0),
    "stuck_loader": ("worker-reads", None, 0),
    "full_pipe": ("worker-reads", None, 0),
    "lock_at_fork": ("worker-lock", None, 0),
    "pool_at_fork": ("worker-lock", None, 0),
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
    "sound_async": ("server", None, 0),
    "sound_wait": ("unclear", None, 0),
    "sound_pool": ("works", None, 0),
    "many_threads": ("queue", None, 0),
}
PAGES = {
    "absent": "collective-deadlock",
    "late": "collective-deadlock",
    "apart": "hang-flight-recorder",
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
    with lookup_twin(table) as twin:
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


def test_what_a_launcher_alone_and_a_shell_are() -> None:
    mark = "# torchclinic pid={} parent=1 host=n state=S cpu=0.00{}\n"
    waits = (
        'Process 2: python train.py\n\nThread 2 (idle): "MainThread"\n'
        "    all_reduce (torch/distributed/distributed_c10d.py:1)\n    step (train.py:8)\n"
    )
    shell = mark.format(1, "") + "Process 1: bash run.sh\n"
    alone = verdict(shell + mark.format(2, " rank=0 world=2") + waits)
    assert (alone["name"], alone["who"]) == ("missing", ["1"])
    unseen = verdict(mark.format(2, " rank=0") + waits + mark.format(3, " rank=1"))
    assert unseen["name"] == "alone"
    blind = hang.roll_call(shell + mark.format(3, " rank=1 call=read"))
    assert blind and blind["verdict"]["name"] == "blind"
    assert [group["kind"] for group in blind["groups"]] == ["read"]


def test_the_kernel_has_ended_one_for_want_of_memory(table: dict[str, Any], twin: Twin) -> None:
    mark = "# torchclinic pid={} parent=1 host=n state={} cpu=0.00 oom=1{}\n"
    stack = 'Process {}: python train.py\n\nThread {} (idle): "MainThread"\n    {}\n    f (train.py:8)\n'
    waits, loads = "torch/distributed/distributed_c10d.py", "torch/utils/data/dataloader.py"
    rank = mark.format(2, "S", " rank=0 world=2") + stack.format(2, 2, f"all_reduce ({waits}:1)")
    loader = mark.format(2, "S", "") + stack.format(2, 2, f"_try_get_data ({loads}:1)")
    queue = mark.format(2, "S", "") + stack.format(2, 2, "get (multiprocessing/queues.py:103)")
    for text, name, stem in (
        (rank, "missing-killed", "collective-deadlock"),
        (loader + mark.format(3, "Z", ""), "dead-killed", "worker-killed"),
        (queue + mark.format(3, "Z", ""), "queue-killed", "process-dies-silently"),
    ):
        found = verdict(text)
        assert (found["name"], found["symptom"]) == (name, stem)
        assert verdict(text.replace(" oom=1", ""))["name"] != name
        assert python_lookup(table, text) == twin.ask(text)


def of_gpu(rank: int, inner: str, line: int, told: str = "cpu=1.00 state=S gpu=1") -> str:
    """A rank that was dumped twice, as it would stand with NCCL; made up, no run."""
    mark = f"# torchclinic pid={rank + 5} host=n rank={rank} world=3 {told}\n"
    head = f'Process {rank + 5}: python train.py\n\nThread 1 (active): "MainThread"\n'
    return 2 * f"{mark}{head}    {inner}\n    train (train.py:{line})\n"


def test_who_waits_for_the_gpu_cannot_be_told_from_who_computes(
    table: dict[str, Any], twin: Twin
) -> None:
    item = "loss_of (train.py:7)"
    every = "".join(of_gpu(rank, item, 9) for rank in range(3))
    assert verdict(every)["name"] == "spins"
    stays = of_gpu(1, "validate (train.py:3)", 12, "cpu=0.00 state=S gpu=1")
    found = verdict(of_gpu(0, item, 9) + stays + of_gpu(2, item, 9))
    assert (found["name"], found["who"], found["others"]) == ("absent", ["1"], ["0", "2"])
    for text in (every, of_gpu(0, item, 9) + stays):
        assert python_lookup(table, text) == twin.ask(text)


def test_stacks_of_our_page_and_dumps_of_the_recorder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "stack_0.txt").write_text(stack(0, f"{FRAME} in barrier", 8, prefix=False))
    (tmp_path / "stack_1.txt").write_text(stack(1, 'File "/home/me/d.py", line 7 in f', 3, False))
    for rank in range(2):
        calls = {"version": "2.10", "entries": [], "pg_config": {}, "rank": rank}
        (tmp_path / f"rank_{rank}").write_bytes(pickle.dumps(calls))
    ran = tmp_path / "ran"
    (tmp_path / "other_2").write_bytes(b"cposix\nmkdir\n(V" + str(ran).encode() + b"\ntR.")
    monkeypatch.setattr(recorder, "compared", lambda files: "")
    assert main(["hang", "--lang", "en", str(tmp_path)]) == 0
    told = capsys.readouterr().out
    assert "Not coming: rank 1" in told
    assert f"fr_trace {tmp_path} --prefix rank_" in told
    assert not ran.exists()
    monkeypatch.setattr(
        recorder,
        "compared",
        lambda files: "Not all ranks joining collective, sequence number: 4\nmissing ranks: {1}",
    )
    assert main(["hang", "--lang", "en", str(tmp_path)]) == 0
    told = capsys.readouterr().out
    assert "missing ranks: {1}" in told and "hang-flight-recorder" in told


needs_proc = pytest.mark.skipif(
    not processes.available(), reason="needs Linux, which tells of its processes in /proc"
)
STANDS = """
import sys, threading
def validate():
    print("stands", flush=True)
    sys.stdin.readline()
validate()
"""


@pytest.fixture
def standing(tmp_path: Path) -> Iterator[Callable[..., subprocess.Popen[bytes]]]:
    """Starts a Python with this source, once it has printed a line."""
    children = []

    def start(source: str, **settings: Any) -> subprocess.Popen[bytes]:
        child = subprocess.Popen(
            [sys.executable, "-c", source],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": str(HERE.parent)},
            **settings,
        )
        children.append(child)
        assert child.stdout and child.stdout.readline() == b"stands\n"
        return child

    yield start
    for child in children:
        child.kill()
        child.communicate()


@needs_proc
def test_a_prepared_process_is_asked_where_nobody_may_look(
    standing: Callable[..., subprocess.Popen[bytes]],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(processes, "pyspy", lambda: None)
    child = standing("import torchclinic; torchclinic.install()" + STANDS)
    assert main(["hang", "--lang", "en", "--seconds", "0", str(child.pid)]) == 1
    told = capsys.readouterr()
    assert "waiting for input" in told.out and "No stack" not in told.out
    assert "py-spy" not in told.err
    # It goes on; and one that is not prepared is left alone.
    child.communicate(b"\n")
    assert child.returncode == 0
    other = standing(STANDS)
    assert prepared.ask(other.pid) == ""
    main(["hang", "--lang", "en", "--seconds", "0", str(other.pid)])
    told = capsys.readouterr()
    assert "No stack could be read" in told.out and "pip install py-spy" in told.err
    other.communicate(b"\n")
    assert other.returncode == 0


@pytest.mark.parametrize(
    ("cgroup", "file", "text"),
    [
        ("0::/job", "job/memory.events", "low 0\noom 2\noom_kill 2\n"),
        ("0::/of/the/host", "memory.events", "oom_kill 2\n"),  # as a container sees it
        ("9:memory:/job\n1:cpu:/x", "memory/job/memory.oom_control", "under_oom 0\noom_kill 2\n"),
    ],
)
def test_what_the_kernel_tells_of_a_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cgroup: str, file: str, text: str
) -> None:
    monkeypatch.setattr(processes, "PROC", tmp_path / "proc")
    monkeypatch.setattr(processes, "GROUPS", tmp_path / "groups")
    (tmp_path / "proc/7").mkdir(parents=True)
    (tmp_path / "groups" / file).parent.mkdir(parents=True)
    assert processes._killed(7) == 0
    (tmp_path / "proc/7/cgroup").write_text(cgroup)
    assert processes._killed(7) == 0
    (tmp_path / "groups" / file).write_text(text)
    assert processes._killed(7) == 2
    assert processes._waits(7) == ""
    (tmp_path / "proc/7/wchan").write_text("0")
    (tmp_path / "proc/7/stack").write_text("[<0>] rpc_wait_bit_killable+0x1/0x2\n[<0>] nfs4_x\n")
    assert processes._waits(7) == "drive"


@needs_proc
def test_what_a_stopped_and_a_dead_process_are(
    standing: Callable[..., subprocess.Popen[bytes]],
) -> None:
    child = standing(STANDS)
    child.send_signal(signal.SIGSTOP)
    known: processes.Process | None = None
    while known is None or known.state not in "Tt":
        known = processes.every().get(child.pid)
    assert verdict(processes.dump([known], 0, False).text)["name"] in ("stopped", "blind")
    child.kill()
    while known.state != "Z":  # nobody has waited for it
        known = processes.every()[child.pid]
    text = processes.dump([known], 0, False).text
    assert f"pid={child.pid}" in text and "state=Z" in text and "Process" not in text


@needs_proc
def test_run_says_once_where_a_command_stands_and_lets_it_go_on(tmp_path: Path) -> None:
    source = "import sys; sys.stdin.readline(); print('went on'); sys.exit(3)"
    run = [sys.executable, "-m", "torchclinic", "run", "--lang", "en", "--hang", "0.5"]
    environment = {**os.environ, "PYTHONPATH": str(HERE.parent), "TMPDIR": str(tmp_path)}
    with subprocess.Popen(
        [*run, sys.executable, "-c", source],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
        text=True,
    ) as child:
        assert child.stdin and child.stderr and child.stdout
        said = child.stderr.readline()
        while "0.5 s" not in said:  # it may stand still before it comes to its line
            assert said
            said = child.stderr.readline()
        assert "the program goes on" in said
        kept = Path(said.partition(" are in ")[2].partition(";")[0])
        print(file=child.stdin, flush=True)
        assert child.stdout.read() == "went on\n"
        child.stderr.read()
        assert child.wait() == 3
    assert kept.is_relative_to(tmp_path) and "pid=" in kept.read_text()


PARENT = """
import os, signal, subprocess, sys
ranks = []
for rank in "01":
    environment = {**os.environ, "RANK": rank, "WORLD_SIZE": "2"}
    child = subprocess.Popen([sys.executable, "train.py"], env=environment, stdout=subprocess.PIPE, stdin=subprocess.PIPE)
    child.stdout.readline()
    ranks.append(child)
for child in ranks:
    child.send_signal(signal.SIGTERM)
sys.exit([child.wait() for child in ranks] and "a rank failed")
"""


@needs_proc
def test_run_says_where_those_stood_that_a_launcher_ended(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(STANDS)
    run = [sys.executable, "-m", "torchclinic", "run", "--lang", "en", "--hang", "9999"]
    environment = {**os.environ, "PYTHONPATH": str(HERE.parent), "TMPDIR": str(tmp_path)}
    told = subprocess.run(
        [*run, sys.executable, "-c", PARENT],
        capture_output=True,
        env=environment,
        cwd=tmp_path,
        text=True,
    )
    assert told.returncode == 1
    assert "where the others stood" in told.stderr
    assert "rank" in told.stderr and "validate (" in told.stderr
    assert list(tmp_path.glob("torchclinic-hang-*/torchclinic-stacks-*.txt"))
    # A run that ends well leaves nothing.
    (tmp_path / "nothing").mkdir()
    environment["TMPDIR"] = str(tmp_path / "nothing")
    done = subprocess.run([*run, sys.executable, "-c", "pass"], env=environment)
    assert done.returncode == 0 and not list((tmp_path / "nothing").iterdir())


@needs_proc
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
    """The program itself: asked again until it stands where it must."""
    pytest.importorskip("torch")
    wanted, who, ranks = VERDICTS[name]
    with hanging.started(name, ranks, tmp_path / "log") as child:
        try:
            hanging.stands(child, wanted, who)
        except PermissionError as refused:
            pytest.skip(str(refused))


@pytest.mark.full
def test_the_recorder_of_a_real_hang(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("torch.distributed.flight_recorder")
    files = [tmp_path / name for rank in "01" for name in (f"stack_{rank}.txt", f"rank_{rank}")]
    with hanging.started("noted", 2, tmp_path / "log", str(tmp_path)) as child:
        while not all(file.exists() and file.stat().st_size for file in files):
            assert child.poll() is None, (tmp_path / "log").read_text()
            time.sleep(0.2)
    assert main(["hang", "--lang", "en", str(tmp_path)]) == 0
    told = capsys.readouterr().out
    assert "Not coming: rank 1" in told
    assert "Not all ranks joining collective" in told and "hang-flight-recorder" in told


#: Page -> recorded programs of which it shows lines of the roll-call.
SHOWN = {
    "no-message": ["branch"],
    "data-loading/loader-hangs": ["lock_at_fork", "stuck_loader", "slow_loader"],
    "distributed/collective-deadlock": ["branch", "uneven", "late"],
    "distributed/rendezvous-network": ["store"],
    "install-env/extension-lock-hang": ["extension"],
    "compile-export/compile-never-ends": ["long_compile"],
}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("page", SHOWN)
def test_pages_show_what_was_recorded(page: str, language: str) -> None:
    text = (HERE.parent / "docs" / language / f"{page}.md").read_text(encoding="utf-8")
    shown = [line.strip("- `") for line in text.split("\n") if "train.py:" in line]
    for name in SHOWN[page]:
        call = hang.roll_call(DUMPS[name])
        assert call
        said = [line for line in roll_call.said(call, language) if "train.py:" in line]
        found = [line for line in shown if any(part in line for part in said)]
        assert found, said
        shown = [line for line in shown if line not in found]
    assert not shown, "no recorded program says this"
