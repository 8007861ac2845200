"""Origins: where in PyTorch a message is written, and in which releases. Asked only where no symptom matches; docs/assets/origins.js is the twin.

The table is made from PyTorch's wheels (content/origins.py describes it). Its templates are sought as wordings are, with the same matcher: literals, holes, rare
words, no regular expressions. Words alone could be anybody's, so a template of Python must also be all of the message, carry its exception class, and, where
the text holds the traceback, be raised by a file of torch.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

from .clean import WORD, normalise, printed_type, strip_prefix, words
from .lookup import chain_lines
from .match import occurrences
from .wording import HOLES

#: Of the table's format.
VERSION = 2
_WORD = "".join(sorted(WORD))
#: Stands for a hole, and glues to the words beside it.
_HOLE = "__hole__"
#: Characters of a text that are read: its end, where a program dies.
READ = 200_000
#: Places that an answer names.
PLACES = 3
#: Letters of a template that are sought. The rest of a long message adds nothing, and is often cut off.
SOUGHT = 160
#: Rare words of a template by which it is found: where a wrapped line has cut one of them, the other still leads to it.
ANCHORS = 2
#: Letters below which a template is not believed in text that was wrapped: there words have no ends, and a message no end.
WRAPPED = 40
#: Lines above a message among which the frame that raised it is sought.
FRAMES = 60
#: What people write in place of frames.
LEFT_OUT = ("...", "\u2026", "[...]", "(...)", "<...>", "....", ".....", "......", "\u2026\u2026", "[\u2026]")
#: Characters of a message that the search of the issue tracker is given.
QUERY = 120
#: What a template must hold to be known by its words: words, and among them, each once, words that are not COMMON.
NEEDED, RARE = 4, 2
#: Where PyTorch repeats the messages of other programs: of NumPy, of Python's own library, of what it has taken in.
REPEATED = (
    "torch/_numpy/",
    "torch/_vendor/",
    "torch/_dynamo/polyfills/",
    "torch/package/",
    "torch/fx/experimental/unification/",
    "functorch/einops/",
    "torch/testing/_internal/",
)
#: A message that says itself where it was written.
PLACED = "INTERNAL ASSERT FAILED at"
#: What C++ puts behind a message.
BEHIND = ("(function ", "at /", "at ..", "at C:", "Exception raised from ")
#: In place of an exception's class: the message is written to a log.
LOG = "log"
#: Where what others write is written once more, C++ operators in Python above all, messages and all: believed only where a traceback ends there.
REWRITTEN = (
    "torch/_refs/",
    "torch/_prims",
    "torch/_decomp/",
    "torch/_meta_registrations.py",
    "torch/_subclasses/",
    "torch/jit/_shape_functions.py",
    "torch/_logging/",
)
#: Folders of PyTorch's repository; what lies elsewhere is made when PyTorch is built, and has no address.
KEPT = ("torch/", "functorch/", "aten/", "c10/", "caffe2/")
#: The search of PyTorch's documentation: which page holds a name, it knows.
DOCUMENTED = "https://docs.pytorch.org/docs/stable/search.html?q="
SOURCE = "https://github.com/pytorch/pytorch/blob/v{release}/{file}"
ISSUES = "https://github.com/pytorch/pytorch/issues?q="
#: The words of messages that the most programs have: counted over 9,000 messages of 90 packages and Python's library. They tell nothing about whose message it is.
COMMON = frozenset(
    """
    add after all allowed already and any are argument arguments attribute available because been before binary both but bytes call callable called can
    cannot character check class closed code contain contains content convert could create data default defined deprecated dict did different directly
    directory does doesn duplicate either empty encoding end environment error exist exists expected extension failed false field file find first float for
    format found from function future get given got has have header https implemented import index input install installed instance instead int integer
    invalid its key keys keyword least length like line list make many match may message metadata method missing mode module more multiple must name named
    names need negative new non none not number object one only option other out output package parameter parameters parse pass passed path pattern please
    positive provide provided python range read received removed required requires return returned run same sequence set should single size specified specify
    start str stream string strings subclass support supported text than that the this time token too true tuple two type unable unexpected unknown
    unsupported url use used using valid value values variable version was when which while will with without write you your
    """.split()  # noqa: SIM905 a word a line would be two hundred lines
)


def tells(text: str, file: str) -> bool:
    """Is a template of PyTorch known by its words: is it long enough, are there words in it that not every program prints, and are they its own?

    Args:
        text: of the template, with its holes.
        file: that it stands in.
    """
    if file.startswith(REPEATED) or PLACED in text:
        return False
    found = [word.lower() for part in parts(text) if isinstance(part, str) for word in words(part)]
    rare = {word for word in found if len(word) > 2 and not word.isdigit() and word not in COMMON}
    return len(found) >= NEEDED and len(rare) >= RARE


def parts(text: str) -> list[Any]:
    """A template as the matcher takes it: literals and ["", kind] in turn, a literal first, as lines are read (single blanks, none at a line's ends).

    What varies at its beginning is left out, with the rest of a word that it is glued to. A hole takes anything where the matcher could not tell its end.
    """
    lines = [" ".join(filter(None, line.split(" "))) for line in normalise(text).split("\n")]
    first, *rest = "\n".join(lines).strip("\n").replace("{{", "\0").split("{")
    found: list[Any] = []
    left = SOUGHT
    for number, piece in enumerate([f"}}{first}", *rest]):
        kind, _, literal = piece.partition("}")
        literal = literal.replace("}}", "}").replace("\0", "{")
        if found:
            told = kind[1:] in HOLES and not (literal and literal[0] in HOLES[kind[1:]][0])
            hole = ["", kind[1:] if told else "line"]
            found = [*found, hole] if isinstance(found[-1], str) else [*found[:-1], ["", "line"]]
        elif number:
            literal = literal.lstrip(_WORD).lstrip(" \n")
        if len(literal) > left:
            end = left + len(literal[left:]) - len(literal[left:].lstrip(_WORD))
            literal = literal[:end].rstrip(" \n")
            return [*found, literal, ["", "line"]] if literal else found
        left -= len(literal)
        found += [literal] if literal else []
    if found and isinstance(found[-1], str):
        found[-1] = found[-1].rstrip(" \n")
    return found if found[-1:] != [""] else found[:-1]


def rows(table: dict[str, Any]) -> Iterator[tuple[Any, ...]]:
    """The templates of a table, one by one: text, file, line, function, class, condition, first, last."""
    return zip(*table["templates"], strict=True)


def load(table: dict[str, Any]) -> dict[str, Any]:
    """The table as the matcher reads it: what `lookup` calls an index, and for each template the places in which it stands.

    Args:
        table: what content/origins.py makes.
    """
    by_text: dict[str, list[tuple[Any, ...]]] = {}
    for template in rows(table):
        by_text.setdefault(template[0], []).append(template)
    # Of places of the same text the newest first.
    wordings = [_Wording(text=text, places=sorted(places, key=lambda place: -place[7])) for text, places in by_text.items()]
    alone = [_words(text) for text in by_text]  # of each wording, the words by which it may be found
    frequency = Counter(word for found in alone for word in found)
    fit = (word for word in frequency if len(word) > 2 and _HOLE not in word and not word.isdigit())
    rank = {word: at for at, word in enumerate(sorted(fit, key=lambda word: (frequency[word], -len(word), word)))}  # the rarest first
    anchors: dict[str, list[int]] = {}
    for number, found in enumerate(alone):
        for word in sorted(rank.keys() & found, key=rank.__getitem__)[:ANCHORS]:
            anchors.setdefault(word, []).append(number)
    numbered = [word for word in anchors if any(c in "0123456789" for c in word)]
    holes = {kind: list(hole) for kind, hole in HOLES.items()}
    lists = {name: table[name] for name in ("releases", "files", "classes", "public")}
    return {"wordings": wordings, "anchors": anchors, "numbered": numbered, "holes": holes, "traces": {}, **lists}


class _Wording(dict[str, Any]):
    """A template, its text made into parts when it is first asked for: that of most never is."""

    def __missing__(self, key: str) -> Any:
        if key != "parts":
            raise KeyError(key)
        self[key] = parts(self["text"])
        return self[key]


def _words(text: str) -> set[str]:
    """The words of a template; those that are glued to the value of a hole hold _HOLE. Of a long one, those at its beginning."""
    text = text.replace("{{", " ").replace("{:int}", _HOLE).replace("{}", _HOLE)
    there = words(text[:SOUGHT])
    return set(there if len(text) <= SOUGHT else there[:-1])


def origin(origins: dict[str, Any], text: str) -> dict[str, Any] | None:
    """Where PyTorch writes what this text prints; None where it does not, as far as the words tell.

    Args:
        origins: what `load` made.
        text: anything; it is only ever read.

    Returns:
        line: 1-based, of the text, and raw, that line as it was pasted.
        message: the template, with \u2026 for what varies.
        search: the address of a search for its literal words on PyTorch's issue tracker; it holds nothing of the text.
        places: at most three, each with name (qualified, as far as it is known), function (the name within its file; "" where it has none), file, number (of
            its line), exception, condition ("" where there is none that is known), first and last (releases), unread (older releases than the first were not
            read for it), public (the name that people know of the function or class, or of what it is a part of; "" where it has none), documentation (a
            search for that), source (its address at the newest release that has it), raised (the text's traceback ends there).
    """
    raw = text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text
    clean = normalise(raw)
    cut = max(0, len(clean) - READ)
    cut = clean.find("\n", cut) + 1 or cut if cut else 0
    lines = clean[cut:].split("\n")
    chains = chain_lines(clean[cut:])
    best: tuple[Any, ...] | None = None
    for number, found in enumerate(occurrences(origins, clean[cut:], lines)):
        wording = origins["wordings"][found["wording"]]
        frame = _frame(lines, found["line"])
        places = [_place(origins, template, frame) for template in wording["places"]]
        places = [place for place in places if _fits(place, wording, found, frame)]
        if not places:
            continue
        # Of a chain of exceptions the first; else the last, which those that only wrap it stand above.
        aside = not found["type"] or found["type"].endswith("Warning")
        raised = any(place["raised"] for place in places)
        key = (aside, bisect_right(chains, found["line"]), not raised, -found["line"], -found["letters"], number)
        if best is None or key < best[0]:
            best = (key, found, wording, sorted(places, key=lambda place: not place["raised"])[:PLACES])
    if best is None:
        return None
    _, found, wording, places = best
    line = found["line"] + clean.count("\n", 0, cut)
    return {"line": line + 1, "raw": raw.split("\n")[line], "message": _shown(wording), "search": _search(wording["parts"]), "places": places}


def _shown(wording: dict[str, Any]) -> str:
    return "\u2026" * _varies(wording["text"]) + "".join(part if isinstance(part, str) else "\u2026" for part in wording["parts"])


def _varies(text: str) -> bool:
    """Does a template begin with what varies?"""
    return text.startswith("{") and not text.startswith("{{")


def _place(origins: dict[str, Any], template: tuple[Any, ...], frame: tuple[str, str, str] | None) -> dict[str, Any]:
    """A place as `origin` gives it."""
    _, file, number, function, exception, condition, first, last = template
    file, release = origins["files"][file] if file >= 0 else "", origins["releases"][last]
    name = qualified(file, function)
    public = origins["public"].get(defined(origins["public"], name), "") if file.endswith(".py") else ""
    source = SOURCE.format(release=release, file=file) + (f"#L{number}" if number > 0 else "")
    return {
        "name": name,
        "function": "" if name.endswith("operator()") else function,
        "file": file,
        "number": number,
        "exception": origins["classes"][exception] if exception >= 0 else "",
        "condition": condition,
        "first": origins["releases"][max(first, ~first)],
        "last": release,
        "unread": first < 0,
        "public": public,
        "documentation": DOCUMENTED + public if public else "",
        "source": source if file.startswith(KEPT) and "/generated/" not in file else "",
        "raised": frame is not None and f"/{frame[0]}".endswith(f"/{file}") and name.endswith(f".{frame[1]}"),
    }


def module_of(file: str) -> str:
    """`torch/amp/__init__.py` is torch.amp."""
    return file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def qualified(file: str, function: str) -> str:
    """The name of a function with that of its module, where it is Python's."""
    return f"{module_of(file)}.{function}".removesuffix(".") if file.endswith(".py") else function


def defined(public: dict[str, str], name: str) -> str:
    """The function or class that is public and that a name is, or is a part of; "" where there is none."""
    while name and name not in public:
        name = name.rpartition(".")[0]
    return name


def _fits(place: dict[str, Any], wording: dict[str, Any], found: dict[str, Any], frame: tuple[str, str, str] | None) -> bool:
    """May what was found have been written there? What C++ writes stands below a call of anyone's, and its class was made a finer one over the releases."""
    exception, kind, python = printed_type(f"{place['exception']}:"), found["type"].lstrip("_"), place["file"].endswith(".py")
    if kind not in ("", exception) and (exception or place["exception"] == LOG) and (python or exception != "RuntimeError" or kind.endswith("Warning")):
        return False
    hidden = frame is None or _abridged(frame)
    if exception and python and (place["file"].startswith(REWRITTEN) if hidden else not _same_file(frame[0], place["file"])):
        return False
    if not python and frame is not None and frame[2].startswith("raise ") and "/torch/" not in f"/{frame[0]}":
        return False
    if found["squeezed"]:
        return found["letters"] >= WRAPPED
    before, after = found["before"].rstrip(" "), found["after"].lstrip(" .,;:!?'\")]}`")
    begins = not before or before[-1] in ":])>|-" or _varies(wording["text"])
    return begins and (not after or after[0] > "\x7f" or not python and after.startswith(BEHIND) or wording["parts"][-1] == ["", "line"])


def _same_file(path: str, file: str) -> bool:
    """Is a path that a traceback names this file of torch, in whatever folder it lay in that release?"""
    name = file.rsplit("/", 2)[-2:] if file.endswith("/__init__.py") else file.rsplit("/", 1)[-1:]
    return "/torch/" in f"/{path}" and f"/{path}".endswith("/" + "/".join(name))


def _abridged(frame: tuple[str, str, str]) -> bool:
    """Must frames be missing below this one? Its line raises nothing itself; nor is it another package's, which may have written what it calls in C."""
    return bool(frame[2]) and not frame[2].startswith(("raise", "assert", "File ")) and "-packages/" not in frame[0] and "/torch/" not in f"/{frame[0]}"


def _frame(lines: list[str], at: int) -> tuple[str, str, str] | None:
    """(file, function, its line) of the frame above a message; None where the text does not show it."""
    for number in range(at - 1, max(-1, at - FRAMES), -1):
        text = strip_prefix(lines[number])
        if text.startswith('File "'):  # Python: File "train.py", line 3, in step
            file, _, rest = text[6:].partition('", line ')
        elif text.startswith("File ") and ".py:" in text:  # IPython: File train.py:3, in step(x)
            file, _, rest = text[5:].partition(":")
        elif ".py in " in text:  # and before: train.py in step(x)
            file, _, rest = text.partition(" in ")
            rest = f", in {rest}"
        elif "Traceback (most recent call last)" in text or printed_type(text) or text.strip(" ") in LEFT_OUT:
            return None
        else:
            continue
        function = rest.partition(", in ")[2].partition("(")[0].rpartition(".")[2]
        return file.replace("\\", "/"), function, strip_prefix(lines[number + 1]).strip(" ") if number + 1 < at else ""
    return None


def _search(made: list[Any]) -> str:
    """The address of a search for the longest line of a template's literals."""
    line = max((line for part in made if isinstance(part, str) for line in part.split("\n")), key=len)
    line = "".join(c if " " <= c <= "~" and c != '"' else " " for c in line).strip(" ")
    if len(line) > QUERY:
        line = line[: line.rfind(" ", 0, QUERY)] if " " in line[:QUERY] else line[:QUERY]
    return ISSUES + quote(f'"{line}"', safe="!'()*")
