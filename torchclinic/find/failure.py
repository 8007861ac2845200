"""What failed, as far as a text tells it without a wording: an exception, a signal, or a cut.

Asked where no wording matched, and of warnings, which answer only where nothing failed after them.
docs/assets/failure.js is the twin.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypedDict

from .clean import WORD, is_source, printed_type, strip_prefix

#: Lines from the end of a text that are read.
READ = 2000
#: Characters of a line that are read.
LONG = 400
#: How systems and shells report that a process was ended.
SIGNALS = (
    *("Segmentation fault", "segmentation fault", "core dumped", "Fatal Python error"),
    *("Windows fatal exception", "terminate called", "Bus error", "Illegal instruction", "Aborted"),
    *("Killed", "0xC0000005", "3221225477"),
)
#: Who ends a program without that it failed.
STOPPED = ("KeyboardInterrupt", "SystemExit")
#: How people say that something failed, in so many lines of the beginning and of the end.
COMPLAINTS = ("rror", "rash", "xception", "fail", "egmentation", "\u9519", "\u5d29", "\u5361")
TOLD = 3
#: Packages whose failures this site is about: their frames tell of no other library.
OURS = ("torch", "torchvision", "torchaudio", "torchtext", "functorch", "torchgen")
#: Where installed packages lie.
FOLDERS = ("site-packages", "dist-packages")
#: How lines begin that stand among frames.
FRAMED = ("Traceback", "[Previous line repeated")
#: What is printed below a line of code.
MARKS = "^~ ."
#: How pip begins and ends what a build printed.
OUTPUT = ("lines of output]", "[end of output]")


class Frame(TypedDict):
    file: str
    line: str
    function: str
    library: str  # the package that the file belongs to; "" for the program's own


class Failure(TypedDict):
    """`line` counts from 1, of the text; `frame` is the innermost one above it."""

    kind: Literal["exception", "signal", "cut", "stopped"]
    line: int
    text: str
    type: str
    frame: Frame | None


def last_failure(lines: Sequence[str]) -> Failure | None:
    """The last thing in a text that failed, or the place where the text ends before it says so."""
    frame: Frame | None = None
    quoted = open_frames = False
    building = last = 0
    failure: Failure | None = None
    previous = ""
    first = max(0, len(lines) - READ)
    for number in range(first, len(lines)):
        text = strip_prefix(lines[number][:LONG])
        if not text:
            continue
        if text.startswith('File "'):
            frame, quoted, open_frames = frame_of(text), True, True
        elif type_ := exception_of(text, previous):
            if not type_.endswith("Warning"):
                failure = _failure("exception", number, text, type_, frame)
            quoted = open_frames = False
        elif quoted and (not text.strip(MARKS) or previous.startswith('File "')):
            pass  # the line of code that the frame quotes, and the marks below it
        elif signal_of(text):
            failure = _failure("signal", number, text, "", frame)
            quoted = open_frames = False
        elif open_frames and not text.startswith(FRAMED):
            # Prose behind frames: whoever pasted them left the message out.
            failure = _failure("cut", last, previous, "", frame)
            quoted = open_frames = False
        if OUTPUT[0] in text:
            building = number
        elif OUTPUT[1] in text:
            building = last = 0
        previous, last = text, number
    if open_frames:
        return _failure("cut", last, previous, "", frame)
    if building and (failure is None or failure["line"] <= building):
        return _failure("cut", last, previous, "", None)
    return failure


def exception_of(text: str, previous: str) -> str:
    """The class of the exception that a line prints, without its module; "" if it prints none."""
    if is_source(text, previous):
        return ""
    if type_ := printed_type(text):
        return type_
    alone = text.rpartition(".")[2]
    return printed_type(alone + ":") if set(text) <= WORD | {"."} else ""


def signal_of(text: str) -> str:
    """The word with which a line reports that a process was ended; "" if it does not."""
    return next((word for word in SIGNALS if word in text), "")


def fails(lines: Sequence[str]) -> bool:
    """Did something fail, by what the text prints, or by what its first and last lines say?"""
    failure = last_failure(lines)
    if failure is not None and failure["type"] not in STOPPED:
        return True
    spoken = [line for line in lines if line.strip(" ")]
    return any(
        word in line[:LONG] and "arning" not in line
        for line in (*spoken[:TOLD], *spoken[-TOLD:])
        for word in COMPLAINTS
    )


def _failure(
    kind: Literal["exception", "signal", "cut", "stopped"],
    number: int,
    text: str,
    type_: str,
    frame: Frame | None,
) -> Failure:
    return {"kind": kind, "line": number + 1, "text": text, "type": type_, "frame": frame}


def frame_of(text: str) -> Frame:
    """The frame of a line `File "…/net.py", line 9, in forward`, which may be cut."""
    file, _, rest = text.removeprefix('File "').partition('"')
    line, _, function = rest.removeprefix(", line ").partition(", in ")
    parts = file.replace("\\", "/").split("/")
    library = ""
    for folder in FOLDERS:
        if folder in parts[:-1]:
            library = parts[parts.index(folder) + 1].removesuffix(".py")
    return {"file": file, "line": line, "function": function, "library": library}
