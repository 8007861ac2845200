"""The collection: all symptoms and tips, with what belongs to none of them alone."""

from __future__ import annotations

import difflib
import functools
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .. import LANGUAGES
from ..find.answer import Index
from ..find.search_table import SearchIndex
from . import index, most_met, mutation, search_index, tip
from .devices import Devices
from .evidence import Evidence
from .index import Met
from .kept import Kept
from .problem import Problems
from .symptom import Symptom
from .tip import Tip

#: Folder of what belongs to no single page: vocabulary, sources, redirects, the symptoms met most.
FACTS = "facts"


class UnknownSymptom(KeyError):
    """No symptom, or tip, has this id."""

    def __str__(self) -> str:
        return str(self.args[0])


@dataclass
class Catalogue:
    """What was read of a checkout.

    Attributes:
        symptoms: by stem, in the order of topics.
        topics, tags: id -> {language: name}.
        sources: facts/sources.yml: documents whose entries (`rows`) pages answer.
        tips: by stem, in the order of topics.
        redirects: id that a page had -> its id of today.
        mutants: wrong versions of fixes that were tried on the CPU.
        often: the most met symptoms, which the home page names, in order.
        drafts: by stem, what is proposed and not published; in nothing else that stands here.
        alike: facts/alike.yml: words that people use for one another.
        devices: facts/devices.yml: families of devices.
    """

    root: Path
    symptoms: dict[str, Symptom]
    topics: dict[str, dict[str, str]]
    tags: dict[str, dict[str, str]]
    evidence: list[Evidence]
    problems: Problems
    sources: dict[str, dict[str, Any]] = field(default_factory=dict)
    tips: dict[str, Tip] = field(default_factory=dict)
    redirects: dict[str, str] = field(default_factory=dict)
    mutants: mutation.Record = field(default_factory=lambda: mutation.Record("", "cpu"))
    often: list[Symptom] = field(default_factory=list)
    drafts: dict[str, Symptom] = field(default_factory=dict)
    alike: list[list[str]] = field(default_factory=list)
    devices: Devices = field(default_factory=lambda: Devices({}, {}))

    def find(self, name: str) -> Symptom:
        """A symptom by `topic/stem` or `stem`.

        Raises:
            UnknownSymptom: names the nearest ids.
        """
        symptom = self.symptoms.get(name.rpartition("/")[2])
        if symptom is None or ("/" in name and symptom.id != name):
            ids = [symptom.id for symptom in self.symptoms.values()]
            raise _unknown("symptom", name, [*ids, *self.symptoms])
        return symptom

    def find_page(self, name: str) -> Symptom | Tip:
        """A tip by `tips/topic/stem`, or a symptom.

        Raises:
            UnknownSymptom: names the nearest ids.
        """
        if not name.startswith(f"{tip.FOLDER}/"):
            return self.find(name)
        by_id = {entry.id: entry for entry in self.tips.values()}
        if name not in by_id:
            raise _unknown("tip", name, list(by_id))
        return by_id[name]

    def answers(self) -> dict[str, list[Symptom | Tip]]:
        """Which pages answer each row of the documents."""
        pages: dict[str, list[Symptom | Tip]] = {
            f"{document}-{row}": []
            for document, source in self.sources.items()
            for row in source["rows"]
        }
        for symptom in self.symptoms.values():
            for row in symptom.snippet.rows:
                pages.setdefault(row, []).append(symptom)
        for entry in self.tips.values():
            for row in entry.facts.rows:
                pages.setdefault(row, []).append(entry)
        return pages

    def index(self, languages: tuple[str, ...] = LANGUAGES) -> Index:
        """The matcher's index of all symptoms, with titles and sentences in `languages`."""
        return index.build(self.symptoms, languages, self.met, self.devices.for_lookup())

    @functools.cached_property
    def met(self) -> dict[str, list[Met]]:
        """For each wording of each symptom, the row that most of its readers are served by."""
        with Kept(self.root, "met") as kept:
            return {stem: self._met(symptom, kept) for stem, symptom in self.symptoms.items()}

    def _met(self, symptom: Symptom, kept: Kept) -> list[Met]:
        def count(_: Problems) -> list[Met]:
            alone = index.build({symptom.stem: symptom}, ())
            return most_met.of_wordings(symptom, self.evidence, alone)

        recorded = [record.symptoms.get(symptom.stem) for record in self.evidence]
        here = symptom.id, symptom.snippet.text, json.dumps([symptom.threads, recorded])
        return kept.of(self.problems, count, *here)

    @functools.cached_property
    def table(self) -> Index:
        """The index without what is shown of a hit, made once: which symptom and cause a text is.

        What most readers of a message met is not in it, which takes as long as all else.
        """
        return index.build(self.symptoms, ())

    def search_index(self, language: str, overviews: list[tuple[str, str, str]]) -> SearchIndex:
        """The search's index of one language.

        Args:
            overviews: (address, title, description) of pages about the others.
        """
        simplified = search_index.traditional(self.root / FACTS / search_index.TRADITIONAL)
        pages: list[Symptom | Tip] = [*self.symptoms.values(), *self.tips.values()]
        return search_index.build(pages, overviews, self.tags, self.alike, simplified, language)


def _unknown(kind: str, name: str, names: list[str]) -> UnknownSymptom:
    near = ", ".join(difflib.get_close_matches(name, names, 3, 0.5))
    hint = f"did you mean {near}?" if near else "`python -m torchclinic catalogue` lists them"
    return UnknownSymptom(f"no {kind} `{name}`; {hint}")
