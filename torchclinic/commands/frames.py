"""Where in the user's own code a printed error comes from, and on which rank: read in its text."""

from __future__ import annotations

import itertools
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from ..find.clean import normalise, printed_type, strip_prefix

#: Lines above a message among which its traceback is sought.
FRAMES = 5000

_HEAD = "Traceback (most recent call last)"
_CHAINS = ("The above exception was the direct cause", "During handling of the above exception")
#: What processes that start others print when one of those has failed. Several programs wrote into
#: such a text.
_LAUNCHERS = (
    "ChildFailedError",
    "ProcessRaisedException",
    "ProcessExitedException",
    "CalledProcessError",
    "[rank",
)
#: Folders of Python itself on Windows begin so: C:\…\Python311\Lib
_PYTHONS = ("python", "anaconda", "miniconda", "miniforge", "mambaforge")


class Frame(NamedTuple):
    file: str
    line: str
    function: str  # "" for a module


def lines_of(text: str) -> list[str]:
    """Lines as the lookup numbers them, cleaned as it cleans them."""
    return normalise(text.replace("\r\n", "\n").replace("\r", "\n")).split("\n")


def last_failure(lines: list[str]) -> int:
    """Number of the line at which the last traceback begins, with those that it says led to it: it
    is why a program ended. 0 if there is none.

    A program that was started by a launcher ends after others that failed: 0 there, too.
    """
    if any(name in line for line in lines for name in _LAUNCHERS):
        return 0
    begins = 0
    chained = True
    for number in range(len(lines) - 1, -1, -1):
        if _HEAD in lines[number] and "Original " not in lines[number]:
            if not chained:
                break
            begins, chained = number, False
        elif lines[number].strip(" |+-").startswith(_CHAINS):
            chained = True
    return begins


def where(text: str, at: int) -> tuple[Frame | None, str]:
    """The last frame of the user's own code before the message in line `at`, and the label of the
    message's rank."""
    lines = lines_of(text)
    label = label_of(lines[at])
    if lines[at].startswith("E "):
        return _frame_of_pytest(lines, at), label
    frame, inside = frame_above(lines, at, label)
    if frame or inside:
        return frame, label
    # Asserts of a GPU and logs of NCCL stand above the traceback that they lead to.
    heads = (
        number
        for number in range(at, len(lines))
        if _HEAD in lines[number] and label in ("", label_of(lines[number]))
    )
    below = range(next(heads, len(lines)) + 1, len(lines))
    message = next((number for number in below if _is_message(strip_prefix(lines[number]))), None)
    if message is None:
        return None, label
    label = label or label_of(lines[message])
    return frame_above(lines, message, label)[0], label


def frame_above(lines: list[str], at: int, label: str) -> tuple[Frame | None, bool]:
    """The nearest frame of the user's own code above a message, among lines of the same rank; and
    whether there is a traceback at all."""
    messages, inside = 0, False
    for number in range(at, max(-1, at - FRAMES), -1):
        if label_of(lines[number]) != label:
            continue
        text = strip_prefix(lines[number])
        if _HEAD in text or text.startswith(_CHAINS):
            return None, True
        if frame := _frame(text):
            inside = True
            if is_users(frame.file):
                return frame, True
        elif _is_message(text):
            messages += 1
            if messages > 1:
                break  # that of an earlier error
    return None, inside


def _frame_of_pytest(lines: list[str], at: int) -> Frame | None:
    """The same for pytest, which says below a message (`E  RuntimeError: …`) where it was raised:
    `model.py:12: RuntimeError`."""
    below = range(at, len(lines))
    end = next((n for n in below if lines[n].strip() and not lines[n].startswith("E")), at)
    for number in range(end, max(-1, end - FRAMES), -1):
        if lines[number].startswith(_CHAINS):
            break
        if lines[number].startswith((" ", ">", "E")):
            continue
        frame = _frame(lines[number], of_pytest=True)
        if frame and is_users(frame.file):
            return frame
    return None


def _is_message(text: str) -> bool:
    return bool(printed_type(text)) and " " not in text.partition(":")[0]


def _frame(text: str, *, of_pytest: bool = False) -> Frame | None:
    """What a line says that names a frame."""
    if text.startswith('File "'):  # Python: File "train.py", line 3, in step
        file, mark, rest = text[6:].rpartition('", line ')
    elif text.startswith("Cell In"):  # IPython: Cell In[2], line 3, in step(x)
        file, mark, rest = text[5:].partition(", line ")
    elif of_pytest or text.startswith("File "):
        # IPython: File train.py:3, in step(x)
        # pytest: train.py:3: in step, or the type that was raised
        file, mark, rest = text.removeprefix("File ").partition(".py:")
        file, rest = f"{file}.py", rest.replace(": in ", ", in ", 1).replace(": ", ", ", 1)
    else:
        return None
    number, _, function = rest.partition(", in ")
    number = number.partition(",")[0]
    if not mark or not _is_number(number):
        return None
    function = function.partition("(")[0].strip()
    return Frame(file, number, "" if function.startswith("<module") else function)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 9


def is_users(file: str) -> bool:
    """Is this file the user's own: in no folder of installed packages, nor of Python's own library,
    nor made up by a library?"""
    path = file.replace("\\", "/")
    if path.startswith("<"):
        return path.startswith(("<string>", "<stdin>", "<ipython-input", "<python-input"))
    parts = path.split("/")
    if "site-packages" in parts or "dist-packages" in parts:
        return False
    on_windows = path[1:2] == ":"
    for folder, name in itertools.pairwise(parts):
        if folder in ("lib", "lib64") and name.startswith("python3"):
            return False
        if on_windows and name.lower() == "lib" and folder.lower().startswith(_PYTHONS):
            return False
        if (
            on_windows
            and folder.lower() == "envs"
            and "/lib/" in path.lower().partition("/envs/")[2]
        ):
            return False
    # torchrun and its like: started from bin/ or Scripts\.
    of_installed = parts[-2:-1] in (["bin"], ["Scripts"]) and "." not in parts[-1]
    return not of_installed and ".exe/" not in path


def from_here(file: str) -> str:
    """Relative to the working directory, where it lies below it."""
    try:
        here = str(Path.cwd()).rstrip(os.sep) + os.sep
    except OSError:  # it was removed
        return file
    return file.removeprefix(here)


def label_of(line: str) -> str:
    """What a launcher put before a line to say whose it is: `[rank3]`, `[default3]`; "" if
    nothing."""
    line = line[:80].lstrip()
    while line.startswith("["):
        inside, mark, rest = line[1:].partition("]:")
        kind = inside.lower().rstrip("0123456789").strip()
        if mark and kind in ("rank", "default") and inside[-1:].isdigit():
            return f"[{inside}]"
        line = rest.lstrip() if mark else ""
    return ""


def rank(text: str, label: str, environment: Mapping[str, str], text_of: dict[str, Any]) -> str:
    """`rank 3`, from the label of a line, else from torchrun's summary, else from the environment;
    "" where nothing names it."""
    if number := "".join(c for c in label if c in "0123456789"):
        return str(text_of["local-rank" if "default" in label else "rank"].format(number=number))
    if failed := _failed_ranks(text):
        return str(text_of["rank"].format(number=failed[0])) if len(failed) == 1 else ""
    if environment.get("WORLD_SIZE") == "1":
        return ""
    for name, word in (("RANK", "rank"), ("LOCAL_RANK", "local-rank")):
        number = environment.get(name, "")
        if _is_number(number):
            return str(text_of[word].format(number=number))
    return ""


def _failed_ranks(text: str) -> list[str]:
    """The ranks that failed by themselves, as torchrun's summary has them; those that it stopped
    are left out."""
    _, mark, summary = text.rpartition("ChildFailedError")
    codes: dict[str, str] = {}
    number = ""
    for line in summary.split("\n") if mark else []:
        name, _, value = line.partition(":")
        if name.split() == ["rank"]:
            number = value.split(" (")[0].strip()
        elif name.split() == ["exitcode"] and _is_number(number):
            codes[number] = value.split(" (")[0].strip()
    # It asks them to stop (15), and later kills those that did not (9).
    alive = [number for number, code in codes.items() if code != "-15"]
    return alive if len(alive) == 1 else [number for number in alive if codes[number] != "-9"]
