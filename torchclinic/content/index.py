"""The index: the compact mapping that the matcher reads, in the browser and in Python.

{"version": 1,
 "holes": {kind: [characters, cap]},
 "traces": {name in "near" or "unless": [texts, one of which stands for it]},
 "symptoms": {stem: {"topic", "title": {language: text}, "page": bool, "recover", "docs", "outranks": [stem], "diagnosis": {language: [sentence]}, "pictures": [[kind, hole]],
                      "causes": [{"row", "case", "title": {language: text}, "say": {language: sentence}, "if": condition, "likely": condition}]}},
 "wordings": [{"symptom", "parts": [literal | [name, kind]], "exception", "also": [exception], "role" (if not "cause"), "near": [text], "unless": [text], "when": [..]}],
 "anchors": {word: [numbers of the wordings that it leads to]}}
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

from .. import LANGUAGES
from ..find import lookup
from ..find.clean import WORD, words
from ..find.wording import HOLES, TRACES, Hole, Wording
from .known import KnownMessage
from .symptom import Symptom

VERSION = 1
#: Words that stand in most logs and tracebacks: of little use for finding the lines worth reading.
COMMON = frozenset(
    [
        "File",
        "line",
        "in",
        "self",
        "module",
        "torch",
        "return",
        "Error",
        "error",
        "the",
        "a",
        "to",
        "of",
        "and",
        "is",
        "for",
        "not",
        "be",
        "with",
        "on",
        "was",
        "are",
        "this",
        "that",
        "it",
        "from",
        "or",
        "as",
        "at",
        "an",
        "if",
        "you",
        "your",
        "RuntimeError",
        "ValueError",
        "TypeError",
        "Traceback",
        "most",
        "recent",
        "call",
        "last",
        "nn",
        "py",
        "lib",
        "site",
        "packages",
        "python3",
        "python",
        "train",
        "main",
        "model",
        "forward",
        "data",
        "utils",
        "input",
        "output",
        "use",
        "loss",
        "import",
        "def",
        "args",
        "kwargs",
        "rank",
        "torch_",
        "tensor",
        "Tensor",
        "size",
        "epoch",
        "step",
        "int",
        "float",
        "cuda",
        "device",
        "cpu",
        "None",
        "True",
        "False",
        "__call__",
        "_call_impl",
        "anaconda3",
        "envs",
        "home",
        "user",
        "root",
        "usr",
        "local",
        "run",
        "name",
        "type",
        "expected",
        "Expected",
        "but",
        "got",
        "must",
        "instead",
        "operation",
        "first",
        "same",
        "dimension",
        "dimensions",
        "following",
        "results",
        "parameters",
        "failed",
        "Assertion",
        "WARNING",
        "warning",
        "version",
        "installed",
        "function",
        "module",
        "object",
        "attribute",
        "checkpoint",
        "training",
        "Training",
        "processing",
        "exception",
        "Exception",
        "optimizer",
        "distributed",
        "multiprocessing",
        "python3.10",
        "configuration",
    ]
)
#: Two rare words of a wording: where a wrapped line has cut one of them, the other still leads to the line.
ANCHORS = 2


def _parts(wording: Wording) -> list[Any]:
    return [_single_blanks(part) if isinstance(part, str) else [part.name, part.kind] for part in wording.parts]


def shown(wording: Wording) -> str:
    """What a hit of the lookup calls the wording."""
    return lookup.shown(_parts(wording))


def build(symptoms: dict[str, Symptom], known: dict[str, KnownMessage], languages: tuple[str, ...] = LANGUAGES) -> dict[str, Any]:
    """The index of symptoms and known messages, by stem, with titles and sentences in `languages`. Pure data: the same files give the same index."""
    entries_of: dict[str, dict[str, Any]] = {}
    wordings: list[dict[str, Any]] = []
    entries: list[tuple[str, Wording]] = []
    for stem, symptom in symptoms.items():
        entries_of[stem] = {
            "topic": symptom.topic,
            "title": {language: symptom.title(language) for language in languages},
            "page": True,
            "recover": symptom.snippet.recover,
            "outranks": symptom.snippet.outranks,
            "diagnosis": {language: made.diagnoses for language, made in symptom.pages.items() if made.diagnoses and language in languages},
        }
        if symptom.snippet.pictures:
            entries_of[stem]["pictures"] = symptom.snippet.pictures
        if causes := _causes(symptom, languages):
            entries_of[stem]["causes"] = causes
        entries += [(stem, wording) for wording in symptom.snippet.wordings]
    for stem, message in known.items():
        entries_of[stem] = {
            "topic": message.topic,
            "title": {language: message.title[language] for language in languages},
            "page": False,
            "outranks": message.outranks,
            "diagnosis": {language: sentences for language, sentences in message.diagnosis.items() if language in languages},
        }
        if message.docs:
            entries_of[stem]["docs"] = message.docs
        entries += [(stem, wording) for wording in message.wordings]
    by_word: dict[str, list[int]] = {}
    frequency = Counter(word for _, wording in entries for word in set(_words(wording)))
    for stem, wording in entries:
        made: dict[str, Any] = {
            "symptom": stem,
            "parts": _parts(wording),
        }
        if wording.exception:
            made["exception"] = wording.exception
        if wording.also:
            made["also"] = list(wording.also)
        if wording.role != "cause":
            made["role"] = wording.role
        for name in ("near", "unless", "when"):
            if getattr(wording, name):
                made[name] = list(getattr(wording, name))
        for word in anchors(wording, frequency):
            by_word.setdefault(word, []).append(len(wordings))
        wordings.append(made)
    return {
        "version": VERSION,
        "holes": {kind: list(hole) for kind, hole in HOLES.items()},
        "traces": {name: list(texts) for name, texts in TRACES.items()},
        "symptoms": entries_of,
        "wordings": wordings,
        "anchors": by_word,
    }


def _causes(symptom: Symptom, languages: tuple[str, ...]) -> list[dict[str, Any]]:
    """The rows of the table of causes that a paste may decide for, in the table's order."""
    found = []
    pages = {language: made for language, made in symptom.pages.items() if language in languages}
    for cause in symptom.snippet.causes:
        made: dict[str, Any] = {"row": cause.row, "title": {language: page.cause_title(cause.row, cause.case) for language, page in pages.items()}}
        if cause.case:
            made["case"] = cause.case
        if say := {language: page.causes[cause.row].say for language, page in pages.items() if cause.row in page.causes and page.causes[cause.row].say}:
            made["say"] = say
        for name, tree in (("if", cause.decides), ("likely", cause.leans)):
            if tree is not None:
                made[name] = tree
        if cause.decides is not None or cause.leans is not None:
            found.append(made)
    return found


def _single_blanks(literal: str) -> str:
    """The matcher reads lines with single blanks; a literal keeps the blank at its ends."""
    while "  " in literal:
        literal = literal.replace("  ", " ")
    return literal


def _words(wording: Wording) -> list[str]:
    """Words of a wording that stand alone in the printed text: not glued to a hole's value."""
    found = []
    for at, part in enumerate(wording.parts):
        if isinstance(part, Hole):
            continue
        alone = words(part)
        after_hole = at > 0 and part[0] in WORD
        before_hole = at + 1 < len(wording.parts) and part[-1] in WORD
        found += alone[1 if after_hole else 0 : len(alone) - 1 if before_hole else len(alone)]
    return found


def anchors(wording: Wording, frequency: Counter[str]) -> list[str]:
    """The rarest words of a wording; [] if there is none, which the lint reports."""
    usable = [word for word in dict.fromkeys(_words(wording)) if len(word) > 2 and not word.isdigit()]
    # Long words are rare ones; among equals, the one that fewer wordings have.
    usable.sort(key=lambda word: (word in COMMON, -min(len(word), 10), frequency[word], word))
    return usable[:1] + [word for word in usable[1:ANCHORS] if word not in COMMON and len(word) > 5]


def lint(index: dict[str, Any], entries: list[tuple[str, Wording, Path]]) -> list[tuple[Path, int, str]]:
    """Wordings that the matcher could not find or would give to the wrong symptom.

    Args:
        entries: (stem, wording, its file), for reports.
    """
    found = []
    anchored = {number for numbers in index["anchors"].values() for number in numbers}
    for number, (stem, wording, file) in enumerate(entries):
        if number not in anchored:
            found.append((file, wording.line, f"wording {wording.text!r} has no word of three letters that stands alone; the lookup finds lines by such words"))
            continue
        sample = wording.sample + "".join(f"\n{TRACES.get(text, (text,))[0]}" for text in wording.near[:1])
        answer = lookup.lookup(index, sample)
        first = answer["hits"][0]["symptom"] if answer["hits"] else None
        if first != stem:
            found.append(
                (
                    file,
                    wording.line,
                    f"the sample of {wording.text!r} is looked up as {first or 'no match'}, not as {stem}: set `outranks`, `near`, or make it tell more",
                )
            )
    return found


def apart(index: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The index without its causes, and these by stem: a browser asks for them when a message was found."""
    symptoms = {stem: {name: value for name, value in entry.items() if name != "causes"} for stem, entry in index["symptoms"].items()}
    return {**index, "symptoms": symptoms}, {stem: entry["causes"] for stem, entry in index["symptoms"].items() if "causes" in entry}


def write(index: dict[str, Any], folder: Path) -> None:
    """Write index.json and causes.json, as the site serves them."""
    for name, data in zip(("index.json", "causes.json"), apart(index), strict=True):
        (folder / name).write_text(dumps(data), encoding="utf-8")


def dumps(index: dict[str, Any]) -> str:
    """The index as the site serves it."""
    return json.dumps(index, ensure_ascii=False, separators=(",", ":"))
