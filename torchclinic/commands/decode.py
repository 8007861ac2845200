"""Text from the bytes of a log, whatever wrote them: UTF-8, UTF-16 of PowerShell, code pages of
Windows, both in one file.

A line that is UTF-8 is read so. The others of a text are read by one code page: of those whose
common characters its bytes are, the likeliest; else the machine's own; else that of Western Europe.
"""

from __future__ import annotations

import codecs
import locale
from collections.abc import Iterator
from typing import NamedTuple

#: Bytes of a text's beginning that tell UTF-16.
HEAD = 200
#: Bytes by which a code page is chosen.
SEEN = 1 << 16
#: Of the characters of two bytes so many must be common ones.
COMMON = 0.7
#: A text in Chinese of so many characters hardly ever has those alone that would be Hangul.
HANGUL = 4
#: Where more of the bytes are controls that no text has, it is none.
CONTROLS = 0.02
_CONTROL = bytes(code for code in range(32) if code not in b"\0\t\n\r\x07\x08\x0b\x0c\x1b")
#: A byte behind which nothing is undefined: cp1252 lacks five.
_FALLBACK = "latin-1"


class Page(NamedTuple):
    """A code page, and where its common characters lie: first bytes, and the least second one."""

    codec: str
    leads: frozenset[int]
    trail: int


def _leads(*ranges: tuple[int, int]) -> frozenset[int]:
    return frozenset(byte for first, last in ranges for byte in range(first, last + 1))


#: Chinese, Japanese, Chinese in Taiwan: common characters and punctuation, in the order of trying.
PAGES = (
    Page("gb18030", _leads((0xA1, 0xA3), (0xB0, 0xD7)), 0xA1),
    Page("cp932", _leads((0x81, 0x83), (0x88, 0x97)), 0x40),
    Page("cp950", _leads((0xA1, 0xA1), (0xA4, 0xC6)), 0x40),
)
KOREAN = Page("cp949", _leads((0xB0, 0xC8)), 0xA1)


def wide(head: bytes) -> str:
    """ "utf-16-le" or "utf-16-be" where a text begins so, with a mark or with every second byte 0;
    else ""."""
    if head[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        return "utf-16-le" if head[0] == 0xFF else "utf-16-be"
    for name, zeros in (("utf-16-le", head[1:HEAD:2]), ("utf-16-be", head[0:HEAD:2])):
        other = head[0:HEAD:2] if name == "utf-16-le" else head[1:HEAD:2]
        if zeros.count(0) > len(zeros) // 2 and other.count(0) < len(other) // 2:
            return name
    return ""


def decode(data: bytes, utf16: str | None = None) -> str:
    """The text.

    Args:
        utf16: what `wide` says of the beginning, where `data` is only the end.

    Bytes that are no text become U+FFFD, by which the lookup knows them.
    """
    utf16 = wide(data[:HEAD]) if utf16 is None else utf16
    if utf16:
        return data.decode(utf16, "replace")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        pass
    if _is_binary(data):
        return data.decode("utf-8", "replace")
    lines = data.split(b"\n")
    codec = code_page(b"\n".join(_foreign(lines)))
    return "\n".join(_line(line, codec) for line in lines)


def _is_binary(data: bytes) -> bool:
    seen = data.lstrip(b"\0")[: 1 << 12]  # a log that was cut while it was written begins with 0s
    return len(seen) - len(seen.translate(None, _CONTROL)) > CONTROLS * len(seen) or (
        seen.count(0) > CONTROLS * len(seen)
    )


def _foreign(lines: list[bytes]) -> Iterator[bytes]:
    """Lines that are no UTF-8, as many as are needed."""
    size = 0
    for line in lines:
        if size < SEEN and not line.isascii() and _utf8(line) is None:
            size += len(line)
            yield line[:SEEN]


def _line(line: bytes, codec: str) -> str:
    text = _utf8(line)
    return line.decode(codec, "replace") if text is None else text


def _utf8(line: bytes) -> str | None:
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError:
        return None


def code_page(data: bytes) -> str:
    """The codec of lines that are no UTF-8."""
    pairs = _pairs(data)
    if len(pairs) >= HANGUL and all(_is_common(pair, KOREAN) for pair in pairs):
        return KOREAN.codec
    shares = {
        page.codec: sum(_is_common(pair, page) for pair in pairs) / len(pairs)
        for page in PAGES
        if pairs
    }
    best = max(shares, key=shares.__getitem__, default="")
    if best and shares[best] >= COMMON:
        return best
    own = codecs.lookup(locale.getpreferredencoding(False)).name
    if own not in ("utf-8", "ascii"):
        return own
    return "cp1252" if not set(data) & {0x81, 0x8D, 0x8F, 0x90, 0x9D} else _FALLBACK


def _pairs(data: bytes) -> list[tuple[int, int]]:
    """Characters of two bytes, as code pages of East Asia write them."""
    pairs, at = [], 0
    while at < len(data) - 1:
        if data[at] < 0x80:
            at += 1
        else:
            pairs.append((data[at], data[at + 1]))
            at += 2
    return pairs


def _is_common(pair: tuple[int, int], page: Page) -> bool:
    return pair[0] in page.leads and pair[1] >= page.trail
