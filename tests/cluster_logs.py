"""A folder of made-up logs, as a cluster leaves them.

The programs of the page "A cluster's logs" run on it.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from torchclinic import LANGUAGES, ROOT

GONE = (
    "RuntimeError: [../third_party/gloo/gloo/transport/tcp/pair.cc:534] Connection closed by peer"
    " [10.0.0.5]:23456\n"
)
MEMORY = (
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 5 has a total"
    " capacity of 79.10 GiB of which 1.05 GiB is free.\n"
)
#: Bytes of the longest of them. It lies on the disk as a hole: what reads all of it needs as much
#: memory.
LONG = 4 << 30


def make(folder: Path) -> Path:
    for rank in range(8):
        log = folder / f"node0{rank // 4 + 1}" / f"rank-{rank}.log"
        log.parent.mkdir(parents=True, exist_ok=True)
        log.write_text(
            {3: "epoch 9, loss 0.1\nsaved\n", 5: f"step 1\n{MEMORY}", 7: ""}.get(
                rank, f"step 1\n[rank{rank}]: {GONE}"
            ),
            encoding="utf-8",
        )
    (folder / "node01/train.py").write_text(
        f'raise RuntimeError("{MEMORY}")', encoding="utf-8"
    )  # no log
    long = folder / "node01" / "rank-0.log"
    with long.open("r+b") as file:
        text = file.read()
        file.seek(LONG)
        file.write(b"\n" + text)
    return folder


#: Runs a command, and says how much it held at most. A child of a big process starts as big, so
#: that the test must not measure its own.
MEASURED = """
import resource, subprocess, sys
code = subprocess.call(sys.argv[1:])
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr)
sys.exit(code)
"""


def run(program: str, logs: Path, **environment: str) -> tuple[str, int]:
    """What a program of docs/programs prints for a folder, and the most bytes that it held."""
    command = [sys.executable, str(ROOT / "docs/programs" / program), str(logs)]
    ended = subprocess.run(
        [sys.executable, "-c", MEASURED, *command],
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        capture_output=True,
        text=True,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    held = int(ended.stderr.split()[-1])
    return ended.stdout, held * (1 if sys.platform == "darwin" else 1024)


def shown() -> set[str]:
    """The tables that the pages show."""
    pages = [
        (ROOT / "docs" / language / "cluster-logs.md").read_text(encoding="utf-8")
        for language in LANGUAGES
    ]
    return {re.search(r"```text\n(.*?)```", page, re.DOTALL)[1] for page in pages}  # type: ignore[index]
