"""The lookup: from pasted text to the symptom whose words it prints.

Standard library only; docs/assets/lookup.js is its twin, and the two agree on every input. No
similarity, no regular expressions: a wording is in the text or it is not. Three steps:

1. Find the lines worth reading. Every wording has rare words (its anchors); only lines around such
   a word are read further, so a long log costs one pass over its words (match.py).
2. Clean those lines (prefixes of ranks, loggers, boxes, quotes) and match the wordings in them: as
   printed, and, for lines that a terminal has wrapped, with all blanks squeezed out of both sides.
3. Decide: the cause before what it causes before what merely wraps it; errors before warnings; the
   first of a chain of exceptions (rank.py).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from . import condition, devices, hang, live, ranks
from .clean import binary, normalise, printed_type, redact, strip_prefix
from .failure import fails
from .match import occurrences
from .pasted import Pasted
from .rank import Candidate, ambiguous, ranked
from .wording import ROLES

if TYPE_CHECKING:
    from . import picture
    from .answer import Answer, Cause, CauseEntry, Hit, Index, Often, Remark

#: Lines from the end among which the one to name is sought when nothing matched.
TAIL = 200
#: Characters of that line.
NAMED = 400


def lookup(index: Index, text: str) -> Answer:
    """Which symptom does this text print?

    Args:
        index: what content/index.py makes.
        text: anything; it is only ever read.

    Returns:
        status "match"; "ambiguous" (several independent errors, hits in order); "none"; "empty";
        "binary" (no text). Of "none" also looked_for and report: these are no match, and are
        never shown as one.
    """
    raw = text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text
    if binary(raw[:4096]):
        return _nothing("binary")
    whole, known = live.apart(normalise(raw))
    clean, first = ranks.apart(whole)
    call = hang.roll_call(whole)
    if not clean.strip(" \n"):
        return _nothing("empty")
    pasted, candidates, device = _read(index, clean)
    candidates, remarks = _apart(candidates, pasted.lines)
    raised = first and not first["text"].startswith(ranks.SIGNAL)
    if raised and all(ROLES[candidate.role] == "wrapper" for candidate in candidates):
        candidates = []  # what is wrapped is in the text, and no page knows it
    if not candidates:
        line = first["text"] if first else _looked_for(pasted.lines)
        nothing: Answer = {
            **_nothing("none"),
            "looked_for": line,
            "report": redact(line),
            "harmless": remarks,
        }
        return _called(index, _named(nothing, first), call)
    raw_lines = raw.split("\n")
    stems = {candidate.symptom for candidate in candidates}
    hits = []
    for candidate in candidates:
        if known:
            candidate.values.update(known.values)
        facts = condition.Facts(pasted, candidate.values, candidate.every, stems, known)
        cause = _cause(index["symptoms"][candidate.symptom].get("causes", []), facts)
        line = raw_lines[candidate.line - 1]
        hits.append(_hit(index, candidate, candidates, line, cause))
        if device:
            hits[-1]["device"] = device["id"]
    answer: Answer = {
        "status": "ambiguous" if ambiguous(candidates) else "match",
        "hits": hits,
        "looked_for": "",
        "harmless": remarks,
    }
    return _called(index, _named(answer, first), call)


def _read(index: Index, clean: str) -> tuple[Pasted, list[Candidate], devices.Family | None]:
    """A text, what it prints, and the family of its device: one that no page knows by its own
    words is read in CUDA's."""
    pasted = Pasted(clean)
    candidates = ranked(index, occurrences(index, pasted), clean)
    device = devices.family(index["devices"], pasted)
    if device is None or any(ROLES[one.role] == "cause" for one in candidates):
        return pasted, candidates, device
    other = devices.in_cuda_words(device, clean)
    translated = Pasted(other)
    if other != clean and (told := ranked(index, occurrences(index, translated), other)):
        return translated, told, device
    return pasted, candidates, device


def _called(index: Index, answer: Answer, call: hang.RollCall | None) -> Answer:
    """The answer with the roll-call of a program that hangs: its page comes first, unless the text
    prints an error of its own."""
    if call is None:
        return answer
    verdict, hits = call["verdict"], answer["hits"]
    answer = {**answer, "hang": call}
    if any(hit["why"][0] == "cause" for hit in hits):
        return answer
    stem = verdict["symptom"]
    if stem not in index["symptoms"]:  # nothing that a page is about
        return {**answer, "status": "none", "hits": [], "report": ""}
    symptom = index["symptoms"][stem]
    made: Hit = {
        "symptom": stem,
        "topic": symptom["topic"],
        "title": symptom["title"],
        "recover": symptom.get("recover", ""),
        "line": 1,
        "raw": "",
        "wording": "",
        "exception": "",
        "values": {},
        "why": ["symptom"],
        "cause": None,
        "often": None,
        "row": "",
        "seen_in": [],
    }
    own = next((hit for hit in hits if hit["symptom"] == stem), made)
    rows = [row for row in symptom.get("causes", []) if row["row"] == verdict["row"]]
    if rows and own["cause"] is None:
        own = {**own, "often": None, "row": verdict["row"]}
    others = [hit for hit in hits if hit["symptom"] != stem]
    return {**answer, "status": "match", "hits": [own, *others]}


def _named(answer: Answer, first: ranks.First | None) -> Answer:
    """The answer with the process that failed first, where the text says which it is."""
    return {**answer, "first": first} if first and first["rank"] else answer


def _apart(candidates: list[Candidate], lines: list[str]) -> tuple[list[Candidate], list[Remark]]:
    """What failed, and the warnings beside it that stopped nothing.

    These are an answer only where nothing failed.
    """
    remarks = [candidate for candidate in candidates if ROLES[candidate.role] == "remark"]
    told = [candidate for candidate in candidates if ROLES[candidate.role] != "remark"]
    if told or (remarks and fails(lines)):
        return told, [{"symptom": one.symptom, "line": one.line} for one in remarks]
    return candidates, []


def _nothing(status: Literal["none", "empty", "binary"]) -> Answer:
    return {"status": status, "hits": [], "looked_for": ""}


def _cause(causes: list[CauseEntry], facts: condition.Facts) -> Cause | None:
    """The first row whose condition holds; only where none does, the first that is likely."""
    for leaning in (False, True):
        for row in causes:
            tree = row.get("likely") if leaning else row.get("if")
            if tree is not None and condition.holds(tree, facts):
                return {
                    "row": row["row"],
                    "case": row.get("case", ""),
                    "title": row["title"],
                    "leaning": leaning,
                }
    return None


def often(index: Index, wording: int) -> Often | None:
    """The row that most readers of a wording are served by; None where no table of causes is."""
    stem = index["wordings"][wording]["symptom"]
    symptom = index["symptoms"][stem]
    if not (met := symptom.get("often")):
        return None
    first = next(n for n, entry in enumerate(index["wordings"]) if entry["symptom"] == stem)
    number, *threads = met[wording - first if len(met) > 1 else 0]
    row = symptom["causes"][number]
    return {
        "row": row["row"],
        "case": row.get("case", ""),
        "title": row["title"],
        "threads": threads,
    }


def _hit(
    index: Index,
    candidate: Candidate,
    candidates: list[Candidate],
    raw: str,
    cause: Cause | None,
) -> Hit:
    symptom = index["symptoms"][candidate.symptom]
    others = [other for other in candidates if other is not candidate]
    why = [
        ROLES[candidate.role],
        *(["outranks"] if candidate.outranks else []),
        "type" if candidate.agrees else "other-type",
        *(["warning"] if candidate.warning else []),
        *(["first-of-chain"] if not candidate.block and any(o.block for o in others) else []),
    ]
    most = None if cause else often(index, candidate.number)
    shown = cause or most
    return {
        "symptom": candidate.symptom,
        "topic": symptom["topic"],
        "title": symptom["title"],
        "recover": symptom.get("recover", ""),
        "line": candidate.line,
        "raw": raw,
        "wording": candidate.wording,
        "exception": candidate.exception,
        "values": candidate.values,
        "why": why,
        "cause": cause,
        "often": most,
        "row": shown["row"] if shown else "",
        "seen_in": [other.symptom for other in others if other.role > candidate.role],
    }


def diagnose(index: Index, hit: Hit, language: str) -> str:
    """The sentence of the cause, else of the symptom, with the user's own values.

    "" where the paste does not hold the values of any.
    """
    symptom, cause = index["symptoms"][hit["symptom"]], hit["cause"]
    rows = [row for row in symptom.get("causes", []) if cause and row["row"] == cause["row"]]
    of_cause = rows[0].get("say", {}).get(language) if rows else None
    of_symptom = symptom.get("diagnosis", {}).get(language, [])
    for sentence in [of_cause, *of_symptom] if of_cause else of_symptom:
        pieces = sentence.replace("}", "{").split("{")  # text, name, text, name, ..., text
        if all(name in hit["values"] for name in pieces[1::2]):
            named = {one["id"]: one["noun"] for one in index["devices"]}
            noun = named.get(hit.get("device", ""), "GPU")
            return "".join(
                hit["values"][piece] if at % 2 else piece.replace("GPU", noun)
                for at, piece in enumerate(pieces)
            )
    return ""


def drawn(index: Index, hit: Hit, words: dict[str, str]) -> picture.Picture | None:
    """A picture of the values of a hit (find/picture.py), or None."""
    from . import picture  # what no hook shows costs it no import

    return picture.draw(index["symptoms"][hit["symptom"]].get("pictures", []), hit["values"], words)


def _looked_for(lines: list[str]) -> str:
    """The line that says what went wrong.

    The last that begins with an exception's name, else the last that speaks of an error, else the
    last.
    """
    spoken = last = ""
    left = TAIL
    for line in reversed(lines):
        if not line.strip(" "):
            continue
        text = strip_prefix(line)[:NAMED]
        if printed_type(text):
            return text
        if not spoken and ("error" in line or "Error" in line or "ERROR" in line):
            spoken = text
        last = last or text
        left -= 1
        if not left:
            break
    return spoken or last
