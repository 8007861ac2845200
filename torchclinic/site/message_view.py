"""Messages as pages show them: the wordings of a symptom, and the sizes of one drawn."""

from __future__ import annotations

import html
import json
import re

from ..content import changes, index
from ..content.catalogue import Catalogue
from ..content.symptom import Symptom
from ..find import lookup
from ..find.drawing import Shape
from ..find.picture import Picture
from ..find.wording import HOLES, Hole, Part, Wording
from .evidence_view import DEVICES, recorded
from .labels import KINDS, LABELS, PICTURE

#: Characters of wordings shown at once (but one at least); the rest is folded, behind the
#: choice, so that the fix comes early on a phone.
SHOWN = 100
#: Characters behind a wording that are shown of its sample; what is longer is left out.
AFTER = 60
#: Characters of a message above its picture, and of one that a fix ended in.
LINE = 160


def wordings(catalogue: Catalogue, symptom: Symptom, language: str) -> tuple[str, str]:
    """What the symptom prints: the first current messages, and the others, folded."""
    spans = changes.spans(catalogue, symptom)

    def old(wording: Wording) -> bool:
        return wording.text in spans and bool(spans[wording.text].until)

    def shown(wording: Wording) -> str:
        return _message(wording, spans.get(wording.text, changes.Span()), language)

    every = symptom.snippet.wordings
    rest = [wording for wording in every if not _said_by_another(wording, every)]
    rest.sort(key=old)
    if not rest:
        return str(LABELS[language]["printed-by-code"]), ""
    current = [rest.pop(0)]
    size = len(current[0].text)
    while rest and not old(rest[0]) and (size := size + len(rest[0].text)) <= SHOWN:
        current.append(rest.pop(0))
    folded = ""
    if rest:
        # Raw HTML: one `<details>` needs no Markdown inside, and no extension to read it.
        summary = LABELS[language]["older"].format(count=len(rest))
        others = "".join(map(shown, rest))
        folded = f'<details class="tc-older"><summary>{summary}</summary>{others}</details>'
    return "\n\n".join(map(shown, current)), folded


def headline_row(symptom: Symptom) -> str:
    """The row that the page's first message tells; "" for none. The text beside it speaks of
    that."""
    table = index.build({symptom.stem: symptom})
    for wording in symptom.snippet.wordings[:1]:
        for hit in lookup.lookup(table, wording.sample)["hits"][:1]:
            return hit["cause"]["row"] if hit["cause"] else ""
    return ""


def _said_by_another(wording: Wording, others: list[Wording]) -> bool:
    """Does another message of the same kind go on from this text? A catch-all wording says nothing
    new to a reader."""
    return any(
        other.text != wording.text
        and other.text.startswith(wording.text)
        and other.exception == wording.exception
        for other in others
    )


def _message(wording: Wording, span: changes.Span, language: str) -> str:
    label = LABELS[language]
    facts = (
        ("since", span.since),
        ("until", span.until),
        ("only-on", DEVICES.get(wording.device, wording.device)),
    )
    notes = [label[name].format(version=fact, device=fact) for name, fact in facts if fact]
    note = label["note"].format(note=label["comma"].join(notes)) if notes else ""
    span_of_note = f' <span class="tc-note">{note}</span>' if note else ""
    return f'<p class="tc-message"><code>{_print(wording, language)}</code>{span_of_note}</p>'


def _print(wording: Wording, language: str) -> str:
    """The message as it is printed: the wording's sample, in which what varies is marked. Without a
    sample of its own, its words."""
    pattern = "".join(_piece(part, part is wording.parts[-1]) for part in wording.parts)
    match = re.search(pattern, wording.sample)
    if match is None or wording.sample == "".join(wording.literals):
        kind = f"<b>{html.escape(wording.exception)}</b>: " if wording.exception else ""
        return kind + with_holes(wording, language)
    at = wording.sample.rfind("\n", 0, match.start()) + 1
    after = wording.sample[match.end() :].partition("\n")[0]
    pieces = []
    for number in range(1, len(match.groups()) + 1):
        pieces.append(html.escape(wording.sample[at : match.start(number)], quote=False))
        pieces.append(f"<var>{html.escape(match[number], quote=False)}</var>")
        at = match.end(number)
    rest = wording.sample[at : match.end()] + (after if len(after) <= AFTER else " …")
    text = "".join([*pieces, html.escape(rest, quote=False)])
    head, colon, tail = text.partition(": ")
    if colon and head.rpartition(".")[2] in (wording.exception, *wording.also):
        text = f"<b>{head}</b>: {tail}"
    return text.strip().replace("\n", "<br>")


def _piece(part: Part, last: bool) -> str:
    """A regular expression for a part of a wording, for our own samples alone."""
    if isinstance(part, str):
        return r"\s+".join(map(re.escape, re.split(r"\s+", part)))
    characters, most = HOLES[part.kind]
    if not characters:
        return f"([^\\n]{{1,{most}}}{'' if last else '?'})"
    return f"([{re.escape(characters)}]{{1,{most}}})"


def with_holes(wording: Wording, language: str) -> str:
    """A wording as HTML; the kinds of what varies stand in brackets."""
    pieces = [
        f"<var>⟨{html.escape(KINDS[language][part.kind])}⟩</var>"
        if isinstance(part, Hole)
        else html.escape(part, quote=False)
        for part in wording.parts
    ]
    return "".join(pieces).replace("\n", "<br>")


def cut(message: str) -> str:
    """A message in one line."""
    return message if len(message) <= LINE else message[:LINE].rpartition(" ")[0] + " …"


# ---- pictures


def picture(catalogue: Catalogue, symptom: Symptom, language: str) -> list[str]:
    """The sizes or bytes of a message of the page, drawn: of the first wording whose sample holds
    them, else of a recorded break. site.js draws the reader's own."""
    if not symptom.snippet.pictures:
        return []
    texts = [wording.sample for wording in symptom.snippet.wordings]
    for case in symptom.snippet.cases.values():
        if run := recorded(catalogue, symptom, f"break {case.name}"):
            texts.append(run[1].get("traceback") or run[1].get("output", ""))
    table = index.build({symptom.stem: symptom})
    for text in texts:
        for hit in lookup.lookup(table, text)["hits"]:
            if drawn := lookup.drawn(table, hit, PICTURE[language]):
                message = html.escape(cut(hit["raw"].strip()))
                kinds = html.escape(json.dumps(symptom.snippet.pictures))
                return [
                    f'<p class="tc-drawn" data-tc-pictures="{kinds}"><code>{message}</code>'
                    f"{svg(drawn)}</p>",
                    "",
                ]
    return []


def svg(drawn: Picture) -> str:
    """A picture as an element of the page; picture.js makes the same."""
    wide, high = drawn["width"], drawn["height"]
    lines = html.escape("; ".join(drawn["lines"]))
    shapes = "".join(map(_shape, drawn["shapes"]))
    return (
        f'<svg class="tc-picture" viewBox="0 0 {wide} {high}" width="{wide}" height="{high}" '
        f'role="img" aria-label="{lines}">{shapes}</svg>'
    )


def _shape(shape: Shape) -> str:
    if shape[0] == "rect":
        _, x, y, wide, high, name = shape
        return f'<rect x="{x}" y="{y}" width="{wide}" height="{high}" class="{name}"/>'
    _, x, y, anchor, name, text = shape
    text = html.escape(text)
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}" class="{name}">{text}</text>'
