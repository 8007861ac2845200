"""What breaks print on other machines: messages side by side, by torch release and device, as the evidence has them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .catalogue import Catalogue, Symptom
from .evidence import Evidence

_NUMBER = re.compile(r"\d+(?:\.\d+)*")


@dataclass(frozen=True)
class Printed:
    """One message of one break, and where it was printed.

    Attributes:
        text: `Exception: message`, as the first machine of `where` printed it.
        where: environments that printed it, in the catalogue's order (`2.13.0-cpu`, …).
    """

    text: str
    where: tuple[str, ...]


def printed(catalogue: Catalogue, symptom: Symptom, name: str) -> list[Printed]:
    """The different messages that a break ended in, numbers aside; one entry if all machines agree, none if none ran it.

    Evidence of another text of the snippet counts too: it is of the same break, unless that is gone.
    """
    found: dict[str, tuple[str, list[str]]] = {}
    for record in catalogue.evidence:
        if text := message(record, symptom.stem, name):
            found.setdefault(_NUMBER.sub("#", text), (text, []))[1].append(record.environment)
    return [Printed(text, tuple(where)) for text, where in found.values()]


def message(record: Evidence, stem: str, name: str) -> str:
    """`Exception: message` of a recorded cell; "" if it raised nothing or did not run."""
    cell = record.symptoms.get(stem, {}).get("cells", {}).get(name, {})
    return f"{cell['exception']}: {cell.get('message', '')}".strip() if cell.get("exception") else ""


def report(catalogue: Catalogue) -> list[str]:
    """Lines that say which breaks print what where, for every break on which the machines differ."""
    lines = []
    for symptom in catalogue.symptoms.values():
        for cell in symptom.snippet.runs:
            texts = printed(catalogue, symptom, cell.name) if cell.kind == "break" else []
            if len(texts) > 1:
                lines.append(f"{symptom.id}: {cell.name}")
                lines += [f"  {', '.join(one.where)}\n    " + one.text.replace("\n", "\n    ") for one in texts]
    return lines
