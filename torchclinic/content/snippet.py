"""Snippets: percent-format Python files that hold the facts of a symptom, its breaks and its fixes.

# ---
# wordings: ...        YAML, each line behind `# `
# ---

# %%                   set-up: runs before every cell below it
# %% break CASE        must end in the symptom
# %% check CASE        optional: the one check that tells this cause from the others; must pass
# %% fix CASE          what a reader copies: it must cure the symptom, and stand on its own
# %% proof CASE        runs after the fix in the same process, and would fail if the fix were wrong
# %% use CASE          a small program with the error; between `# >>>` and `# <<<` stand the lines
#                      in whose place the fix is put, as it stands: it must run on, and be right
# %% wrong NAME        what people try instead of a case's fix, which must fail there; a comment on
#                      top says why, the header whose fix it is and where it was tried

Where the cure is a command or a setting, the header names it for each system or program (`cases:
{CASE: {commands: {linux: …}}}`), there is no fix cell, and the proof shows that what the command
changes is what cures. content/header.py says what the header holds, content/snippet_file.py reads
the file.
"""

from __future__ import annotations

import hashlib
import itertools
import textwrap
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ..find.condition import Tree
from ..find.wording import Wording
from . import code, command

KINDS = ("break", "check", "fix", "proof", "use", "wrong")
#: Kinds that a page shows in its column.
SHOWN = ("break", "check", "fix", "wrong")
#: Kinds that leave what the others showed as it is: each is recorded with a hash of its own.
LATER = ("use", "unfixed", "wrong")
#: What the fix is put in place of in a `use` cell stands between these.
PLACE = ("# >>>", "# <<<")
#: Where a command is typed: on a system, in a notebook, or in a program that people run. The order
#: is that of the tabs.
PLACES = (
    *("shell", "linux", "powershell", "macos", "notebook", "docker"),
    *("slurm", "torchrun", "trainer", "lightning", "comfyui"),
)
#: Characters of code that the column of a symptom's page holds, measured in windows of 1280 pixels
#: and more; what goes beyond is out of sight.
WIDTH = 84
NEEDS = ("cuda", "multi-gpu", "fork", "compiler")
FAULT = "fault:"
#: These carry what is needed (of torch the oldest release, or with `<` the first that will not do),
#: or what is injected.
OPEN_NEEDS = ("package:", "torch:", FAULT)
#: What brings the reader on: the fix alone; trying again; or, with the fix, a new process, a new
#: start of the machine, other hardware.
RECOVER = ("fix", "again", "process", "machine", "hardware")


@dataclass(frozen=True)
class Cell:
    """One cell.

    Attributes:
        kind: "" (set-up) or one of KINDS; "unfixed" is a `use` as it stands in the file, without
            the fix; "block" in a tip.
        case: the case's name; "" for set-up; in a tip where the block stands.
        source: the code, without blank lines around it.
        line: 1-based line of the first line of `source` in the file.
        tried: the name of a `wrong` cell.
    """

    kind: str
    case: str
    source: str
    line: int
    tried: str = ""

    @property
    def name(self) -> str:
        return self.case if self.kind == "block" else f"{self.kind} {self.tried or self.case}"

    @property
    def hash(self) -> str:
        return short_hash(self.source)

    @property
    def anchor(self) -> str:
        return self.name.replace(" ", "-")

    @property
    def why(self) -> list[str]:
        """The lines of the comment on top."""
        top = itertools.takewhile(lambda line: line.startswith("#"), self.source.splitlines())
        return [line.lstrip("# ") for line in top]

    @property
    def words(self) -> int:
        """How many lines of it a page shows as prose."""
        return len(self.why) if self.kind == "wrong" else 0

    @property
    def below(self) -> str:
        """The code below the comment on top."""
        return "\n".join(self.source.splitlines()[len(self.why) :]).strip("\n")


@dataclass(frozen=True)
class Case:
    """One way to get the symptom.

    Attributes:
        cells: by kind; each `wrong` under its name.
        silent: it prints nothing, so its break asserts the bad behaviour itself.
        commands: the fix where it is no code: place (one of PLACES) -> what to type or set there.
        skips: where pytest skips a tip's block: condition, in Python, and reason.
        survives: wrong versions of the fix, or of a tip's block, that no proof can catch, as
            `verify --mutate` names them -> why not.
        wrong: name of what is tried in vain -> address of a thread in which it was.
        unbroken: why it has no `break`; "" for a case that has.
    """

    name: str
    cells: dict[str, Cell]
    needs: tuple[str, ...] = ()
    silent: bool = False
    commands: dict[str, str] = field(default_factory=dict)
    survives: dict[str, str] = field(default_factory=dict)
    skips: tuple[tuple[str, str], ...] = ()
    wrong: dict[str, str] = field(default_factory=dict)
    unbroken: str = ""

    @property
    def cure(self) -> Cell:
        """The cell whose run shows that the fix cures.

        The fix, with its proof behind it, or the proof of a command; of a tip its block.
        """
        return next(self.cells[kind] for kind in ("fix", "block", "proof") if kind in self.cells)

    @property
    def mutable(self) -> bool:
        """Can wrong versions be made and caught?

        So it is with code that has a proof behind it, and a tip's block, which asserts itself.
        """
        return {"fix", "proof"} <= set(self.cells) or "block" in self.cells

    @property
    def commands_run(self) -> set[str]:
        """The places whose commands the proof runs as they stand; the others are only read."""
        has_proof = self.commands and "proof" in self.cells
        return command.run_by(self.cells["proof"].source) if has_proof else set()

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
    pictures: list[list[str]] = field(default_factory=list)  # what is drawn: find/picture.py
    draft: bool = False  # not yet a page of the site
    broken: bool = False  # problems of its own that stop its cells
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
        """The cells that are executed, each in its own process.

        A proof runs behind its fix, and alone where the fix is a command. A `use` runs twice: with
        the fix, and as it stands.
        """
        runs = []
        for cell in self.cells:
            if cell.kind and (cell.kind != "proof" or cell is self.cases[cell.case].cure):
                runs.append(cell)
            if cell.kind == "use":
                runs.append(replace(cell, kind="unfixed"))
        return runs

    @property
    def hash(self) -> str:
        """Of what decides the outcome of a run: the code, but for cells that hash themselves."""
        cells = (self.as_run(cell) for cell in self.cells if not self._is_later(cell))
        return short_hash("\n".join(f"%% {cell.kind} {cell.case}\n{cell.source}" for cell in cells))

    @property
    def later(self) -> dict[str, str]:
        """Hashes of the cells that are recorded with their own, by name."""
        later = [cell for cell in self.cells if self._is_later(cell)]
        later += [replace(cell, kind="unfixed") for cell in later if cell.kind == "use"]
        hashes = {cell.name: cell.hash for cell in later}
        for case in self.cases.values():
            if case.unbroken and case.cells:
                cells = (self.as_run(cell).source for cell in case.cells.values())
                hashes[case.cure.name] = short_hash("\n".join(cells))
        return {cell.name: hashes[cell.name] for cell in self.runs if cell.name in hashes}

    def _is_later(self, cell: Cell) -> bool:
        return cell.kind in LATER or bool(cell.kind and self.cases[cell.case].unbroken)

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
        """The proof that runs behind a fix, and behind what is tried in vain; else [].

        What is tried and asserts something itself shows what it costs: no proof is needed.
        """
        case = self.cases[cell.case]
        proved = cell.kind == "fix" or (
            cell.kind == "wrong" and case.mutable and not code.asserts(cell.source)
        )
        return [case.cells["proof"]] if proved and "proof" in case.cells else []

    def as_run(self, cell: Cell) -> Cell:
        """A `use` with the fix in its place; a proof with the commands that it runs."""
        if cell.kind == "use":
            return replace(cell, source=filled(cell.source, self.cases[cell.case].fixes["python"]))
        if cell.kind == "proof" and self.cases[cell.case].commands_run:
            return replace(cell, source=with_commands(cell, self.cases[cell.case].commands))
        return cell

    def program(self, cell: Cell, instead: str = "") -> str:
        """The program that running `cell` means: set-up, cell, and the proof of a fix.

        Every line stands at its own line number of the file, but for those of a `use` below its
        fix, and of a proof behind a vain attempt.

        Args:
            instead: a source that takes the cell's place, wherever its lines then stand.
        """
        if instead:
            before = [part.source for part in self.setup_of(cell)]
            behind = [part.source for part in self.proof_of(cell)]
            return "\n\n".join([*before, instead, *behind]) + "\n"
        lines: list[str] = []
        for part in [*self.setup_of(cell), self.as_run(cell), *self.proof_of(cell)]:
            lines += [""] * (part.line - 1 - len(lines))
            lines += part.source.splitlines()
        return "\n".join(lines).rstrip() + "\n"


def filled(program: str, fix: str) -> str:
    """A `use` cell with the fix in the place of what stands between its marks.

    Raises:
        ValueError: the marks do not stand there once, alone on their lines, in this order.
    """
    lines = program.splitlines()
    marks = [(at, line.strip()) for at, line in enumerate(lines) if line.strip() in PLACE]
    if [mark for _, mark in marks] != list(PLACE):
        raise ValueError(f"the fix's place is between one `{PLACE[0]}` and one `{PLACE[1]}`")
    (start, _), (end, _) = marks
    indent = lines[start][: -len(PLACE[0])]
    imports: list[str] = []
    rest: list[str] = []
    for line in fix.splitlines():  # imports of a program stand on top, also where the fix does not
        is_import = line.startswith(("import ", "from ")) and indent
        (imports if is_import else rest).append(line)
    put = textwrap.indent("\n".join(rest).strip("\n"), indent)
    return "\n".join([*imports, *lines[:start], put, *lines[end + 1 :]])


def with_commands(proof: Cell, commands: dict[str, str]) -> str:
    """The source of a proof, below the commands that it runs."""
    return f"commands = {commands!r}\n{proof.source}"


def short_hash(text: str) -> str:
    """First 12 hex digits of SHA-256."""
    return hashlib.sha256(text.encode()).hexdigest()[:12]
