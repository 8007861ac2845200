"""The lines below an error: what they say, where they point, and when they keep silent."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from torchclinic.commands import explain, frames
from torchclinic.commands.knowledge import Knowledge

MESSAGE = "RuntimeError: mat1 and mat2 shapes cannot be multiplied (64x400 and 784x10)"
TRACEBACK = f"""Traceback (most recent call last):
  File "/home/me/train.py", line 12, in <module>
    step()
  File "/home/me/model.py", line 9, in forward
    return self.fc(x)
  File "/usr/lib/python3/dist-packages/torch/nn/modules/linear.py", line 134, in forward
    return F.linear(input, self.weight, self.bias)
{MESSAGE}
"""
UNKNOWN = TRACEBACK.replace(MESSAGE, "ValueError: the flux capacitor is empty")
WHAT = "Each row you pass has 400 values; the layer (or the matrix on the right) was built for 784."
WARNING = (
    "train.py:3: UserWarning: Detected call of `lr_scheduler.step()` before `optimizer.step()`. "
    "In PyTorch 1.1.0 and later\n"
)
ASSERTS = (
    "../aten/src/ATen/native/cuda/Indexing.cu:1290: indexSelectLargeIndex: block: [1,0,0] "
    "Assertion `srcIndex < srcSelectDimSize` failed.\n" * 3
)
ASSERTED = TRACEBACK.replace(MESSAGE, "RuntimeError: CUDA error: device-side assert triggered")
CHAIN = "\nDuring handling of the above exception, another exception occurred:\n\n"
SUMMARY = """torch.distributed.elastic.multiprocessing.errors.ChildFailedError:
Failures:
[1]:
  rank      : 0 (local_rank: 0)
  exitcode  : -15 (pid: 19177)  (SIGTERM)
Root Cause (first observed failure):
[0]:
  rank      : 5 (local_rank: 1)
  exitcode  : 1 (pid: 19178)
"""


@pytest.fixture(autouse=True)
def on_path(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where the package is installed and its environment active."""
    monkeypatch.setattr(explain.shutil, "which", lambda name: f"/bin/{name}")


def known(table: dict[str, Any], origins: dict[str, Any] | None = None) -> Knowledge:
    """What the commands answer from, without anything else, and without PyTorch's own messages
    unless they are given."""
    known = Knowledge(table, {}, {}, {})
    known._origins.append(origins)
    return known


def lines(table: dict[str, Any], text: str, language: str = "en", **environment: str) -> list[str]:
    return [*explain.explain(known(table), text, language, environment).lines]


def log(table: dict[str, Any], text: str) -> list[str]:
    return [*explain.explain_log(known(table), text, "en", {}).lines]


def test_three_lines(table: dict[str, Any]) -> None:
    first, second, third = lines(table, TRACEBACK)
    assert first.startswith(f"Torch Clinic: {WHAT}")
    assert second == "  at /home/me/model.py:9 in forward"
    assert third.startswith("  check first: torchclinic fix shapes/matmul-shapes ")


def test_in_chinese(table: dict[str, Any]) -> None:
    first, second, third = lines(table, TRACEBACK, "zh", RANK="3")
    assert first.startswith("Torch Clinic：传进来的每一行有 400 个值")
    assert second == "  位置：/home/me/model.py:9，在 forward 中，rank 3"
    assert third.startswith("  先看这一种：torchclinic fix shapes/matmul-shapes ")


def test_without_the_console_script(table: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explain.shutil, "which", lambda name: None)
    assert " python -m torchclinic fix shapes/matmul-shapes" in lines(table, TRACEBACK)[2]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\0" * 9,
        "Traceback (most recent call last):\n",
        UNKNOWN,
        "[rank3]:",
        'File "',
        "E \n",
        "\x1b" * 50,
    ],
)
def test_nothing_is_said_of_what_no_page_knows(table: dict[str, Any], text: str) -> None:
    assert lines(table, text) == log(table, text) == []


def test_below_the_working_directory(
    table: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert (
        lines(table, TRACEBACK.replace("/home/me", str(tmp_path)))[1]
        == "  at model.py:9 in forward"
    )


@pytest.mark.parametrize(
    "file",
    [
        "train.py",
        "/home/me/lib/train.py",
        "/home/me/python3/lib/train.py",
        "C:\\work\\train.py",
        "<string>",
        "<stdin>",
        "<ipython-input-3-abc>",
        "/tmp/ipykernel_3/1.py",
        "bin/x.py",
    ],
)
def test_own_files(file: str) -> None:
    assert frames.is_users(file)


@pytest.mark.parametrize(
    "file",
    [
        "/venv/lib/python3.11/site-packages/torch/x.py",
        "/usr/lib/python3/dist-packages/torch/x.py",
        "/usr/lib/python3.11/threading.py",
        "/usr/lib64/python3.12/runpy.py",
        "C:\\Users\\me\\AppData\\Local\\Programs\\Python\\Python311\\Lib\\threading.py",
        "C:\\Users\\me\\anaconda3\\envs\\torch\\lib\\threading.py",
        "C:\\venv\\Lib\\site-packages\\torch\\x.py",
        "C:\\venv\\Scripts\\torchrun.exe\\__main__.py",
        "/venv/bin/torchrun",
        "<frozen runpy>",
        "<eval_with_key>.3",
    ],
)
def test_files_of_others(file: str) -> None:
    assert not frames.is_users(file)


def test_no_frame_of_ones_own(table: dict[str, Any]) -> None:
    assert lines(table, MESSAGE) == [
        lines(table, TRACEBACK)[0],
        lines(table, TRACEBACK)[2],
    ]
    assert lines(table, MESSAGE, RANK="2")[1] == "  on rank 2"


def test_the_frame_of_an_earlier_error_is_not_named(table: dict[str, Any]) -> None:
    assert " torchclinic fix shapes/matmul-shapes" in lines(table, UNKNOWN + MESSAGE)[1]


@pytest.mark.parametrize(
    ("environment", "rank"),
    [
        ({"RANK": "3", "LOCAL_RANK": "1"}, ", rank 3"),
        ({"LOCAL_RANK": "1"}, ", local rank 1"),
        ({"RANK": "0", "WORLD_SIZE": "1"}, ""),
        ({"RANK": "\x1b[2J"}, ""),
        ({}, ""),
    ],
)
def test_rank_of_the_environment(
    table: dict[str, Any], environment: dict[str, str], rank: str
) -> None:
    assert lines(table, TRACEBACK, **environment)[1] == f"  at /home/me/model.py:9 in forward{rank}"


def test_ranks_of_a_text(table: dict[str, Any]) -> None:
    """Lines of several ranks are mixed; each has its own traceback."""
    mine = [f"[rank3]: {line}" for line in TRACEBACK.splitlines()]
    others = [f"[rank0]: {line}" for line in UNKNOWN.replace("model.py", "other.py").splitlines()]
    mixed = "\n".join(line for pair in zip(mine, others, strict=True) for line in pair) + "\n"
    assert log(table, mixed + SUMMARY)[1] == "  at /home/me/model.py:9 in forward, rank 3"
    assert (
        log(table, mixed.replace("[rank", "[default"))[1]
        == "  at /home/me/model.py:9 in forward, local rank 3"
    )
    assert log(table, TRACEBACK + SUMMARY)[1] == "  at /home/me/model.py:9 in forward, rank 5"
    assert (
        log(table, TRACEBACK + SUMMARY.replace("-15", "1"))[1]
        == "  at /home/me/model.py:9 in forward"
    )  # two failed: which one is not known


def test_why_a_program_ended(table: dict[str, Any]) -> None:
    assert log(table, UNKNOWN + TRACEBACK)[0].startswith(f"Torch Clinic: {WHAT}")
    other = TRACEBACK.replace("model.py", "other.py").replace("64x400", "1x2")
    assert log(table, TRACEBACK + "once more\n" + other)[1] == "  at /home/me/other.py:9 in forward"
    assert log(table, TRACEBACK + CHAIN + UNKNOWN)[0].startswith(f"Torch Clinic: {WHAT}")


def test_what_was_survived_is_not_why(table: dict[str, Any]) -> None:
    assert log(table, TRACEBACK + "once more\n" + UNKNOWN) == []
    assert (
        log(table, WARNING + UNKNOWN)
        == log(table, WARNING + "bye\n")
        == log(table, UNKNOWN + WARNING)
        == []
    )
    assert "out of range" in log(table, TRACEBACK + "once more\n" + ASSERTED)[0]


def test_a_warning_that_was_raised_is_why(table: dict[str, Any]) -> None:
    assert (
        "scheduler"
        in log(table, TRACEBACK.replace(MESSAGE, WARNING.removeprefix("train.py:3: ")))[0]
    )


def test_asserts_of_a_gpu_stand_above_the_traceback(table: dict[str, Any]) -> None:
    first, second, _ = log(table, ASSERTS + ASSERTED)
    assert "index" in first and second == "  at /home/me/model.py:9 in forward"


def test_several_independent_errors(table: dict[str, Any]) -> None:
    other = (
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a "
        "total capacity of 8.00 GiB\n"
    )
    found = lines(table, f"{MESSAGE}\n{other}")
    assert len(found) == 2
    assert "(another error in this text: torchclinic fix memory/cuda-oom" in found[1]


def test_control_characters_of_a_text_are_not_printed(table: dict[str, Any]) -> None:
    hostile = TRACEBACK.replace("model.py", "mo\x1b[2Jd\u202ee\x07l\x9d.py").replace(
        "in forward", "in for\x08ward"
    )
    found = lines(table, hostile)
    assert len(found) == 3 and all(line.isprintable() for line in found)


def test_nothing_is_endless(table: dict[str, Any]) -> None:
    text = TRACEBACK.replace("model.py", "m" * 100_000 + ".py").replace(
        "in forward", "in f" + "o" * 100_000
    )
    assert all(len(line) < 600 for line in lines(table, text))


def test_as_ipython_prints_it(table: dict[str, Any]) -> None:
    text = f"""RuntimeError                              Traceback (most recent call last)
Cell In[3], line 4, in step(x)
      2 def step(x):
----> 4     return layer(x)

File ~/venv/lib/python3.11/site-packages/torch/nn/modules/module.py:1778, in Module._wrapped_call_impl(self)
   1776     return self._compiled_call_impl(*args, **kwargs)

{MESSAGE}
"""
    assert lines(table, text)[1] == "  at In[3]:4 in step"
    assert (
        lines(table, text.replace("Cell In[3], line 4", "File ~/model.py:4"))[1]
        == "  at ~/model.py:4 in step"
    )


def test_as_pytest_prints_it(table: dict[str, Any]) -> None:
    text = f"""    def test_x():
>       f()

tests/test_x.py:9:
_ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _
model.py:5: in f
    torch.nn.Linear(784, 10)(torch.ones(64, 400))
/venv/lib/python3.11/site-packages/torch/nn/modules/module.py:1778: in _wrapped_call_impl
        except RuntimeError:
E       {MESSAGE}

/venv/lib/python3.11/site-packages/torch/nn/modules/linear.py:134: RuntimeError
"""
    assert lines(table, text)[1] == "  at model.py:5 in f"
    assert (
        lines(
            table,
            text.replace(
                "/venv/lib/python3.11/site-packages/torch/nn/modules/linear.py:134", "model.py:77"
            ),
        )[1]
        == "  at model.py:77"
    )
