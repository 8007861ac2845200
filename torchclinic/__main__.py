"""`python -m torchclinic`."""

import sys

from .commands.parser import main

if __name__ == "__main__":
    sys.exit(main())
