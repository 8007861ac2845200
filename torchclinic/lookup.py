"""The lookup: from pasted text to the symptom whose words it prints. Standard library only; docs/assets/lookup.js is its twin.

No similarity, no regular expressions: a wording is in the text or it is not. Three steps:

1. Find the lines worth reading. Every wording has rare words (its anchors); only lines around such a word are read further, so a
   long log costs one pass over its words.
2. Clean those lines (prefixes of ranks, loggers, boxes, quotes) and match the wordings in them: as printed, and, for lines that a
   terminal has wrapped, with all blanks squeezed out of both sides.
3. Decide: the cause before what it causes before what merely wraps it; errors before warnings; the first of a chain of exceptions.

The two twins must agree on every input, so nothing here depends on Unicode tables: words, blanks and line ends are listed below.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate
from typing import Any

WORD = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")
_ONLY_WORDS = {code: " " for code in range(128) if chr(code) not in WORD}
_NO_DIGITS = {ord(digit): None for digit in "0123456789"}
#: What people's editors, browsers and chat programs put in place of what was printed.
_REPLACE = (
    *((chr(code), " ") for code in (9, 11, 12, 28, 29, 30, 31, 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029, 0x202F, 0x205F, 0x3000)),
    *((chr(code), "") for code in (0, 0xAD, 0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF)),
    *zip("\u2018\u2019\u201a\u201c\u201d\u201e\u00ab\u00bb", '\'\'\'"""""', strict=True),
    *zip("\uff08\uff09\uff0c\uff1a\uff1b\uff01\uff1f\uff3b\uff3d\uff1d\uff0e\uff40", "(),:;!?[]=.`", strict=True),
)
_REPLACE_ASCII = tuple(pair for pair in _REPLACE if pair[0].isascii())
_ENTITIES = (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&#39;", "'"), ("&#x27;", "'"), ("&nbsp;", " "), ("&amp;", "&"))
#: Lines read before and after a line that holds an anchor: a wrapped message has its rare words in one of them.
CONTEXT = 4
#: Lines with the same anchor beyond which the word alone is not enough, and places of one wording that are read in one segment.
FREQUENT = 64
#: Places of one segment at which a wording is tried: a text that begins a message more often and never ends it is no message.
TRIES = 1000
#: Characters that are split into words at once.
STRETCH = 1000
#: Characters of a line that are read: its two halves are its beginning and its end. Nothing prints a longer line, but a file may be one.
LONG = 200_000
#: Lines from the end among which the one to name is sought when nothing matched.
TAIL = 200
_CHAINS = ("The above exception was the direct cause of the following exception", "During handling of the above exception, another exception occurred")
_ROLES = ("cause", "symptom", "wrapper")
#: (role, is a warning) -> rank: what a warning speaks of is seldom why a program died, but it tells more than a wrapper.
_RANKS = {(0, False): 0, (1, False): 1, (0, True): 2, (1, True): 3, (2, False): 4, (2, True): 4}
#: Letters below which a wording is not sought in squeezed text, where words have no ends.
SQUEEZABLE = 16
_EDGE = " >|\u2502\u2503\u2551\u2506\u250a\u2771\u276f"
_LEVELS = ("ERROR", "WARNING", "WARN", "INFO", "DEBUG", "CRITICAL", "FATAL", "(W)", "(E)")
_CODE = ("raise ", "warnings.warn(", "warn(", "assert ", "return ", "msg = ", "print(", "logger.", "if ", "elif ", "except ", 'f"', "f'", "TORCH_CHECK", "#")
_TYPES = ("Error", "Exception", "Warning", "Interrupt", "Exit", "Unsupported", "Failed", "Timeout", "Iteration", "Miss", "Hit")


def shown(parts: list[Any]) -> str:
    """A wording as a person reads it: holes as \u27e8name\u27e9."""
    return "".join(part if isinstance(part, str) else "\u27e8" + part[0] + "\u27e9" for part in parts)


def words(text: str) -> list[str]:
    """Runs of ASCII letters, digits and underscores."""
    return _plain(text).split()


def _plain(text: str) -> str:
    """The text with a blank for every character that is of no word."""
    if not text.isascii():
        # Every other character ends a word; translating a text of one byte a character is much the quickest.
        text = text.encode("ascii", "replace").decode("ascii")
    return text.translate(_ONLY_WORDS)


def _distinct_words(plain: str) -> set[str]:
    """What stands between blanks, each once. A stretch that comes again is not split again; one list of all words would cost more still."""
    stretches: set[str] = set()
    at = 0
    while at < len(plain):
        end = plain.find(" ", at + STRETCH)
        end = end if end >= 0 else len(plain)
        stretches.add(plain[at:end])
        at = end
    found: set[str] = set()
    for stretch in stretches:
        found.update(stretch.split())
    return found


def lookup(index: dict[str, Any], text: str) -> dict[str, Any]:
    """Which symptom does this text print?

    Args:
        index: what `index.build` made.
        text: anything; it is only ever read.

    Returns:
        status: "match"; "ambiguous" (several independent errors; hits in order); "none"; "empty"; "binary" (no text).
        hits: best first, each with symptom, topic, title, page, docs, line (1-based, of the paste), raw (that line as pasted), wording
            (holes as \u27e8name\u27e9), exception, values {name: text}, why [reason codes], seen_in [stems of wrappers and of consequences].
        looked_for: for "none", the line that was looked up, cleaned; then also report, that line redacted, and neighbours, stems whose
            wordings share words with it. Neighbours are no match and are never shown as one.
    """
    raw = text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text
    if _binary(raw[:4096]):
        return {"status": "binary", "hits": [], "looked_for": ""}
    clean = normalise(raw)
    if not clean.strip(" \n"):
        return {"status": "empty", "hits": [], "looked_for": ""}
    lines = clean.split("\n")
    hits = _decide(index, _occurrences(index, clean, lines), clean)
    raw_lines = raw.split("\n") if hits else []
    for hit in hits:
        hit["raw"] = raw_lines[hit["line"] - 1]
    if not hits:
        line = _looked_for(lines)
        return {"status": "none", "hits": [], "looked_for": line, "report": redact(line), "neighbours": _neighbours(index, line)}
    return {"status": "ambiguous" if _ambiguous(hits) else "match", "hits": [_public(index, hit, hits) for hit in hits], "looked_for": ""}


def diagnose(index: dict[str, Any], hit: dict[str, Any], language: str) -> str:
    """The symptom's sentence with the user's own values; "" where the paste does not hold them."""
    for sentence in index["symptoms"][hit["symptom"]].get("diagnosis", {}).get(language, []):
        pieces = sentence.replace("}", "{").split("{")  # text, name, text, name, ..., text
        if all(name in hit["values"] for name in pieces[1::2]):
            return "".join(hit["values"][piece] if at % 2 else piece for at, piece in enumerate(pieces))
    return ""


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


def _binary(head: str) -> bool:
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


def _anchor_lines(index: dict[str, Any], clean: str, lines: list[str]) -> list[int]:
    """Numbers (from 0) of the lines that hold an anchor, ascending.

    A word that stands in many lines leads nowhere by itself: there a wording's longest literal must stand as it is, and of the lines
    that hold it the first and the last are read. That bounds what a hostile text can cost.
    """
    plain = f" {_plain(clean)} "
    # Most of a log is the same words over and over, with other numbers: without digits few are left to compare.
    there = _distinct_words(plain.translate(_NO_DIGITS))
    present = [word for word in index["anchors"] if (word if word.isalpha() else word.translate(_NO_DIGITS)) in there]
    if not present:
        return []
    starts = [0, *accumulate(len(line) + 1 for line in lines)]
    found: set[int] = set()
    for word in present:
        numbers = _lines_with(word, plain, starts, FREQUENT + 1)
        if len(numbers) > FREQUENT:
            numbers = []
            for number in index["anchors"][word]:
                literal = max((part for part in index["wordings"][number]["parts"] if isinstance(part, str)), key=len)
                at = end = -1
                for _ in range(FREQUENT // 2):
                    at = clean.find(literal, at + 1)
                    if at < 0:
                        break
                    numbers.append(bisect_right(starts, at) - 1)
                    at = starts[numbers[-1] + 1] - 1
                end = len(clean)
                for _ in range(FREQUENT // 2 if at >= 0 else 0):
                    end = clean.rfind(literal, 0, end)
                    if end < 0:
                        break
                    numbers.append(bisect_right(starts, end) - 1)
                    end = starts[numbers[-1]]
        found.update(numbers)
    return sorted(found)


def _lines_with(word: str, plain: str, starts: list[int], most: int) -> list[int]:
    """Numbers of the first `most` lines in which `word` stands alone: between blanks, which `plain` has at its ends, too."""
    found: list[int] = []
    word = f" {word} "
    at = plain.find(word)  # of the blank before the word, which is where the word begins in the text without that first blank
    while at >= 0 and len(found) < most:
        found.append(bisect_right(starts, at) - 1)
        at = plain.find(word, starts[found[-1] + 1])  # the rest of the line need not be searched
    return found


def _segments(wanted: list[int], count: int) -> list[tuple[int, int]]:
    """Ranges of line numbers around the wanted ones, merged where they touch."""
    segments: list[tuple[int, int]] = []
    for number in wanted:
        start, end = max(0, number - CONTEXT), min(count, number + CONTEXT + 1)
        if segments and start <= segments[-1][1]:
            segments[-1] = (segments[-1][0], end)
        else:
            segments.append((start, end))
    return segments


def _occurrences(index: dict[str, Any], clean: str, lines: list[str]) -> list[dict[str, Any]]:
    """Every place where a wording is printed: wording, line (from 0), values, whether through squeezed text."""
    anchors = index["anchors"]
    found: list[dict[str, Any]] = []
    stands: dict[str, bool] = {}  # texts of conditions -> whether they stand in the paste
    for start, end in _segments(_anchor_lines(index, clean, lines), len(lines)):
        numbers, texts, source = _read(lines, start, end)
        joined = "\n".join(texts)
        present = _distinct_words(_plain(joined))
        squeezed = ""
        ends: dict[bool, list[int]] = {}  # where each line ends, in the joined and in the squeezed text
        for candidate in sorted({number for word in anchors.keys() & present for number in anchors[word]}):
            wording = index["wordings"][candidate]
            here = _match_all(index, wording, wording["parts"], joined, False)
            through_squeeze = False
            if not here and _letters(wording["parts"]) >= SQUEEZABLE:
                squeezed = squeezed or joined.replace("\n", "").replace(" ", "")
                parts = [part.replace(" ", "") if isinstance(part, str) else part for part in wording["parts"]]
                here = _match_all(index, wording, parts, squeezed, True)
                through_squeeze = True
            if not here or not _conditions(wording, clean, stands):
                continue
            if through_squeeze not in ends:
                ends[through_squeeze] = list(accumulate(len(text.replace(" ", "")) if through_squeeze else len(text) + 1 for text in texts))
            for at, stop, values in here:
                offsets = ends[through_squeeze]
                row = bisect_right(offsets, at)
                if source[row] or not _when(wording, values):
                    continue
                column = at - (offsets[row - 1] if row else 0)
                before = texts[row] if through_squeeze else texts[row][:column]
                found.append(
                    {
                        "wording": candidate,
                        "line": numbers[row],
                        "values": values,
                        "start": at,
                        "stop": stop,
                        "segment": start,
                        "squeezed": through_squeeze,
                        "type": _printed_type(before),
                        "letters": _letters(wording["parts"]),
                    }
                )
    return found


def _letters(parts: list[Any]) -> int:
    """Literal characters of a wording, without blanks: how much it tells."""
    return sum(len(part.replace(" ", "")) for part in parts if isinstance(part, str))


def _read(lines: list[str], start: int, end: int) -> tuple[list[int], list[str], list[bool]]:
    """Cleaned lines of a segment: their numbers, their texts (single blanks), and whether each is quoted source code."""
    numbers: list[int] = []
    texts: list[str] = []
    source: list[bool] = []
    previous = ""
    for number in range(start, end):
        line = lines[number]
        if len(line) > LONG:
            line = line[: LONG // 2] + line[-LONG // 2 :]
        # A traceback inside a repr or a JSON string: one line with written-out line ends.
        for piece in line.split("\\n") if line.count("\\n") > 1 else [line]:
            text = strip_prefix(piece)
            if "  " in text:
                text = " ".join(text.split())
            numbers.append(number)
            texts.append(text)
            source.append(_is_source(text, previous))
            if text:
                previous = text
    return numbers, texts, source


def _is_source(text: str, previous: str) -> bool:
    """Is this a quoted line of code? It may hold a message's text, but nobody printed it."""
    if _printed_type(text + " "):
        return False
    if previous.startswith('File "') and ", line " in previous:
        return True
    code = text.lstrip("-> 0123456789\u2502:")
    return code.startswith(_CODE)


def _printed_type(before: str) -> str:
    """The exception class that stands at the beginning of a line, without its module; "" if none does."""
    if ":" not in before:
        return ""
    name = before[: before.find(":")].strip()
    name = name[name.rfind(" ") + 1 :]
    name = name[name.rfind(".") + 1 :]
    return name if name.endswith(_TYPES) and all(c in WORD for c in name) else ""


def _conditions(wording: dict[str, Any], clean: str, stands: dict[str, bool]) -> bool:
    def has(text: str) -> bool:
        if text not in stands:
            stands[text] = text in clean
        return stands[text]

    near, unless = wording.get("near"), wording.get("unless")
    return (not near or any(map(has, near))) and not (unless and any(map(has, unless)))


def _when(wording: dict[str, Any], values: dict[str, str]) -> bool:
    when = wording.get("when")
    if not when:
        return True
    return (_device(values.get(when[1], "")) != _device(values.get(when[2], ""))) == (when[0] == "differ")


def _device(value: str) -> str:
    """The device that a tensor type's name speaks of: torch.cuda.FloatTensor, CUDAHalfType, mps:0."""
    lower = value.lower()
    return next((name for name in ("cuda", "mps", "xpu", "hip", "xla", "meta", "npu", "hpu", "mlu", "musa", "privateuse", "dml") if name in lower), "cpu")


def _match_all(index: dict[str, Any], wording: dict[str, Any], parts: list[Any], text: str, squeezed: bool) -> list[tuple[int, int, dict[str, str]]]:
    """All places where `parts` stand in `text`: (start, stop, values)."""
    # A glance for every literal first: it spares the walk from each place where a message only begins.
    if not all(part in text for part in parts if isinstance(part, str)):
        return []
    found = []
    first = parts[0]
    at = text.find(first)
    for _ in range(TRIES):
        if at < 0 or len(found) == FREQUENT:
            break
        made = _match_at(index["holes"], parts, text, at, squeezed)
        if made and (squeezed or _whole_words(text, at, made[0], first, parts[-1])):
            found.append((at, *made))
            at = text.find(first, max(made[0], at + 1))
        else:
            at = text.find(first, at + 1)
    return found


def _whole_words(text: str, start: int, stop: int, first: str, last: Any) -> bool:
    """Neither end of the match lies inside a word."""
    if start and first[0] in WORD and text[start - 1] in WORD:
        return False
    return not (stop < len(text) and isinstance(last, str) and last[-1] in WORD and text[stop] in WORD)


def _match_at(holes: dict[str, Any], parts: list[Any], text: str, at: int, squeezed: bool) -> tuple[int, dict[str, str]] | None:
    """Walk literals and holes from `at`; (stop, values), or None."""
    values: dict[str, str] = {}
    for position, part in enumerate(parts):
        if isinstance(part, str):
            if not text.startswith(part, at):
                return None
            at += len(part)
            continue
        name, kind = part
        table, cap = holes[kind]
        following = parts[position + 1] if position + 1 < len(parts) else None
        if following is not None and (squeezed or kind == "line"):
            # Without blanks the end of a value is where the next literal begins.
            end = text.find(following, at, at + cap + len(following))
            if end < 0:
                return None
            value = text[at:end]
            if "\n" in value if kind == "line" else value.strip(table + " "):
                return None
        elif kind == "line":
            end = text.find("\n", at, at + cap)
            end = end if end >= 0 else min(len(text), at + cap)
        else:
            rest = text[at : at + cap]
            end = at + len(rest) - len(rest.lstrip(table))
        value = text[at:end].strip(" ,.")
        if not value:
            return None
        if name and not (squeezed and (kind == "line" or following is None)):
            values[name] = value
        at = end
    return at, values


def _decide(index: dict[str, Any], found: list[dict[str, Any]], clean: str) -> list[dict[str, Any]]:
    """One hit for each symptom, best first."""
    chains = _chain_lines(clean) if found else []
    best: dict[str, dict[str, Any]] = {}
    for occurrence in _telling(found):
        wording = index["wordings"][occurrence["wording"]]
        hit = {
            "symptom": wording["symptom"],
            "line": occurrence["line"] + 1,
            "wording": shown(wording["parts"]),
            "exception": wording.get("exception", ""),
            "values": occurrence["values"],
            "role": _ROLES.index(wording.get("role", "cause")),
            "warning": (occurrence["type"] or wording.get("exception", "")).endswith("Warning"),
            "agrees": not occurrence["type"] or occurrence["type"] == wording.get("exception", occurrence["type"]),
            "block": bisect_right(chains, occurrence["line"]),
            "letters": occurrence["letters"],
        }
        hit["rank"] = _RANKS[hit["role"], hit["warning"]]
        old = best.get(hit["symptom"])
        if old is None or _key(hit) < _key(old):
            # What another print of the same symptom told is kept.
            hit["values"] = {**(old["values"] if old else {}), **hit["values"]}
            best[hit["symptom"]] = hit
        else:
            old["values"] = {**hit["values"], **old["values"]}
    hits = sorted(best.values(), key=lambda hit: (_key(hit), hit["symptom"]))
    # Explicit edges win over everything else; the walk is bounded, so a circle of edges cannot hang it.
    for _ in range(len(hits)):
        for above in range(len(hits)):
            below = next((n for n in range(above + 1, len(hits)) if hits[above]["symptom"] in index["symptoms"][hits[n]["symptom"]]["outranks"]), None)
            if below is not None:
                hits[below]["outranked"] = True
                hits.insert(above, hits.pop(below))
    return hits


def _chain_lines(clean: str) -> list[int]:
    """Numbers of the lines that say that one exception led to another, ascending."""
    found = []
    for text in _CHAINS:
        at = clean.find(text)
        while at >= 0:
            found.append(at)
            at = clean.find(text, at + 1)
    numbers, last, line = [], 0, 0
    for at in sorted(found):
        line += clean.count("\n", last, at)
        last = at
        if line not in numbers[-1:]:
            numbers.append(line)
    return numbers


def _key(hit: dict[str, Any]) -> tuple[Any, ...]:
    return (hit["rank"], not hit["agrees"], hit["block"], hit["line"], -hit["letters"])


def _telling(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Without the occurrences that lie inside one of a wording that tells more."""
    kept = []
    open_spans: list[dict[str, Any]] = []
    for one in sorted(found, key=lambda o: (o["segment"], o["squeezed"], o["start"], -o["stop"], -o["letters"], o["wording"])):
        open_spans = [o for o in open_spans if o["segment"] == one["segment"] and o["squeezed"] == one["squeezed"] and o["stop"] > one["start"]]
        if not any(o["stop"] >= one["stop"] and o["letters"] > one["letters"] for o in open_spans):
            kept.append(one)
        open_spans.append(one)
    return kept


def _ambiguous(hits: list[dict[str, Any]]) -> bool:
    """Two independent errors: neither is a warning, a wrapper or a consequence, and no chain or edge orders them."""
    if len(hits) < 2 or hits[0].get("outranked"):
        return False
    first, second = hits[0], hits[1]
    return all(first[name] == second[name] for name in ("rank", "agrees", "block"))


def _public(index: dict[str, Any], hit: dict[str, Any], hits: list[dict[str, Any]]) -> dict[str, Any]:
    symptom = index["symptoms"][hit["symptom"]]
    why = [_ROLES[hit["role"]]]
    why += ["outranks"] if hit.get("outranked") else []
    why += ["type"] if hit["agrees"] else ["other-type"]
    why += ["warning"] if hit["warning"] else []
    why += ["first-of-chain"] if hit["block"] == 0 and any(other["block"] for other in hits) else []
    return {
        "symptom": hit["symptom"],
        "topic": symptom["topic"],
        "title": symptom["title"],
        "page": symptom["page"],
        "docs": symptom.get("docs", ""),
        "line": hit["line"],
        "raw": hit["raw"],
        "wording": hit["wording"],
        "exception": hit["exception"],
        "values": hit["values"],
        "why": why,
        "seen_in": [other["symptom"] for other in hits if other is not hit and other["role"] > hit["role"]],
    }


def _looked_for(lines: list[str]) -> str:
    """The line that says what went wrong: the last that begins with an exception's name, else the last that speaks of an error, else the last."""
    spoken = last = ""
    left = TAIL
    for line in reversed(lines):
        if not line.strip(" "):
            continue
        text = strip_prefix(line)[:400]
        if _printed_type(text):
            return text
        if not spoken and ("error" in line or "Error" in line or "ERROR" in line):
            spoken = text
        last = last or text
        left -= 1
        if not left:
            break
    return spoken or last


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


def _neighbours(index: dict[str, Any], line: str) -> list[str]:
    """At most three stems, those of whose wordings the line has the largest share of words first; at least half, and three."""
    here = {word for word in words(line) if len(word) > 3}
    best: dict[str, float] = {}
    for wording in index["wordings"]:
        there = {word for word in words(" ".join(part for part in wording["parts"] if isinstance(part, str))) if len(word) > 3}
        shared = len(here & there)
        if shared >= 3 and shared * 2 >= len(there):
            stem = wording["symptom"]
            best[stem] = max(best.get(stem, 0.0), shared / len(there))
    return sorted(best, key=lambda stem: (-best[stem], stem))[:3]
