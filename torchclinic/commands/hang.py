"""`torchclinic hang [PID …]`: where each process of a program that hangs stands, and what follows.

Reads stacks with py-spy, asks prepared processes for them, and never changes or ends one. Exit
status: 0 the verdict has a page, or the program works; 1 no verdict; 2 there is nothing to look at.
"""

from __future__ import annotations

import argparse
import os
import shlex
import socket
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from ..content import words
from ..content.problem import BadInput
from ..find.clean import DIGITS
from ..find.stacks import MARK
from . import knowledge, processes, recorder, terminal
from .options import Subcommands, add_language
from .roll_call import said

if TYPE_CHECKING:
    from .processes import Dump

#: Seconds between the two dumps.
APART = 3.0
#: Bytes of a saved dump that are read.
LARGE = 32 << 20


def add(commands: Subcommands) -> None:
    command = commands.add_parser(
        "hang",
        help="say where each process of a program that hangs stands",
        description="Say where each process of a program that hangs stands, and what follows from "
        "it. Stacks are read with py-spy (`pip install py-spy`); nothing is changed or ended.",
        epilog="Exit status: 0 a page was found, or the program works; 1 neither; 2 there is "
        "nothing to look at.",
    )
    command.add_argument(
        "what",
        nargs="*",
        metavar="PID|DIR",
        help="processes, with all below them; or a folder that --save wrote. If left out: what of "
        "this user has loaded torch",
    )
    command.add_argument(
        "--save",
        metavar="DIR",
        help="also write the stacks into a file of this folder, named after the machine: run it on "
        "every machine, then `torchclinic hang DIR` on one",
    )
    command.add_argument("--native", action="store_true", help="also frames of C and C++ (py-spy)")
    command.add_argument(
        "--seconds", type=float, default=APART, help="between two dumps (default: %(default)g)"
    )
    add_language(command)
    command.set_defaults(run=run_hang)


def run_hang(options: argparse.Namespace) -> int:
    folders = [name for name in options.what if not name.isdecimal()]
    if folders:
        stacks, files = _saved(folders)
        return _say(stacks, options.lang, files)
    if not processes.available():
        raise BadInput(
            "processes are found on Linux only; elsewhere type `py-spy dump --pid PID` for each "
            "and give what it prints to `torchclinic lookup`"
        )
    known = processes.every()
    chosen = _chosen(known, [int(name) for name in options.what])
    for one in chosen:
        print(f"{one.pid:>8} {terminal.printable(one.command)[:100]}", file=sys.stderr)
    found = processes.dump(chosen, max(options.seconds, 0.0), options.native)
    if found.refused:
        terminal.complain(refusal(found, options.lang))
    if options.save:
        print(save(found.text, Path(options.save)), file=sys.stderr)
    return _say(found.text, options.lang)


def _chosen(known: dict[int, processes.Process], numbers: list[int]) -> list[processes.Process]:
    if missing := [str(number) for number in numbers if number not in known]:
        raise BadInput(
            f"no process of yours: {', '.join(missing)} (`ps -ef` lists them; a container has "
            "numbers of its own: type it inside the container)"
        )
    chosen = processes.tree(known, numbers) if numbers else processes.with_torch(known)
    if not chosen:
        raise BadInput(
            "no process of this user has loaded torch; in a container, type it inside the "
            "container, and give numbers of processes: torchclinic hang PID …"
        )
    return processes.ranks_first(chosen)


def refusal(found: Dump, language: str) -> str:
    """Why there are no stacks, or not all, and what to type."""
    text = words.of(language, "hang")
    if processes.pyspy() is None:
        return str(text["no-pyspy"])
    return str(text["refused"]).format(
        pids=", ".join(map(str, sorted(found.refused))), why=terminal.printable(found.why)
    )


def save(text: str, folder: Path) -> Path:
    """Write stacks into a folder, one file for each machine and time."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"stacks-{socket.gethostname()}-{os.getpid()}.txt"
    file.write_text(text, encoding="utf-8")
    return file


def _saved(names: list[str]) -> tuple[str, list[Path]]:
    """What is in saved files and folders of them, and dumps of the Flight Recorder there."""
    files: list[Path] = []
    recorded: list[Path] = []
    for name in names:
        path = Path(name)
        if not path.exists():
            raise BadInput(f"{name}: no number of a process, and no such file or folder")
        files += sorted(path.glob("*.txt")) if path.is_dir() else [path]
        recorded += recorder.dumps(path) if path.is_dir() else []
    texts = [_text(file) for file in files if file.is_file()]
    if not texts and not recorded:
        raise BadInput(
            f"no stacks (*.txt) and no dumps of the Flight Recorder in {', '.join(names)}"
        )
    return "\n".join(texts), recorded


def _text(file: Path) -> str:
    """A file of stacks; where it does not say whose, but its name does (`rank_3.txt`, `stack_3.txt`
    of our page), with a line that says it."""
    with file.open("rb") as opened:
        text = opened.read(LARGE).decode("utf-8", "replace")
    name = file.stem.rstrip(DIGITS)
    rank = file.stem.removeprefix(name)
    if MARK in text or not rank or not name.endswith(("rank", "rank_", "rank-", "stack_")):
        return text
    return f"{MARK}pid={rank} host={file.parent.name.replace(' ', '_')} rank={rank}\n{text}"


def _recorded(files: list[Path], language: str) -> tuple[list[str], str]:
    """Lines about dumps of the Flight Recorder, and what torchfrtrace printed."""
    if not files:
        return [], ""
    text = words.of(language, "hang")
    if printed := recorder.compared(files):
        return ["", text["recorder"].format(files=len(files)), printed], printed
    return ["", text["no-recorder"].format(command=shlex.join(recorder.command(files)))], ""


def _say(stacks: str, language: str, recorded: list[Path] | None = None) -> int:
    known, (more, printed) = knowledge.load(), _recorded(recorded or [], language)
    call = known.look_up(stacks).get("hang")
    lines = said(call, language) if call else [words.of(language, "hang")["nothing"]]
    stem = call["verdict"]["symptom"] if call else ""
    lines += [line for text in more for line in text.split("\n")]
    stems = [hit["symptom"] for hit in known.look_up(printed)["hits"]]
    stem = stem or next(iter(stems), "")
    if stem in known.symptoms:
        symptom = known.symptoms[stem]
        page = symptom["texts"][language]
        wanted = call["verdict"]["row"] if call else ""
        rows = [row for row in page["causes"] if row["row"] == wanted]
        lines += ["", f"{page['title']}  ({symptom['id']})"]
        lines += [f"  {row['do']}" for row in rows] or [f"  {page['summary']}"]
        show = terminal.TEXT[language]["page"]
        lines.append(show.format(command=terminal.typed("show", symptom["id"])))
    for other in stems:
        if other != stem:
            symptom = known.symptoms[other]
            lines.append(f"{symptom['texts'][language]['title']}  ({symptom['id']})")
    print("\n".join(map(terminal.printable, lines)))
    return 0 if stem or (call and call["verdict"]["name"] == "works") else 1
