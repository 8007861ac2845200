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
from typing import Any

from . import condition, picture
from .clean import binary, normalise, printed_type, redact, strip_prefix, words
from .match import occurrences

#: Lines from the end among which the one to name is sought when nothing matched.
TAIL = 200
_CHAINS = ("The above exception was the direct cause of the following exception", "During handling of the above exception, another exception occurred")
_ROLES = ("cause", "symptom", "wrapper")
#: (role, is a warning) -> rank: what a warning speaks of is seldom why a program died, but it tells more than a wrapper.
_RANKS = {(0, False): 0, (1, False): 1, (0, True): 2, (1, True): 3, (2, False): 4, (2, True): 4}


def shown(parts: list[Any]) -> str:
    """A wording as a person reads it: holes as \u27e8name\u27e9."""
    return "".join(part if isinstance(part, str) else "\u27e8" + part[0] + "\u27e9" for part in parts)


def lookup(index: dict[str, Any], text: str) -> dict[str, Any]:
    """Which symptom does this text print?

    Args:
        index: what `index.build` made.
        text: anything; it is only ever read.

    Returns:
        status: "match"; "ambiguous" (several independent errors; hits in order); "none"; "empty"; "binary" (no text).
        hits: best first, each with symptom, topic, title, page, recover (what brings the reader on, see content/snippet.py), docs, line (1-based, of the paste), raw (that line as pasted), wording
            (holes as \u27e8name\u27e9), exception, values {name: text}, why [reason codes], seen_in [stems of wrappers and of consequences], cause (the row of the page's
            table of causes that the text decides for: row, case ("" where it leads to another page), title {language}, leaning (it is only the
            most likely one); None where the text tells none).
        looked_for: for "none", the line that was looked up, cleaned; then also report, that line redacted, and neighbours, stems whose
            wordings share words with it. Neighbours are no match and are never shown as one.
    """
    raw = text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text
    if binary(raw[:4096]):
        return {"status": "binary", "hits": [], "looked_for": ""}
    clean = normalise(raw)
    if not clean.strip(" \n"):
        return {"status": "empty", "hits": [], "looked_for": ""}
    lines = clean.split("\n")
    hits = _decide(index, occurrences(index, clean, lines), clean)
    raw_lines = raw.split("\n") if hits else []
    for hit in hits:
        hit["raw"] = raw_lines[hit["line"] - 1]
    if not hits:
        line = _looked_for(lines)
        return {"status": "none", "hits": [], "looked_for": line, "report": redact(line), "neighbours": _neighbours(index, line)}
    stems = {hit["symptom"] for hit in hits}
    for hit in hits:
        hit["cause"] = _cause(index["symptoms"][hit["symptom"]].get("causes", []), condition.Paste(clean, hit["values"], hit["every"], stems))
    return {"status": "ambiguous" if _ambiguous(hits) else "match", "hits": [_public(index, hit, hits) for hit in hits], "looked_for": ""}


def _cause(causes: list[dict[str, Any]], paste: condition.Paste) -> dict[str, Any] | None:
    """The first row whose condition holds; only where none does, the first that is likely."""
    for name in ("if", "likely"):
        for row in causes:
            if name in row and condition.holds(row[name], paste):
                return {"row": row["row"], "case": row.get("case", ""), "title": row["title"], "leaning": name == "likely"}
    return None


def diagnose(index: dict[str, Any], hit: dict[str, Any], language: str) -> str:
    """The sentence of the cause, else of the symptom, with the user's own values; "" where the paste does not hold them."""
    symptom, cause = index["symptoms"][hit["symptom"]], hit["cause"]
    own = next((row.get("say", {}).get(language) for row in symptom.get("causes", []) if cause and row["row"] == cause["row"]), None)
    for sentence in ([own] if own else []) + symptom.get("diagnosis", {}).get(language, []):
        pieces = sentence.replace("}", "{").split("{")  # text, name, text, name, ..., text
        if all(name in hit["values"] for name in pieces[1::2]):
            return "".join(hit["values"][piece] if at % 2 else piece for at, piece in enumerate(pieces))
    return ""


def drawn(index: dict[str, Any], hit: dict[str, Any], words: dict[str, str]) -> dict[str, Any] | None:
    """A picture of the values of a hit (find/picture.py), or None."""
    return picture.draw(index["symptoms"][hit["symptom"]].get("pictures", []), hit["values"], words)


def _decide(index: dict[str, Any], found: list[dict[str, Any]], clean: str) -> list[dict[str, Any]]:
    """One hit for each symptom, best first."""
    chains = chain_lines(clean) if found else []
    best: dict[str, dict[str, Any]] = {}
    every: dict[str, dict[str, list[str]]] = {}  # of each symptom, all values of each name
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
            "agrees": not occurrence["type"] or occurrence["type"] in (wording.get("exception", occurrence["type"]), *wording.get("also", [])),
            "block": bisect_right(chains, occurrence["line"]),
            "letters": occurrence["letters"],
        }
        hit["rank"] = _RANKS[hit["role"], hit["warning"]]
        hit["every"] = every.setdefault(hit["symptom"], {})
        for name, value in hit["values"].items():
            hit["every"].setdefault(name, []).append(value)
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


def chain_lines(clean: str) -> list[int]:
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
        "recover": symptom.get("recover", ""),
        "docs": symptom.get("docs", ""),
        "line": hit["line"],
        "raw": hit["raw"],
        "wording": hit["wording"],
        "exception": hit["exception"],
        "values": hit["values"],
        "why": why,
        "cause": hit["cause"],
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
        if printed_type(text):
            return text
        if not spoken and ("error" in line or "Error" in line or "ERROR" in line):
            spoken = text
        last = last or text
        left -= 1
        if not left:
            break
    return spoken or last


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
