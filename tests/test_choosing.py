"""The tips about choosing show the numbers that docs/programs/choosing.py recorded, and no others."""

from __future__ import annotations

import re

import choosing
import pytest

from torchclinic import LANGUAGES


@pytest.mark.parametrize("part", choosing.PLACES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_table_shows_what_was_recorded(language: str, part: str) -> None:
    recorded, text = choosing.RECORD[part], choosing.section(language, part)
    assert choosing.numbers(text) == [list(row.values()) for row in recorded["rows"].values()]
    for name, version in recorded["versions"].items():
        assert f"{name} {version.partition('+')[0]}" in text


def test_the_program_names_the_versions_that_were_recorded() -> None:
    pinned = dict(re.findall(r'"([\w-]+)==([\w.]+)"', choosing.PROGRAM.read_text(encoding="utf-8")))
    for part in choosing.RECORD.values():
        for name, version in part["versions"].items():
            assert version.partition("+")[0] == pinned.get(name, version), name
