"""Tests of what needs packages of others that are too big for every day.

`nox -s third-party` names this file to pytest.
"""

from __future__ import annotations

from pathlib import Path

import choosing
import cluster_logs
import pytest


def test_logs_of_a_cluster_in_ray(tmp_path: Path) -> None:
    """The same table as DuckDB's."""
    pytest.importorskip("ray", reason="ray could not be installed")
    output, _ = cluster_logs.run(
        "logs_ray.py", cluster_logs.make(tmp_path), RAY_USAGE_STATS_ENABLED="0"
    )
    assert {output} == cluster_logs.shown()


@pytest.mark.parametrize("part", choosing.STEADY)
def test_what_was_far_apart_when_it_was_recorded_keeps_its_order(part: str) -> None:
    for package in choosing.RECORD[part]["versions"]:
        pytest.importorskip({"pillow": "PIL"}.get(package, package))
    recorded, rows = choosing.RECORD[part]["rows"], choosing.again(part)
    assert list(rows) == list(recorded)
    for column in choosing.STEADY[part]:
        for one in rows:
            for other in rows:
                if recorded[one][column] > choosing.APART * recorded[other][column]:
                    assert rows[one][column] > rows[other][column], (column, one, other)
