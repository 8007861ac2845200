"""`python -m torchclinic`, and the command `torchclinic`."""

import sys


def main() -> int:
    # imports next to nothing: it stands before every run of somebody's program
    if sys.argv[1:2] == ["run"]:
        from .commands import run

        return run.main(sys.argv[2:])
    from .commands import parser

    return parser.main()


if __name__ == "__main__":
    sys.exit(main())
