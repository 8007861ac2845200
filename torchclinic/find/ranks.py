"""Of several processes the one that failed first, and what stops a program from outside.

A process that fails takes its peers with it: they lose a connection to it, or wait for it until a
watchdog ends them. What they print is no news, and is left out where the first one's own error is
in the text, known to a page or not. docs/assets/ranks.js is the twin.
"""

from __future__ import annotations

from typing import NamedTuple, TypedDict

from .clean import DIGITS, strip_prefix
from .failure import LONG, Failure, Frame, exception_of, frame_of, signal_of

#: One of these stands in a text of several processes.
MARKS = (
    *("[rank", "[Rank", "[default", "ChildFailedError", "ProcessRaisedException"),
    "pytorch.org/docs/stable/elastic/errors.html",
)
#: What a process prints that has lost another one.
LOST = (
    *("Connection reset by peer", "onnection closed by peer", "onnection was closed"),
    *("connection closed", "Broken pipe", "ncclRemoteError", "NCCL communicator was aborted"),
    *("remote process exited or there was a network error", "recvValue failed", "failed to recv"),
    *("Socket Timeout", "Some NCCL operations have failed or timed out", "heartbeat"),
    *("Watchdog caught collective operation timeout", "TCPStore", "DistBackendError"),
)
#: Exceptions of those who only wait for others.
WAITING = ("ChildFailedError", "SignalException", "ProcessRaisedException", "CalledProcessError")
#: How torchrun calls the process that failed first, and says that a signal ended it: an abort is
#: what a watchdog does to those who wait.
ROOT, SIGNAL, ABORT = "Root Cause", "Signal ", "SIGABRT"
#: What is printed where someone stops a program.
STOPS = (
    *("got signal: 15", "got signal: 2", "got signal: 1", "death signal, shutting down workers"),
    *(" CANCELLED AT ", "DUE TO TIME LIMIT", "DUE TO PREEMPTION"),
)
#: How a traceback begins, and lines after which one that has not ended is given up.
HEAD = "Traceback (most recent call last)"
TALL = 2000
#: Lines from the end that are read.
READ = 20_000


class First(TypedDict):
    """The process that failed first, by its own error."""

    rank: str  # "" where the text does not say
    line: int  # from 1
    text: str  # of that line, cleaned
    frame: Frame | None  # the innermost of the program's own files
    others: list[str]  # ranks that only lost it


class _Error(NamedTuple):
    begin: int  # of its traceback
    line: int  # both from 0
    rank: str
    text: str
    type: str
    frame: Frame | None

    @property
    def lost(self) -> bool:
        return any(sign in self.text for sign in LOST)


def apart(clean: str) -> tuple[str, First | None]:
    """A text with empty lines for what processes print that only lost another one, which is named.

    The text as it is, where it is of one process, or does not hold the first one's error.
    """
    if not any(mark in clean for mark in MARKS):
        return clean, None
    lines = clean.split("\n")
    errors = [error for error in _errors(lines) if error.type not in WAITING]
    lost = [error for error in errors if error.lost]
    root, signal = _root(lines)
    own = [error for error in errors if not error.lost] or signal
    if not own:
        return clean, None
    first = next((error for error in own if error.rank and error.rank == root), own[0])
    quiet = {error.rank for error in lost if error.rank} - {error.rank for error in own}
    for number in range(len(lines) if quiet else 0):
        if rank_of(lines[number]) in quiet:
            lines[number] = ""
    for error in lost:
        if not error.rank:
            lines[error.begin : error.line + 1] = [""] * (error.line + 1 - error.begin)
    return "\n".join(lines), {
        "rank": first.rank or root,
        "line": first.line + 1,
        "text": first.text,
        "frame": first.frame,
        "others": sorted(quiet, key=lambda rank: (len(rank), rank)),
    }


def stopped(clean: str) -> Failure | None:
    """The line that says that someone stopped the program, where nothing in it failed."""
    if not any(sign in clean for sign in STOPS):
        return None
    lines = clean.split("\n")
    begin = max(0, len(lines) - READ)
    texts = [line[:LONG] for line in lines[begin:]]
    said = next((n for n, text in enumerate(texts) if any(sign in text for sign in STOPS)), None)
    errors = _errors(lines)
    if said is None or (not errors and any(map(_fails, texts))):
        return None
    if any(error.type not in (*WAITING, "KeyboardInterrupt") for error in errors):
        return None
    if any(map(signal_of, texts)):
        return None
    text = strip_prefix(texts[said])
    return {"kind": "stopped", "line": begin + said + 1, "text": text, "type": "", "frame": None}


def _fails(text: str) -> bool:
    return "Error:" in text and not any(name in text for name in WAITING)


def rank_of(line: str) -> str:
    """The number of the process that a launcher put before a line; "" for none."""
    text = line[:80].lstrip(" ")
    for mark in MARKS[:3]:
        if text.startswith(mark):
            inside = text[len(mark) :].partition("]")[0].strip(" ")
            return inside if inside and not inside.strip(DIGITS) else ""
    return ""


def _errors(lines: list[str]) -> list[_Error]:
    """The exceptions that end tracebacks, in order; each process prints its own lines in order."""
    first = max(0, len(lines) - READ)
    heads = [n for n in range(first, len(lines)) if HEAD in lines[n]]
    errors: list[_Error] = []
    begins: dict[str, int] = {}  # rank -> where its traceback begins that has not ended
    frames: dict[str, Frame] = {}
    previous: dict[str, str] = {}
    at = 0
    while heads or begins:
        if not begins or at - max(begins.values()) > TALL:
            begins.clear()
            heads = [n for n in heads if n >= at]
            if not heads:
                break
            at = heads[0]
        if at >= len(lines):
            break
        rank, text = rank_of(lines[at]), strip_prefix(lines[at][:LONG])
        if text.startswith(HEAD):
            begins[rank] = at
            frames.pop(rank, None)
        elif rank in begins and text.startswith('File "'):
            frame = frame_of(text)
            if not frame["library"] and "/lib/python" not in frame["file"]:
                frames[rank] = frame
        elif rank in begins and (type_ := exception_of(text, previous.get(rank, ""))):
            begin = begins.pop(rank)
            if not type_.endswith("Warning"):
                errors.append(_Error(begin, at, rank, text, type_, frames.get(rank)))
        previous[rank] = text or previous.get(rank, "")
        at += 1
    return errors


def _root(lines: list[str]) -> tuple[str, list[_Error]]:
    """The rank that torchrun's summary calls the first that failed, "" for none; and the signal
    that ended it, where it was one."""
    told, rank = False, ""
    for number in range(max(0, len(lines) - READ), len(lines)):
        told = told or ROOT in lines[number]
        name, _, value = lines[number][:LONG].partition(":") if told else ("", "", "")
        name, value = name.strip(" "), value.strip(" ")
        if name == "rank":
            rank = value.partition(" ")[0]
            rank = "" if rank.strip(DIGITS) else rank
        elif name == "traceback":
            by_signal = value.startswith(SIGNAL) and ABORT not in value
            return rank, [_Error(number, number, rank, value, "", None)] * by_signal
    return rank, []
