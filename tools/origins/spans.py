"""Since when, and until when, the messages of libraries are there: a reader may fail to follow a
message to its call, while its literals stand in the library all the same."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping

from .release import Release
from .template import Site, literals

#: Characters kept of a text: a longer message is known by its beginning.
LONG = 240
#: Strings that a literal may be made of, and letters of each: a stream is written to piece by
#: piece.
PIECES, PIECE = 4, 6


def cut(text: str) -> str:
    """A text as the table holds it: a hole stands for what is beyond LONG."""
    if len(text) > LONG:
        end = text.rfind(" ", 0, LONG)
        text = text[: end if end > 0 else LONG]
        if text.rfind("{") > text.rfind("}"):
            text = text[: text.rfind("{")]
        text += "{}"
    return text


def whole(release: Release) -> list[tuple[str, Site]]:
    """What Linux's libraries print, less what is only the beginning of a text that macOS's have in
    the same file: there the reader lost the rest."""
    texts: dict[str, list[str]] = {}
    for file, text in sorted({(file, site.text) for file, site in release.native or []}):
        texts.setdefault(file, []).append(text)

    def cut_off(file: str, text: str) -> bool:
        known = texts.get(file, [])
        at = bisect_right(known, text)
        return at < len(known) and known[at].startswith(text)

    return [(file, site) for file, site in release.linux or [] if not cut_off(file, site.text)]


def since(
    text: str,
    releases: list[str],
    linux: list[str],
    older: Mapping[str, list[bytes]],
    in_macos: bool,
) -> int:
    """The first release of a message of C++ that no release in the table was seen to print: where
    its literals stand, it was there, and not followed to its call.

    Args:
        releases, linux: of the table; those whose libraries for Linux were read.
        older: release -> the strings of its libraries, sorted.
        in_macos: macOS's libraries have it too.

    Returns: ~first, where the release before was not read for it.
    """
    first = len(releases)
    while first and stands(text, older.get(releases[first - 1], [])):
        first -= 1
    if not first:
        return first
    before = releases[first - 1]
    return first if older.get(before) and (in_macos or before in linux) else ~first


def stands(text: str, strings: list[bytes]) -> bool:
    """Is every literal of a template a string of its own in a library, or several, one written
    after the other? The last of a text that was cut begins one."""
    parts = [literal.encode() for literal in literals(text)]
    was_cut = parts.pop(-2) if len(text) > LONG * 3 // 4 and not parts[-1] else b""
    return (
        bool(strings)
        and _written(was_cut, strings, True)
        and all(_written(literal, strings, False) for literal in parts if len(literal) > 1)
    )


def _written(literal: bytes, strings: list[bytes], cut: bool, pieces: int = PIECES) -> bool:
    """Is a literal a string, but for a blank at its end, or made of so many pieces? `cut`: the last
    need only begin one."""

    def next_of(start: bytes) -> bytes:
        at = bisect_left(strings, start)
        return strings[at] if at < len(strings) else b""

    if cut and next_of(literal).startswith(literal):
        return True
    if any(next_of(literal + end) == literal + end for end in (b"", b" ", b"\n")):
        return True
    ends = range(PIECE, len(literal) - PIECE + 1) if pieces > 1 else ()
    return any(
        next_of(literal[:end]) == literal[:end]
        and _written(literal[end:], strings, cut, pieces - 1)
        for end in ends
    )
