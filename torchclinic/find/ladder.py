"""What is said of a text where no wording is printed in it as it is: rung by rung, never surer.

likely: a wording nearly stands in it. origin: PyTorch's source has the message. cut: it ends
before the message. other: another library, or the program itself, raised it. about: pages that the
search finds for its telling lines. docs/assets/ladder.js is the twin.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from . import live, ranks
from .about import Search, about
from .clean import normalise, strip_prefix
from .failure import MARKS, OURS, Failure, last_failure
from .likely import Likely, Likeness
from .lookup import lookup, often
from .rank import shown

if TYPE_CHECKING:
    from .answer import Answer, Hit, Index
    from .answer import Origin as Source

    #: A text -> what find/origins.py answers, or None.
    Origin = Callable[[str], Source | None]
_RAISE, _ASSERT, _ASSERTION = "raise ", "assert ", "AssertionError"
_NOTHING: Answer = {"status": "none", "hits": [], "looked_for": "", "report": ""}


def climb(
    index: Index, likeness: Callable[[], Likeness], text: str, origin: Origin, search: Search
) -> Answer:
    """What `lookup.lookup` answers, with its rung; where that is nothing, the next lower rung.

    Args:
        likeness: makes the `Likeness` of `index`; called only where it is needed.
        origin: asks PyTorch's own messages.
        search: finds pages for a line.

    Returns:
        the answer with `rung`. Of "likely" the hits have `likely`; of "cut" and "other", `failure`
        says where the text ends, or what raised what; of "cut", "about" and "none", `about` names
        at most three pages, best first.
    """
    answer = lookup(index, text)
    if answer["status"] not in ("none", "match", "ambiguous"):
        return {**answer, "rung": "none"}
    if "hang" in answer:
        return {**answer, "rung": "sure"}
    if any(hit["why"][0] != "wrapper" for hit in answer["hits"]):
        return {**answer, "rung": "sure"}
    whole, _ = live.apart(normalise(text.replace("\r\n", "\n").replace("\r", "\n")))
    clean, first = ranks.apart(whole)
    lines = clean.split("\n")
    if end := ranks.stopped(clean):
        return {**answer, **_NOTHING, "rung": "other", "failure": end}
    if answer["hits"]:
        return {**answer, "rung": "sure"}
    failure = last_failure(lines[: first["line"]] if first else lines)
    if failure and (message := _unsaid(lines, failure)):
        told = lookup(index, f"{text}\n{message}")
        if told["hits"] and told["hits"][0]["line"] > len(lines):
            told["hits"][0] |= {"line": failure["line"], "raw": failure["text"]}
            return {**told, "rung": "likely"}
    near = likeness().find(clean, lines)
    if first:  # what is wrapped is in the text
        near = [likely for likely in near if _role(index, likely) != "wrapper"]
    if failure and failure["kind"] == "exception":  # the program ended of that
        near = [likely for likely in near if _role(index, likely) != "symptom"]
    if near:
        hits = [_hit(index, likely) for likely in near[:3]]
        return {**answer, "status": "likely", "hits": hits, "rung": "likely"}
    if failure and failure["kind"] == "cut":  # what is printed above it stopped nothing
        return {**answer, "rung": "cut", "failure": failure, "about": about(lines, search)}
    if found := origin(clean if first else text):
        return {**answer, "status": "origin", "origin": found, "rung": "origin"}
    if failure and _is_of_another(failure):
        return {**answer, "rung": "other", "failure": failure}
    pages = about(lines, search)
    return {**answer, "rung": "about" if pages else "none", "about": pages}


def _role(index: Index, likely: Likely) -> str:
    return index["wordings"][likely["wording"]].get("role", "")


def _is_of_another(failure: Failure) -> bool:
    """Was it raised outside PyTorch, as far as a traceback shows it?"""
    frame = failure["frame"]
    return failure["kind"] == "exception" and frame is not None and frame["library"] not in OURS


def _unsaid(lines: list[str], failure: Failure) -> str:
    """The message that a text lacks and its last line of code tells; "" where it tells none."""
    if failure["kind"] == "cut":
        return _raised(failure["text"])
    if failure["text"].rpartition(".")[2].rstrip(": ") != _ASSERTION:
        return ""
    above = map(strip_prefix, reversed(lines[max(0, failure["line"] - 4) : failure["line"] - 1]))
    code = next((line for line in above if line.strip(MARKS)), "")
    return _raised(code) if code.startswith(_ASSERT) else ""


def _raised(code: str) -> str:
    """`RuntimeError: text` of a line `raise RuntimeError("text")`; "" of any other.

    A condition that is asserted without a text is its own.
    """
    if code.startswith(_ASSERT):
        return f"{_ASSERTION}: {code}"
    if not code.startswith(_RAISE):
        return ""
    name, _, rest = code.removeprefix(_RAISE).partition("(")
    literal = rest.lstrip("frbu")
    text = literal[1:].partition(literal[:1])[0] if literal.startswith(("'", '"')) else ""
    return f"{name}: {text}" if text else ""


def _hit(index: Index, likely: Likely) -> Hit:
    symptom, wording = index["symptoms"][likely["symptom"]], index["wordings"][likely["wording"]]
    most = often(index, likely["wording"])
    return {
        "symptom": likely["symptom"],
        "topic": symptom["topic"],
        "title": symptom["title"],
        "recover": symptom.get("recover", ""),
        "line": likely["line"] + 1,
        "raw": likely["text"],
        "wording": shown(wording["parts"]),
        "exception": wording.get("exception", ""),
        "values": {},
        "why": ["likely"],
        "cause": None,
        "often": most,
        "row": most["row"] if most else "",
        "seen_in": [],
    }
