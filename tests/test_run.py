"""`torchclinic run`: to the command and to whoever waits for it nothing differs, and below the
words of one that failed stands what is known."""

from __future__ import annotations

import fcntl
import importlib.util
import os
import shutil
import signal
import struct
import subprocess
import sys
import termios
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from torchclinic import ROOT
from torchclinic.commands import run
from torchclinic.content import words

if sys.platform == "win32":
    pytest.skip("needs POSIX", allow_module_level=True)

RUN = [sys.executable, "-m", "torchclinic", "run"]
FAILS = """import sys
print("out")
def step():
    raise RuntimeError("mat1 and mat2 shapes cannot be multiplied (64x400 and 784x10)")
step()
"""
WHAT = "Torch Clinic: Each row you pass has 400 values"


@pytest.fixture(autouse=True)
def surroundings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("TORCHCLINIC_LANG", "en")
    for name in ("RANK", "LOCAL_RANK", "WORLD_SIZE"):
        monkeypatch.delenv(name, raising=False)
    # A user's frame is one outside of site-packages; the tests' own folder may be anywhere.
    Path("fails.py").write_text(FAILS, encoding="utf-8")


def through(*command: str, **options: Any) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([*RUN, *command], capture_output=True, check=False, **options)


def bare(*command: str, **options: Any) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(command, capture_output=True, check=False, **options)


def test_three_lines_below_an_unchanged_traceback() -> None:
    alone, done = bare(sys.executable, "fails.py"), through(sys.executable, "fails.py")
    assert (done.returncode, done.stdout) == (1, b"out\n") and done.stderr.startswith(alone.stderr)
    what, where, fix = done.stderr.removeprefix(alone.stderr).decode().splitlines()
    assert (
        what.startswith(WHAT)
        and where == "  at fails.py:4 in step"
        and " torchclinic fix shapes/matmul-shapes" in fix
    )


def test_in_chinese(monkeypatch: pytest.MonkeyPatch) -> None:
    assert (
        "每一行有 400 个值"
        in through("--lang", "zh", "--", sys.executable, "fails.py").stderr.decode()
    )
    monkeypatch.delenv("TORCHCLINIC_LANG")
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")
    assert "每一行有 400 个值" in through(sys.executable, "fails.py").stderr.decode()


@pytest.mark.parametrize("before", [[], ["--"], ["--stdout"], ["--stdout", "--"], ["--lang", "en"]])
def test_options_of_the_command_are_its_own(before: list[str]) -> None:
    done = through(
        *before, sys.executable, "-c", "import sys; print(sys.argv)", "--lang", "--", "-h"
    )
    assert (done.returncode, done.stdout, done.stderr) == (
        0,
        b"['-c', '--lang', '--', '-h']\n",
        b"",
    )


ENDS = {
    "well": "",
    "3": "sys.exit(3)",
    "255": "sys.exit(255)",
    "raises": "1 / 0",
    "abort": "os.abort()",
    "kill": "os.kill(os.getpid(), 9)",
    "term": "os.kill(os.getpid(), 15)",
    "segfault": "os.kill(os.getpid(), 11)",
    # a shell ignores it for what it starts behind itself
    "interrupt": "signal.signal(2, signal.default_int_handler); os.kill(os.getpid(), 2)\n"
    "while True: pass",
    # it is ignored below nohup
    "hangup": "signal.signal(1, signal.SIG_DFL); os.kill(os.getpid(), 1)",
    "pipe": "signal.signal(13, signal.SIG_DFL); os.kill(os.getpid(), 13)",
    "usr1": "os.kill(os.getpid(), 10)",
    "137": "sys.exit(137)",
    "binary": "os.write(2, bytes(range(256)) * 999); sys.exit(1)",
    "escapes": r"os.write(2, b'\x1b[2J\x1b]0;title\x07\rRuntimeError: \x9b31m\x08'); sys.exit(1)",
    "half a line": "os.write(2, b'no end'); sys.exit(1)",
    "not UTF-8": "os.write(2, '错误: \\n'.encode('gbk')); sys.exit(1)",
    "50 MB in one line": "[os.write(2, b'x' * 1_000_000) for _ in range(50)]; sys.exit(1)",
}


@pytest.mark.parametrize("end", ENDS)
def test_bytes_and_status_are_the_commands_own(end: str) -> None:
    program = [
        sys.executable,
        "-c",
        f"import os, signal, sys; print('out', flush=True); {ENDS[end]}",
    ]
    alone, done = bare(*program), through(*program)
    assert done.returncode == alone.returncode  # for signals: -n, it died of the very same
    assert done.stdout == alone.stdout
    assert done.stderr.startswith(alone.stderr)
    added = done.stderr[len(alone.stderr) :].decode().lstrip("\n")
    # Of signals it is known what they are, of what printed nothing, how to see more; no page knows
    # the others, nor what a person did on purpose.
    told = ("abort", "kill", "term", "segfault", "hangup", "usr1", "137", "3", "255")
    assert len(added.splitlines()) == (end in told)
    assert all(line.isprintable() and len(line) < 600 for line in added.splitlines())


@pytest.mark.parametrize(
    ("program", "status", "said"),
    [
        (
            "kill -9 $$",
            137,
            "ended by SIGKILL: no program can catch that. Most often the machine or its "
            "container ran out of memory",
        ),
        (
            "sh -c 'kill -9 $$'; exit $?",
            137,
            "exit status 137 (SIGKILL): no program can catch that",
        ),
        ("kill -ABRT $$", 134, "ended by SIGABRT: native code stopped the program"),
        ("kill -SEGV $$", 139, "ended by SIGSEGV: a crash in native code"),
        ("kill -TERM $$", 143, "ended by SIGTERM: another process stopped it"),
        ("kill -USR1 $$", 128 + signal.SIGUSR1, "ended by SIGUSR1: another process stopped it"),
        (
            "kill -BUS $$",
            128 + signal.SIGBUS,
            "ended by SIGBUS: memory behind a mapped file is gone",
        ),
    ],
)
def test_kills_in_words(program: str, status: int, said: str) -> None:
    """As a shell sees it."""
    done = subprocess.run(
        ["sh", "-c", '"$@"; exit $?', "sh", *RUN, "sh", "-c", program],
        capture_output=True,
        check=False,
    )
    assert done.returncode == status
    assert said in done.stderr.decode()


@pytest.mark.parametrize("language", ["en", "zh"])
def test_ends_on_windows_in_words(language: str) -> None:
    """Only the words: Windows itself is not run here."""
    text = words.of(language, "run")
    for status, name in (
        (0xC0000005, "0xC0000005"),
        (3221225725, "0xC00000FD"),
        (0xC0000409, "0xC0000409"),
    ):
        (line,) = run.answer(status, [b""], language, False)
        assert name in line and text[run.ENDS[name]] in line
    assert run.answer(0xC000013A, [b""], language, False) == []


def test_the_text_says_more_than_the_signal() -> None:
    text = (
        b"terminate called after throwing an instance of 'c10::Error'\n"
        b"  what():  CUDA error: device-side assert triggered\n"
    )
    lines = run.answer(-signal.SIGABRT, [text], "en", False)
    assert "SIGABRT" in lines[0] and "out of range" in lines[1]
    assert (
        len(run.answer(-signal.SIGKILL, [text], "en", False)) == 1
    )  # nothing that it printed says who killed it


def test_where_nothing_is_known_nothing_is_added() -> None:
    for program in ("echo bye >&2; exit 3", "echo 'ValueError: no /home/me/42 here' >&2; exit 1"):
        alone, done = bare("sh", "-c", program), through("sh", "-c", program)
        assert (done.returncode, done.stderr) == (alone.returncode, alone.stderr)


@pytest.mark.parametrize("codec", ["gbk", "cp932", "utf-16"])
def test_what_is_not_utf_8_is_read(codec: str) -> None:
    spoken = (
        "ページング ファイルが小さすぎます。"
        if codec == "cp932"
        else "页面文件太小，无法完成操作。"
    )
    line = f'OSError: [WinError 1455] {spoken} Error loading "D:/torch/lib/x.dll"'
    Path("windows.py").write_text(
        f"import os\nos.write(2, {line!r}.encode({codec!r}) + '\\n'.encode({codec!r}))\n"
        "raise SystemExit(1)",
        encoding="utf-8",
    )
    done = through(sys.executable, "windows.py")
    assert b"fix data-loading/winerror-1455" in done.stderr


def test_an_error_on_standard_output() -> None:
    program = [
        sys.executable,
        "-c",
        "import sys; sys.stderr = sys.stdout; exec(open('fails.py').read())",
    ]
    assert "run --stdout" in through(*program, "2").stderr.decode()
    Path("merged.sh").write_text(f"{sys.executable} fails.py 2>&1\nexit 1\n", encoding="utf-8")
    done = through("sh", "merged.sh")
    assert "run --stdout" in done.stderr.decode() and done.stderr.count(b"\n") == 1
    again = through("--stdout", "sh", "merged.sh")
    assert again.stdout == done.stdout and WHAT in again.stderr.decode()


#: Writes by turns to both streams, then fails with the error on standard output.
TURNS = """import os, sys
for n in range(200):
    os.write(1 + n % 2, b"%d\\n" % n)
sys.stderr = sys.stdout
exec(open("fails.py").read())
"""


@pytest.mark.parametrize("place", ["file", "pipe", "terminal"])
def test_streams_that_go_to_one_place_are_one(place: str, terminals: list[Terminal]) -> None:
    """A job's single file, `2>&1 |`, a terminal: in the order as without us, and an error on
    standard output is seen."""
    Path("turns.py").write_text(TURNS, encoding="utf-8")
    printed = []
    for command in ([sys.executable, "turns.py"], [*RUN, sys.executable, "turns.py"]):
        if place == "terminal":
            terminal = Terminal(command, stdout=None)
            terminals.append(terminal)
            printed.append(terminal.rest().replace(b"\r\n", b"\n"))
        elif place == "file":
            with Path("out.txt").open("wb") as file:
                subprocess.run(command, stdout=file, stderr=file, check=False)
            printed.append(Path("out.txt").read_bytes())
        else:
            both = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
            printed.append(subprocess.run(command, **both, check=False).stdout)
    alone, through_us = printed
    assert alone.split(b"\n")[:200] == [b"%d" % n for n in range(200)]
    assert through_us.startswith(alone) and WHAT in through_us.removeprefix(alone).decode()


def test_standard_input_is_the_commands() -> None:
    assert through("cat", input=b"in\0\xff").stdout == b"in\0\xff"


def test_a_command_that_cannot_be_started(tmp_path: Path) -> None:
    done = through("no-such-command")
    assert (done.returncode, done.stderr) == (
        127,
        b"torchclinic: no-such-command: command not found\n",
    )
    done = through("")  # of a variable that is not set
    assert (done.returncode, done.stderr) == (127, b"torchclinic: : command not found\n")
    done = through(str(tmp_path))
    assert done.returncode == 126 and b"Permission denied" in done.stderr
    assert (
        through().returncode == 2
        and through("--").returncode == 2
        and through("--nonsense", "true").returncode == 2
    )


def test_the_last_of_a_long_log_is_looked_up() -> None:
    done = through(
        sys.executable,
        "-c",
        "import sys\n"
        "for n in range(100_000): print('step', n, file=sys.stderr)\n"
        "exec(open('fails.py').read())",
    )
    assert (
        done.stderr.startswith(b"step 0\nstep 1\n")
        and WHAT in done.stderr.decode()
        and b"\nstep 99999\n" in done.stderr
    )


def test_a_hook_inside_has_said_it() -> None:
    Path("hooked.py").write_text(
        "import torchclinic; torchclinic.install()\n" + FAILS, encoding="utf-8"
    )
    assert through(sys.executable, "hooked.py").stderr.decode().count(WHAT) == 1


@pytest.mark.parametrize("name", ["INT", "TERM", "HUP", "USR1", "USR2", "QUIT"])
def test_signals_are_passed_on(name: str) -> None:
    program = f"""import signal, sys
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIG{name}])
print("ready", flush=True)
signal.sigwait([signal.SIG{name}])
sys.exit(7)
"""
    with subprocess.Popen(
        [*RUN, sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as running:
        assert running.stdout is not None and running.stdout.readline() == b"ready\n"
        running.send_signal(getattr(signal, f"SIG{name}"))
        assert running.wait() == 7


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("TERM", "exit status 1 after SIGTERM: another process stopped it"),
        ("INT", ""),
        ("USR1", "it was stopped from outside"),
    ],
)
def test_who_was_stopped_did_not_fail_by_itself(name: str, says: str) -> None:
    """As torchrun, which fails with a traceback of its own when a scheduler stops it. What merely
    tells a program something (SIGUSR1) stops none: then its own words say that it was."""
    program = f"""import signal, sys
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIG{name}])
print("ready", flush=True)
signal.sigwait([signal.SIG{name}])
sys.exit("torch.distributed.elastic.SignalException: Process 1 got signal: 15")
"""
    with subprocess.Popen(
        [*RUN, sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as running:
        assert running.stdout is not None and running.stdout.readline() == b"ready\n"
        running.send_signal(getattr(signal, f"SIG{name}"))
        _, printed = running.communicate()
    added = printed.decode().partition("got signal: 15\n")[2]
    assert running.returncode == 1 and says in added and bool(added) == bool(says)


def test_a_signal_ends_both() -> None:
    with subprocess.Popen(
        [*RUN, "sh", "-c", "echo $$; exec sleep 600"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as running:
        assert running.stdout is not None
        child = int(running.stdout.readline())
        running.terminate()
        assert running.wait() == -signal.SIGTERM
        with pytest.raises(ProcessLookupError):
            os.kill(child, 0)


def test_ignored_signals_stay_ignored() -> None:
    """As `nohup` and a shell's background leave them; and SIGCHLD, which would take the status
    away. What is sent to `run` then ends neither."""
    program = """import os, signal, time
print(*[signal.getsignal(number) == signal.SIG_IGN for number in (signal.SIGHUP, signal.SIGINT)])
print(signal.pthread_sigmask(signal.SIG_BLOCK, []))
for number in (signal.SIGHUP, signal.SIGINT):
    os.kill(os.getppid(), number)
raise SystemExit(3)
"""

    def ignore() -> None:
        for number in (signal.SIGHUP, signal.SIGINT, signal.SIGCHLD):
            signal.signal(number, signal.SIG_IGN)

    done = through(sys.executable, "-c", program, preexec_fn=ignore)
    assert (done.returncode, done.stdout) == (3, b"True True\nset()\n")


def test_a_child_of_the_child_does_not_hold_it() -> None:
    """It returns with the child, as a shell does; what a child of it prints later still arrives."""
    os.mkfifo("gate")
    program = "(read line < gate; echo late >&2) & echo first >&2; exit 3"
    with subprocess.Popen([*RUN, "sh", "-c", program], stderr=subprocess.PIPE) as running:
        assert running.wait() == 3
        Path("gate").write_text("now\n", encoding="utf-8")
        assert running.stderr is not None
        lines = running.stderr.read().decode().splitlines()
    assert lines == ["first", "late"]


def test_nobody_reads_it_any_more() -> None:
    """The command learns it at its own write, as without us, and its status stays."""
    program = (
        "import os\n"
        "try:\n"
        "    while True: os.write(2, b'x' * 1000)\n"
        "except BrokenPipeError: os._exit(9)"
    )
    reader, writer = os.pipe()
    with subprocess.Popen([*RUN, sys.executable, "-c", program], stderr=writer) as running:
        os.close(writer)
        os.read(reader, 10)
        os.close(reader)
        assert running.wait() == 9


def test_closed_standard_error() -> None:
    for options in ([], ["--stdout"]):
        command = [
            "sh",
            "-c",
            '"$@" 2>&-',
            "sh",
            *RUN,
            *options,
            "sh",
            "-c",
            "echo out; echo error >&2; exit 3",
        ]
        done = subprocess.run(command, stdout=subprocess.PIPE, check=False)
        assert (done.returncode, done.stdout) == (3, b"out\n")


def test_a_reader_that_does_not_wait() -> None:
    """Standard error of a parent that set it not to block: nothing is lost."""
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    with subprocess.Popen(
        [*RUN, sys.executable, "-c", "import os; os.write(2, b'x' * 1_000_000)"], stderr=writer
    ) as running:
        os.close(writer)
        with os.fdopen(reader, "rb") as file:
            assert file.read() == b"x" * 1_000_000
        assert running.wait() == 0


# --- without knowledge, and without torch


def copy_of_package(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The package alone, as from a broken installation."""
    shutil.copytree(
        ROOT / "torchclinic",
        folder / "torchclinic",
        ignore=shutil.ignore_patterns("__pycache__", "data"),
    )
    monkeypatch.setenv("PYTHONPATH", str(folder))
    return folder / "torchclinic"


@pytest.mark.parametrize(
    "answers", [None, "", "{", "[]", '{"version": 1}', '{"version": 1, "data": {"index": {}}}']
)
def test_no_index_or_a_broken_one(
    answers: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = copy_of_package(tmp_path / "broken", monkeypatch)
    if answers is not None:
        (package / "data").mkdir()
        (package / "data/answers.jsonl").write_text(answers, encoding="utf-8")
    alone, done = bare(sys.executable, "fails.py"), through(sys.executable, "fails.py")
    assert done.returncode == 1 and done.stdout == b"out\n" and done.stderr.startswith(alone.stderr)
    added = done.stderr.removeprefix(alone.stderr).decode()
    assert added.startswith("torchclinic: ") and "no page" not in added and "Traceback" not in added
    if answers in (None, "", "{"):
        assert "nstall" in added  # what to do


def test_torch_is_not_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "trap/torch").mkdir(parents=True)
    (tmp_path / "trap/torch/__init__.py").write_text("open('imported', 'w')", encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path / "trap"), str(ROOT)]))
    assert WHAT in through(sys.executable, "fails.py").stderr.decode()
    assert not Path("imported").exists()


def test_little_is_imported_before_the_command() -> None:
    done = bare(
        sys.executable, "-c", "import sys; import torchclinic.commands.run; print(*sys.modules)"
    )
    assert not {
        "argparse",
        "dataclasses",
        "json",
        "subprocess",
        "typing",
        "torchclinic.find",
        "torchclinic.content",
    } & set(done.stdout.decode().split())


# --- terminals


class Terminal:
    """A process whose standard error, and controlling terminal, is a terminal; its standard output
    is a pipe, or for None the terminal."""

    def __init__(self, command: list[str], stdout: int | None = subprocess.PIPE):
        self.outer, inner = os.openpty()
        self.resize(24, 80)

        def lead() -> None:
            os.setsid()
            fcntl.ioctl(2, termios.TIOCSCTTY, 0)
            for number in (signal.SIGINT, signal.SIGHUP):  # nohup and jobs in the background
                signal.signal(number, signal.SIG_DFL)  # ignore them

        self.process = subprocess.Popen(
            command,
            stdin=inner,
            stdout=inner if stdout is None else stdout,
            stderr=inner,
            preexec_fn=lead,
        )
        os.close(inner)

    def resize(self, rows: int, columns: int) -> None:
        fcntl.ioctl(self.outer, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def line(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().decode().strip()

    def rest(self) -> bytes:
        """What came to the terminal, when nobody has it open any more."""
        printed = b""
        while True:
            try:
                data = os.read(self.outer, 1 << 16)
            except OSError:
                return printed
            if not data:
                return printed
            printed += data


@pytest.fixture
def terminals() -> Iterator[list[Terminal]]:
    opened: list[Terminal] = []
    yield opened
    for terminal in opened:
        terminal.process.kill()
        terminal.process.wait()
        os.close(terminal.outer)


def start(terminals: list[Terminal], *command: str) -> Terminal:
    terminals.append(Terminal(list(command)))
    return terminals[-1]


def test_a_terminal_is_seen_and_bytes_are_unchanged(terminals: list[Terminal]) -> None:
    program = [
        sys.executable,
        "-c",
        r"import os; print(os.isatty(2), os.get_terminal_size(2)); os.write(2, b'a\n"
        r"b\r 50%\r\tc\x1b[31mred\x1b[0m\xff\0\n"
        r"' * 500)",
    ]
    alone, inside = start(terminals, *program), start(terminals, *RUN, *program)
    assert alone.line() == inside.line() == "True os.terminal_size(columns=80, lines=24)"
    assert alone.rest() == inside.rest() != b""
    assert (alone.process.wait(), inside.process.wait()) == (0, 0)


def test_a_failure_on_a_terminal(terminals: list[Terminal]) -> None:
    alone, inside = (
        start(terminals, sys.executable, "fails.py"),
        start(terminals, *RUN, sys.executable, "fails.py"),
    )
    before, after = alone.rest(), inside.rest()
    assert after.startswith(before) and after.removeprefix(before).decode().startswith(WHAT)
    assert inside.process.wait() == 1


def test_a_window_of_another_size(terminals: list[Terminal]) -> None:
    """The command is told when its own terminal has the new size; the window's signal, which may
    come too early, does not reach it here."""
    program = """import os, signal
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGWINCH])
os.setpgid(0, 0)
print("ready", flush=True)
signal.sigwait([signal.SIGWINCH])
print(*os.get_terminal_size(2), flush=True)
"""
    terminal = start(terminals, *RUN, sys.executable, "-c", program)
    assert terminal.line() == "ready"
    terminal.resize(50, 132)
    assert terminal.line() == "132 50"


def test_control_c_arrives_once(terminals: list[Terminal]) -> None:
    """A terminal sends it to all of its processes: it is not passed on. Here the command has left
    them, and so must see none."""
    program = r"""import os, signal
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT, signal.SIGUSR1])
if os.fork():
    os.setpgid(0, 0)
    os.write(1, b"ready\n")
    signal.sigwait([signal.SIGUSR1])
    print(signal.SIGINT in signal.sigpending(), flush=True)
else:
    os.write(1, b"ready\n")
    signal.sigwait([signal.SIGINT])
    os.write(1, b"interrupted\n")
"""
    terminal = start(terminals, *RUN, sys.executable, "-c", program)
    assert [terminal.line(), terminal.line()] == ["ready", "ready"]
    os.write(terminal.outer, b"\x03")
    assert terminal.line() == "interrupted"  # so `run` has it too
    terminal.process.send_signal(signal.SIGUSR1)  # passed on, after what was passed on before
    assert terminal.line() == "False"
    assert terminal.process.wait() == 0


def test_control_c_ends_both_without_words(terminals: list[Terminal]) -> None:
    terminal = start(terminals, *RUN, "sh", "-c", "echo ready; exec sleep 600")
    assert terminal.line() == "ready"
    os.write(terminal.outer, b"\x03")
    assert terminal.process.wait() == -signal.SIGINT
    assert terminal.rest() == b"^C"  # the terminal's own echo


def test_one_process_of_torchrun_fails(tmp_path: Path) -> None:
    """The inner error of the rank that failed is named, not the launcher's."""
    if importlib.util.find_spec("torch") is None:
        pytest.skip("needs torch")
    Path("ddp.py").write_text(
        """import torch
import torch.distributed as dist
dist.init_process_group("gloo")
def step():
    if dist.get_rank() == 1:
        torch.nn.Linear(784, 10)(torch.ones(64, 400))
    dist.barrier()
step()
""",
        encoding="utf-8",
    )
    done = through(
        sys.executable,
        "-m",
        "torch.distributed.run",
        "--standalone",
        "--nproc-per-node",
        "2",
        "ddp.py",
    )
    assert done.returncode == 1
    printed, _, added = done.stderr.decode().partition("Torch Clinic: ")
    assert "ChildFailedError" in printed
    lines = added.splitlines()
    assert lines[0].startswith("Each row you pass has 400 values")
    assert lines[1] == "  at ddp.py:6 in step, rank 1"
    assert "fix shapes/matmul-shapes" in lines[2]
