"""A release is one push of a tag: what it goes by is in order."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from tools import release
from torchclinic import ROOT, __version__

CHANGES = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
WORKFLOWS = {
    file.stem: yaml.safe_load(file.read_text(encoding="utf-8"))
    for file in (ROOT / ".github/workflows").glob("*.yml")
}


def test_the_version_is_a_date() -> None:
    year, month, number = map(int, release.version().split("."))
    assert 2026 <= year < 2100 and 1 <= month <= 12 and number >= 0
    assert f"{year}.{month:02}.{number}" == __version__


def test_the_changes_are_in_the_form_that_readers_know() -> None:
    """Keep a Changelog: the newest first, each change under its kind."""
    versions = re.findall(r"^## \[(.*?)\](?: - (\d{4}-\d\d-\d\d))?$", CHANGES, re.MULTILINE)
    assert versions[0] == ("Unreleased", "")
    assert all(date for _, date in versions[1:])
    assert [date for _, date in versions] == [
        "",
        *sorted((d for _, d in versions[1:]), reverse=True),
    ]
    kinds = set(re.findall(r"^### (.*)$", CHANGES, re.MULTILINE))
    assert kinds <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}


def made(folder: Path, changes: str) -> Path:
    (folder / "torchclinic").mkdir()
    (folder / "torchclinic/__init__.py").write_text('__version__ = "2026.12.0"\n')
    (folder / "CHANGELOG.md").write_text(changes, encoding="utf-8")
    return folder


def test_notes_are_those_of_the_tag(tmp_path: Path) -> None:
    changes = "# Changelog\n\n## [Unreleased]\n\n## [2026.12.0] - 2026-12-01\n\n### Added\n\n- A\n"
    root = made(tmp_path, f"{changes}\n## [2026.11.0] - 2026-11-30\n\n- B\n")
    assert release.notes("v2026.12.0", root) == "### Added\n\n- A"


@pytest.mark.parametrize(
    ("tag", "changes", "says"),
    [
        ("v2026.11.0", "\n## [2026.12.0] - 2026-12-01\n\n- A\n", "the tag is"),
        ("v2026.12.0", "\n## [Unreleased]\n\n- A\n", "no changes"),
        ("v2026.12.0", "\n## [2026.12.0] - 2026-12-01\n\n## [2026.11.0]\n- A", "no changes"),
    ],
)
def test_a_release_without_its_words_stops(
    tag: str, changes: str, says: str, tmp_path: Path
) -> None:
    with pytest.raises(SystemExit, match=says):
        release.notes(tag, made(tmp_path, changes))


def test_what_is_published_is_what_was_tried() -> None:
    """Built once; the site and the index wait for every Python and system."""
    jobs: dict[str, Any] = WORKFLOWS["release"]["jobs"]
    matrix = jobs["installed"]["strategy"]["matrix"]
    assert {"3.10", "3.14"} < set(matrix["python"]) and len(matrix["os"]) == 3
    for name in ("publish", "site"):
        assert set(jobs[name]["needs"]) == {"installed", "tests"}
    assert sum("build" in str(step) for job in jobs.values() for step in job.get("steps", [])) == 1
    # The index trusts the workflow, which keeps no password.
    assert jobs["publish"]["permissions"]["id-token"] == "write"
    assert "secrets." not in str(WORKFLOWS["release"])


def test_no_workflow_writes_more_than_it_says() -> None:
    for name, workflow in WORKFLOWS.items():
        assert workflow["permissions"] == {"contents": "read"}, name
