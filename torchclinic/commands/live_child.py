"""What the processes of `torchclinic run --live` leave for it: one file each that died."""

from __future__ import annotations

import json
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from ..content.problem import BadInput
from ..find.live import HEAD
from ..run import live
from .frames import is_users

if TYPE_CHECKING:
    from .knowledge import Knowledge

#: Its value `0` ends it all.
SWITCH = "TORCHCLINIC_LIVE"
FOLDER = "TORCHCLINIC_LIVE_DIR"
#: Bytes of a file that are read: anybody may write there.
LONGEST = 4 * live.LONGEST


def facts_of(error: BaseException, also_users: Callable[[str], bool] = lambda file: False) -> str:
    """What this process knew when an exception ended it; "" where that is switched off.

    Args:
        also_users: more files that are the user's own, e.g. the cells of a notebook.
    """
    if os.environ.get(SWITCH) == "0":
        return ""
    return live.gather(error, lambda file: also_users(file) or is_users(file))


def keep(error: BaseException, folder: str) -> None:
    """Leave it for the process that started this one."""
    if facts := facts_of(error):
        name = f"{time.time_ns():020}-{os.getpid()}"
        part = Path(folder, f"{name}.part")
        part.write_text(facts, encoding="utf-8")
        part.rename(Path(folder, f"{name}.txt"))


class Heard:
    """What the processes of one run left.

    Attributes:
        folder: where they leave it.
        jsonl: a file that takes the answer as a line of JSON; "" for none.
        save: a file that takes what was printed, with what the program knew; "" for none.
    """

    def __init__(self, folder: str, jsonl: str = "", save: str = "") -> None:
        self.folder, self.jsonl, self.save = Path(folder), jsonl, save

    def facts(self) -> str:
        """What the process knew that died first; "" where none left anything."""
        for file in sorted(self.folder.glob("*.txt")):
            with file.open("rb") as opened:
                text = opened.read(LONGEST).decode("utf-8", "replace")
            if text.startswith(HEAD):
                return text
        return ""

    def note(self, known: Knowledge, text: str) -> None:
        """Put what was printed, with the facts, and the answer for it into the files that were
        asked for.

        Raises:
            BadInput: one cannot be written; says so.
        """
        if self.save:
            _write(self.save, text.rstrip("\n"), "w")
        if self.jsonl:
            from .lookup import row_of

            row = row_of("", known.look_up(text, search=False))
            _write(self.jsonl, json.dumps({**row, "facts": self.facts()}, ensure_ascii=False), "a")


def _write(name: str, text: str, mode: str) -> None:
    try:
        with Path(name).open(mode, encoding="utf-8") as file:
            file.write(text + "\n")
    except OSError as error:
        raise BadInput(f"{name} cannot be written: {error.strerror}") from None


@contextmanager
def listening(jsonl: str | None = None, save: str | None = None) -> Iterator[Heard]:
    """Until it ends, processes that this one starts leave there what they know when they die."""
    kept = tempfile.TemporaryDirectory(prefix="torchclinic-", ignore_cleanup_errors=True)
    with kept as folder, startup(FOLDER, folder):
        yield Heard(folder, jsonl or "", save or "")


@contextmanager
def startup(variable: str, folder: str) -> Iterator[None]:
    """Until it ends, each Python that this process starts runs startup/sitecustomize.py first, and
    is told a folder by a variable."""
    hook = str(Path(__file__).with_name("startup"))
    paths = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    paths = [hook, *(path for path in paths if path and path != hook)]
    former = {name: os.environ.get(name) for name in ("PYTHONPATH", variable)}
    os.environ.update({"PYTHONPATH": os.pathsep.join(paths), variable: folder})
    try:
        yield
    finally:
        for name, value in former.items():
            os.environ.pop(name)
            if value is not None:
                os.environ[name] = value
