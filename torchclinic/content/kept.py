"""What was worked out from a checkout's files, kept in its `.cache/` from one run to the next.

A result belongs to what it was made of, and to this program's own code: another text is another
result, so nothing here can be out of date.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import os
import pickle
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from threading import get_ident
from typing import TypeVar

from .problem import Problems

FOLDER = ".cache"
#: Results that a file holds; those that were not asked for longest go first.
MOST = 2000
_T = TypeVar("_T")


class Kept:
    """Results of one kind: a file, read when it is opened, and written at the end if anything is
    new. `with Kept(root, name) as kept`."""

    def __init__(self, root: Path, name: str):
        self.file = root / FOLDER / f"{name}.pickle"
        self.used: dict[bytes, bytes] = {}
        self.fresh = False

    def __enter__(self) -> Kept:
        try:
            held = pickle.loads(self.file.read_bytes())
        except Exception:  # none yet, or cut off, or another program's: made anew
            held = {}
        self.before: dict[bytes, bytes] = held if isinstance(held, dict) else {}
        return self

    def of(self, problems: Problems, make: Callable[[Problems], _T], *made_of: str | bytes) -> _T:
        """What `make` returns, and in `problems` what it reports; called only if not known.

        Args:
            made_of: all that the result depends on, but for the program.
        """
        key = digest(_program(), *made_of)
        packed = self.before.pop(key, None) or self.used.get(key)
        if packed is None:
            found = Problems(problems.root)
            result = make(found)
            packed, self.fresh = pickle.dumps((result, [*found]), protocol=5), True
        else:
            result, found = pickle.loads(packed)
        self.used[key] = packed
        problems += found
        return result

    def read(
        self, problems: Problems, parse: Callable[..., _T | None], file: Path, *language: str
    ) -> _T | None:
        """What `parse` reads in a file, unless that is known of its text."""
        try:
            held = file.read_bytes()
        except OSError:
            return parse(file, *language, problems)  # reports it
        here: list[str] = [parse.__module__, str(problems.root), str(file), *language]
        return self.of(problems, lambda found: parse(file, *language, found), held, *here)

    def __exit__(self, *error: object) -> None:
        if not self.fresh or not self.file.parent.parent.is_dir():
            return
        newest = [*self.before.items(), *self.used.items()][-MOST:]
        new = self.file.with_name(f"{self.file.name}.{os.getpid()}-{get_ident()}")
        try:
            self.file.parent.mkdir(exist_ok=True)
            new.write_bytes(pickle.dumps(dict(newest), protocol=5))
            new.replace(self.file)  # whole or not at all: others may read it now
        except OSError:  # without it things are slow, not wrong
            with contextlib.suppress(OSError):
                new.unlink()


def digest(*parts: str | bytes) -> bytes:
    """Of texts, each apart from the next."""
    whole = sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        whole.update(b"%d:" % len(data) + data)
    return whole.digest()


@functools.cache
def _program() -> bytes:
    """Of the code that a result comes from."""
    content = Path(__file__).parent
    files = sorted([*content.glob("*.*"), *(content.parent / "find").glob("*.py")])
    return digest(sys.version, *(file.read_bytes() for file in files))


@contextmanager
def uncollected() -> Iterator[None]:
    """Without the collector of garbage, which finds none among what is only read, and looks through
    all of it each time that it has grown."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()
