"""Stacks of processes, as py-spy and faulthandler print them, one below the other.

`torchclinic hang` puts a line above each dump (`MARK`) with what no stack tells: rank, state,
processor time. docs/assets/hang.js is the twin.
"""

from __future__ import annotations

from typing import TypedDict

from .clean import DIGITS, strip_prefix
from .failure import FOLDERS
from .ranks import rank_of

#: Begins a line of `torchclinic hang`: words `name=value` follow.
MARK = "# torchclinic "
#: One of these stands in a dump; one of those in what is none of a hang: a crash, a profile.
SIGNS = ("(most recent call first)", '): "', "Thread ", MARK)
NOT = ("Fatal Python error", "Windows fatal exception", "(0xC0000", "%Own", ");")
#: Only `torchclinic` says it of a process, in its line.
MARKED = "host"
#: Lines of a text, characters of a line and frames of a thread that are read.
READ, LONG, DEEP = 200_000, 1000, 400
#: Share of a processor with which a process works.
WORKS = 0.1
#: First parts of paths, as py-spy shortens them, that are no user's own files.
LIBRARIES = (
    *("torch", "torchvision", "torchaudio", "numpy", "transformers", "accelerate", "lightning"),
    *("pytorch_lightning", "deepspeed", "datasets", "PIL", "cv2", "debugpy", "urllib3", "botocore"),
    *("fsspec", "s3fs", "gcsfs", "requests", "filelock", "tqdm", "ray", "ipykernel", "IPython"),
    *("threading", "queue", "selectors", "socket", "ssl", "subprocess", "runpy", "contextlib"),
    *("multiprocessing", "logging", "concurrent", "asyncio", "importlib", "http", "urllib", "os"),
    *("socketserver", "pickle", "tempfile", "shutil", "functools", "bdb", "pdb", "cmd", "codecs"),
    *("gzip", "zipfile", "tarfile", "weakref", "inspect", "ast", "dis", "signal", "json", "copy"),
)


class Frame(TypedDict):
    function: str
    file: str  # without the folder of installed packages
    line: str
    own: bool  # the program's own file


class Process:
    """One process, of one dump or of several."""

    def __init__(self, told: dict[str, str], rank: str):
        self.pid, self.command = told.get("pid", ""), ""
        self.rank = told.get("rank", rank)
        self.told = told
        self.threads: list[tuple[str, str, list[Frame]]] = []  # name, status, frames
        self.stacks: list[list[Frame]] = []  # of the main thread, one for each dump
        self.active = False

    def close(self) -> None:
        """This dump is read: keep its main thread."""
        main = next((one for one in self.threads if one[0] == "MainThread"), None)
        main = main or next((one for one in self.threads if _is_main(one[2])), None)
        main = main or (self.threads[0] if self.threads else None)
        if main:
            self.stacks.append(main[2])
            self.active = self.active or main[1].startswith("active")
        self.threads = []

    @property
    def frames(self) -> list[Frame]:
        return self.stacks[-1] if self.stacks else []

    @property
    def works(self) -> bool:
        if any(stack != self.stacks[0] for stack in self.stacks):
            return True
        if self.told.get("state") == "R":  # or would, if a processor were free
            return True
        if "cpu" in self.told:
            return number_of(self.told["cpu"]) >= WORKS
        return self.active

    @property
    def spins(self) -> bool:
        """Does it use the processor at one place, in a program that uses a GPU? It computes there,
        or waits for the GPU: with NCCL, for the other ranks."""
        still = len(self.stacks) > 1 and all(stack == self.stacks[0] for stack in self.stacks)
        return still and self.works and "gpu" in self.told

    @property
    def stopped(self) -> bool:
        return self.told.get("state", "") in ("T", "t")


def processes(clean: str) -> list[Process]:
    found: dict[str, Process] = {}
    current: dict[str, Process] = {}  # by the prefix that a launcher put before the lines
    told: dict[str, str] = {}
    for line in clean.split("\n")[:READ]:
        prefix, text = rank_of(line), strip_prefix(line[:LONG])
        if text.startswith(MARK):
            pairs = (word.partition("=") for word in text.removeprefix(MARK).split(" "))
            told = {name: value for name, _, value in pairs if value}
            _close(current, prefix)
            if "pid" in told:
                current[prefix] = _known(found, told, prefix)
        elif text.startswith("Process ") and ":" in text[8:30]:
            pid, _, command = text[8:].partition(":")
            if pid.strip(DIGITS):
                continue
            one = current.get(prefix)
            if one is None or one.pid != pid or one.threads:
                _close(current, prefix)
                current[prefix] = one = _known(found, {"pid": pid}, prefix)
            one.command = command
        elif thread := _thread(text):
            name, status, number = thread
            one = current.get(prefix)
            if one is None or _ends(one, name):
                _close(current, prefix)
                key = {"pid": "", "thread": number if not prefix else ""}
                # faulthandler says whose stacks they are only where a line above does.
                again = one is not None and not name and MARKED in one.told
                told = one.told if one and again else key
                current[prefix] = one = _known(found, told, prefix)
            one.threads.append((name, status, []))
        elif (one := current.get(prefix)) and one.threads and (frame := _frame(text)):
            if len(one.threads[-1][2]) < DEEP:
                one.threads[-1][2].append(frame)
    for prefix in list(current):
        _close(current, prefix)
    return list(found.values())


def _known(found: dict[str, Process], told: dict[str, str], prefix: str) -> Process:
    pid, host = told.get("pid", ""), told.get("host", "")
    key = f"{host} {pid}" if pid else f"rank {prefix}" if prefix else f"at {told.get('thread')}"
    one = found.setdefault(key, Process(told, prefix))
    one.told = {**one.told, **told}
    return one


def _close(current: dict[str, Process], prefix: str) -> None:
    if one := current.pop(prefix, None):
        one.close()


def _ends(one: Process, name: str) -> bool:
    """Does a thread of this name begin another process? py-spy begins with the main thread,
    faulthandler ends with it."""
    if name:
        return name == "MainThread" and bool(one.threads)
    return bool(one.threads) and not one.threads[-1][0] and _is_main(one.threads[-1][2])


def _is_main(frames: list[Frame]) -> bool:
    return bool(frames) and not (
        frames[-1]["file"].endswith("threading.py") and frames[-1]["function"] == "_bootstrap"
    )


def _thread(text: str) -> tuple[str, str, str] | None:
    """Name, status and number of the thread that a line begins."""
    start = next((word for word in ("Thread ", "Current thread ") if text.startswith(word)), "")
    if not start or "(" not in text:
        return None
    number, _, rest = text.removeprefix(start).partition(" ")
    if "(most recent call first)" in rest:
        return "", "", number
    status, _, name = rest.removeprefix("(").partition(")")
    return name.removeprefix(": ").strip('"'), status, number


def _frame(text: str) -> Frame | None:
    if text.startswith('File "'):
        file, _, rest = text.removeprefix('File "').partition('"')
        line, _, function = rest.removeprefix(", line ").partition(" in ")
        if not function or line.strip(DIGITS):
            return None
    else:
        function, _, inside = text.rpartition(" (")
        if not function or not inside.endswith(")"):
            return None
        file, _, line = inside[:-1].rpartition(":")
        if not file or line.strip(DIGITS):
            file, line = inside[:-1], ""
    file, library = _shortened(file.replace("\\", "/"))
    own = bool(line) and not library
    return {"function": function.rpartition(".")[2], "file": file, "line": line, "own": own}


def _shortened(file: str) -> tuple[str, bool]:
    """A path without the folder of packages, and whether it is of a package."""
    parts = file.split("/")
    for folder in FOLDERS:
        if folder in parts[:-1]:
            return "/".join(parts[parts.index(folder) + 1 :]), True
    for at, part in enumerate(parts[:-1]):
        if part.startswith("python3.") and at:
            return "/".join(parts[at + 1 :]), True
    return file, file.startswith("<") or parts[0].removesuffix(".py") in LIBRARIES


def number_of(text: str) -> float:
    whole, _, part = text[:12].partition(".")
    if not whole + part or (whole + part).strip(DIGITS):
        return 0.0
    return float(f"{whole or 0}.{part or 0}")
