"""The index: the compact mapping that the matcher reads, in the browser and in Python.

find/answer.py has its shape, `Index`.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from .. import LANGUAGES
from ..find import (
    about,
    clean,
    condition,
    failure,
    hang,
    likely,
    lookup,
    match,
    pasted,
    rank,
    ranks,
    stacks,
)
from ..find.answer import Advice, CauseEntry, Index, Part, SymptomEntry, WordingEntry
from ..find.clean import DIGITS, WORD, words
from ..find.devices import Family
from ..find.wording import HOLES, ROLES, TRACES, Hole, Wording
from .symptom import Symptom

VERSION = 2
#: Words that stand in most logs and tracebacks: of little use to find the lines worth reading.
COMMON = frozenset(
    """
    File line in self module torch return Error error the a to of and is for not be with on was
    are this that it from or as at an if you your RuntimeError ValueError TypeError Traceback
    most recent call last nn py lib site packages python3 python train main model forward data
    utils input output use loss import def args kwargs rank torch_ tensor Tensor size epoch step
    int float cuda device cpu None True False __call__ _call_impl anaconda3 envs home user root
    usr local run name type expected Expected but got must instead operation first same
    dimension dimensions following results parameters failed Assertion WARNING warning version
    installed function object attribute checkpoint training Training processing exception
    Exception optimizer distributed multiprocessing python3.10 configuration
    """.split()  # noqa: SIM905 a word a line would be a hundred lines
)
#: Two rare words of a wording: where a wrapped line has cut one of them, the other still leads to
#: the line.
ANCHORS = 2
#: A row of a table of causes, and the share of threads in which it was the matter, as (these, all);
#: () where too few are known.
Met = tuple[str, tuple[int, ...]]


def _of(module: ModuleType, names: str) -> dict[str, Any]:
    """Constants of a module, by their names in small letters."""
    return {name.lower(): getattr(module, name) for name in names.split()}


#: What the twins in JavaScript go by as the modules of this name in find/ do.
TABLES: dict[str, dict[str, Any]] = {
    "clean": {
        **_of(clean, "REPLACED ENTITIES SPOKEN EDGE LEVELS CODE TYPES"),
        "prefix": {
            "traced": clean.TRACED,
            "tries": clean.TRIES,
            "long": clean.PREFIX,
            "most": clean.PREFIXES,
            "ranks": clean.RANKS,
        },
        "redact": _of(clean, "SECRET BREAKS AROUND PINS"),
    },
    "pasted": _of(pasted, "PLACES FRAMES"),
    "match": _of(match, "CONTEXT FREQUENT TRIES LONG SQUEEZABLE DEVICES"),
    "rank": {**_of(rank, "CHAINS RANKS"), "roles": ROLES},
    "lookup": _of(lookup, "TAIL NAMED"),
    "ladder": _of(failure, "READ LONG SIGNALS STOPPED COMPLAINTS TOLD OURS FOLDERS FRAMED OUTPUT"),
    "ranks": _of(ranks, "READ MARKS LOST WAITING ROOT SIGNAL ABORT STOPS HEAD TALL"),
    "hang": {
        **_of(hang, "KINDS HELPERS LAUNCHERS GONE STILL OUTSIDE TOGETHER"),
        **_of(stacks, "MARK MARKED SIGNS NOT READ LONG DEEP WORKS LIBRARIES"),
    },
    "likely": _of(
        likely, "BEGIN END LONG WORDS LETTERS HEAD_WORDS HEAD_LETTERS PLENTY RAISED BETWEEN ALIKE"
    ),
    "about": _of(
        about,
        "BEGIN END LONG NAMED COUNTED TOGETHER MARKS OUTSIDE QUOTED WORDS"
        " ERRORS TROUBLE STOPS FRAMES SIGNS",
    ),
    "condition": _of(condition, "SIZES UNITS"),
}


def build(
    symptoms: dict[str, Symptom],
    languages: tuple[str, ...] = LANGUAGES,
    met: Mapping[str, list[Met]] | None = None,
    devices: Sequence[Family] = (),
) -> Index:
    """The index of symptoms, by stem, with titles and sentences in `languages`.

    Pure data: the same files give the same index.

    Args:
        met: of each wording of a symptom; left out, the first row of its table for all.
        devices: families, in the order in which a text is asked for its own.
    """
    entries = {
        stem: _symptom(symptom, languages, (met or {}).get(stem, []))
        for stem, symptom in symptoms.items()
    }
    wordings = [(stem, text) for stem, of in symptoms.items() for text in of.snippet.wordings]
    return {**assemble(entries, wordings), "devices": [*devices]}


def assemble(symptoms: dict[str, SymptomEntry], wordings: list[tuple[str, Wording]]) -> Index:
    """The index of these entries and of (stem, wording)."""
    frequency = Counter(word for _, wording in wordings for word in set(_words(wording)))
    by_word: dict[str, list[int]] = {}
    for number, (_, wording) in enumerate(wordings):
        for word in anchors(wording, frequency):
            by_word.setdefault(word, []).append(number)
    return {
        "version": VERSION,
        "tables": TABLES,
        "holes": {kind: list(hole) for kind, hole in HOLES.items()},
        "traces": {name: list(texts) for name, texts in TRACES.items()},
        "symptoms": symptoms,
        "devices": [],
        "wordings": [_wording(stem, wording) for stem, wording in wordings],
        "anchors": by_word,
        "numbered": [word for word in by_word if any(c in DIGITS for c in word)],
    }


def _symptom(symptom: Symptom, languages: tuple[str, ...], met: list[Met]) -> SymptomEntry:
    fronts = {name: page.front for name, page in symptom.pages.items() if name in languages}
    entry: SymptomEntry = {
        "topic": symptom.topic,
        "title": {language: symptom.title(language) for language in languages},
        "recover": symptom.snippet.recover,
        "outranks": symptom.snippet.outranks,
        "diagnosis": {name: front.diagnosis for name, front in fronts.items() if front.diagnosis},
    }
    if symptom.snippet.pictures:
        entry["pictures"] = symptom.snippet.pictures
    if symptom.snippet.causes:
        met = met or [(symptom.snippet.causes[0].row, ())]
        fixed = [cause.row for cause in symptom.snippet.causes if cause.case]
        shown = {*fixed[:1], *(row for row, _ in met)}
        entry["causes"] = _causes(symptom, languages, shown)
        rows = [cause["row"] for cause in entry["causes"]]
        often = [[rows.index(row), *share] for row, share in met]
        entry["often"] = often[:1] if all(share == often[0] for share in often) else often
    return entry


def _wording(stem: str, wording: Wording) -> WordingEntry:
    entry: WordingEntry = {"symptom": stem, "parts": _parts(wording)}
    if wording.exception:
        entry["exception"] = wording.exception
    if wording.also:
        entry["also"] = list(wording.also)
    if wording.role != "cause":
        entry["role"] = wording.role
    if wording.near:
        entry["near"] = list(wording.near)
    if wording.unless:
        entry["unless"] = list(wording.unless)
    if wording.when:
        entry["when"] = list(wording.when)
    return entry


def _parts(wording: Wording) -> list[Part]:
    return [
        _single_blanks(part) if isinstance(part, str) else [part.name, part.kind]
        for part in wording.parts
    ]


def shown(wording: Wording) -> str:
    """What a hit of the lookup calls the wording."""
    return rank.shown(_parts(wording))


def _causes(
    symptom: Symptom, languages: tuple[str, ...], shown: Collection[str]
) -> list[CauseEntry]:
    """The rows that a paste may decide for, and those that are shown where it decides for none."""
    entries: list[CauseEntry] = []
    pages = {name: page for name, page in symptom.pages.items() if name in languages}
    for cause in symptom.snippet.causes:
        if cause.decides is None and cause.leans is None and cause.row not in shown:
            continue
        titles = {name: page.cause_title(cause.row, cause.case) for name, page in pages.items()}
        entry: CauseEntry = {"row": cause.row, "title": titles}
        if cause.case:
            entry["case"] = cause.case
        rows = {name: page.front.causes.get(cause.row) for name, page in pages.items()}
        if say := {name: row.say for name, row in rows.items() if row and row.say}:
            entry["say"] = say
        if cause.decides is not None:
            entry["if"] = cause.decides
        if cause.leans is not None:
            entry["likely"] = cause.leans
        entries.append(entry)
    return entries


def _single_blanks(literal: str) -> str:
    """The matcher reads lines with single blanks; a literal keeps the blank at its ends."""
    return re.sub(" +", " ", literal)


def _words(wording: Wording) -> list[str]:
    """Words of a wording that stand alone in the printed text: not glued to a hole's value."""
    alone: list[str] = []
    for at, part in enumerate(wording.parts):
        if isinstance(part, Hole):
            continue
        inside = words(part)
        after_hole = at > 0 and part[0] in WORD
        before_hole = at + 1 < len(wording.parts) and part[-1] in WORD
        alone += inside[1 if after_hole else 0 : len(inside) - 1 if before_hole else len(inside)]
    return alone


def anchors(wording: Wording, frequency: Counter[str]) -> list[str]:
    """The rarest words of a wording; [] if there is none, which the lint reports."""
    alone = dict.fromkeys(_words(wording))
    usable = [word for word in alone if len(word) > 2 and not word.isdigit()]
    # Long words are rare ones; among equals, the one that fewer wordings have.
    usable.sort(key=lambda word: (word in COMMON, -min(len(word), 10), frequency[word], word))
    return usable[:1] + [word for word in usable[1:ANCHORS] if word not in COMMON and len(word) > 5]


def lint(
    index: Index, stem: str, wordings: Iterable[tuple[int, Wording]]
) -> Iterator[tuple[int, str]]:
    """Wordings of a symptom that the matcher could not find or would give to another one.

    Args:
        wordings: with their numbers in the index.

    Yields:
        line, message.
    """
    anchored = {number for numbers in index["anchors"].values() for number in numbers}
    for number, wording in wordings:
        if number not in anchored:
            message = f"wording {wording.text!r} has no word of three letters that stands alone"
            yield wording.line, f"{message}; the lookup finds lines by such words"
            continue
        near = [f"\n{TRACES.get(text, (text,))[0]}" for text in wording.near[:1]]
        hits = lookup.lookup(index, wording.sample + "".join(near))["hits"]
        first = hits[0]["symptom"] if hits else "no match"
        if first != stem:
            message = f"the sample of {wording.text!r} is looked up as {first}, not as {stem}"
            yield wording.line, f"{message}: set `outranks`, `near`, or make it tell more"


def served(index: Index) -> dict[str, Any]:
    """The files of a site, by name.

    index.json, which a browser needs to find what a text prints, and advice.json, what is then
    said: it asks for that when a page is named.
    """
    advised = {*Advice.__annotations__, "title"}
    finding, advice = (
        {
            stem: {name: of for name, of in entry.items() if (name in advised) is told}
            for stem, entry in index["symptoms"].items()
        }
        for told in (False, True)
    )
    # What holds digits, the twin in JavaScript finds as any word.
    kept = {name: part for name, part in index.items() if name not in ("numbered", "anchors")}
    found = {**kept, "wordings": _columns(index), "symptoms": finding}
    return {"index.json": found, "advice.json": advice}


def _columns(index: Index) -> dict[str, list[Any]]:
    """The wordings as `unpack` of docs/assets/lookup.js reads them: a tenth of the file is saved.

    `symptom` counts the wordings of each symptom, in the order of `symptoms`, which is theirs.
    `places` says of each wording where its anchors stand among its words: their names would be a
    fifth of the file. Of all else, (how many wordings further, what it is), where there is any.
    """
    wordings = index["wordings"]
    many = Counter(wording["symptom"] for wording in wordings)
    places: list[list[int]] = [[] for _ in wordings]
    for word, numbers in index["anchors"].items():
        for number in numbers:
            places[number].append(_said(wordings[number]).index(word))
    columns: dict[str, list[Any]] = {
        "symptom": [many[stem] for stem in index["symptoms"]],
        "parts": [wording["parts"] for wording in wordings],
        "places": places,
    }
    last: dict[str, int] = {}
    for number, wording in enumerate(wordings):
        for name, value in wording.items():
            if name not in columns or name in last:
                columns.setdefault(name, []).append([number - last.get(name, 0), value])
                last[name] = number
    return columns


def _said(wording: WordingEntry) -> list[str]:
    """All words of a wording's literals."""
    return words(" ".join(part for part in wording["parts"] if isinstance(part, str)))


def write(index: Index, folder: Path) -> None:
    """Write the files that the site serves."""
    for name, data in served(index).items():
        (folder / name).write_text(dumps(data), encoding="utf-8")


def dumps(data: Any) -> str:
    """As the site serves it."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))
