"""The three lines below an error: what it is, where in the user's own code, which command shows the
fix. One text for `run` and all hooks."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ..content import words
from ..find import lookup
from ..find.clean import normalise, printed_type, strip_prefix
from .frames import frame_above, from_here, label_of, last_failure, lines_of, rank, where

if TYPE_CHECKING:
    from ..find.answer import Answer, Hit, Index
    from .knowledge import Knowledge

#: Characters of a line that is printed, of a path or a name in it.
LONGEST, NAME = 400, 200


class Explanation(NamedTuple):
    """What is known about a failure.

    Attributes:
        symptom: its stem; of a message that no page knows, but PyTorch's source, the message; ""
            where neither knows it.
        lines: three lines at most, for a terminal; none where there is nothing to say.
        cause: the row of its table that the text tells; "" where it tells none.
    """

    symptom: str = ""
    lines: Sequence[str] = ()
    cause: str = ""


def explain(
    known: Knowledge,
    text: str,
    language: str,
    environment: Mapping[str, str] | None = None,
    *,
    origins: bool = True,
) -> Explanation:
    """Explain one exception, from its printed traceback.

    Args:
        text: what was printed; it is only ever read.
        environment: may name the rank of the process that printed it (RANK, LOCAL_RANK); os.environ
            if left out.
        origins: may PyTorch itself have raised it?
    """
    answer = known.look_up(text, search=False, origins=origins)
    return _explanation(known, answer, text, language, environment)


def explain_log(
    known: Knowledge, text: str, language: str, environment: Mapping[str, str] | None = None
) -> Explanation:
    """Explain why a program ended, from all that it printed: warnings, and errors that it survived,
    are not why."""
    lines = lines_of(text)
    ended = last_failure(lines)
    answer = _why_it_ended(known.index, text, lines, ended)
    if all(hit["why"][0] == "wrapper" for hit in answer["hits"]):
        answer = _lower(known, answer, "\n".join(lines[ended:]), ended)
    return _explanation(known, answer, text, language, environment)


def _lower(known: Knowledge, answer: Answer, text: str, above: int) -> Answer:
    """What is only likely, where PyTorch writes it, or that it was stopped; else the answer.

    Args:
        above: lines of the log that stand above the text.
    """
    lower = known.look_up(text, search=False)
    if lower["rung"] not in ("likely", "origin") and not _was_stopped(lower):
        return answer
    for hit in lower["hits"]:
        hit["line"] += above
    if lower["rung"] == "origin":
        lower["origin"]["line"] += above
    return lower


def _was_stopped(answer: Answer) -> bool:
    return "failure" in answer and answer["failure"]["kind"] == "stopped"


def _explanation(
    known: Knowledge,
    answer: Answer,
    text: str,
    language: str,
    environment: Mapping[str, str] | None,
) -> Explanation:
    if answer["status"] == "origin" and _was_raised(answer):
        return _of_origin(answer, text, language, environment)
    if not answer["hits"]:
        if _was_stopped(answer):
            said = words.of(language, "answer")["stopped"]
        elif first := answer.get("first"):
            from .terminal import first_failed

            said = first_failed(first, language)
        else:
            return Explanation()
        return Explanation(lines=[words.of(language, "below")["what"].format(what=_short(said))])
    hit, text_of = answer["hits"][0], words.of(language, "below")
    what = lookup.diagnose(known.index, hit, language) or hit["title"][language]
    if answer["status"] == "likely":
        what = text_of["likely"].format(what=what)
    guessed = hit["often"] if hit["often"] and hit["often"]["case"] else None
    sure = ("fix-often" if guessed["threads"] else "fix-first") if guessed else "fix-command"
    fix = text_of[sure].format(command=fix_command(hit))
    # That a process that has ended is started again goes without saying.
    if hit["recover"] in ("again", "machine", "hardware"):
        fix += f" · {words.of(language, 'afterwards')['recover'][hit['recover']]}"
    for other in answer["hits"][1:2] if answer["status"] == "ambiguous" else []:
        fix += text_of["another"].format(command=fix_command(other))
    return Explanation(
        hit["symptom"],
        [
            text_of["what"].format(what=_short(what)),
            *_where_and_rank(text, hit["line"] - 1, language, environment),
            fix,
        ],
        cause=hit["cause"]["row"] if hit["cause"] else "",
    )


def _was_raised(answer: Answer) -> bool:
    """A warning that was printed, or a line of a log, is not why it failed."""
    return bool(printed_type(strip_prefix(normalise(answer["origin"]["raw"]))))


def _of_origin(
    answer: Answer, text: str, language: str, environment: Mapping[str, str] | None
) -> Explanation:
    from .terminal import origin_sentence

    origin, text_of = answer["origin"], words.of(language, "origin")
    place = origin["places"][0]
    lines = [
        _short(text_of["below"].format(origin=origin_sentence(place, language))),
        *_where_and_rank(text, origin["line"] - 1, language, environment),
    ]
    if place["source"]:
        lines.append(f"  {text_of['source']}{place['source']}")
    return Explanation(origin["message"], lines)


def _where_and_rank(
    text: str, at: int, language: str, environment: Mapping[str, str] | None
) -> list[str]:
    """The line that says where in the user's own code the message of line `at` comes from, and on
    which rank; none where the text tells neither."""
    text_of = words.of(language, "below")
    frame, label = where(text, at)
    named = rank(text, label, os.environ if environment is None else environment, text_of)
    if not frame:
        return [text_of["on-rank"].format(rank=named)] if named else []
    place = f"{_short(from_here(frame.file), NAME)}:{frame.line}"
    if frame.function:
        place += text_of["in-function"].format(function=_short(frame.function, NAME))
    line = text_of["where"].format(place=place)
    return [line + (text_of["with-rank"].format(rank=named) if named else "")]


def _short(text: str, longest: int = LONGEST) -> str:
    """As it may stand on a terminal: without control characters, and not endless."""
    from .terminal import printable

    return printable(text[:longest])


def program() -> str:
    """How the command line of this package is called where the user is: the script of an
    environment that is not active is not found."""
    return "torchclinic" if shutil.which("torchclinic") else "python -m torchclinic"


def fix_command(hit: Hit) -> str:
    """Of the cause that the text tells, else of the one met most often."""
    shown = hit["cause"] or hit["often"]
    case = shown["case"] if shown else ""
    return f"{program()} fix {hit['topic']}/{hit['symptom']}" + (f" {case}" if case else "")


def _why_it_ended(index: Index, text: str, lines: list[str], ended: int) -> Answer:
    """The lookup's answer, without hits that are not why the program ended.

    What stands above the last traceback counts only if that is known as a consequence of others,
    and if it is not in a traceback that was survived.

    Args:
        lines: of the text, cleaned.
        ended: at which of them the last traceback begins; 0 where the lookup's own order holds.
    """
    answer = lookup.lookup(index, text)
    hits = [hit for hit in answer["hits"] if not _only_warned(hit, lines)]
    if ended and hits:
        last = lookup.lookup(index, "\n".join(lines[ended:]))
        for hit in last["hits"]:
            hit["line"] += ended
        last["hits"] = [hit for hit in last["hits"] if not _only_warned(hit, lines)]
        if not last["hits"] or last["hits"][0]["why"][0] == "cause":
            answer, hits = last, last["hits"]
        else:
            hits = [hit for hit in hits if _above(hit, lines, ended)] + last["hits"]
    if not hits and answer["hits"]:
        # knows nothing: says what was looked for
        nothing: Index = {**index, "wordings": [], "anchors": {}, "numbered": []}
        answer = lookup.lookup(nothing, text)
    return {**answer, "hits": hits}


def _above(hit: Hit, lines: list[str], ended: int) -> bool:
    """Does it stand above the last traceback, and in none?"""
    at = hit["line"] - 1
    return at < ended and not frame_above(lines, at, label_of(lines[at]))[1]


def _only_warned(hit: Hit, lines: list[str]) -> bool:
    """Is this a warning that was printed, not raised? One that was raised stands at the beginning
    of its line."""
    line = strip_prefix(lines[hit["line"] - 1])
    return "warning" in hit["why"] and not printed_type(line).endswith("Warning")
