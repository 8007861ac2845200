"""Tests of what needs packages of others that are too big for every day.

`nox -s third-party` names this file to pytest.
"""

from __future__ import annotations

from pathlib import Path

import cluster_logs
import pytest


def test_logs_of_a_cluster_in_ray(tmp_path: Path) -> None:
    """The same table as DuckDB's."""
    pytest.importorskip("ray", reason="ray could not be installed")
    output, _ = cluster_logs.run(
        "logs_ray.py", cluster_logs.make(tmp_path), RAY_USAGE_STATS_ENABLED="0"
    )
    assert {output} == cluster_logs.shown()
