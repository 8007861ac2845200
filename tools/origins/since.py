"""Since when, and until when, PyTorch's files hold the wordings of our symptoms: facts/since.json,
from which the site makes its page of what changed."""

from __future__ import annotations

from torchclinic.content import changes, index
from torchclinic.content.catalogue import Catalogue
from torchclinic.find import origins, origins_table
from torchclinic.find.answer import Origins, Table
from torchclinic.find.wording import Wording

#: Of a wording: the first release that has it, "" where the oldest one that was read has it; and
#: the last, "" where the newest one has it.
Span = list[str]


def since(table: Table, catalogue: Catalogue) -> dict[str, dict[str, Span]]:
    """By symptom and wording; without those that all releases have, and without what a run
    contradicts: a text may have been put together in another way."""
    loaded = origins_table.load(table)
    spans = _spans(loaded)
    found: dict[str, dict[str, Span]] = {}
    for symptom in catalogue.symptoms.values():
        said, _ = changes.shown_by(catalogue, symptom)
        for wording in symptom.snippet.wordings:
            origin = origins.origin(loaded, _printed(wording))
            first, last = spans[origin["message"]] if origin else (0, 0)
            if not origin or (first <= 0 and last == len(table["releases"]) - 1):
                continue
            span = [
                table["releases"][first] if first > 0 else "",
                table["releases"][last] if last < len(table["releases"]) - 1 else "",
            ]
            if not any(_contradicts(torch, span) for torch in said.get(wording.text, ())):
                found.setdefault(symptom.id, {})[wording.text] = span
    return found


def _printed(wording: Wording) -> str:
    """A line as a program ends with it."""
    text = (wording.sample or index.shown(wording)).splitlines()[-1]
    head = f"{wording.exception}: "
    return text if not wording.exception or head in text else head + text


def _spans(loaded: Origins) -> dict[str, tuple[int, int]]:
    """Of each message, wherever it is written: its first release, 0 or less where that is not
    known, and its last."""
    spans: dict[str, tuple[int, int]] = {}
    for message in loaded["messages"]:
        text = origins.shown(message)
        first, last = spans.get(text, (len(loaded["packed"]["releases"]), 0))
        spans[text] = (
            min(first, *(place.first for place in message.places)),
            max(last, *(place.last for place in message.places)),
        )
    return spans


def _contradicts(torch: str, span: Span) -> bool:
    first, last = span
    release = changes.release(torch)
    return bool(first and release < changes.release(first)) or bool(
        last and release > changes.release(last)
    )
