"""Which symptom is in which log of a cluster, with DuckDB:

    python logs_duckdb.py LOGS

LOGS holds a folder for each host, and in it a log for each rank: `node01/rank-3.log`, or as torchrun's --log-dir has it.
"""

import sys
from pathlib import Path

import duckdb

import torchclinic
from torchclinic.find.lookup import lookup

END = 400_000  # bytes of a log that are read: its end, where a program dies
INDEX = torchclinic.load_index()  # once, for all logs


def symptom_of(path: str) -> str:
    """The symptom that a log prints; in brackets, why there is none."""
    try:
        with Path(path).open("rb") as log:
            log.seek(max(0, Path(path).stat().st_size - END))
            found = lookup(INDEX, log.read(END).decode("utf-8", "replace"))
    except OSError as error:
        return f"({error.strerror})"
    return found["hits"][0]["symptom"] if found["hits"] else f"({found['status']})"


QUERY = """
    WITH
    files AS (
        SELECT file, substr(file, length($folder) + 2) AS path
        FROM glob($folder || '/**')
    ),
    logs AS (
        SELECT file, split_part(path, '/', 1) AS host,
               regexp_extract(path, '([0-9]+)(/stderr)?[.](log|err|out)$', 1) AS rank
        FROM files
        WHERE rank != ''
    ),
    groups AS (
        SELECT symptom_of(file) AS symptom, host, rank, count(*) AS logs
        FROM logs
        GROUP BY ALL
    )
    SELECT * FROM groups
    -- The rarest comes first: one rank began it, and the others waited for that one.
    ORDER BY symptom LIKE '(%', sum(logs) OVER (PARTITION BY symptom), symptom, host, rank::INTEGER
"""


def main() -> None:
    if len(sys.argv) != 2 or not Path(sys.argv[1]).is_dir():
        sys.exit(__doc__)
    connection = duckdb.connect()
    connection.create_function("symptom_of", symptom_of, ["VARCHAR"], "VARCHAR")
    print(f"{'symptom':<30}{'host':<12}{'rank':>5}{'logs':>6}")
    for symptom, host, rank, logs in connection.execute(
        QUERY, {"folder": sys.argv[1].rstrip("/")}
    ).fetchall():
        print(f"{symptom:<30}{host:<12}{rank:>5}{logs:>6}")


if __name__ == "__main__":
    main()
