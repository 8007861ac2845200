"""Cleaning: what terminals, browsers, loggers and launchers do to a message, undone; lines that only quote code; redaction.

The twin in JavaScript must agree on every input, so nothing here depends on Unicode tables: words, blanks and line ends are listed.
"""

from __future__ import annotations

WORD = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")
_ONLY_WORDS = {code: " " for code in range(128) if chr(code) not in WORD}
#: What people's editors, browsers and chat programs put in place of what was printed.
_REPLACE = (
    *((chr(code), " ") for code in (9, 11, 12, 28, 29, 30, 31, 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029, 0x202F, 0x205F, 0x3000)),
    *((chr(code), "") for code in (0, 0xAD, 0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF)),
    *zip("\u2018\u2019\u201a\u201c\u201d\u201e\u00ab\u00bb", '\'\'\'"""""', strict=True),
    *zip("\uff08\uff09\uff0c\uff1a\uff1b\uff01\uff1f\uff3b\uff3d\uff1d\uff0e\uff40", "(),:;!?[]=.`", strict=True),
)
_REPLACE_ASCII = tuple(pair for pair in _REPLACE if pair[0].isascii())
_ENTITIES = (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&#39;", "'"), ("&#x27;", "'"), ("&nbsp;", " "), ("&amp;", "&"))
_EDGE = " >|\u2502\u2503\u2551\u2506\u250a\u2771\u276f"
_LEVELS = ("ERROR", "WARNING", "WARN", "INFO", "DEBUG", "CRITICAL", "FATAL", "(W)", "(E)")
_CODE = ("raise ", "warnings.warn(", "warn(", "assert ", "return ", "msg = ", "print(", "logger.", "if ", "elif ", "except ", 'f"', "f'", "TORCH_CHECK", "#")
_TYPES = ("Error", "Exception", "Warning", "Interrupt", "Exit", "Unsupported", "Failed", "Timeout", "Iteration", "Miss", "Hit")


def words(text: str) -> list[str]:
    """Runs of ASCII letters, digits and underscores."""
    return plain(text).split()


def plain(text: str) -> str:
    """The text with a blank for every character that is of no word."""
    if not text.isascii():
        # Every other character ends a word; translating a text of one byte a character is much the quickest.
        text = text.encode("ascii", "replace").decode("ascii")
    return text.translate(_ONLY_WORDS)


def normalise(text: str) -> str:
    """Undo what terminals, browsers and editors do to a text. Lines stay lines."""
    if not text.isascii() and len(text.encode("utf-16-le", "surrogatepass")) > 2 * len(text):
        # Emoji and their like are one character here and two in JavaScript, which is how they are noticed; no wording has any.
        text = "".join(c if c <= "\uffff" else "\ufffd" for c in text)
    if "\x1b" in text or "\x9b" in text:
        text = _without_escapes(text)
    for old, new in _REPLACE_ASCII if text.isascii() else _REPLACE:
        if old in text:
            text = text.replace(old, new)
    if "&" in text:
        for old, new in _ENTITIES:
            text = text.replace(old, new)
    return text


def _without_escapes(text: str) -> str:
    """Drop ANSI sequences: ESC [ ... letter (colours), ESC ] ... BEL (titles and links), ESC and one character."""
    pieces = text.replace("\x9b", "\x1b[").split("\x1b")
    kept = [pieces[0]]
    for piece in pieces[1:]:
        if piece[:1] == "[":
            at = 1
            while at < len(piece) and at < 40 and piece[at] in "0123456789;:?<=>!$ '\"":
                at += 1
            kept.append(piece[at + 1 :] if at < len(piece) and piece[at] != "\n" else piece[at:])
        elif piece[:1] == "]":
            end = piece.find("\x07")
            kept.append(piece[end + 1 :] if 0 <= end < 2000 and "\n" not in piece[:end] else piece[1:])
        else:
            kept.append(piece[1:] if piece[:1] != "\n" else piece)
    return "".join(kept)


def binary(head: str) -> bool:
    """More than a tenth of these characters are controls or undecodable: a file, not a message."""
    return sum(1 for c in head if c < " " and c not in "\n\t\x1b\x00\x07\x08\x0b\x0c" or c == "\ufffd") * 10 > len(head)


def strip_prefix(line: str) -> str:
    """A line without what loggers, launchers, boxes and quotes put before (and behind) it."""
    line = line.strip(_EDGE)
    for _ in range(6):
        before = line
        first = line[:1]
        if first == "[":
            end = line.find("]", 0, 60)
            inside = line[1:end] if end > 0 else ""
            if (
                inside
                and not inside.startswith(("Errno", "WinError"))
                and (inside.startswith(("rank", "Rank", "default")) or _has_digit(inside) or inside.strip() in _LEVELS)
            ):
                line = line[end + 1 :].lstrip(": ")
        elif first == "(":
            end = line.find(")", 0, 80)
            if end > 0 and "pid=" in line[:end]:
                line = line[end + 1 :]
        elif line.startswith("E  "):
            line = line[1:]
        elif first in "WEIFD" and len(line) > 5 and all(c in "0123456789" for c in line[1:5]):  # glog: W0515 17:31:25.123 12 file.py:9]
            end = line.find("] ", 0, 120)
            if end > 0:
                line = line[end + 2 :]
        elif first and first in "0123456789":
            token = line.split(" ", 1)[0]
            if (
                len(token) > 1
                and all(c in "0123456789-:/.,TZ+" for c in token)
                and any(c in ":-/" for c in token)
                or token.endswith(":")
                and all(c in "0123456789" for c in token[:-1])
            ):
                line = line[len(token) :]
        else:
            for level in _LEVELS:
                if line.startswith(level) and line[len(level) : len(level) + 1] in (" ", ":", "|", "-"):
                    line = line[len(level) :].lstrip(" :|-")
                    end = line.find("] ", 0, 80)  # vLLM: ERROR 01-11 13:09:40 engine.py:366]
                    if end > 0 and _has_digit(line[:end]) and "[" not in line[:end]:
                        line = line[end + 2 :]
                    break
        line = line.strip(_EDGE)
        if line == before:
            break
    return line


def _has_digit(text: str) -> bool:
    return any(c in "0123456789" for c in text)


def is_source(text: str, previous: str) -> bool:
    """Is this a quoted line of code? It may hold a message's text, but nobody printed it."""
    if printed_type(text + " "):
        return False
    if previous.startswith('File "') and ", line " in previous:
        return not text.startswith('File "')  # a frame follows a frame: faulthandler quotes no code
    code = text.lstrip("-> 0123456789\u2502:")
    return code.startswith(_CODE)


def printed_type(before: str) -> str:
    """The exception class that stands at the beginning of a line, without its module; "" if none does."""
    if ":" not in before:
        return ""
    name = before[: before.find(":")].strip()
    name = name[name.rfind(" ") + 1 :]
    name = name[name.rfind(".") + 1 :]
    return name if name.endswith(_TYPES) and all(c in WORD for c in name) else ""


def redact(line: str) -> str:
    """A line without what could tell who or where: paths, addresses, secrets and numbers are replaced by their kind."""
    return " ".join(_redact_word(word) for word in line.split(" "))


def _redact_word(word: str) -> str:
    core = word.strip("\"'`()[]{}<>,;:!?=")
    if not core:
        return word
    digits = sum(1 for c in core if c in "0123456789")
    letters = sum(1 for c in core if c in WORD) - digits
    if "@" in core or "://" in core:
        kind = "<address>"
    elif "/" in core or "\\" in core:
        kind = "<path>"
    elif len(core) >= 20 and digits >= 4 and letters >= 4:
        kind = "<secret>"
    else:
        kind = ""
        for c in core:
            if c not in "0123456789":
                kind += c
            elif not kind.endswith("<n>"):
                kind += "<n>"
    return word.replace(core, kind, 1)
