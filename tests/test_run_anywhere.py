"""`torchclinic run` with pipes, as on every system; what needs POSIX is in test_run.py."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from torchclinic import ROOT

RUN = [sys.executable, "-m", "torchclinic", "run"]
RAISES = 'raise RuntimeError("mat1 and mat2 shapes cannot be multiplied (64x400 and 784x10)")\n'


def through(
    program: str, folder: Path, *options: str, **streams: int
) -> tuple[subprocess.CompletedProcess[bytes], subprocess.CompletedProcess[bytes]]:
    """What a program does alone, and through `run`."""
    (folder / "train.py").write_text(program, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TORCHCLINIC_LANG": "en"}
    if not streams:
        streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    command = [sys.executable, "train.py"]
    alone, inside = (
        subprocess.run(whole, cwd=folder, env=environment, check=False, **streams)
        for whole in (command, [*RUN, *options, *command])
    )
    return alone, inside


def test_a_known_error_gets_its_lines(tmp_path: Path) -> None:
    alone, inside = through(f"print('out')\n{RAISES}", tmp_path)
    assert (inside.returncode, inside.stdout) == (alone.returncode, alone.stdout)
    assert inside.stderr.startswith(alone.stderr)
    added = inside.stderr.removeprefix(alone.stderr).decode().splitlines()
    assert added[0].startswith("Torch Clinic: Each row you pass has 400 values")
    assert added[1] == "  at train.py:2" and "fix shapes/matmul-shapes" in added[2]


@pytest.mark.parametrize(
    "program", ["", "raise SystemExit(3)", "1 / 0", "import sys; sys.exit('bye')"]
)
def test_what_is_not_known_is_as_without_us(program: str, tmp_path: Path) -> None:
    alone, inside = through(program, tmp_path, "--stdout")
    assert (inside.returncode, inside.stdout, inside.stderr) == (
        alone.returncode,
        alone.stdout,
        alone.stderr,
    )


def test_an_error_on_standard_output(tmp_path: Path) -> None:
    program = f"import sys\nsys.stderr = sys.stdout\n{RAISES}"
    alone, inside = through(program, tmp_path)
    assert inside.stdout == alone.stdout and b"run --stdout" in inside.stderr
    alone, inside = through(program, tmp_path, "--stdout")
    assert inside.stdout == alone.stdout and b"matmul-shapes" in inside.stderr


def test_a_log_of_a_chinese_windows(tmp_path: Path) -> None:
    line = 'OSError: [WinError 1455] \u9875\u9762 Error loading "D:/torch/lib/x.dll"\\n'
    program = f"import os\nos.write(2, {line!r}.encode('gbk'))\nraise SystemExit(1)"
    _, inside = through(program.replace("\\\\n", "\\n"), tmp_path)
    assert b"fix data-loading/winerror-1455" in inside.stderr


def test_a_command_that_is_not_there(tmp_path: Path) -> None:
    done = subprocess.run(
        [*RUN, "no-such\x1b[31m-command"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 127 and b"command not found" in done.stderr
    assert b"\x1b" not in done.stderr
