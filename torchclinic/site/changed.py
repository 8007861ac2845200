"""The page "What changed, by release": old code and what takes its place; then by release the
messages that are new, the code that fails since, the fixes that need it. All of it from evidence,
from PyTorch's files (facts/since.json) and from cells that were run (facts/changed.yml)."""

from __future__ import annotations

import html
from collections.abc import Iterator

from ..content import changed, changes, index
from ..content.catalogue import Catalogue
from ..content.evidence import RELEASE
from ..content.snippet import Cell
from ..content.symptom import Symptom
from ..find import lookup
from ..find.wording import Wording
from . import markup, message_view
from .evidence_view import environments, recorded
from .labels import LABELS
from .templates import render

#: (release, row of the page)
Row = tuple[str, str]


def page(catalogue: Catalogue, language: str) -> str:
    """The whole page."""
    lists = [(LABELS[language]["old-code"], "old-code", list(_old_code(catalogue, language)))]
    by_release: dict[str, list[str]] = {}
    for release, row in _by_release(catalogue, language):
        by_release.setdefault(release, []).append(row)
    for release in sorted(by_release, key=changes.release, reverse=True):
        anchor = "r" + release.replace(".", "-")
        lists.append((f"torch {release}", anchor, [*dict.fromkeys(by_release[release])]))
    return render("changed.md", language, lists=lists)


def _old_code(catalogue: Catalogue, language: str) -> Iterator[str]:
    label, since = LABELS[language], changed.since(catalogue.root)
    for row in changed.old_code(catalogue):
        symptom, broken = row.symptom, row.case.cells["break"]
        old, new = (html.escape(" ".join(code.split())) for code in (row.old, row.new))
        said = _said(catalogue, symptom, broken)
        notes = [f"<code>{message_view.with_holes(said, language)}</code>"] if said else []
        if said and (first := since.get(symptom.id, {}).get(said.text, [""])[0]):
            notes.append(label["in-files-since"].format(release=first))
        if seen := _seen(catalogue, symptom, broken, language):
            notes.append(seen)
        title = _link(symptom, language)
        yield (
            f"<code>{old}</code> → <code>{new}</code><br>"
            f"<small>{label['join'].join(notes)}{label['join']}{title}</small>"
        )


def _said(catalogue: Catalogue, symptom: Symptom, broken: Cell) -> Wording | None:
    """The wording that the break printed."""
    told = recorded(catalogue, symptom, broken.name)
    by_name = {index.shown(wording): wording for wording in symptom.snippet.wordings}
    hits = lookup.lookup(catalogue.table, told[1]["output"] if told else "")["hits"]
    return next((by_name[hit["wording"]] for hit in hits if hit["symptom"] == symptom.stem), None)


def _seen(catalogue: Catalogue, symptom: Symptom, broken: Cell, language: str) -> str:
    """Where the break did what it must, and where it ran as if nothing were wrong."""
    label = LABELS[language]
    ended = [
        (record, cell["outcome"])
        for record in catalogue.evidence
        if (cell := record.cell(symptom.snippet, broken.name)) and cell["outcome"] != "skipped"
    ]
    ran = [record for record, _ in ended]
    failed = [record for record, outcome in ended if outcome == "passed"]
    said = label["fails-in"].format(where=environments(failed, ran, language)) if failed else ""
    if spared := changes.spared(catalogue, symptom, broken)[0]:
        where = environments(spared, ran, language)
        said += label["join"] + label["spared"].format(where=where).rstrip(".。")
    return said


def _link(symptom: Symptom, language: str) -> str:
    """The page lies one folder deep, and MkDocs leaves links in raw HTML as they are."""
    return f'<a href="../{symptom.id}/">{markup.in_html(symptom.title(language))}</a>'


def _by_release(catalogue: Catalogue, language: str) -> Iterator[Row]:
    known = changed.since(catalogue.root)
    for symptom in catalogue.symptoms.values():
        if language in symptom.pages:
            yield from _messages(catalogue, symptom, known.get(symptom.id, {}), language)
            for cell in symptom.snippet.runs:
                yield from _cell(catalogue, symptom, cell, language)


def _messages(
    catalogue: Catalogue,
    symptom: Symptom,
    in_files: dict[str, list[str]],
    language: str,
) -> Iterator[Row]:
    """Messages that are new in a release, with one that went then."""
    label = LABELS[language]
    spans = changes.spans(catalogue, symptom)
    ran = {text: [span.since, span.until] for text, span in spans.items()}
    known = ran | {  # a release of the files is finer than one of the runs
        text: [span[0] or ran.get(text, span)[0], span[1] or ran.get(text, span)[1]]
        for text, span in in_files.items()
    }
    torches = {record.torch for record in catalogue.evidence}
    texts = {wording.text: wording for wording in symptom.snippet.wordings}
    for text, (first, _) in known.items():
        if not first or text not in texts:
            continue
        before = [
            other
            for other, (_, last) in known.items()
            if other in texts and last and _follows(last, first, torches)
        ]
        notes = [
            label["message-before"].format(
                message=f"<code>{message_view.with_holes(texts[other], language)}</code>"
            )
            for other in before[:1]
        ]
        notes.append(label["in-files" if in_files.get(text, [""])[0] else "in-runs"])
        shown = f"<code>{message_view.with_holes(texts[text], language)}</code>"
        link = f'<a href="../{symptom.id}/">{shown}</a>'
        yield first, f"{link}<br><small>{label['join'].join(notes)}</small>"


def _follows(last: str, first: str, torches: set[str]) -> bool:
    """Did one message go where the other came, as far as runs tell?"""
    gone, came = changes.release(last), changes.release(first)
    return gone < came and not any(gone < changes.release(torch) < came for torch in torches)


def _cell(catalogue: Catalogue, symptom: Symptom, cell: Cell, language: str) -> Iterator[Row]:
    """What fails since a release, no longer fails, or needs it."""
    label = LABELS[language]
    what = "fails-since" if cell.kind == "break" else "works-since"
    if cell.kind == "break":
        some, ran = changes.spared(catalogue, symptom, cell)
    elif cell.kind == "fix":
        some, ran = changes.fails(catalogue, symptom, cell)
    else:
        return
    torches = {record.torch for record in some}
    others = {record.torch for record in ran} - torches
    if not torches or not others or RELEASE in torches:
        return
    newest = max(torches, key=changes.release)
    later = [torch for torch in others if changes.release(torch) > changes.release(newest)]
    if not later:
        what, later = "spared-since", [min(torches, key=changes.release)]
    note = label[what].format(where=environments(some, ran, language))
    row = f"{_link(symptom, language)} <small>{note}</small>"
    yield min(later, key=changes.release), row
