"""A case of a symptom as tabs: the fix (code, or a command for each place), the difference, failing
code, what it printed; then, folded, how the fix was checked."""

from __future__ import annotations

import difflib
import html

from ..content import changes
from ..content.catalogue import Catalogue
from ..content.code import as_shown, handed_over
from ..content.snippet import Case, Cell
from ..content.symptom import Symptom
from .evidence_view import environments, reason, recorded, release, where
from .labels import LABELS
from .markup import fence, indented, plain, tab
from .message_view import cut

#: Lines of recorded output shown on a page: the beginning and the end of what is longer.
HEAD, TAIL = 12, 28
#: Lines of set-up that are shown again with every case.
LONG_SETUP = 15
#: Share of common lines (2 common / all) from which a diff is shown.
ALIKE = 0.4
#: How the commands of a place are coloured; a shell's where it is not named.
LEXERS = {
    "python": "python",
    "powershell": "powershell",
    "notebook": "python",
    "trainer": "python",
    "lightning": "python",
}


def case(catalogue: Catalogue, symptom: Symptom, shown: Case, language: str) -> str:
    """All tabs of a case."""
    label = LABELS[language]
    broken = shown.cells.get("break")
    note = failing(catalogue, symptom, shown.cure, "fix", language) if shown.cells else ""
    tabs = [
        tab(
            label["fixed"] if place == "python" else label["places"][place],
            fence(text, LEXERS.get(place, "console")) + _ran(shown, place, language) + note,
        )
        for place, text in shown.fixes.items()
    ]
    fix = shown.cells.get("fix")
    if fix and broken and not shown.silent and alike(broken.source, fix.source):
        difference = fence(diff(broken.source, fix.source), "diff .tc-diff")
        tabs.append(tab(label["diff"], difference))
    if broken:
        tabs.append(tab(label["failing"], fence(program(symptom, broken, language), "python")))
        output = printed(catalogue, symptom, broken, language)
        tabs.append(tab(label["printed"], output + elsewhere(catalogue, symptom, broken, language)))
    elif shown.cells:
        tabs.append(f"{label['unbroken']}\n{{ .tc-note }}")
    if "proof" in shown.cells:
        folded = indented(proof(catalogue, symptom, shown, language))
        tabs.append(f'??? tc-proof "{label["proof"]}"\n\n{folded}')
    return "\n\n".join(tabs)


def _ran(shown: Case, place: str, language: str) -> str:
    """Was a command run, or only read? "" for code, which is always run."""
    if place == "python":
        return ""
    what = "command-run" if place in shown.commands_run else "command-read"
    return f"\n\n{LABELS[language][what]}\n{{ .tc-note }}"


def proof(catalogue: Catalogue, symptom: Symptom, shown: Case, language: str) -> str:
    """The code that runs behind the fix, and what it printed when it last ran."""
    parts = [
        fence(shown.cells["proof"].source, "python"),
        printed(catalogue, symptom, shown.cure, language),
    ]
    if use := shown.cells.get("use"):
        program = symptom.code(language).as_run(use)
        parts += [LABELS[language]["in-program"], fence(program.source, "python")]
    return "\n\n".join(parts)


def tried(catalogue: Catalogue, symptom: Symptom, language: str) -> list[str]:
    """The section of what people try in vain: why, the code, what was seen; [] for none."""
    label, snippet = LABELS[language], symptom.code(language)
    wrongs = [cell for cell in snippet.cells if cell.kind == "wrong"]
    lines = ["", f"## {label['tried']} {{#tried}}"] if wrongs else []
    for cell in wrongs:
        address = snippet.cases[cell.case].wrong[cell.tried]
        why = (" " if language == "en" else "").join(cell.why)
        lines += ["", label["tried-why"].format(why=plain(why), address=address)]
        lines += ["", fence(cell.below, "python"), "", _seen(catalogue, symptom, cell, language)]
    return lines


def _seen(catalogue: Catalogue, symptom: Symptom, cell: Cell, language: str) -> str:
    """What was recorded of a vain attempt; what it means, where it is not its own error."""
    output = printed(catalogue, symptom, cell, language, f"{symptom.stem}.py")
    run = recorded(catalogue, symptom, cell.name)
    if run is None or run[1]["outcome"] != "passed":
        return output
    if not run[1].get("exception"):
        return f"{LABELS[language]['tried-right']}\n\n{output}" if run[1].get("output") else ""
    wrong_result = run[1]["exception"] == "AssertionError"
    return f"{LABELS[language]['tried-proof']}\n\n{output}" if wrong_result else output


def check(catalogue: Catalogue, symptom: Symptom, cell: Cell, language: str) -> str:
    """The code of a check, and what it printed; where it asks `torchclinic.checks`, how to get
    that."""
    setup = [part.source for part in symptom.snippet.setup_of(cell)]
    lexer, _ = handed_over(cell.source) or ("python", "")
    parts = [
        fence(as_shown(cell.source, setup), f"{lexer} .tc-check")
        + failing(catalogue, symptom, cell, "check", language),
        printed(catalogue, symptom, cell, language),
    ]
    if "import checks" in cell.source:
        tip = "../tips/tools/silent-bugs.md"
        parts.append(f"{LABELS[language]['get-checks'].format(tip=tip)}\n{{ .tc-note }}")
    return "\n\n".join(parts)


def program(symptom: Symptom, broken: Cell, language: str) -> str:
    """The whole failing program. A long set-up stands once on a page, with the first case; the
    others point there."""
    snippet = symptom.code(language)
    setup = snippet.setup_of(broken)
    first = next(cell for cell in snippet.runs if cell.kind == "break")
    above = snippet.setup_of(first)
    sources = [cell.source for cell in setup]
    if broken is not first and sum(len(cell.source.splitlines()) for cell in above) > LONG_SETUP:
        rest = (cell.source for cell in setup if cell not in above)
        sources = [LABELS[language]["setup-above"], *rest]
    return "\n\n".join([*sources, broken.source])


def alike(before: str, after: str) -> bool:
    """Do break and fix share enough lines for a diff to be read?"""
    matcher = difflib.SequenceMatcher(None, before.splitlines(), after.splitlines(), autojunk=False)
    return matcher.ratio() >= ALIKE


def diff(before: str, after: str) -> str:
    """Both texts as one, line by line: what goes, what comes, what stays."""
    lines = list(difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=1000))
    return "\n".join(lines[3:])  # without the two file names and the line numbers


# ---- what was recorded


def printed(
    catalogue: Catalogue, symptom: Symptom, cell: Cell, language: str, file: str = ""
) -> str:
    """What was recorded of a cell, under the machine and the date; or that nothing was.

    Args:
        file: whose frames alone are shown of a traceback; of all files if left out.
    """
    label = LABELS[language]
    run = recorded(catalogue, symptom, cell.name)
    if run is None:
        return f"*{label['not-run']}*"
    record, entry = run
    if entry["outcome"] == "skipped":
        return f"*{label['not-run-why'].format(why=reason(entry.get('why', ''), language))}*"
    date = entry.get("date") or record.symptoms[symptom.stem]["date"]
    title = f"torch {release(record)} · {where(record)} · {date}"
    output = entry.get("output")
    if not output:
        return f'<p class="tc-note">{html.escape(title)}{label["colon"]}{label["silent"]}</p>'
    text = output.rstrip("\n")
    text = in_language(symptom, frames_of(file, text) if file else text, language)
    text = shortened(text, label["left-out"])
    return fence(text, f"{lexer(output)} .tc-output", title)


def in_language(symptom: Symptom, output: str, language: str) -> str:
    """What was printed, the code lines of its tracebacks with the comments that the page's own code
    has."""
    cells = zip(symptom.snippet.cells, symptom.code(language).cells, strict=True)
    twins = {
        line.strip(): twin.strip()
        for cell, own in cells
        for line, twin in zip(cell.source.splitlines(), own.source.splitlines(), strict=False)
        if "#" in line
    }
    lines = [(line, line.strip()) for line in output.splitlines()]
    return "\n".join(line.replace(code, twins.get(code, code), 1) for line, code in lines)


def elsewhere(catalogue: Catalogue, symptom: Symptom, broken: Cell, language: str) -> str:
    """What the same break printed on other releases and devices, where the words differ from those
    shown; and where it does not break."""
    label = LABELS[language]
    run = recorded(catalogue, symptom, broken.name)
    here = run[0].environment if run else ""
    spared, ran = changes.spared(catalogue, symptom, broken)
    lines = []
    if spared:
        places = environments(spared, ran, language)
        lines.append(f"{label['spared'].format(where=places)}\n{{ .tc-note }}")
    # A silent break that raises could not run there, which says nothing of the symptom.
    silent = symptom.snippet.cases[broken.case].silent
    for message in [] if silent else changes.printed(catalogue, symptom, broken.name):
        if here not in message.where:
            some = [record for record in ran if record.environment in message.where]
            text = in_language(symptom, message.text, language)
            text = shortened(text, label["left-out"], head=6, tail=1)
            lines.append(label["elsewhere"].format(where=environments(some, ran, language)))
            lines.append(fence(text, "text .tc-output"))
    return "".join(f"\n\n{line}" for line in lines)


def failing(catalogue: Catalogue, symptom: Symptom, cell: Cell, what: str, language: str) -> str:
    """A line under a check or fix that says where it does not work, and what it ended in there; ""
    where it works wherever its break breaks."""
    some, ran = changes.fails(catalogue, symptom, cell)
    if not some:
        return ""
    label = LABELS[language]
    said = changes.message(some[0], symptom, cell.name).splitlines()
    error = label["stop"]
    if said and not said[0].startswith("AssertionError"):
        error = f"{label['colon']}`` {cut(said[0])} ``"
    note = label["fails"][what].format(where=environments(some, ran, language))
    return f"\n\n{note}{error}\n{{ .tc-note .tc-fails }}"


def frames_of(file: str, output: str) -> str:
    """The output without a traceback's frames in other files."""
    kept, other = [], False
    for line in output.splitlines():
        if line.startswith('  File "'):
            other = not line.startswith(f'  File "{file}"')
        elif not line.startswith("    "):
            other = False
        kept += [] if other else [line]
    return "\n".join(kept)


def lexer(output: str) -> str:
    """Colours for a traceback, none for anything else."""
    return "pytb" if "Traceback (most recent call last):" in output else "text"


def shortened(output: str, left_out: str, head: int = HEAD, tail: int = TAIL) -> str:
    """The beginning and the end of what is long, and between them how much is left out."""
    lines = output.splitlines()
    if len(lines) <= head + tail + 1:
        return output
    middle = left_out.format(count=len(lines) - head - tail)
    return "\n".join([*lines[:head], middle, *lines[-tail:]])
