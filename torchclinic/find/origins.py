"""Origins: where in PyTorch a message is written, and in which releases. Asked only where no
symptom matches; docs/assets/origins.js is the twin.

Words alone could be anybody's, so a template of Python must also be all of the message, carry its
exception class, and, where the text holds the traceback, be raised by a file of torch.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote

from .clean import is_source, normalise, printed_type, strip_prefix
from .match import occurrences
from .origins_table import Message, Template, defined, qualified
from .pasted import Pasted
from .rank import chain_lines

if TYPE_CHECKING:
    from .answer import Lists, Occurrence, Origin, Origins, Part, Place

#: Characters of a text that are read: its end, where a program dies.
READ = 200_000
#: Places that an answer names.
PLACES = 3
#: Letters below which a template is not believed in text that was wrapped: there words have no
#: ends, and a message no end.
WRAPPED = 40
#: Lines above a message among which the frame that raised it is sought.
FRAMES = 60
#: How a traceback of Python and its frames begin.
HEAD, FRAME = "Traceback (most recent call last)", 'File "'
#: Characters of a message that the search of the issue tracker is given.
QUERY = 120
#: In place of an exception's class: the message is written to a log.
LOG = "log"
#: What both twins go by; the table's file carries it to the other one.
LISTS: Lists = {
    # What people write in place of frames.
    "left_out": [
        *("...", "\u2026", "[...]", "(...)", "<...>"),
        *("....", ".....", "......", "\u2026\u2026", "[\u2026]"),
    ],
    # What C++ puts behind a message.
    "behind": [
        *("(function ", "(Triggered internally at ", "Exception raised from "),
        *("at /", "at ..", "at C:"),
    ],
    # Where what others write is written once more, C++ operators in Python above all, messages
    # and all: believed only where a traceback ends there.
    "rewritten": [
        *("torch/_refs/", "torch/_prims", "torch/_decomp/", "torch/_meta_registrations.py"),
        *("torch/_subclasses/", "torch/jit/_shape_functions.py", "torch/_logging/"),
    ],
    # Folders of PyTorch's repository; what lies elsewhere is made when PyTorch is built, and has
    # no address.
    "kept": ["torch/", "functorch/", "aten/", "c10/", "caffe2/"],
    "source": "https://github.com/pytorch/pytorch/blob/v{release}/{file}",
    # Searches: which page of the documentation holds a name, it knows.
    "documented": "https://docs.pytorch.org/docs/stable/search.html?q=",
    "issues": "https://github.com/pytorch/pytorch/issues?q=",
}
_LEFT_OUT = frozenset(LISTS["left_out"])
_BEHIND, _REWRITTEN = tuple(LISTS["behind"]), tuple(LISTS["rewritten"])
_KEPT = tuple(LISTS["kept"])


class Frame(NamedTuple):
    """A line of a traceback, and the line of code below it; "" where it is not shown."""

    file: str
    function: str
    code: str


class _Candidate(NamedTuple):
    key: tuple[Any, ...]  # the least is the best; no two are the same
    line: int
    message: Message
    places: list[Place]


def origin(origins: Origins, text: str) -> Origin | None:
    """Where PyTorch writes what this text prints; None where it does not, as far as words tell.

    Args:
        origins: what `origins_table.load` gives.
        text: anything; it is only ever read.
    """
    raw = text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text
    clean = normalise(raw)
    cut = max(0, len(clean) - READ)
    cut = clean.find("\n", cut) + 1 or cut if cut else 0
    best = min(_candidates(origins, clean[cut:]), default=None)
    if best is None:
        return None
    line = best.line + clean.count("\n", 0, cut)
    return {
        "line": line + 1,
        "raw": raw.split("\n")[line],
        "message": shown(best.message),
        "search": _search(best.message["parts"]),
        "places": best.places,
    }


def _candidates(origins: Origins, clean: str) -> list[_Candidate]:
    pasted = Pasted(clean)
    chains = chain_lines(clean)
    candidates = []
    for number, occurrence in enumerate(occurrences(origins, Pasted(_said(pasted.lines)))):
        message = origins["messages"][occurrence["wording"]]
        frame = _frame(pasted.lines, occurrence["line"])
        places = [
            place
            for place in (_place(origins, template, frame) for template in message.places)
            if _fits(place, message, occurrence, frame)
        ]
        if not places:
            continue
        places.sort(key=lambda place: not place["raised"])
        # Of a chain of exceptions the first; else the last, which those that only wrap it stand
        # above.
        key = (
            not occurrence["type"] or occurrence["type"].endswith("Warning"),
            bisect_right(chains, occurrence["line"]),
            not places[0]["raised"],
            -occurrence["line"],
            -occurrence["letters"],
            number,
        )
        candidates.append(_Candidate(key, occurrence["line"], message, places[:PLACES]))
    return candidates


def _said(lines: list[str]) -> str:
    """The text with empty lines for the frames of Python's tracebacks and the code that they quote:
    no message stands there, and their words lead to hundreds."""
    said = list(lines)
    for number, line in enumerate(lines):
        if FRAME not in line and HEAD not in line:
            continue
        text = strip_prefix(line)
        if text.startswith(HEAD):
            said[number] = ""
        elif text.startswith(FRAME):
            said[number] = ""
            below = lines[number + 1 : number + 2]
            if below and FRAME not in below[0] and is_source(strip_prefix(below[0]), text):
                said[number + 1] = ""
    return "\n".join(said)


def shown(message: Message) -> str:
    """A message, with \u2026 for what varies."""
    texts = (part if isinstance(part, str) else "\u2026" for part in message["parts"])
    return "\u2026" * _varies(message.text) + "".join(texts)


def _varies(text: str) -> bool:
    """Does a template begin with what varies?"""
    return text.startswith("{") and not text.startswith("{{")


def _place(origins: Origins, template: Template, frame: Frame | None) -> Place:
    table = origins["packed"]
    file = table["files"][template.file] if template.file >= 0 else ""
    release = table["releases"][template.last]
    name = qualified(file, template.function)
    public = ""
    if file.endswith(".py"):
        public = table["public"].get(defined(table["public"], name), "")
    source = ""
    if file.startswith(_KEPT) and "/generated/" not in file:
        source = LISTS["source"].format(release=release, file=file)
        source += f"#L{template.line}" if template.line > 0 else ""
    return {
        "name": name,
        "function": "" if name.endswith("operator()") else template.function,
        "file": file,
        "number": template.line,
        "exception": table["classes"][template.exception] if template.exception >= 0 else "",
        "condition": template.condition,
        "first": table["releases"][max(template.first, ~template.first)],
        "last": release,
        "unread": template.first < 0,
        "public": public,
        "documentation": LISTS["documented"] + public if public else "",
        "source": source,
        "raised": frame is not None
        and f"/{frame.file}".endswith(f"/{file}")
        and name.endswith(f".{frame.function}"),
    }


def _fits(place: Place, message: Message, occurrence: Occurrence, frame: Frame | None) -> bool:
    """May what was found have been written there?"""
    return (
        _fits_class(place, occurrence["type"])
        and _fits_frame(place, frame)
        and _is_whole(place, message, occurrence)
    )


def _fits_class(place: Place, printed: str) -> bool:
    """A class of C++ was made a finer one over the releases."""
    exception = printed_type(f"{place['exception']}:").lstrip("_")
    printed = printed.lstrip("_")
    if printed in ("", exception) or not exception and place["exception"] != LOG:
        return True
    python = place["file"].endswith(".py")
    return not python and exception == "RuntimeError" and not printed.endswith("Warning")


def _fits_frame(place: Place, frame: Frame | None) -> bool:
    """What C++ writes stands below a call of anyone's."""
    if not place["file"].endswith(".py"):
        return frame is None or not frame.code.startswith("raise ") or _is_torch(frame.file)
    if not printed_type(f"{place['exception']}:"):
        return True
    if frame is None or _is_abridged(frame):
        return not place["file"].startswith(_REWRITTEN)
    return _is_same_file(frame.file, place["file"])


def _is_whole(place: Place, message: Message, occurrence: Occurrence) -> bool:
    """Does it begin where a message begins, and end where it ends?"""
    if occurrence["squeezed"]:
        return occurrence["letters"] >= WRAPPED
    before = occurrence["before"].rstrip(" ")
    if before and before[-1] not in ":])>|-" and not _varies(message.text):
        return False
    after = occurrence["after"].lstrip(" .,;:!?'\")]}`")
    if not after or after[0] > "\x7f" or message["parts"][-1] == ["", "line"]:
        return True
    return not place["file"].endswith(".py") and after.startswith(_BEHIND)


def _is_torch(path: str) -> bool:
    return "/torch/" in f"/{path}"


def _is_same_file(path: str, file: str) -> bool:
    """Is a path that a traceback names this file of PyTorch, in whatever folder it lay then?"""
    name = file.rsplit("/", 2)[-2:] if file.endswith("/__init__.py") else file.rsplit("/", 1)[-1:]
    package = file.partition("/")[0]
    return f"/{package}/" in f"/{path}" and f"/{path}".endswith("/" + "/".join(name))


def _is_abridged(frame: Frame) -> bool:
    """Must frames be missing below this one?

    Its line raises nothing itself; nor is it another package's, which may have written what it
    calls in C.
    """
    return (
        bool(frame.code)
        and not frame.code.startswith(("raise", "assert", "File "))
        and "-packages/" not in frame.file
        and not _is_torch(frame.file)
    )


def _frame(lines: list[str], at: int) -> Frame | None:
    """The frame above a message; None where the text does not show it."""
    for number in range(at - 1, max(-1, at - FRAMES), -1):
        text = strip_prefix(lines[number])
        if text.startswith(FRAME):  # Python: File "train.py", line 3, in step
            file, _, rest = text[6:].partition('", line ')
        elif text.startswith("File ") and ".py:" in text:  # IPython: File train.py:3, in step(x)
            file, _, rest = text[5:].partition(":")
        elif ".py in " in text:  # and before: train.py in step(x)
            file, _, rest = text.partition(" in ")
            rest = f", in {rest}"
        elif _ends_frames(text):
            return None
        else:
            continue
        function = rest.partition(", in ")[2].partition("(")[0].rpartition(".")[2]
        code = strip_prefix(lines[number + 1]).strip(" ") if number + 1 < at else ""
        return Frame(file.replace("\\", "/"), function, code)
    return None


def _ends_frames(text: str) -> bool:
    """Does the traceback of what stands below begin here, or another error end?"""
    return HEAD in text or bool(printed_type(text)) or text.strip(" ") in _LEFT_OUT


def _search(parts: list[Part]) -> str:
    """The address of a search for the longest line of a template's literals."""
    literals = (part for part in parts if isinstance(part, str))
    line = max((line for literal in literals for line in literal.split("\n")), key=len)
    line = "".join(c if " " <= c <= "~" and c != '"' else " " for c in line).strip(" ")
    if len(line) > QUERY:
        line = line[: line.rfind(" ", 0, QUERY)] if " " in line[:QUERY] else line[:QUERY]
    return LISTS["issues"] + quote(f'"{line}"', safe="!'()*")
