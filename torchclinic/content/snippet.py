"""Snippets: percent-format Python files that hold the facts of a symptom, its breaks and its fixes.

# ---
# wordings: ...        YAML, each line behind `# `
# ---

# %%                   set-up: runs before every cell below it
# %% break CASE        must end in the symptom
# %% check CASE        optional: the one check that tells this cause from the others; must pass
# %% fix CASE          what a reader copies: it must cure the symptom, and stand on its own
# %% proof CASE        runs after the fix in the same process, and would fail if the fix were wrong

Where the cure is a command or a setting, the header names it for each system or program (`cases: {CASE: {commands: {linux: …}}}`), there is no fix cell,
and the proof shows that what the command changes is what cures.

The header's `causes` are the rows of the page's table of causes, in order, with what a paste must say for a row to be the reader's (content/condition.py):

# causes:
#   CASE: {if: 'k == n'}                       a row named as a case leads to it
#   ROW: {case: CASE, likely: 'k % k2 == 0'}   several rows may lead to one case, or to none (then the page's words say where)
"""

from __future__ import annotations

import ast
import builtins
import hashlib
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..find import picture
from ..find import wording as w
from ..find.condition import Tree
from ..find.wording import Wording
from . import condition, page, yamlfile
from .problem import Problems

KINDS = ("break", "check", "fix", "proof")
#: Where a command is typed: on a system, in a notebook, or in a program that people run. The order is that of the tabs.
PLACES = ("shell", "linux", "powershell", "macos", "notebook", "docker", "slurm", "torchrun", "trainer", "lightning", "comfyui")
#: What every reader has under some name: a fix may use these without defining them.
READERS_NAMES = frozenset(
    [
        "model",
        "optimizer",
        "scheduler",
        "scaler",
        "loader",
        "dataset",
        "loss_fn",
        "criterion",
        "loss",
        "images",
        "labels",
        "x",
        "y",
        "batch",
        "device",
        "tokenizer",
    ]
)
#: Characters of code that the column of a symptom's page holds, measured in windows of 1280 pixels and more; what goes beyond is out of sight.
WIDTH = 84
NEEDS = ("cuda", "multi-gpu", "fork", "compiler")
FAULT = "fault:"
OPEN_NEEDS = (
    "package:",
    "torch:",
    FAULT,
)  # these carry what is needed (of torch the oldest release, or with `<` the first that will not do), or what is injected
#: What brings the reader on: the fix alone; trying again; or, with the fix, a new process, a new start of the machine, other hardware.
RECOVER = ("fix", "again", "process", "machine", "hardware")
FIELDS = {"draft", "recover", "wordings", "tags", "needs", "outranks", "cases", "causes", "picture", "timeout", "related", "rows", "docs"}
WORDING_FIELDS = {"text", "exception", "role", "device", "sample", "near", "unless", "when"}
CAUSE_FIELDS = ("case", "if", "likely", "sample", "undecided")
_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


@dataclass(frozen=True)
class Cell:
    """One cell.

    Attributes:
        kind: "" (set-up), "break", "check", "fix" or "proof"; "block" in a tip.
        case: the case's name; "" for set-up; in a tip where the block stands.
        source: the code, without blank lines around it.
        line: 1-based line of the first line of `source` in the file.
    """

    kind: str
    case: str
    source: str
    line: int

    @property
    def name(self) -> str:
        return self.case if self.kind == "block" else f"{self.kind} {self.case}"


@dataclass(frozen=True)
class Case:
    """One way to get the symptom.

    Attributes:
        cells: by kind.
        silent: it prints nothing, so its break asserts the bad behaviour itself.
        commands: the fix where it is no code: place (one of PLACES) -> what to type or set there.
        skips: where pytest skips a tip's block: condition, in Python, and reason.
        survives: wrong versions of the fix, or of a tip's block, that no proof can catch, as `verify --mutate` names them -> why not.
    """

    name: str
    cells: dict[str, Cell]
    needs: tuple[str, ...] = ()
    silent: bool = False
    commands: dict[str, str] = field(default_factory=dict)
    survives: dict[str, str] = field(default_factory=dict)
    skips: tuple[tuple[str, str], ...] = ()

    @property
    def cure(self) -> Cell:
        """The cell whose run shows that the fix cures: the fix, with its proof behind it, or the proof of a command; of a tip its block."""
        return next(self.cells[kind] for kind in ("fix", "block", "proof") if kind in self.cells)

    @property
    def mutable(self) -> bool:
        """Can wrong versions be made and caught: is the fix code, with a proof behind it, or is it a tip's block, which asserts itself?"""
        return {"fix", "proof"} <= set(self.cells) or "block" in self.cells

    @property
    def fixes(self) -> dict[str, str]:
        """What a reader copies: the code under "python", or the command of each place."""
        return {"python": self.cells["fix"].source} if "fix" in self.cells else self.commands


@dataclass(frozen=True)
class Cause:
    """One row of a page's table of causes.

    Attributes:
        row: its name; the page holds its words under the same name.
        case: the case that it leads to; "" where it leads elsewhere.
        decides: the condition under which a paste decides for it; None for none.
        leans: the condition under which it is the most likely, where no row decides.
        sample: a paste for which it decides or leans; of a case whose break prints what tells, "".
        undecided: why what the case's break prints cannot tell that it is this case.
        line: of the header, for reports.
    """

    row: str
    case: str = ""
    decides: Tree | None = None
    leans: Tree | None = None
    sample: str = ""
    undecided: str = ""
    line: int = 1


@dataclass
class Snippet:
    """The executable file of a symptom: its facts and its cells."""

    file: Path
    topic: str
    stem: str
    text: str
    facts: dict[str, Any] = field(default_factory=dict)  # the header, parsed
    cells: list[Cell] = field(default_factory=list)
    cases: dict[str, Case] = field(default_factory=dict)
    causes: list[Cause] = field(default_factory=list)
    wordings: list[Wording] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    needs: list[str] = field(default_factory=list)
    outranks: list[str] = field(default_factory=list)
    related: list[str] = field(default_factory=list)
    rows: list[str] = field(default_factory=list)
    docs: list[str] = field(default_factory=list)
    timeout: float = 60.0
    recover: str = ""  # one of RECOVER
    pictures: list[list[str]] = field(default_factory=list)  # what is drawn of a message's values: find/picture.py
    draft: bool = False  # not yet a page of the site
    broken: bool = False  # problems of its own: not fit to be run
    unread: bool = False  # its header does not parse: what it lacks is not known

    @property
    def id(self) -> str:
        return f"{self.topic}/{self.stem}"

    @property
    def is_tip(self) -> bool:
        """Are these the blocks of a tip (`Tip.snippet`)?"""
        return any(cell.kind == "block" for cell in self.cells)

    @property
    def runs(self) -> list[Cell]:
        """The cells that are executed, each in its own process. A proof runs behind its fix, and alone where the fix is a command."""
        return [cell for cell in self.cells if cell.kind and (cell.kind != "proof" or cell is self.cases[cell.case].cure)]

    @property
    def hash(self) -> str:
        """First 12 hex digits of SHA-256 over what decides the outcome of a run: the code. Prose and tags do not."""
        code = "\n".join(f"%% {cell.kind} {cell.case}\n{cell.source}" for cell in self.cells)
        return hashlib.sha256(code.encode()).hexdigest()[:12]

    def needs_of(self, case: str) -> tuple[str, ...]:
        return tuple(dict.fromkeys([*self.needs, *self.cases[case].needs]))

    @property
    def packages(self) -> list[str]:
        """Import names of the third-party packages that any of its cases needs."""
        needs = dict.fromkeys(need for case in self.cases for need in self.needs_of(case))
        return [need.removeprefix("package:") for need in needs if need.startswith("package:")]

    def setup_of(self, cell: Cell) -> list[Cell]:
        """The plain cells above a cell: what runs before it."""
        return [other for other in self.cells if not other.kind and other.line < cell.line]

    def proof_of(self, cell: Cell) -> list[Cell]:
        """The proof that runs behind a fix; [] for any other cell."""
        proof = self.cases[cell.case].cells.get("proof") if cell.kind == "fix" else None
        return [proof] if proof else []

    def program(self, cell: Cell, instead: str = "") -> str:
        """The program that running `cell` means: set-up, cell, and the proof of a fix; every line at its own line number of the file.

        Args:
            instead: a source that takes the cell's place, wherever its lines then stand.
        """
        if instead:
            return "\n\n".join([*(part.source for part in self.setup_of(cell)), instead, *(part.source for part in self.proof_of(cell))]) + "\n"
        lines = [""] * (len(self.text.splitlines()) + 1)
        for part in [*self.setup_of(cell), cell, *self.proof_of(cell)]:
            for offset, line in enumerate(part.source.splitlines()):
                lines[part.line - 1 + offset] = line
        return "\n".join(lines).rstrip() + "\n"


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
    header, _ = _header(text.splitlines(), file, problems)
    facts = yamlfile.load(header, file, 2, problems) if header else {}
    unread = len(problems) > before  # what follows from that says nothing
    snippet = make(file, text, facts, Problems(file) if unread else problems)
    snippet.unread = unread
    snippet.broken = len(problems) > before
    return snippet


def make(file: Path, text: str, facts: dict[str, Any], problems: Problems) -> Snippet:
    """A snippet from its text and its header, parsed; `file` gives topic and stem and is not read."""
    snippet = Snippet(file, file.parent.name, file.stem, text, facts=facts)
    lines = text.splitlines()
    _facts(snippet, facts, lines, problems)
    _cells(snippet, lines, _header(lines, file, Problems(file))[1], facts, problems)
    return snippet


def _header(lines: list[str], file: Path, problems: Problems) -> tuple[str, int]:
    """The YAML between the two `# ---` lines, and the index of the line after it."""
    if not lines or lines[0].rstrip() != "# ---":
        problems.add(file, 1, "a snippet begins with `# ---`, its header, and `# ---`")
        return "", 0
    for index, line in enumerate(lines[1:], 1):
        if line.rstrip() == "# ---":
            return "\n".join(raw[2:] for raw in lines[1:index]), index + 1
        if line.rstrip() != "#" and not line.startswith("# "):
            problems.add(file, index + 1, "each line of the header begins with `# `; close the header with `# ---`")
            return "", 0
    problems.add(file, 1, "the header is never closed: add a second `# ---`")
    return "", 0


def _line_of(lines: list[str], text: str) -> int:
    """Where a header mentions something, for reports; 1 if nowhere."""
    return next((number for number, line in enumerate(lines, 1) if text in line), 1)


def _texts(value: Any) -> list[str]:
    return [str(item) for item in value] if isinstance(value, list) else [str(value)]


def _facts(snippet: Snippet, facts: dict[str, Any], lines: list[str], problems: Problems) -> None:
    file = snippet.file
    for name in facts:
        if name not in FIELDS:
            problems.add(file, _line_of(lines, f"{name}:"), f"unknown field `{name}`; known are {', '.join(sorted(FIELDS))}")
    for name in ("tags", "needs", "outranks", "related", "rows", "docs"):
        setattr(snippet, name, _texts(facts.get(name) or []))
    for need in _texts(facts.get("needs") or []):
        _check_need(need, file, _line_of(lines, need), problems)
    snippet.recover = str(facts.get("recover") or "")
    if snippet.recover not in RECOVER:
        problems.add(file, _line_of(lines, "recover:"), f"`recover` says what brings the reader on: one of {', '.join(RECOVER)}")
    snippet.draft = facts.get("draft") is True
    page.report_open(file, snippet.text, problems)
    try:
        snippet.timeout = float(facts.get("timeout", snippet.timeout))
    except (TypeError, ValueError):
        problems.add(file, _line_of(lines, "timeout:"), "timeout is a number of seconds")
    for entry in facts.get("wordings") or []:
        if not isinstance(entry, dict) or "text" not in entry:
            problems.add(file, _line_of(lines, "wordings:"), "each wording is a mapping with `text`")
            continue
        made = make_wording(entry, file, _line_of(lines, str(entry["text"])[:40]), problems)
        if made:
            snippet.wordings.append(made)
    _pictures(snippet, facts.get("picture") or [], _line_of(lines, "picture:"), problems)


def _pictures(snippet: Snippet, written: Any, line: int, problems: Problems) -> None:
    pictures = [written] if isinstance(written, list) and written and isinstance(written[0], str) else written
    if not isinstance(pictures, list) or not all(isinstance(one, list) and one and all(isinstance(name, str) for name in one) for one in pictures):
        problems.add(
            snippet.file, line, "`picture` is a list, `[product, m, k, k2, n]`, or a list of such lists, of which the first that the values allow is drawn"
        )
        return
    read = {name for made in snippet.wordings for name in made.holes}
    for kind, *names in pictures:
        if message := picture.lint(kind, names, read):
            problems.add(snippet.file, line, f"`picture`: {message}")
        else:
            snippet.pictures.append([kind, *names])


def make_wording(entry: dict[str, Any], file: Path, line: int, problems: Problems) -> Wording | None:
    """A wording from its YAML mapping; problems are reported, None where it cannot be used."""
    text = str(entry["text"])
    for name in entry:
        if name not in WORDING_FIELDS:
            problems.add(file, line, f"unknown field `{name}` of a wording; known are {', '.join(sorted(WORDING_FIELDS))}")
    try:
        parts = w.parse(text)
    except ValueError as error:
        problems.add(file, line, str(error))
        return None
    facts = {name: str(entry.get(name) or "") for name in ("device", "sample")}
    classes = _texts(entry.get("exception") or "")
    role = str(entry.get("role") or "cause")
    if role not in w.ROLES:
        problems.add(file, line, f"role `{role}`; roles are {', '.join(w.ROLES)}")
        return None
    if not facts["sample"]:
        if any(not isinstance(part, str) for part in parts):
            problems.add(file, line, "a wording with holes needs a `sample`: a real print of it")
        facts["sample"] = "".join(part for part in parts if isinstance(part, str))
    near, unless, when = (tuple(_texts(entry.get(name) or [])) for name in ("near", "unless", "when"))
    made = Wording(text, parts, exception=classes[0], also=tuple(classes[1:]), role=role, near=near, unless=unless, when=when, line=line, **facts)
    messages = list(w.lint(made))
    for message in messages:
        problems.add(file, line, f"wording {text!r}: {message}")
    return None if messages else made  # the matcher relies on what the lint has seen


def _check_need(need: str, file: Path, line: int, problems: Problems) -> None:
    if need not in NEEDS and not (need.startswith(OPEN_NEEDS) and need.split(":", 1)[1].strip()):
        problems.add(file, line, f"unknown need `{need}`; needs are {', '.join(NEEDS)}, package:<name>, torch:<release>, fault:<what is injected>")


def _cells(snippet: Snippet, lines: list[str], body: int, facts: dict[str, Any], problems: Problems) -> None:
    file = snippet.file
    starts = [index for index in range(body, len(lines)) if lines[index].startswith("# %%")]
    for index in range(body, starts[0] if starts else len(lines)):
        if lines[index].strip():
            problems.add(file, index + 1, "code before the first cell: put `# %%` above it")
            break
    for start, end in zip(starts, [*starts, len(lines)][1:], strict=True):
        words = lines[start][4:].split()
        if words and (len(words) != 2 or words[0] not in KINDS or not _NAME.fullmatch(words[1])):
            problems.add(file, start + 1, f"`{lines[start]}`: a cell is `# %%`, or `# %% {'|'.join(KINDS)} case-name` (lower case, digits, hyphens)")
            continue
        first, last = start + 1, end
        while first < last and not lines[first].strip():
            first += 1
        while last > first and not lines[last - 1].strip():
            last -= 1
        if first == last:
            problems.add(file, start + 1, "empty cell")
            continue
        kind, case = words or ("", "")
        source = "\n".join(lines[first:last])
        try:
            ast.parse(source)
        except SyntaxError as error:
            problems.add(file, first + (error.lineno or 1), f"syntax error in the cell: {error.msg}")
        snippet.cells.append(Cell(kind, case, source, first + 1))
        if kind in ("break", "check", "fix"):
            _check_width(snippet.cells[-1], file, problems)
    _cases(snippet, lines, facts, problems)
    for made in snippet.cases.values():
        _check_cure(made, file, problems)
    _causes(snippet, lines, facts, problems)


def _cases(snippet: Snippet, lines: list[str], facts: dict[str, Any], problems: Problems) -> None:
    file = snippet.file
    extra = facts.get("cases") or {}
    for cell in (cell for cell in snippet.cells if cell.kind):
        case = snippet.cases.get(cell.case)
        if case is None:
            own = extra.get(cell.case) or {}
            for need in _texts(own.get("needs") or []):
                _check_need(need, file, _line_of(lines, need), problems)
            # A symptom that prints nothing at all has only silent cases.
            silent = bool(own.get("silent", not snippet.wordings))
            commands, survives = _table(own, "commands", file, lines, problems), _table(own, "survives", file, lines, problems)
            case = snippet.cases[cell.case] = Case(cell.case, {}, tuple(_texts(own.get("needs") or [])), silent, commands, survives)
        if cell.kind in case.cells:
            problems.add(file, cell.line, f"two cells named `{cell.name}`")
        case.cells[cell.kind] = cell
    for name, case in snippet.cases.items():
        for kind in ("break", "proof" if case.commands else "fix"):
            if kind not in case.cells:
                problems.add(file, next(iter(case.cells.values())).line, f"case `{name}` has no `{kind}` cell")
        if case.commands and "fix" in case.cells:
            problems.add(file, case.cells["fix"].line, f"the fix of `{name}` is a command: what runs here is its `proof`")
        for place in case.commands:
            if place not in PLACES:
                problems.add(file, _line_of(lines, f"{place}:"), f"`{place}` is no place where a command is typed; there are {', '.join(PLACES)}")
    for name in extra:
        if name not in snippet.cases:
            problems.add(file, _line_of(lines, f"{name}:"), f"`cases` names `{name}`, of which there is no cell")
    if not snippet.cases:
        problems.add(file, 0, "no cases: a snippet holds `# %% break NAME` and `# %% fix NAME`")


def _causes(snippet: Snippet, lines: list[str], facts: dict[str, Any], problems: Problems) -> None:
    """The rows of the table of causes. The one cause of a symptom that has one needs no words."""
    written = facts.get("causes") or {}
    if not isinstance(written, dict):
        problems.add(snippet.file, _line_of(lines, "causes:"), "`causes` maps the rows of the table of causes to their conditions")
        written = {}
    if not written and len(snippet.cases) == 1:
        snippet.causes = [Cause(name, name, ["and"]) for name in snippet.cases]
        return
    read = {name for made in snippet.wordings for name in made.holes}
    for row, own in written.items():
        line = _line_of(lines, f"  {row}:")

        def add(message: str, row: str = row, line: int = line) -> None:
            problems.add(snippet.file, line, f"cause `{row}`: {message}")

        own = own or {}
        if not isinstance(own, dict) or not all(name in CAUSE_FIELDS and isinstance(value, str) and value.strip() for name, value in own.items()):
            add(f"a row holds texts under {', '.join(CAUSE_FIELDS)}")
            continue
        if not _NAME.fullmatch(str(row)):
            add("a row is named in lower case, digits and hyphens")
        case = own.get("case") or (str(row) if row in snippet.cases else "")
        if case and case not in snippet.cases:
            add(f"there is no case `{case}`")
        trees: dict[str, Tree | None] = {"if": None, "likely": None}
        for name in trees:
            if name in own:
                try:
                    trees[name] = condition.parse(own[name])
                except ValueError as error:
                    add(f"`{name}`: {error}")
                    continue
                for hole in sorted(set(condition.names(trees[name])) - read):
                    add(f"`{name}` reads `{hole}`, which no wording has; there are {', '.join(sorted(read)) or 'none'}")
        snippet.causes.append(Cause(str(row), case, trees["if"], trees["likely"], own.get("sample", ""), own.get("undecided", ""), line))


def _table(own: dict[str, Any], name: str, file: Path, lines: list[str], problems: Problems) -> dict[str, str]:
    """A mapping of texts to texts in a case's entry of the header."""
    value = own.get(name) or {}
    if isinstance(value, dict) and all(isinstance(text, str) and text.strip() for text in value.values()):
        return {str(key): text.rstrip("\n") for key, text in value.items()}
    problems.add(file, _line_of(lines, f"{name}:"), f"`{name}` maps texts to texts")
    return {}


def _check_width(cell: Cell, file: Path, problems: Problems) -> None:
    """What a page shows fits into its column; set-up and proof stand folded or apart."""
    wide = {number: len(line) for number, line in enumerate(cell.source.splitlines(), cell.line) if len(line) > WIDTH}
    if wide:
        others = f" (and lines {', '.join(map(str, list(wide)[1:]))})" if len(wide) > 1 else ""
        first = next(iter(wide))
        problems.add(file, first, f"`{cell.name}`: a line of {wide[first]} characters{others}: the page's column holds {WIDTH}")


def _check_cure(case: Case, file: Path, problems: Problems) -> None:
    """A proof asserts; what a reader copies asserts nothing and stands on its own."""
    proof, fix = case.cells.get("proof"), case.cells.get("fix")
    for cell in (proof or fix,) if proof or fix else ():
        if not _asserts(cell.source):
            problems.add(
                file, cell.line, f"`{cell.name}` asserts nothing (no `assert`, no `raise`, no call of an `assert…`): a fix that merely does not raise is no fix"
            )
    if proof and fix:
        for name, line in loose_names(fix.source):
            problems.add(
                file,
                fix.line + line - 1,
                f"`{fix.name}` uses `{name}`, which a reader who copies it has not: define or import it there, or call it {', '.join(sorted(READERS_NAMES))}",
            )
        if any(isinstance(node, ast.Assert) for node in ast.walk(_parsed(fix.source))):
            problems.add(file, fix.line, f"`{fix.name}` holds an `assert`: readers copy it. Move it to `proof {case.name}`")


def _parsed(source: str) -> ast.Module:
    """The tree of a cell; empty where it does not parse, which is reported elsewhere."""
    try:
        return ast.parse(source)
    except SyntaxError:
        return ast.Module([], [])


def asked_of_any_program(source: str) -> str:
    """A check as it is shown. One that asks `torchclinic.checks` goes into programs that may be sound: without its assertions, which hold for the broken one."""
    tree = _parsed(source)
    if not any(isinstance(node, ast.ImportFrom) and node.module == "torchclinic" for node in tree.body):
        return source
    gone = {line for node in tree.body if isinstance(node, ast.Assert) for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)}
    return "\n".join(line for number, line in enumerate(source.split("\n"), 1) if number not in gone).rstrip("\n")


def _asserts(source: str) -> bool:
    """Does it hold something that can fail: an `assert`, a `raise`, or one of torch.testing's?"""
    return any(
        isinstance(node, (ast.Assert, ast.Raise))
        or (isinstance(node, ast.Attribute) and node.attr.startswith("assert"))
        or (isinstance(node, ast.Name) and node.id.startswith("assert"))
        for node in ast.walk(_parsed(source))
    )


def loose_names(source: str) -> list[tuple[str, int]]:
    """Names that a piece of code reads and neither it, nor Python, nor a reader's own program (READERS_NAMES) defines, with the first line of each."""
    tree = _parsed(source)
    defined = {*dir(builtins), *READERS_NAMES, "__name__", "__file__"}
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            defined.add(node.name)
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            defined.add(node.id)
        elif isinstance(node, ast.arg):
            defined.add(node.arg)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            defined |= {(alias.asname or alias.name).partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ExceptHandler) and node.name:
            defined.add(node.name)
    loose: dict[str, int] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id not in defined:
            loose[node.id] = min(node.lineno, loose.get(node.id, node.lineno))
    return sorted(loose.items(), key=lambda item: item[1])
