"""Run a command several times beside twice as much work as there are cores.

    python tests/busy.py ROUNDS COMMAND…

The exit status is 1 if a round failed.
"""

from __future__ import annotations

import subprocess
import sys

from torchclinic.run.machine import busy

rounds, command = int(sys.argv[1]), sys.argv[2:]
with busy():
    failed = sum(bool(subprocess.run(command, check=False).returncode) for _ in range(rounds))
print(f"{failed} of {rounds} rounds failed")
sys.exit(1 if failed else 0)
