"""The command line: `python -m torchclinic COMMAND`. Exit status: 0 done, 1 a check failed or nothing was found, 2 bad input."""

from __future__ import annotations

import argparse
import sys

from ..content.problem import BadInput
from . import author, lookup, site, verify

#: In the order of the help.
COMMANDS = (lookup, verify, author, site)


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m torchclinic", description="PyTorch errors whose break and fix have been run.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for module in COMMANDS:
        module.add(commands)
    options = parser.parse_args(argv)
    try:
        return options.run(options)
    except BadInput as error:
        print(f"torchclinic: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # `… | head`
        sys.stderr.close()
        return 141
