"""Reads a snippet: its header, its cells and cases, and what can be checked in it alone."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from . import code, fields, header, page, yamlfile
from .fields import Place
from .header import CaseFacts, Header
from .problem import Problems
from .snippet import KINDS, SHOWN, WIDTH, Case, Cell, Snippet, filled


def read(file: Path, problems: Problems) -> Snippet | None:
    """Parse a snippet and check what can be checked in it alone.

    Returns:
        The snippet, as far as it could be read; None if the file cannot be read at all.
    """
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        problems.add(file, 0, f"cannot be read: {error}")
        return None
    before = len(problems)
    front, _ = _split(text.splitlines(), file, problems)
    facts = yamlfile.load(front, file, 2, problems) if front else {}
    unread = len(problems) > before  # what follows from that says nothing
    snippet = make(file, text, facts, Problems(file) if unread else problems)
    snippet.unread = unread
    problems[before:] = [problem._replace(stops=True) for problem in problems[before:]]
    snippet.broken = len(problems) > before
    for cell in snippet.cells:
        if cell.kind in SHOWN:
            _check_width(cell, file, problems)
    return snippet


def make(file: Path, text: str, facts: dict[str, Any], problems: Problems) -> Snippet:
    """A snippet from its text and its header, parsed; `file` gives topic and stem, unread."""
    place = Place(file, text, problems)
    written = header.read(facts, file, text, problems)
    page.report_open(file, text, problems)
    cells = list(_cells(text.splitlines(), written, place))
    cases = _cases(cells, written, place)
    for case in cases.values():
        _check_cure(case, place)
        _check_proof(case, cells, place)
        _check_tried(case, place)
    return Snippet(
        file,
        file.parent.name,
        file.stem,
        text,
        facts=facts,
        cells=cells,
        cases=cases,
        causes=header.causes(written, cases, place),
        wordings=written.wordings,
        tags=written.tags,
        needs=written.needs,
        outranks=written.outranks,
        related=written.related,
        rows=written.rows,
        docs=written.docs,
        timeout=written.timeout,
        recover=written.recover,
        pictures=header.pictures(written, place),
        draft=written.draft,
    )


def _split(lines: list[str], file: Path, problems: Problems) -> tuple[str, int]:
    """The YAML between the two `# ---` lines, and the index of the line after it."""
    if not lines or lines[0].rstrip() != "# ---":
        problems.add(file, 1, "a snippet begins with `# ---`, its header, and `# ---`")
        return "", 0
    for index, line in enumerate(lines[1:], 1):
        if line.rstrip() == "# ---":
            return "\n".join(raw[2:] for raw in lines[1:index]), index + 1
        if line.rstrip() != "#" and not line.startswith("# "):
            message = "each line of the header begins with `# `; close the header with `# ---`"
            problems.add(file, index + 1, message)
            return "", 0
    problems.add(file, 1, "the header is never closed: add a second `# ---`")
    return "", 0


def _cells(lines: list[str], written: Header, place: Place) -> Iterator[Cell]:
    add = place.at
    owners = {
        str(name): case
        for case, facts in written.cases.items()
        if isinstance(facts, dict) and isinstance(facts.get("wrong"), dict)
        for name in facts["wrong"]
    }
    body = _split(lines, place.file, Problems(place.file))[1]
    starts = [index for index in range(body, len(lines)) if lines[index].startswith("# %%")]
    for index in range(body, starts[0] if starts else len(lines)):
        if lines[index].strip():
            add(index + 1, "code before the first cell: put `# %%` above it")
            break
    for start, end in zip(starts, [*starts, len(lines)][1:], strict=True):
        words = lines[start][4:].split()
        named = len(words) == 2 and words[0] in KINDS and header.NAME.fullmatch(words[1])
        if words and not named:
            form = f"`# %%`, or `# %% {'|'.join(KINDS)} case-name` (lower case, digits, hyphens)"
            add(start + 1, f"`{lines[start]}`: a cell is {form}")
            continue
        first, last = start + 1, end
        while first < last and not lines[first].strip():
            first += 1
        while last > first and not lines[last - 1].strip():
            last -= 1
        if first == last:
            add(start + 1, "empty cell")
            continue
        source = "\n".join(lines[first:last])
        try:
            ast.parse(source)
        except SyntaxError as error:
            add(first + (error.lineno or 1), f"syntax error in the cell: {error.msg}")
        kind, case = words or ("", "")
        if kind != "wrong":
            yield Cell(kind, case, source, first + 1)
        elif case in owners:
            yield Cell(kind, owners[case], source, first + 1, case)
        else:
            fact = f"`cases: {{CASE: {{wrong: {{{case}: https://…}}}}}}`"
            add(start + 1, f"say whose fix `{case}` is tried for, and in which thread: {fact}")


def _cases(cells: list[Cell], written: Header, place: Place) -> dict[str, Case]:
    cases: dict[str, Case] = {}
    for cell in cells:
        if not cell.kind:
            continue
        if cell.case not in cases:
            cases[cell.case] = _case(cell.case, written, place)
        case = cases[cell.case]
        key = cell.name if cell.kind == "wrong" else cell.kind
        if key in case.cells:
            place.at(cell.line, f"two cells named `{cell.name}`")
        case.cells[key] = cell
    for case in cases.values():
        _check_case(case, place)
    for name in written.cases:
        if name not in cases and (case := _case(name, written, place)).unbroken and case.commands:
            cases[name] = case
        elif name not in cases:
            place.add(f"{name}:", f"`cases` names `{name}`, of which there is no cell")
    if not cases:
        place.at(0, "no cases: a snippet holds `# %% break NAME` and `# %% fix NAME`")
    return cases


def _case(name: str, written: Header, place: Place) -> Case:
    facts = fields.read(CaseFacts, written.cases.get(name) or {}, place, " of a case")
    # A symptom that prints nothing at all has only silent cases.
    silent = not written.wordings if facts.silent is None else facts.silent
    needs, commands = tuple(facts.needs), facts.commands
    survives, wrong = facts.survives, facts.wrong
    return Case(name, {}, needs, silent, commands, survives, wrong=wrong, unbroken=facts.unbroken)


def _check_case(case: Case, place: Place) -> None:
    needed = ["break", "proof"] if case.commands else ["break", "fix"]
    if case.unbroken:  # its command may be read, not run
        needed = [] if case.commands else ["fix", "proof"]
    if case.unbroken and "break" in case.cells:
        message = f"case `{case.name}` has a `break`, and `unbroken` says why it has none"
        place.at(case.cells["break"].line, message)
    for kind in needed:
        if kind not in case.cells:
            line = next(iter(case.cells.values())).line
            place.at(line, f"case `{case.name}` has no `{kind}` cell")
    if case.commands and "fix" in case.cells:
        message = f"the fix of `{case.name}` is a command: what runs here is its `proof`"
        place.at(case.cells["fix"].line, message)


def _check_width(cell: Cell, file: Path, problems: Problems) -> None:
    """What a page shows fits into its column; set-up and proof stand folded or apart."""
    lines = list(enumerate(cell.source.splitlines(), cell.line))[cell.words :]
    wide = {number: len(line) for number, line in lines if len(line) > WIDTH}
    if wide:
        others = f" (and lines {', '.join(map(str, list(wide)[1:]))})" if len(wide) > 1 else ""
        first, length = next(iter(wide.items()))
        message = f"a line of {length} characters{others}: the page's column holds {WIDTH}"
        problems.add(file, first, f"`{cell.name}`: {message}")


def _check_cure(case: Case, place: Place) -> None:
    """A proof asserts; what a reader copies asserts nothing and stands on its own."""
    proof, fix = case.cells.get("proof"), case.cells.get("fix")
    last, add = proof or fix, place.at
    if last and not code.asserts(last.source):
        message = "asserts nothing (no `assert`, no `raise`, no call of an `assert…`)"
        add(last.line, f"`{last.name}` {message}: a fix that merely does not raise is no fix")
    if not proof or not fix:
        return
    names = ", ".join(sorted(code.READERS_NAMES))
    for name, line in code.loose_names(fix.source):
        message = f"`{fix.name}` uses `{name}`, which a reader who copies it has not"
        add(fix.line + line - 1, f"{message}: define or import it there, or call it {names}")
    if any(isinstance(node, ast.Assert) for node in ast.walk(code.parsed(fix.source))):
        message = f"holds an `assert`: readers copy it. Move it to `proof {case.name}`"
        add(fix.line, f"`{fix.name}` {message}")


def _check_proof(case: Case, cells: list[Cell], place: Place) -> None:
    """A proof calls what is copied."""
    proof, fix = case.cells.get("proof"), case.cells.get("fix")
    if not proof or not fix:
        return
    setup = [cell.source for cell in cells if not cell.kind and cell.line < fix.line]
    if code.untouched(fix.source, proof.source, setup):
        message = f"uses no name of `{fix.name}`: it would pass without it"
        place.at(proof.line, f"`{proof.name}` {message}")
    for name in sorted(code.redefined(fix.source, proof.source)):
        message = f"defines `{name}` anew, which readers copy from `{fix.name}`: call that"
        place.at(proof.line, f"`{proof.name}` {message}")


def _check_tried(case: Case, place: Place) -> None:
    """A program has a place for the fix and asserts; what is tried in vain says why."""
    for name in case.wrong:
        if f"wrong {name}" not in case.cells:
            message = f"`wrong` of case `{case.name}` names `{name}`, which has no cell"
            place.add(f"{name}:", message)
    for cell in case.cells.values():
        if cell.kind == "wrong" and not (cell.why and cell.below):
            what = "what is tried, and what comes of it"
            place.at(cell.line, f"`{cell.name}` begins with a comment: {what}")
        if cell.kind == "use" and case.commands:
            place.at(cell.line, f"`{cell.name}`: its fix is a command, which no program takes in")
        elif cell.kind == "use":
            try:
                ast.parse(filled(cell.source, case.fixes.get("python", "")))
            except (ValueError, SyntaxError) as error:
                place.at(cell.line, f"`{cell.name}`: {error}")
            if not code.asserts(cell.source):
                message = f"`{cell.name}` asserts nothing: a program that runs may be wrong"
                place.at(cell.line, message)
