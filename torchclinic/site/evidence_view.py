"""The evidence as pages show it: one line a symptom, tables, the reasons for what did not run.
Never more than the evidence says."""

from __future__ import annotations

import html
import itertools
import re

from ..content import changes
from ..content.catalogue import Catalogue
from ..content.evidence import OUTCOMES, PYTHON, RELEASE, CellRecord, Evidence
from ..content.snippet import FAULT
from ..content.symptom import Symptom
from .labels import LABELS, REASONS
from .markup import plain

DEVICES = {"cpu": "CPU", "cuda": "CUDA"}


def evidence_line(catalogue: Catalogue, symptom: Symptom, language: str) -> str:
    """One badge: where this symptom ran; folded behind it the runs, each with its date, and a link
    to what they mean."""
    label = LABELS[language]
    state, said = badge(catalogue, symptom, language)
    runs = evidence_html(catalogue, symptom, language)
    return (
        f'<details class="tc-evidence" markdown="0"><summary><span class="tc-{state}">{said}</span>'
        f'</summary><p>{runs} <a href="../../verified/">{label["verified"]}</a></p></details>'
    )


def badge(catalogue: Catalogue, symptom: Symptom, language: str) -> tuple[str, str]:
    """The worst that is true of the release that pages show, and where all passed. What failed on
    another release stands at the fix that it concerns (`case_view.failing`)."""
    label = LABELS[language]
    states = [(record.status(symptom.snippet), record) for record in catalogue.evidence]
    on_cpu = [(state, record) for state, record in states if record.device == "cpu"]
    here = [state for state, record in on_cpu if (record.torch, record.python) == (RELEASE, PYTHON)]
    good = [record for state, record in on_cpu if state in ("passed", "partly")]
    known = [state for state, _ in on_cpu if state != "absent"]
    worst = next(iter([state for state in here if state != "absent"] or known), "absent")
    if worst == "skipped" and good:
        worst = "partly"
    torches = sorted({record.torch for record in good}, key=changes.release)
    short = list(dict.fromkeys(torch.rpartition(".")[0] for torch in torches))
    span = label["range"].format(first=short[0], last=short[-1]) if short[1:] else "".join(short)
    said = label["badge"][worst].format(torch=span)
    if {"cuda", "multi-gpu"} & {
        need for case in symptom.snippet.cases for need in symptom.snippet.needs_of(case)
    }:
        cards = dict.fromkeys(
            record.device_name
            for state, record in states
            if record.device != "cpu" and state in ("passed", "partly")
        )
        if cards:
            said += label["join"] + label["badge"]["gpu"].format(where=label["comma"].join(cards))
        elif worst in ("skipped", "absent"):
            said = label["badge"]["no-gpu"][0].upper() + label["badge"]["no-gpu"][1:]
        else:
            said += label["join"] + label["badge"]["no-gpu"]
            worst = "partly" if worst == "passed" else worst
    return worst, html.escape(said, quote=False)


def evidence_html(catalogue: Catalogue, symptom: Symptom, language: str) -> str:
    """Where and when this symptom ran, and where it did not: never more than the evidence says."""
    label = LABELS[language]
    pieces = []
    needs = {need for case in symptom.snippet.cases for need in symptom.snippet.needs_of(case)}
    for device in DEVICES:
        records = [
            record for record in catalogue.evidence if (record.device == "cpu") == (device == "cpu")
        ]
        runs = [
            (state, record)
            for record in records
            if (state := record.status(symptom.snippet)) != "absent"
        ]
        if any(state in ("passed", "partly") for state, _ in runs):
            # Where another release could not run it says nothing more.
            runs = [item for item in runs if item[0] != "skipped"]
        pieces += _pieces(runs, symptom, language)
        if not runs and (device == "cpu" or needs & {"cuda", "multi-gpu"}):
            pieces.append(("absent", label["absent"].format(where=DEVICES[device])))
    texts = [
        f'<span class="tc-{state}">{html.escape(text, quote=False)}</span>'
        for state, text in pieces
    ]
    for need in symptom.code(language).needs:
        if need.startswith(FAULT):
            fault = html.escape(need.removeprefix(FAULT).strip(), quote=False)
            texts.append(f"<span>{label['fault'].format(fault=fault)}</span>")
    line = label["join"].join(texts) + label["stop"]
    return re.sub(r"(?<=>)[a-z]", lambda letter: letter[0].upper(), line, count=1)


def _pieces(
    runs: list[tuple[str, Evidence]], symptom: Symptom, language: str
) -> list[tuple[str, str]]:
    """(state, text) for each state and machine; releases of torch that ran alike are named
    together."""
    label = LABELS[language]
    alike: dict[tuple[str, ...], list[Evidence]] = {}
    for state, record in runs:
        entry = record.symptoms[symptom.stem]
        skipped = (c.get("why", "") for c in entry["cells"].values() if c["outcome"] == "skipped")
        reasons = [entry["skipped"]] if "skipped" in entry else [*skipped]
        # Reasons for the release that pages show, and for each GPU; packages where there is no
        # other run: a line for ten releases would fill a phone.
        alone, ours = len(runs) == 1, (record.torch, record.python) == (RELEASE, PYTHON)
        why = packages = ""
        if state == "skipped" or alone or record.device != "cpu" or ours:
            why = label["join"].join(dict.fromkeys(reason(text, language) for text in reasons))
        if alone:
            releases_of = entry.get("packages", {}).items()
            packages = "".join(f"{label['comma']}{name} {release}" for name, release in releases_of)
        alike.setdefault((state, packages, where(record), why), []).append(record)
    pieces = []
    for (state, packages, machine, why), records in alike.items():
        ran_there = [record for _, record in runs if where(record) == machine]
        torch = releases(records, ran_there, language)
        dates = sorted({record.symptoms[symptom.stem]["date"] for record in records})
        date = label["range"].format(first=dates[0], last=dates[-1]) if dates[1:] else dates[0]
        text = label[state].format(torch=torch + packages, where=machine, date=date, why=why)
        pieces.append((state, text if why else text.replace(" ()", "").replace("（）", "")))
    return pieces


def releases(some: list[Evidence], among: list[Evidence], language: str) -> str:
    """The torches of `some`, oldest first, as `2.0.1 to 2.6.0 and 2.15.0`: what follows one another
    in `among`, all that ran, is shortened.

    Its Pythons are named where a torch ran on others as well that are not in `some`, or not on the
    one that pages show.
    """
    pythons = {
        torch: [record.python for record in some if record.torch == torch]
        for torch in {record.torch for record in among}
    }
    order = sorted(pythons, key=changes.release)
    whole = {
        torch
        for torch in order
        if len(pythons[torch]) == sum(record.torch == torch for record in among)
    }
    names = []
    for together, group in itertools.groupby(order, lambda torch: torch in whole):
        follow = [torch for torch in group if pythons[torch]]
        if together and len(follow) > 2:
            names.append(LABELS[language]["range"].format(first=follow[0], last=follow[-1]))
        else:
            names += [
                torch
                if torch in whole and PYTHON in pythons[torch]
                else f"{torch} (Python {', '.join(pythons[torch])})"
                for torch in follow
            ]
    return _enumerated(names, language)


def environments(some: list[Evidence], among: list[Evidence], language: str) -> str:
    """Where `some` ran, of all that ran, by what they have in common and the others have not:
    releases of torch, builds for CUDA, Pythons; else each by itself."""
    label = LABELS[language]
    torches, pythons = {record.torch for record in some}, {record.python for record in some}
    if some != [record for record in among if record.torch in torches]:
        if some == [record for record in among if record.cuda and record.device == "cpu"]:
            return str(label["cuda-builds"])
        if some == [record for record in among if record.python in pythons]:
            return f"Python {_enumerated(sorted(pythons, key=changes.release), language)}"
    pieces = []
    for machine in dict.fromkeys(map(where, some)):
        ran = [record for record in among if where(record) == machine]
        torch = releases([record for record in ran if record in some], ran, language)
        pieces.append(f"torch {torch}{label['comma']}{machine}")
    return str(label["join"].join(pieces))


def _enumerated(names: list[str], language: str) -> str:
    """`a, b and c`."""
    label = LABELS[language]
    first = label["enumeration"].join(names[:-1])
    return str(label["and"].join(filter(None, [first, names[-1]])))


def reason(text: str, language: str) -> str:
    """Why a cell was skipped, in the reader's language; the advice on how to run it (after `;`) is
    for the terminal."""
    for start, translated in REASONS[language].items():
        if text.startswith(start):
            return str(translated) + (text[len(start) :] if start.endswith(" ") else "")
    return text


def release(record: Evidence) -> str:
    """Of torch; the Python is named where it is not the one that pages show."""
    return record.torch if record.python == PYTHON else f"{record.torch} (Python {record.python})"


def where(record: Evidence) -> str:
    return "CPU" if record.device == "cpu" else record.device_name


def recorded(
    catalogue: Catalogue, symptom: Symptom, name: str
) -> tuple[Evidence, CellRecord] | None:
    """The evidence to show for a cell: one that passed before one that failed or was skipped; else
    in the catalogue's order."""
    runs = [
        (record, cell)
        for record in catalogue.evidence
        if (cell := record.cell(symptom.snippet, name)) is not None
    ]
    return min(runs, key=lambda run: OUTCOMES.index(run[1]["outcome"]), default=None)


def evidence_table(catalogue: Catalogue, language: str) -> str:
    """How many symptoms ran on each machine."""
    heading = LABELS[language]["table"]
    rows = [f"| {heading} |", "|" + " --- |" * (heading.count("|") + 1)]
    for record in catalogue.evidence:
        states = [record.status(symptom.snippet) for symptom in catalogue.symptoms.values()]
        dates = [entry["date"] for entry in record.symptoms.values()]
        counts = (
            states.count("passed"),
            states.count("partly") + states.count("skipped"),
            states.count("failed"),
            states.count("stale"),
        )
        facts = (record.torch, record.python, where(record), *counts, max(dates, default=""))
        rows.append(f"| {' | '.join(map(str, facts))} |")
    return "\n".join(rows) if len(rows) > 2 else f"*{LABELS[language]['not-run']}*"


def evidence_matrix(catalogue: Catalogue, language: str) -> str:
    """Every symptom on every machine that has evidence: ran, ran in part, not run and why, changed
    since."""
    label = LABELS[language]
    records = catalogue.evidence
    names = [f"torch {release(record)}, {where(record)}" for record in records]
    if not any(record.device == "cuda" for record in records):
        names.append(DEVICES["cuda"])
    rows = [f"| {label['symptom']} | {' | '.join(names)} |", "|" + " --- |" * (len(names) + 1)]
    for symptom in catalogue.symptoms.values():
        cells = [_mark(record, symptom, language) for record in records] + [
            label["mark"]["absent"]
        ] * (len(names) - len(records))
        rows.append(
            f"| [{plain(symptom.title(language))}]({symptom.id}.md) | {' | '.join(cells)} |"
        )
    return "\n".join(rows)


def _mark(record: Evidence, symptom: Symptom, language: str) -> str:
    """One cell of the matrix."""
    state = record.status(symptom.snippet)
    label = LABELS[language]
    text = label["mark"][state]
    if state in ("partly", "skipped"):
        entry = record.symptoms[symptom.stem]
        skipped = [cell for cell in entry["cells"].values() if cell["outcome"] == "skipped"]
        whys = [entry["skipped"]] if "skipped" in entry else [cell["why"] for cell in skipped]
        reasons = dict.fromkeys(reason(why, language) for why in whys)
        text += " " + label["note"].format(note=label["comma"].join(reasons))
    return html.escape(text, quote=False).replace("|", "\\|")


def evidence_files(catalogue: Catalogue) -> str:
    """Links to the evidence as it is published with the site. Raw HTML: the files belong to no
    language."""
    names = [*(record.file for record in catalogue.evidence), "README.md"]
    items = "".join(
        f'<li><a href="../../evidence/{name}"><code>{name}</code></a></li>' for name in names
    )
    return f'<ul markdown="0">{items}</ul>'
