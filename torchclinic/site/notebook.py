"""Notebooks: a snippet's cells with the recorded outputs, as a file to download and as a page."""

from __future__ import annotations

import html
import json
import re
from typing import TypedDict

from ..content.catalogue import Catalogue
from ..content.evidence import CellRecord
from ..content.snippet import Cell
from ..content.symptom import Symptom
from . import evidence_view
from .labels import LABELS
from .markup import fence, plain


class Output(TypedDict, total=False):
    output_type: str  # "stream" or "error"
    name: str
    text: list[str]
    ename: str
    evalue: str
    traceback: list[str]


class NotebookCell(TypedDict, total=False):
    cell_type: str  # "markdown" or "code"
    id: str
    metadata: dict[str, str]
    source: list[str]
    execution_count: None
    outputs: list[Output]


class Notebook(TypedDict):
    """nbformat 4.5."""

    nbformat: int
    nbformat_minor: int
    metadata: dict[str, dict[str, str]]
    cells: list[NotebookCell]


def make(catalogue: Catalogue, symptom: Symptom, language: str) -> Notebook:
    """The notebook of a symptom: heading, set-up, and each cell under a heading of its case."""
    introduction = f"# {title(symptom, language)}\n\n{LABELS[language]['nb-intro']}"
    cells = [_cell("markdown", "title", introduction)]
    snippet = symptom.code(language)
    for number, cell in enumerate(snippet.cells):
        name = cell.anchor if cell.kind else f"setup-{number}"
        if cell.kind:
            title_of_cell = f"## {heading(symptom, cell, language)}"
            cells.append(_cell("markdown", f"{name}-heading", title_of_cell))
        source, shown = snippet.as_run(cell).source, outputs(catalogue, symptom, cell)
        cells.append(_cell("code", name, source, shown))
    metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    return {"nbformat": 4, "nbformat_minor": 5, "metadata": metadata, "cells": cells}


def dumps(notebook: Notebook) -> str:
    return json.dumps(notebook, ensure_ascii=False, indent=1) + "\n"


def page(catalogue: Catalogue, symptom: Symptom, language: str) -> str:
    """The notebook's page as Markdown, with links back and to the files; anchors are the same in
    all languages."""
    blocks = [
        f"# {plain(title(symptom, language))}",
        _links(catalogue, symptom, language),
        plain(LABELS[language]["nb-intro"]),
    ]
    snippet = symptom.code(language)
    for cell in snippet.cells:
        if cell.kind:
            text = plain(heading(symptom, cell, language))
            blocks.append(f"## {text} {{#{cell.anchor}}}")
        blocks.append(fence(snippet.as_run(cell).source, "python"))
        for output in outputs(catalogue, symptom, cell):
            if output["output_type"] == "stream":
                blocks.append(fence("".join(output["text"]).rstrip("\n"), "text .tc-output"))
            else:
                blocks.append(fence("\n".join(output["traceback"]), "text .tc-output .tc-error"))
    return "\n\n".join(blocks) + "\n"


def title(symptom: Symptom, language: str) -> str:
    return str(LABELS[language]["nb-title"].format(title=symptom.title(language)))


def heading(symptom: Symptom, cell: Cell, language: str) -> str:
    """`Break: title of the case`, as the symptom's page titles it."""
    label = LABELS[language]
    titles = symptom.pages[language].titles if language in symptom.pages else {}
    title = re.sub("[`*]", "", titles.get(cell.case, cell.case))  # no Markdown in a heading
    return f"{label[cell.kind]}{label['colon']}{title.removesuffix(label['fix-above'])}"


def _cell(kind: str, name: str, text: str, outputs: list[Output] | None = None) -> NotebookCell:
    # nbformat takes at most 64 characters. The same notebook has the same ids in every build.
    head: NotebookCell = {"cell_type": kind, "id": name[:64], "metadata": {}}
    lines = text.splitlines(keepends=True)
    if outputs is None:
        return {**head, "source": lines}
    return {**head, "execution_count": None, "source": lines, "outputs": outputs}


def outputs(catalogue: Catalogue, symptom: Symptom, cell: Cell) -> list[Output]:
    """What was recorded of a cell. A proof runs behind its fix: what both printed stands below the
    proof."""
    if not cell.kind:
        return []
    case = symptom.snippet.cases[cell.case]
    if cell.kind == "fix" and case.mutable:
        return []
    ran = case.cure if cell.kind == "proof" else cell
    recorded = evidence_view.recorded(catalogue, symptom, ran.name)
    return _outputs(recorded[1]) if recorded else []


def _outputs(entry: CellRecord) -> list[Output]:
    """A program's output ends with its own traceback; a notebook keeps the two apart."""
    output, traceback = entry.get("output", ""), entry.get("traceback", "")
    ends = bool(traceback) and output.endswith(traceback)
    before = output[: -len(traceback)] if ends else output
    outputs: list[Output] = []
    if before:
        lines = before.splitlines(keepends=True)
        outputs.append({"output_type": "stream", "name": "stdout", "text": lines})
    if ends:
        error: Output = {
            "output_type": "error",
            "ename": entry.get("exception", ""),
            "evalue": entry.get("message", ""),
            "traceback": traceback.splitlines(),
        }
        outputs.append(error)
    return outputs


def _links(catalogue: Catalogue, symptom: Symptom, language: str) -> str:
    """Raw HTML, whose links begin at the page's address."""
    label = LABELS[language]
    up = "../../../"
    files = " · ".join(
        f'<a href="{address}" download>{label[name]}</a>'
        for name, address in (("ipynb", f"{symptom.stem}.ipynb"), ("py", f"../{symptom.stem}.py"))
    )
    evidence = evidence_view.evidence_html(catalogue, symptom, language)
    return (
        f'<p class="tc-note"><a href="{up}{html.escape(symptom.id)}/">{label["nb-back"]}</a> · '
        f"{files}</p>\n"
        f'<p class="tc-evidence">{evidence} '
        f'<a href="{up}verified/">{label["verified"]}</a></p>'
    )
