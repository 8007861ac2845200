"""The three lines below an error: what it is, where in the user's own code, which command shows the fix. One text for `run` and all hooks."""

from __future__ import annotations

import itertools
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..content import words
from ..find import lookup
from ..find.clean import normalise, printed_type, strip_prefix
from .knowledge import Knowledge
from .terminal import origin_sentence, printable

#: Characters of a text that are looked up, from its end.
KEPT = 400_000
#: Characters of a line that is printed, of a path or a name in it.
LONGEST, NAME = 400, 200
#: Lines above a message among which its traceback is sought.
FRAMES = 5000

_HEAD = "Traceback (most recent call last)"
_CHAINS = ("The above exception was the direct cause", "During handling of the above exception")
#: What processes that start others print when one of those has failed. Several programs wrote into such a text.
_LAUNCHERS = ("ChildFailedError", "ProcessRaisedException", "ProcessExitedException", "CalledProcessError", "[rank")


@dataclass(frozen=True)
class Explanation:
    """What is known about a failure.

    Attributes:
        symptom: its stem; of a message that no page knows, but PyTorch's source, the message; "" where nothing is known: then there are no lines.
        lines: three lines at most, for a terminal.
        report: where nothing is known, the line that was looked up, without paths, addresses and numbers.
    """

    symptom: str = ""
    lines: list[str] = field(default_factory=list)
    report: str = ""


def explain(known: Knowledge, text: str, language: str, environment: Mapping[str, str] | None = None) -> Explanation:
    """Explain one exception, from its printed traceback.

    Args:
        text: what was printed; it is only ever read.
        environment: may name the rank of the process that printed it (RANK, LOCAL_RANK); os.environ if left out.
    """
    return _explanation(known, known.look_up(text), text, language, environment)


def explain_log(known: Knowledge, text: str, language: str, environment: Mapping[str, str] | None = None) -> Explanation:
    """Explain why a program ended, from all that it printed: warnings, and errors that it survived, are not why."""
    lines = _lines(text)
    ended = _last_failure(lines)
    result = known.with_origin(_why_it_ended(known.index, text, lines, ended), "\n".join(lines[ended:]))
    if result["status"] == "origin":
        result["origin"]["line"] += ended
    return _explanation(known, result, text, language, environment)


def _explanation(known: Knowledge, result: dict[str, Any], text: str, language: str, environment: Mapping[str, str] | None) -> Explanation:
    if result["status"] == "origin":
        return _of_origin(result, text, language, environment)
    if not result["hits"]:
        return Explanation(report=_short(result.get("report", "")))
    text_of, hit = words.of(language, "below"), result["hits"][0]
    what = lookup.diagnose(known.index, hit, language) or hit["title"][language]
    lines = [text_of["what"].format(what=_short(what)), *_where_and_rank(text, hit["line"] - 1, language, environment)]
    if hit["page"]:
        also = [one for one in result["hits"][1:2] if result["status"] == "ambiguous" and one["page"]]
        # That a process that has ended is started again goes without saying.
        recover = words.of(language, "afterwards")["recover"][hit["recover"]] if hit["recover"] in ("again", "machine", "hardware") else ""
        lines.append(
            text_of["fix-command"].format(command=fix_command(hit))
            + (f" · {recover}" if recover else "")
            + "".join(text_of["another"].format(command=fix_command(one)) for one in also)
        )
    else:
        lines.append(text_of["documentation"].format(docs=_short(hit["docs"])) if hit["docs"] else text_of["no-page"])
    return Explanation(hit["symptom"], lines)


def _of_origin(result: dict[str, Any], text: str, language: str, environment: Mapping[str, str] | None) -> Explanation:
    origin, own = result["origin"], words.of(language, "origin")
    if not printed_type(strip_prefix(normalise(origin["raw"]))):  # a warning that was printed, or a line of a log: not why it failed
        return Explanation(report=_short(result["report"]))
    place = origin["places"][0]
    lines = [_short(own["below"].format(origin=origin_sentence(place, language))), *_where_and_rank(text, origin["line"] - 1, language, environment)]
    return Explanation(origin["message"], [*lines, *([f"  {own['source']}{place['source']}"] if place["source"] else [])])


def _where_and_rank(text: str, at: int, language: str, environment: Mapping[str, str] | None) -> list[str]:
    """The line that says where in the user's own code the message of line `at` comes from, and on which rank; none where the text tells neither."""
    text_of = words.of(language, "below")
    found, labels = _where(text, at)
    rank = _rank(text, labels, os.environ if environment is None else environment, text_of)
    if found:
        file, number, function = found
        place = f"{_short(_from_here(file), NAME)}:{number}" + (text_of["in-function"].format(function=_short(function, NAME)) if function else "")
        return [text_of["where"].format(place=place) + (text_of["with-rank"].format(rank=rank) if rank else "")]
    return [text_of["on-rank"].format(rank=rank)] if rank else []


def _short(text: str, longest: int = LONGEST) -> str:
    """As it may stand on a terminal: without control characters, and not endless."""
    return printable(text[:longest])


def program() -> str:
    """How the command line of this package is called where the user is: the script of an environment that is not active is not found."""
    return "torchclinic" if shutil.which("torchclinic") else "python -m torchclinic"


def fix_command(hit: dict[str, Any]) -> str:
    """Of the cause that the text tells, where it tells one."""
    case = hit["cause"]["case"] if hit["cause"] else ""
    return f"{program()} fix {hit['topic']}/{hit['symptom']}" + (f" {case}" if case else "")


def _lines(text: str) -> list[str]:
    """Lines as the lookup numbers them, cleaned as it cleans them."""
    return normalise(text.replace("\r\n", "\n").replace("\r", "\n")).split("\n")


def _why_it_ended(index: dict[str, Any], text: str, lines: list[str], ended: int) -> dict[str, Any]:
    """The lookup's answer, without hits that are not why the program ended.

    What stands above the last traceback counts only if that is known as a consequence of others, and if it is not in a traceback that was survived.

    Args:
        lines: of the text, cleaned.
        ended: at which of them the last traceback begins; 0 where the lookup's own order holds.
    """
    result = lookup.lookup(index, text)
    hits = [hit for hit in result["hits"] if not _only_warned(hit, lines)]
    if ended and hits:
        last = lookup.lookup(index, "\n".join(lines[ended:]))
        for hit in last["hits"]:
            hit["line"] += ended
        last["hits"] = [hit for hit in last["hits"] if not _only_warned(hit, lines)]
        if not last["hits"] or last["hits"][0]["why"][0] == "cause":
            result, hits = last, last["hits"]
        else:
            above = [hit for hit in hits if hit["line"] <= ended and not _frame_above(lines, hit["line"] - 1, _label(lines[hit["line"] - 1]))[1]]
            hits = above + last["hits"]
    if not hits and result["hits"]:
        result = lookup.lookup({**index, "wordings": [], "anchors": {}}, text)  # knows nothing: says what was looked for
    return {**result, "hits": hits}


def _only_warned(hit: dict[str, Any], lines: list[str]) -> bool:
    """Is this a warning that was printed, not raised? One that was raised stands at the beginning of its line."""
    return "warning" in hit["why"] and not printed_type(strip_prefix(lines[hit["line"] - 1])).endswith("Warning")


def _last_failure(lines: list[str]) -> int:
    """Number of the line at which the last traceback begins, with those that it says led to it: it is why a program ended. 0 if there is none.

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


def _where(text: str, at: int) -> tuple[tuple[str, str, str] | None, str]:
    """The last frame of the user's own code before the message in line `at`, as (file, line, function), and the label of the message's rank."""
    lines = _lines(text)
    label = _label(lines[at])
    if lines[at].startswith("E "):
        return _frame_of_pytest(lines, at), label
    found, inside = _frame_above(lines, at, label)
    if found is None and not inside:
        # Asserts of a GPU and logs of NCCL stand above the traceback that they lead to.
        head = next((n for n in range(at, len(lines)) if _HEAD in lines[n] and label in ("", _label(lines[n]))), len(lines))
        end = next((n for n in range(head + 1, len(lines)) if _is_message(strip_prefix(lines[n]))), None)
        if end is not None:
            label = label or _label(lines[end])
            found, _ = _frame_above(lines, end, label)
    return found, label


def _frame_above(lines: list[str], at: int, label: str) -> tuple[tuple[str, str, str] | None, bool]:
    """The nearest frame of the user's own code above a message, among lines of the same rank; and whether there is a traceback at all."""
    messages, inside = 0, False
    for number in range(at, max(-1, at - FRAMES), -1):
        if _label(lines[number]) != label:
            continue
        text = strip_prefix(lines[number])
        if _HEAD in text or text.startswith(_CHAINS):
            return None, True
        if frame := _frame(text):
            inside = True
            if own(frame[0]):
                return frame, True
        elif _is_message(text):
            messages += 1
            if messages > 1:
                break  # that of an earlier error
    return None, inside


def _frame_of_pytest(lines: list[str], at: int) -> tuple[str, str, str] | None:
    """The same for pytest, which says below a message (`E  RuntimeError: …`) where it was raised: `model.py:12: RuntimeError`."""
    end = next((n for n in range(at, len(lines)) if lines[n].strip() and not lines[n].startswith("E")), at)
    for number in range(end, max(-1, end - FRAMES), -1):
        if lines[number].startswith(_CHAINS):
            break
        frame = None if lines[number].startswith((" ", ">", "E")) else _frame(lines[number], of_pytest=True)
        if frame and own(frame[0]):
            return frame
    return None


def _is_message(text: str) -> bool:
    return bool(printed_type(text)) and " " not in text.partition(":")[0]


def _frame(text: str, *, of_pytest: bool = False) -> tuple[str, str, str] | None:
    """(file, line, function) of a line that names a frame."""
    if text.startswith('File "'):  # Python: File "train.py", line 3, in step
        file, found, rest = text[6:].rpartition('", line ')
    elif text.startswith("Cell In"):  # IPython: Cell In[2], line 3, in step(x)
        file, found, rest = text[5:].partition(", line ")
    elif of_pytest or text.startswith("File "):  # IPython: File train.py:3, in step(x); pytest: train.py:3: in step, or the type that was raised
        file, found, rest = text.removeprefix("File ").partition(".py:")
        file, rest = f"{file}.py", rest.replace(": in ", ", in ", 1).replace(": ", ", ", 1)
    else:
        return None
    number, _, function = rest.partition(", in ")
    number = number.partition(",")[0]
    if not found or not (number.isascii() and number.isdigit() and len(number) < 9):
        return None
    function = function.partition("(")[0].strip()
    return file, number, "" if function.startswith("<module") else function


def own(file: str) -> bool:
    """Is this file the user's own: in no folder of installed packages, nor of Python's own library, nor made up by a library?"""
    path = file.replace("\\", "/")
    if path.startswith("<"):
        return path.startswith(("<string>", "<stdin>", "<ipython-input", "<python-input"))
    parts = path.split("/")
    if "site-packages" in parts or "dist-packages" in parts:
        return False
    for folder, name in itertools.pairwise(parts):
        if folder in ("lib", "lib64") and name.startswith("python3"):
            return False
        if name.lower() == "lib" and path[1:2] == ":" and folder.lower().startswith(("python", "anaconda", "miniconda", "miniforge", "mambaforge")):
            return False  # C:\…\Python311\Lib
        if folder.lower() == "envs" and path[1:2] == ":" and "/lib/" in path.lower().partition("/envs/")[2]:
            return False
    # torchrun and its like: started from bin/ or Scripts\.
    return not (parts[-2:-1] in (["bin"], ["Scripts"]) and "." not in parts[-1]) and ".exe/" not in path


def _from_here(file: str) -> str:
    """Relative to the working directory, where it lies below it."""
    try:
        here = str(Path.cwd()).rstrip(os.sep) + os.sep
    except OSError:  # it was removed
        return file
    return file[len(here) :] if file.startswith(here) else file


def _label(line: str) -> str:
    """What a launcher put before a line to say whose it is: `[rank3]`, `[default3]`; "" if nothing."""
    line = line[:80].lstrip()
    while line.startswith("["):
        inside, found, rest = line[1:].partition("]:")
        kind = inside.lower().rstrip("0123456789").strip()
        if found and kind in ("rank", "default") and inside[-1:].isdigit():
            return f"[{inside}]"
        line = rest.lstrip() if found else ""
    return ""


def _rank(text: str, label: str, environment: Mapping[str, str], text_of: dict[str, str]) -> str:
    """`rank 3`, from the label of a line, else from torchrun's summary, else from the environment; "" where nothing names it."""
    number = "".join(c for c in label if c in "0123456789")
    if number:
        return text_of["local-rank" if "default" in label else "rank"].format(number=number)
    failed = _failed_ranks(text)
    if failed:
        return text_of["rank"].format(number=failed[0]) if len(failed) == 1 else ""
    if environment.get("WORLD_SIZE") == "1":
        return ""
    for name, word in (("RANK", "rank"), ("LOCAL_RANK", "local-rank")):
        value = environment.get(name, "")
        if value.isascii() and value.isdigit() and len(value) < 9:
            return text_of[word].format(number=value)
    return ""


def _failed_ranks(text: str) -> list[str]:
    """The ranks that failed by themselves, as torchrun's summary has them; those that it stopped are left out."""
    _, found, summary = text.rpartition("ChildFailedError")
    codes: dict[str, str] = {}
    rank = ""
    for line in summary.split("\n") if found else []:
        name, _, value = line.partition(":")
        if name.split() == ["rank"]:
            rank = value.split(" (")[0].strip()
        elif name.split() == ["exitcode"] and rank.isascii() and rank.isdigit() and len(rank) < 9:
            codes[rank] = value.split(" (")[0].strip()
    # It asks them to stop (15), and later kills those that did not (9).
    alive = [rank for rank, code in codes.items() if code != "-15"]
    return alive if len(alive) == 1 else [rank for rank in alive if codes[rank] != "-9"]
