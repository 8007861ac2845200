"""Notebooks: a snippet's cells with the recorded outputs, and what makes mkdocs-jupyter's pages light.

A notebook page of mkdocs-jupyter weighs 660 KB, nearly all of it styles and scripts that every page repeats. Ours is rendered by two small
templates (overrides/notebook) into the markup that Material gives to code anywhere else.
"""

from __future__ import annotations

import html
import json
import re
from typing import Any

from ..content.catalogue import Catalogue, Symptom
from ..content.snippet import Cell
from . import evidence_view
from .labels import LABELS
from .markup import in_html

#: Where the templates leave out the text of a Markdown cell: all of them are headings.
HEADING = "<!-- heading -->"
#: Ends what the templates made; mkdocs-jupyter appends styles that nobody needs.
END = "<!-- notebook ends -->"


def make(catalogue: Catalogue, symptom: Symptom, language: str) -> dict[str, Any]:
    """A notebook (nbformat 4.5) of a symptom: heading, set-up, and each cell under a heading of its case."""
    cells = [_markdown("title", f"# {title(symptom, language)}\n\n{LABELS[language]['nb-intro']}")]
    for number, cell in enumerate(symptom.code(language).cells):
        if cell.kind:
            cells.append(_markdown(f"{cell.kind}-{cell.case}-heading", f"## {heading(symptom, cell, language)}"))
        cells.append(_code(catalogue, symptom, cell, f"{cell.kind}-{cell.case}" if cell.kind else f"setup-{number}"))
    metadata = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}, "language_info": {"name": "python"}}
    return {"nbformat": 4, "nbformat_minor": 5, "metadata": metadata, "cells": cells}


def dumps(notebook: dict[str, Any]) -> str:
    return json.dumps(notebook, ensure_ascii=False, indent=1) + "\n"


def heading(symptom: Symptom, cell: Cell, language: str) -> str:
    """`Break: title of the case`, as the page titles it."""
    label = LABELS[language]
    return f"{label[cell.kind]}{label['colon']}{case_titles(symptom, language).get(cell.case, cell.case).removesuffix(label['fix-above'])}"


def case_titles(symptom: Symptom, language: str) -> dict[str, str]:
    """The title that a page gives to each case, without Markdown's marks."""
    made = symptom.pages.get(language)
    found = re.findall(r"^### (.*?) \{#([a-z0-9-]+)\}$", made.body, re.MULTILINE) if made else []
    return {name: title.replace("`", "").replace("*", "") for title, name in found}


def headings(symptom: Symptom, language: str) -> list[tuple[str, str]]:
    """(anchor, text) of the second-level headings, in order."""
    return [(f"{cell.kind}-{cell.case}", heading(symptom, cell, language)) for cell in symptom.snippet.cells if cell.kind]


def _id(name: str) -> str:
    # nbformat takes at most 64 characters. The same notebook must have the same ids in every build.
    return name[:64]


def _markdown(name: str, text: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "id": _id(name), "metadata": {}, "source": text.splitlines(keepends=True)}


def _code(catalogue: Catalogue, symptom: Symptom, cell: Cell, name: str) -> dict[str, Any]:
    # A proof runs behind its fix, so what both printed stands below the proof.
    case = symptom.snippet.cases[cell.case] if cell.kind else None
    shown = None if case is None or (cell.kind == "fix" and case.mutable) else case.cure if cell.kind == "proof" else cell
    outputs = _outputs(catalogue, symptom, shown) if shown else []
    return {"cell_type": "code", "id": _id(name), "metadata": {}, "execution_count": None, "source": cell.source.splitlines(keepends=True), "outputs": outputs}


def _outputs(catalogue: Catalogue, symptom: Symptom, cell: Cell) -> list[dict[str, Any]]:
    found = evidence_view.recorded(catalogue, symptom, cell.name)
    if found is None:
        return []
    _, entry = found
    output, traceback = entry.get("output", ""), entry.get("traceback", "")
    outputs: list[dict[str, Any]] = []
    # A program's output ends with its own traceback; a notebook keeps the two apart.
    before = output[: -len(traceback)] if traceback and output.endswith(traceback) else output
    if before:
        outputs.append({"output_type": "stream", "name": "stdout", "text": before.splitlines(keepends=True)})
    if traceback and before != output:
        outputs.append({"output_type": "error", "ename": entry.get("exception", ""), "evalue": entry.get("message", ""), "traceback": traceback.splitlines()})
    return outputs


# ---- after mkdocs-jupyter


def page_html(catalogue: Catalogue, symptom: Symptom, language: str, made: str) -> str:
    """The page of a notebook from what the templates made: with headings, whose anchors all languages share, and links back.

    Raises: ValueError (the templates and `make` do not agree on the headings).
    """
    label = LABELS[language]
    opening = f"<h1>{in_html(title(symptom, language))}</h1>{_links(catalogue, symptom, language)}<p>{html.escape(label['nb-intro'])}</p>"
    made_headings = [
        f'<h2 id="{anchor}">{html.escape(text, quote=False)}<a class="headerlink" href="#{anchor}" title="{label["permalink"]}">¶</a></h2>'
        for anchor, text in headings(symptom, language)
    ]
    before, *rest = made.partition(END)[0].split(HEADING)
    return before + "".join(heading + cells for heading, cells in zip([opening, *made_headings], rest, strict=True))


def _links(catalogue: Catalogue, symptom: Symptom, language: str) -> str:
    label = LABELS[language]
    up = "../../../"
    return (
        f'<p class="tc-note"><a href="{up}{symptom.id}/">{label["nb-back"]}</a> · '
        f'<a href="{symptom.stem}.ipynb" download>{label["ipynb"]}</a> · <a href="../{symptom.stem}.py" download>{label["py"]}</a></p>'
        f'<p class="tc-evidence">{evidence_view.evidence_html(catalogue, symptom, language)} <a href="{up}verified/">{label["verified"]}</a></p>'
    )


def title(symptom: Symptom, language: str) -> str:
    return LABELS[language]["nb-title"].format(title=symptom.title(language))


def toc(symptom: Symptom, language: str) -> list[dict[str, Any]]:
    """Tokens of the table of contents, as Python-Markdown makes them."""
    children = [{"level": 2, "id": anchor, "name": html.escape(text, quote=False), "children": []} for anchor, text in headings(symptom, language)]
    return [{"level": 1, "id": "", "name": html.escape(title(symptom, language), quote=False), "children": children}]
