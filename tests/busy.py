"""Run a command several times while all cores are kept busy by others: `python tests/busy.py ROUNDS COMMAND…`. Ends with the number of rounds that failed."""

from __future__ import annotations

import os
import subprocess
import sys

from torchclinic.run.verify import busy

rounds, command = int(sys.argv[1]), sys.argv[2:]
with busy(os.cpu_count() or 1):
    failed = sum(bool(subprocess.run(command, check=False).returncode) for _ in range(rounds))
print(f"{failed} of {rounds} rounds failed")
sys.exit(1 if failed else 0)
