"""Where a reader looks next whose symptom this was not."""

from __future__ import annotations

from collections import Counter

from .catalogue import Catalogue, Symptom

#: So many are named.
LIMIT = 4


def candidates(catalogue: Catalogue, symptom: Symptom) -> list[Symptom]:
    """Other symptoms, likeliest first: those that may stand in the same output (`outranks`, both
    ways; those that `related` names before the rest), then related ones, then those of the topic
    that share rare tags."""
    others = [other for other in catalogue.symptoms.values() if other is not symptom]
    snippet = symptom.snippet
    named = {name.rpartition("/")[2]: place for place, name in enumerate(snippet.related)}
    ranked = sorted(
        (other for other in others if symptom.stem in other.snippet.outranks),
        key=lambda other: named.get(other.stem, len(named)),
    )
    ranked += [catalogue.symptoms[stem] for stem in snippet.outranks if stem in catalogue.symptoms]
    ranked += [
        catalogue.symptoms[stem]
        for name in snippet.related
        if (stem := name.rpartition("/")[2]) in catalogue.symptoms
    ]
    ranked += [other for other in others if symptom.id in other.snippet.related]
    uses = Counter(tag for other in catalogue.symptoms.values() for tag in other.snippet.tags)
    same = [other for other in others if other.topic == symptom.topic]
    likeness = {
        other.stem: sum(1 / uses[tag] for tag in set(snippet.tags) & set(other.snippet.tags))
        for other in same
    }
    # A tag that half of a topic has says little; two rare ones say much.
    ranked += sorted(
        (other for other in same if likeness[other.stem] >= 0.25),
        key=lambda other: -likeness[other.stem],
    )
    return list({other.stem: other for other in ranked if other is not symptom}.values())[:LIMIT]
