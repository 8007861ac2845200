"""The command line: `torchclinic COMMAND`, or `python -m torchclinic COMMAND`.

Exit status: 0 done, 1 a check failed or nothing was found, 2 bad input, or an answer that could not
be written.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import os
import sys

from .. import __version__
from ..content.problem import BadInput
from . import knowledge, terminal

#: command -> the module that adds it, in the order of the help. Only that module is imported: a
#: lookup should not wait for the rest.
EVERYWHERE = {
    name: f"torchclinic.commands.{name}"
    for name in ("lookup", "fix", "show", "env", "run", "hang", "mcp", "search", "verify", "github")
}
#: These work on the files of a checkout; the wheel leaves their room out.
IN_CHECKOUT = {
    "catalogue": "torchclinic.authoring.catalogue",
    "new": "torchclinic.authoring.new",
    "check": "torchclinic.authoring.check",
    "preview": "torchclinic.authoring.preview",
    "publish": "torchclinic.authoring.publish",
    "stamp": "torchclinic.authoring.stamp",
    "changes": "torchclinic.authoring.changes",
    "figures": "torchclinic.authoring.figures",
    "site": "torchclinic.authoring.site",
}


def main(argv: list[str] | None = None) -> int:
    argv = sys.argv[1:] if argv is None else argv
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # a terminal that cannot show Chinese
    try:
        options = _parsed(argv)
        if sys.stdout is None and options.command not in ("run", "mcp"):
            raise BadInput("standard output is closed: nobody would read the answer")
        status: int = options.run(options)
        if sys.stdout is not None:
            sys.stdout.flush()  # here, where a full disk can still be told
        return status
    except BadInput as error:
        return _fails(str(error))
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # `… | head`
        _close_output()
        return 141
    except OSError as error:
        _close_output()
        return _fails(str(error))


class _Version(argparse.Action):
    """What is installed: the program's version, and how much it knows, as of which day."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        known = knowledge.load()
        count = f"{len(known.symptoms)} symptoms, {len(known.tips)} tips"
        print(f"torchclinic {__version__}: {count}, as of {known.day or 'no recorded run'}")
        parser.exit()


def _fails(why: str) -> int:
    terminal.complain(why)
    return 2


def _close_output() -> None:
    """Let nothing that is still to be written be tried again at the end, which would be told, with
    a status of its own."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _parsed(argv: list[str]) -> argparse.Namespace:
    chosen = argv[0] if argv else ""
    if chosen in IN_CHECKOUT:
        knowledge.need_checkout(chosen)
    usable = EVERYWHERE | (IN_CHECKOUT if knowledge.in_checkout() else {})
    parser = argparse.ArgumentParser(
        prog=knowledge.program(), description="PyTorch errors whose break and fix have been run."
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="show the version and stop")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    named = [usable[chosen]] if chosen in usable else dict.fromkeys(usable.values())
    for module in [] if chosen == "--version" else named:
        importlib.import_module(module).add(commands)
    return parser.parse_args(argv)
