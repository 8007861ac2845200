"""`torchclinic run COMMAND…`: run a command; if it fails, say below its words what the error is.

Exit status: the command's own.
"""

from __future__ import annotations

import signal
import sys

from . import child

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Collection

    from .live_child import Heard
    from .options import Subcommands
    from .watch import Watch

#: What ended a command -> what is said of it; Windows has numbers for it.
ENDS = {
    "SIGKILL": "killed",
    "SIGTERM": "asked",
    "SIGUSR1": "asked",
    "SIGUSR2": "asked",
    "SIGHUP": "hung-up",
    "SIGXCPU": "used-up",
    "SIGABRT": "aborted",
    "SIGSEGV": "crashed",
    "SIGBUS": "unmapped",
    "SIGILL": "illegal",
    "SIGFPE": "divided",
    "0xC0000005": "crashed",
    "0xC0000409": "aborted",
    "0xC000001D": "illegal",
    "0xC00000FD": "overflowed",
    "0xC0000135": "no-dll",
    "0xC0000017": "no-memory",
}
#: What a person did on purpose needs no words: Ctrl-C, Ctrl-\\, `… | head`; Ctrl-C on Windows.
MEANT = ("SIGINT", "SIGQUIT", "SIGPIPE", "0xC000013A")
#: The reason of these is not in what the program printed.
FROM_OUTSIDE = ("SIGKILL", "SIGTERM", "SIGUSR1", "SIGUSR2", "SIGHUP", "SIGXCPU")
#: What others send to end a program: a command that fails then did not fail by itself, whatever
#: its exit status.
STOPS = ("SIGINT", "SIGQUIT", "SIGTERM", "SIGHUP")


def add(commands: Subcommands) -> None:
    from .options import add_language

    command = commands.add_parser(
        "run",
        help="run a command and, if it fails, say what the error is",
        usage="%(prog)s [--stdout] [--live] [--jsonl FILE] [--save FILE] [--hang SECONDS] "
        "[--lang LANG] [--] COMMAND …",
    )
    command.add_argument(
        "--stdout",
        action="store_true",
        help="look for the error on standard output as well; it is passed through",
    )
    command.add_argument(
        "--live",
        action="store_true",
        help="ask the program itself, when it dies, for the shapes, dtypes, devices and modes of "
        "what failed; its processes in Python take part",
    )
    command.add_argument(
        "--jsonl",
        metavar="FILE",
        help="with --live: add the answer to this file as one line of JSON, with these facts",
    )
    command.add_argument(
        "--save",
        metavar="FILE",
        help="with --live: write the end of what it printed to this file, with these facts: a text "
        "that `torchclinic lookup` and the site's lookup read; it holds your paths",
    )
    command.add_argument(
        "--hang",
        type=float,
        metavar="SECONDS",
        help="when its processes have written nothing and used no processor time for so long, say "
        "once where each of them stands, as `torchclinic hang`; they go on. Also where they stood "
        "when a launcher or a time-out ended them",
    )
    add_language(command)
    command.add_argument(
        "words", nargs="...", metavar="COMMAND …", help="what to run, as you would type it"
    )
    command.set_defaults(run=run_run)


def main(argv: list[str]) -> int:
    """`torchclinic run` with these arguments. This stands before every run of somebody's program,
    so argparse is left to what is not plain."""
    rest, stdout = list(argv), False
    if rest[:1] == ["--stdout"]:
        stdout = bool(rest.pop(0))
    if rest[:1] == ["--"] and rest[1:]:
        return start(rest[1:], stdout, None)
    if rest and not rest[0].startswith("-"):
        return start(rest, stdout, None)
    from . import parser

    return parser.main(["run", *argv])


def run_run(options: argparse.Namespace) -> int:
    words = options.words[1:] if options.words[:1] == ["--"] else options.words
    if (options.jsonl or options.save) and not options.live:
        from ..content.problem import BadInput

        name = "--jsonl" if options.jsonl else "--save"
        raise BadInput(f"{name} goes with --live: torchclinic run --live {name} FILE COMMAND …")
    if options.hang is None and not options.live:
        return start(words, options.stdout, options.lang)
    from contextlib import ExitStack

    with ExitStack() as until:
        heard = watch = None
        if options.live:
            from . import live_child

            heard = until.enter_context(live_child.listening(options.jsonl, options.save))
        if options.hang is not None:
            from .watch import watching

            watch = until.enter_context(watching(options.hang, options.lang))
        status = ran(words, options.stdout, options.lang, heard, watch)
    return child.end_like(status)


def start(command: list[str], stdout: bool, language: str | None) -> int:
    """Run a command to its end and, if it fails, print what is known; then end as it did."""
    return child.end_like(ran(command, stdout, language))


def ran(
    command: list[str],
    stdout: bool,
    language: str | None,
    heard: Heard | None = None,
    watch: Watch | None = None,
) -> int:
    """How a command ended that has been run and, if it failed, explained.

    Args:
        stdout: watch its standard output as well.
        language: of the answer; from the locale if None.
        heard: where its processes leave what they knew when they died.
        watch: knows where they stood when they were ended.
    """
    if not command:
        from ..content.problem import BadInput

        raise BadInput("nothing to run: give a command, as in `torchclinic run python train.py`")
    try:
        status, tails, sent = child.run(command, stdout=stdout)
    except child.Unstartable as error:
        from .terminal import complain

        complain(str(error))
        return error.status
    if status:
        _explain(status, tails, language, stdout, heard, sent)
        if watch and ended(status) not in MEANT:
            watch.ended()
    return status


def _explain(
    status: int,
    tails: list[bytes],
    language: str | None,
    stdout: bool,
    heard: Heard | None,
    sent: set[int],
) -> None:
    try:
        from ..content.problem import BadInput

        try:
            _say(answer(status, tails, language, stdout, heard, sent))
        except BadInput as error:
            _say([f"torchclinic: {error}"])
    except Exception as error:  # whatever is wrong with us, the command's own end is what counts
        _say([f"torchclinic: this error could not be looked up ({type(error).__name__})"])


def _say(lines: list[str]) -> None:
    try:
        if lines and sys.stderr is not None:
            print("\n".join(lines), file=sys.stderr, flush=True)
    except (OSError, ValueError):
        # Nobody reads it any more; Python would try again at its end, with a status of its own.
        sys.stderr = None


def answer(
    status: int,
    tails: list[bytes],
    language: str | None,
    stdout: bool,
    heard: Heard | None = None,
    sent: Collection[int] = (),
) -> list[str]:
    """What to print below the words of a command that failed; nothing where nothing is known.

    Args:
        status: not 0; -n where signal n ended it.
        tails: the last bytes of what it printed, standard error first.
        stdout: was standard output watched as well?
        heard: where its processes left what they knew when they died.
        sent: signals that others sent while it ran.

    Raises:
        BadInput: there is nothing to look it up in; says what to do.
    """
    from ..content import words
    from . import explain, knowledge
    from .decode import decode

    language = language or words.language_of_locale()
    text = words.of(language, "run")
    how = ended(status)
    if how not in ENDS:
        stops = [name for name in STOPS if getattr(signal, name, 0) in sent]
        how = stops[0] if stops and status > 0 else how
    if how in MEANT:
        return []
    lines = []
    if how in ENDS:
        by_itself = status < 0 or ended(status) == how
        shown = text["signal" if status < 0 else "status" if by_itself else "stopped"]
        shown = shown.format(status=status, name=how)
        lines.append(text["ended"].format(how=shown, why=text[ENDS[how]]))
    if how in FROM_OUTSIDE:
        return lines
    if any(tails):
        known = knowledge.load()
        facts = heard.facts() if heard else ""
        every = [printed for tail in tails if (printed := decode(_whole_lines(tail))).strip()]
        if heard:
            every = [f"{printed}\n{facts}" for printed in every]
            heard.note(known, "\n".join(every))
        for printed in every:
            explained = explain.explain_log(known, printed, language).lines
            if explained:
                lines += facts.splitlines()
                said = all(line in printed for line in explained)  # by a hook in the command
                return lines if said else [*lines, *explained]
    elif not lines and not stdout:
        return [text["nothing"].format(status=status, program=explain.program())]
    return lines


def ended(status: int) -> str:
    """The name of the signal that ended a command (or one below it: a shell gives 128 + n), or of
    Windows' reason; "" for plain failures."""
    if status >= 1 << 31:
        return f"0x{status:X}"
    if status < 0 or 128 < status < 128 + 32:
        number = -status if status < 0 else status - 128
        try:
            return signal.Signals(number).name
        except ValueError:
            return f"signal {number}"
    return ""


def _whole_lines(tail: bytes) -> bytes:
    """Without the part of a line that it begins with, where it was cut."""
    if len(tail) < child.KEPT:
        return tail
    return tail[tail.find(b"\n") + 1 :]
