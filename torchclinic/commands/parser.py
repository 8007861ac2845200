"""The command line: `torchclinic COMMAND`, or `python -m torchclinic COMMAND`. Exit status: 0 done, 1 a check failed or nothing was found, 2 bad input."""

from __future__ import annotations

import argparse
import importlib
import sys

from ..content.problem import BadInput
from . import knowledge, terminal

#: command -> the module here that adds it, in the order of the help. Only that module is imported: a lookup should not wait for the rest.
COMMANDS = {
    "lookup": "lookup",
    "fix": "fix",
    "show": "show",
    "env": "env",
    "run": "run",
    "mcp": "mcp",
    "search": "search",
    "verify": "verify",
    "catalogue": "author",
    "new": "author",
    "check": "check",
    "preview": "check",
    "publish": "author",
    "stamp": "author",
    "changes": "author",
    "figures": "author",
    "origins": "origins",
    "site": "site",
}
#: These work on the files of a checkout, and are not offered elsewhere.
IN_CHECKOUT = ("catalogue", "new", "check", "preview", "publish", "stamp", "changes", "figures", "origins", "site")


def main(argv: list[str] | None = None) -> int:
    argv = sys.argv[1:] if argv is None else argv
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # a terminal that cannot show Chinese
    chosen = argv[0] if argv else ""
    try:
        if chosen in IN_CHECKOUT:
            knowledge.need_checkout(chosen)
        usable = [name for name in COMMANDS if name not in IN_CHECKOUT or knowledge.in_checkout()]
        parser = argparse.ArgumentParser(prog=knowledge.program(), description="PyTorch errors whose break and fix have been run.")
        commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
        for module in dict.fromkeys(COMMANDS[name] for name in ([chosen] if chosen in COMMANDS else usable)):
            importlib.import_module(f".{module}", __package__).add(commands)
        options = parser.parse_args(argv)
        return options.run(options)
    except BadInput as error:
        print(f"torchclinic: {terminal.printable(str(error))}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # `… | head`
        sys.stderr.close()
        return 141
