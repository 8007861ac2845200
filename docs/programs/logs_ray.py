"""Which symptom is in which log of a cluster, with Ray Data, on all of its machines:

    python logs_ray.py LOGS

LOGS lies where every machine sees it, and holds a folder for each host, and in it a log for each rank, as for logs_duckdb.py.
"""

import re
import sys
from collections import Counter
from pathlib import Path

import ray

import torchclinic
from torchclinic.find.lookup import lookup

END = 400_000  # bytes of a log that are read: its end, where a program dies
RANK = re.compile(r"([0-9]+)(/stderr)?[.](log|err|out)$")


class LookUp:
    """Runs in several processes at once, each with a shard of the logs."""

    def __init__(self) -> None:
        self.index = torchclinic.load_index()  # once, for all logs of this process

    def __call__(self, row: dict[str, str]) -> dict[str, str]:
        return {"symptom": self.symptom_of(row["path"]), "host": row["host"], "rank": row["rank"]}

    def symptom_of(self, path: str) -> str:
        """The symptom that a log prints; in brackets, why there is none."""
        try:
            with Path(path).open("rb") as log:
                log.seek(max(0, Path(path).stat().st_size - END))
                found = lookup(self.index, log.read(END).decode("utf-8", "replace"))
        except OSError as error:
            return f"({error.strerror})"
        return found["hits"][0]["symptom"] if found["hits"] else f"({found['status']})"


def main() -> None:
    if len(sys.argv) != 2 or not Path(sys.argv[1]).is_dir():
        sys.exit(__doc__)
    folder = Path(sys.argv[1]).resolve()
    logs = []
    for file in folder.rglob("*"):
        path = file.relative_to(folder).as_posix()
        if found := RANK.search(path):
            logs.append({"path": str(file), "host": path.partition("/")[0], "rank": found[1]})
    shards = ray.data.from_items(logs, override_num_blocks=min(len(logs), 64) or 1)
    rows = shards.map(
        LookUp, compute=ray.data.ActorPoolStrategy(min_size=1, max_size=8)
    ).iter_rows()
    groups = Counter((row["symptom"], row["host"], row["rank"]) for row in rows)
    total = Counter()
    for (symptom, _, _), count in groups.items():
        total[symptom] += count

    def order(group: tuple[str, str, str]) -> tuple:
        """The rarest comes first: one rank began it, and the others waited for that one."""
        symptom, host, rank = group
        return symptom.startswith("("), total[symptom], symptom, host, int(rank)

    print(f"{'symptom':<30}{'host':<12}{'rank':>5}{'logs':>6}")
    for symptom, host, rank in sorted(groups, key=order):
        print(f"{symptom:<30}{host:<12}{rank:>5}{groups[symptom, host, rank]:>6}")


if __name__ == "__main__":
    main()
