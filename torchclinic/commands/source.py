"""The bytes of a log: a file or standard input, plain or compressed (gzip, Zstandard), and of a
long one the end."""

from __future__ import annotations

import io
import json
import os
import shutil
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, cast

from ..content.problem import BadInput
from .decode import HEAD
from .knowledge import program

GZIP, ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
#: Why nothing of a compressed file can be read.
CUT = "it is damaged, or its end is missing"
#: Bytes that are read at once.
BLOCK = 1 << 20


@contextmanager
def opened(name: str) -> Iterator[IO[bytes]]:
    """A file by its name, or standard input for `-`, decompressed.

    Raises:
        BadInput: it cannot be opened, or read.
    """
    try:
        with _file(name) as file, _plain(file) as plain:
            yield plain
    except (OSError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or error
        raise BadInput(
            f"{'standard input' if name == '-' else name} cannot be read ({reason}). Give a file, "
            f"or pipe the text in: `python train.py 2>&1 | {program()} lookup`"
        ) from None


@contextmanager
def _file(name: str) -> Iterator[IO[bytes]]:
    """Standard input is left open. Raises: OSError, also where whoever started us closed it."""
    if name != "-":
        with Path(name).open("rb") as file:
            yield file
    elif sys.stdin is None:
        raise OSError(None, "it is closed")
    else:
        yield sys.stdin.buffer


@contextmanager
def _plain(file: IO[bytes]) -> Iterator[IO[bytes]]:
    head = file.peek(4)[:4] if hasattr(file, "peek") else b""
    if head[:2] == GZIP:
        import gzip

        yield cast("IO[bytes]", gzip.GzipFile(fileobj=file))
    elif head == ZSTD:
        with _from_zstd(file) as plain:
            yield plain
    else:
        yield file


@contextmanager
def _from_zstd(file: IO[bytes]) -> Iterator[IO[bytes]]:
    if sys.version_info >= (3, 14):
        from compression import zstd

        yield cast("IO[bytes]", zstd.ZstdFile(file))
        return
    unpacker = shutil.which("zstd")
    if not (unpacker and file.seekable()):
        raise OSError(None, "to read it, pipe it through `zstd -dc`")
    import subprocess

    os.lseek(file.fileno(), 0, os.SEEK_SET)  # what was peeked at is in our buffer
    with subprocess.Popen(
        [unpacker, "-dcq"], stdin=file, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as unpacking:
        plain = unpacking.stdout
        assert isinstance(plain, io.BufferedReader)
        if not plain.peek(1) and unpacking.wait():
            raise OSError(None, CUT)
        yield plain


def rows(name: str, *fields: str, **defaults: str) -> Iterator[tuple[int, list[Any]]]:
    """The fields of each line of JSON, with its number: at once, since another program may be at
    both ends of the pipe.

    Args:
        defaults: of fields that a line may lack.

    Raises:
        BadInput: the file cannot be read, or a line lacks a field.
    """
    with opened(name) as file:
        for number, line in enumerate(file, 1):
            if not line.strip():
                continue
            try:
                row = json.loads(line)
                values = [{**defaults, **row}[field] for field in fields]
            except (ValueError, KeyError, TypeError, RecursionError) as error:
                shape = ", ".join(f'"{field}": …' for field in fields if field not in defaults)
                why = f"{error} is missing" if isinstance(error, KeyError) else error
                raise BadInput(f"line {number} is not {{{shape}}}: {why}") from None
            yield number, values


def end_of(file: IO[bytes], most: int) -> tuple[bytes, bytes, int]:
    """The last bytes of what a file holds, its first ones (by which its encoding is told), and how
    many were left out."""
    if isinstance(file, io.BufferedReader) and file.seekable():
        head = file.read(HEAD)
        skipped = max(0, file.seek(0, os.SEEK_END) - most) & ~1  # UTF-16 has two bytes a character
        file.seek(skipped)
        return file.read(), head, skipped
    return _end_of_stream(file, most)


def _end_of_stream(file: IO[bytes], most: int) -> tuple[bytes, bytes, int]:
    head, pieces, size, skipped = b"", [], 0, 0
    for data in _blocks(file):
        head = head or data[:HEAD]
        pieces.append(data)
        size += len(data)
        while size - len(pieces[0]) >= most:
            size -= len(pieces[0])
            skipped += len(pieces.pop(0))
    return b"".join(pieces), head, skipped


def _blocks(file: Any) -> Iterator[bytes]:
    """What a file holds, piece by piece; of a compressed one that is still written, or was damaged,
    what can be unpacked."""
    unpacked = False
    try:
        while data := file.read1(BLOCK):
            yield data
            unpacked = True
    except EOFError:
        if not unpacked:
            raise OSError(None, CUT) from None
    except (OSError, zlib.error) as error:
        if not unpacked or getattr(error, "errno", None):
            raise
