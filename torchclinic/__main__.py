"""The command line: `python -m torchclinic COMMAND`."""

from __future__ import annotations

import argparse
import sys

from . import commands


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m torchclinic", description="PyTorch errors whose break and fix have been run.")
    commands.add_all(parser.add_subparsers(dest="command", required=True, metavar="COMMAND"))
    options = parser.parse_args(argv)
    try:
        return options.run(options)
    except commands.BadInput as error:
        print(f"torchclinic: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # `… | head`
        sys.stderr.close()
        return 141


if __name__ == "__main__":
    sys.exit(main())
