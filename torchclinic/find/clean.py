"""Cleaning: what terminals, browsers, loggers and launchers do to a message, undone.

Also: which lines only quote code, and redaction. The twin in JavaScript, docs/assets/clean.js, must
agree on every input, so nothing here depends on Unicode tables: words, blanks and line ends are
listed. It reads these tables from the index (content/index.py).
"""

from __future__ import annotations

DIGITS = "0123456789"
WORD = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")
_ONLY_WORDS = {code: " " for code in range(128) if chr(code) not in WORD}
_BLANKS = (
    *(9, 11, 12, 28, 29, 30, 31, 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B)),
    *(0x2028, 0x2029, 0x202F, 0x205F, 0x3000),
)
_NOTHING = (0, 0xAD, 0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF)
_QUOTES = "\u2018\u2019\u201a\u201c\u201d\u201e\u00ab\u00bb"
_WIDE = "\uff08\uff09\uff0c\uff1a\uff1b\uff01\uff1f\uff3b\uff3d\uff1d\uff0e\uff40"
#: What editors, browsers and chat programs put in place of what was printed -> that.
REPLACED: dict[str, str] = {
    **{chr(code): " " for code in _BLANKS},
    **{chr(code): "" for code in _NOTHING},
    **dict(zip(_QUOTES, '\'\'\'"""""', strict=True)),
    **dict(zip(_WIDE, "(),:;!?[]=.`", strict=True)),
}
_REPLACED_ASCII = {old: new for old, new in REPLACED.items() if old.isascii()}
#: In this order: what an `&amp;` leaves is no entity.
ENTITIES = {
    **{"&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'", "&#x27;": "'"},
    **{"&nbsp;": " ", "&amp;": "&"},
}
#: What stands at the edges of lines in boxes, quotes and prompts.
EDGE = " >|\u2502\u2503\u2551\u2506\u250a\u2771\u276f"
LEVELS = ("ERROR", "WARNING", "WARN", "INFO", "DEBUG", "CRITICAL", "FATAL", "(W)", "(E)")
#: How a line of code begins that quotes a message.
CODE = (
    *("raise ", "warnings.warn(", "warn(", "assert ", "return ", "msg = ", "print(", "logger."),
    *("if ", "elif ", "except ", 'f"', "f'", "TORCH_CHECK", "#"),
)
#: How Chinese systems say what others say in English: as glibc's own catalogue has it.
SPOKEN = {
    "\u6bb5\u9519\u8bef": "Segmentation fault",
    "\u6838\u5fc3\u5df2\u8f6c\u50a8": "core dumped",
    "\u5410\u6838": "core dumped",
    "\u5df2\u653e\u5f03": "Aborted",
    "\u5df2\u4e2d\u6b62": "Aborted",
    "\u5df2\u6740\u6b7b": "Killed",
    "\u603b\u7ebf\u9519\u8bef": "Bus error",
    "\u975e\u6cd5\u6307\u4ee4": "Illegal instruction",
    "\u6d6e\u70b9\u6570\u4f8b\u5916": "Floating point exception",
    "\u8bbe\u5907\u4e0a\u6ca1\u6709\u7a7a\u95f4": "No space left on device",
    "\u8d85\u51fa\u78c1\u76d8\u9650\u989d": "Disk quota exceeded",
    "\u6ca1\u6709\u90a3\u4e2a\u6587\u4ef6\u6216\u76ee\u5f55": "No such file or directory",
    "\u6743\u9650\u4e0d\u591f": "Permission denied",
    "\u65e0\u6cd5\u5206\u914d\u5185\u5b58": "Cannot allocate memory",
    "\u6253\u5f00\u7684\u6587\u4ef6\u8fc7\u591a": "Too many open files",
    "\u62d2\u7edd\u8fde\u63a5": "Connection refused",
    "\u5730\u5740\u5df2\u5728\u4f7f\u7528": "Address already in use",
    "\u8fde\u63a5\u88ab\u5bf9\u65b9\u91cd\u8bbe": "Connection reset by peer",
    "\u7f51\u7edc\u4e0d\u53ef\u8fbe": "Network is unreachable",
    "\u53ea\u8bfb\u6587\u4ef6\u7cfb\u7edf": "Read-only file system",
}
#: What lines of tracebacks begin with, behind what the writer of a log puts before every line.
TRACED = ("Traceback (most recent call last)", '  File "')
#: Such lines that are asked, characters of a prefix, prefixes of one text.
TRIES, PREFIX, PREFIXES = 200, 120, 8
#: How a prefix begins that says which process printed a line: it stays.
RANKS = ("[rank", "[Rank", "[default")
_DIGIT = frozenset(DIGITS)
#: Letters and digits from which on a word may be a secret.
SECRET = 20
#: Behind these a word ends for whoever redacts it; these stand around one; these before versions.
BREAKS = " ,;\u3002\u3001"
AROUND = BREAKS + "\"'`()[]{}<>:!?="
PINS = ("==", ">=", "<=", "~=")
#: How names of exceptions end.
TYPES = (
    *("Error", "Exception", "Warning", "Interrupt", "Exit", "Unsupported", "Failed", "Timeout"),
    *("Iteration", "Miss", "Hit"),
)


def words(text: str) -> list[str]:
    """Runs of ASCII letters, digits and underscores."""
    return plain(text).split()


def plain(text: str) -> str:
    """The text with a blank for every character that is of no word."""
    if not text.isascii():
        # Every other character ends a word; a text of one byte a character is translated soonest.
        text = text.encode("ascii", "replace").decode("ascii")
    return text.translate(_ONLY_WORDS)


def normalise(text: str) -> str:
    """Undo what terminals, browsers and editors do to a text. Lines stay lines."""
    if not text.isascii() and len(text.encode("utf-16-le", "surrogatepass")) > 2 * len(text):
        # Emoji and their like are one character here and two in JavaScript, which is how they are
        # noticed; no wording has any.
        text = "".join(c if c <= "\uffff" else "\ufffd" for c in text)
    if "\x1b" in text or "\x9b" in text:
        text = without_escapes(text)
    for old, new in (_REPLACED_ASCII if text.isascii() else REPLACED).items():
        if old in text:
            text = text.replace(old, new)
    for table in (ENTITIES if "&" in text else {}, {} if text.isascii() else SPOKEN):
        for old, new in table.items():
            text = text.replace(old, new)
    return _without_prefixes(text)


def _without_prefixes(text: str) -> str:
    """Drop what a log's writer put before each line: a service, a time, a host.

    What stands before two lines of a traceback alike, but for its digits, is dropped from all lines
    that begin so.
    """
    counts: dict[str, int] = {}
    for mark in TRACED:
        at = text.find(mark)
        for _ in range(TRIES):
            if at < 0:
                break
            start = max(0, at - PREFIX)
            end = text.rfind("\n", start, at)
            if end >= 0 or not start:  # a prefix is short
                shape = _shape(text[max(start, end + 1) : at])
                counts[shape] = counts.get(shape, 0) + 1
            at = text.find(mark, at + 1)
    learned = [shape for shape, count in counts.items() if count > 1 and shape]
    if not learned:
        return text
    learned = sorted(learned, key=lambda shape: -len(shape))[:PREFIXES]
    return "\n".join(_behind(learned, line) for line in text.split("\n"))


def _shape(prefix: str) -> str:
    """A prefix with a 0 for each number; "" for one that `strip_prefix` knows, as of a rank."""
    for mark in RANKS:
        prefix = prefix.partition(mark)[0]
    if strip_prefix(f"{prefix}Traceback") == "Traceback":
        return ""
    shape = ""
    for c in prefix:
        shape += c if c not in DIGITS else "" if shape.endswith("0") else "0"
    return shape


def _behind(shapes: list[str], line: str) -> str:
    """What follows one of these prefixes; the line where it begins with none."""
    for shape in shapes:
        at = 0
        for c in shape:
            begin = at
            if c == "0":
                while at < 2 * PREFIX and line[at : at + 1] in _DIGIT:
                    at += 1
            elif line[at : at + 1] == c:
                at += 1
            if at == begin:
                break
        else:
            return line[at:]
    return line


def without_escapes(text: str) -> str:
    """Drop ANSI sequences.

    ESC [ ... letter (colours), ESC ] ... BEL (titles and links), ESC and one character.
    """
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
            title = 0 <= end < 2000 and "\n" not in piece[:end]
            kept.append(piece[end + 1 :] if title else piece[1:])
        else:
            kept.append(piece[1:] if piece[:1] != "\n" else piece)
    return "".join(kept)


def binary(head: str) -> bool:
    """More than a tenth of these characters are controls or undecodable: a file, no message."""
    return sum(
        1 for c in head if c < " " and c not in "\n\t\x1b\x00\x07\x08\x0b\x0c" or c == "\ufffd"
    ) * 10 > len(head)


def strip_prefix(line: str) -> str:
    """A line without what loggers, launchers, boxes and quotes put before (and behind) it."""
    line = line.strip(EDGE)
    for _ in range(6):
        shorter = _without_one_prefix(line).strip(EDGE)
        if shorter == line:
            break
        line = shorter
    return line


def _without_one_prefix(line: str) -> str:
    first = line[:1]
    if first == "[":
        end = line.find("]", 0, 60)
        return line[end + 1 :].lstrip(": ") if _is_tag(line[1 : max(end, 1)]) else line
    if first == "(":  # Ray: (pid=12)
        end = line.find(")", 0, 80)
        return line[end + 1 :] if end > 0 and "pid=" in line[:end] else line
    if line.startswith("E  "):  # pytest
        return line[1:]
    if first in "WEIFD" and len(line) > 5 and not line[1:5].strip(DIGITS):
        end = line.find("] ", 0, 120)  # glog: W0515 17:31:25.123 12 file.py:9]
        return line[end + 2 :] if end > 0 else line
    if first and first in DIGITS:
        token = line.partition(" ")[0]
        return line[len(token) :] if _is_time_or_number(token) else line
    return _without_level(line)


def _is_tag(inside: str) -> bool:
    """What stands in brackets at the beginning of a line: a rank, a level, a time."""
    return not inside.startswith(("Errno", "WinError")) and (
        inside.startswith(("rank", "Rank", "default"))
        or _has_digit(inside)
        or inside.strip() in LEVELS
    )


def _is_time_or_number(token: str) -> bool:
    """12:30:01, 2026-01-02, or `41:`, as grep puts it before a line."""
    if token.endswith(":") and not token[:-1].strip(DIGITS):
        return True
    return any(c in ":-/" for c in token) and not token.strip("0123456789-:/.,TZ+")


def _without_level(line: str) -> str:
    for level in LEVELS:
        if line.startswith(level) and line[len(level) :].startswith((" ", ":", "|", "-")):
            line = line[len(level) :].lstrip(" :|-")
            end = line.find("] ", 0, 80)  # vLLM: ERROR 01-11 13:09:40 engine.py:366]
            if end > 0 and _has_digit(line[:end]) and "[" not in line[:end]:
                line = line[end + 2 :]
            break
    return line


def _has_digit(text: str) -> bool:
    return any(c in DIGITS for c in text)


def is_source(text: str, previous: str) -> bool:
    """Is this a quoted line of code? It may hold a message's text, but nobody printed it."""
    if printed_type(text + " "):
        return False
    if previous.startswith('File "') and ", line " in previous:
        # A frame follows a frame: faulthandler quotes no code.
        return not text.startswith('File "')
    return text.lstrip("-> 0123456789\u2502:").startswith(CODE)


def printed_type(before: str) -> str:
    """The exception class at the beginning of a line, without its module, or ""."""
    if ":" not in before:
        return ""
    name = before[: before.find(":")].strip()
    name = name[name.rfind(" ") + 1 :]
    name = name[name.rfind(".") + 1 :]
    return name if name.endswith(TYPES) and all(c in WORD for c in name) else ""


def redact(line: str) -> str:
    """A line without what could tell who or where.

    Paths, addresses, secrets and numbers are replaced by their kind; names with a number in them
    (`c10`, `float32`), symbols and versions stay.
    """
    pieces = [""]
    for c in line:
        pieces[-1] += c
        if c in BREAKS:
            pieces.append("")
    return "".join(map(_redact_piece, pieces))


def _redact_piece(piece: str) -> str:
    core = piece.strip(AROUND)
    kind = _kind_of(core)
    if not kind:
        return piece.replace(core, _without_numbers(core), 1)
    # Chinese stands before a path without a blank; right before a slash it may be a folder's name.
    begin = 0
    while begin < len(core) and core[begin] > "\x7f":
        begin += 1
    begin = 0 if core[begin : begin + 1] in ("/", "\\") else begin
    return piece.replace(core, core[:begin] + kind, 1)


def _kind_of(core: str) -> str:
    if "@" in core or "://" in core:
        return "<address>"
    return "<path>" if "/" in core or "\\" in core else ""


def _without_numbers(core: str) -> str:
    versions = any(pin in core for pin in PINS) or _is_version(core)
    pieces, run = [], ""
    for c in f"{core} ":
        if c in WORD:
            run += c
        else:
            pieces += [run if versions and len(run) < SECRET else _redact_run(run), c]
            run = ""
    return "".join(pieces)[:-1]


def _is_version(core: str) -> bool:
    """1.13.1, v2.0.1+cu117; an address has four numbers."""
    numbers = core.removeprefix("v").partition("+")[0].split(".")
    return len(numbers) == 3 and all(0 < len(n) < 5 and not n.strip(DIGITS) for n in numbers)


def _redact_run(run: str) -> str:
    digits = sum(1 for c in run if c in DIGITS)
    if run.startswith("_Z") or not digits:  # what a C++ compiler makes of a name
        return run
    if len(run) >= SECRET and digits >= 4 and len(run) - digits >= 4:
        return "<secret>"
    if run[0] not in DIGITS and digits <= 4:
        return run
    kept = ""
    for c in run:
        kept += c if c not in DIGITS else "" if kept.endswith("<n>") else "<n>"
    return kept
