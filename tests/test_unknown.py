"""The page of what was seen and never explained: what it asks people to type is there to be typed."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from torchclinic import LANGUAGES
from torchclinic.commands import parser

ROOT = Path(__file__).resolve().parent.parent


def typed(language: str) -> list[list[str]]:
    text = (ROOT / "docs" / language / "unknown.md").read_text(encoding="utf-8")
    lines = re.findall(r"^\$ (.+)$", text, re.MULTILINE)
    return [shlex.split(line.partition(" > ")[0]) for line in lines]


@pytest.mark.parametrize("command", [line for line in typed("en") if line[0] == "torchclinic"])
def test_our_commands_take_these_options(command: list[str]) -> None:
    assert parser._parsed(command[1:]).command == command[1]


def test_both_languages_ask_for_the_same() -> None:
    assert typed("zh") == typed("en")
    anchors = [
        re.findall(
            r"\]\((#[a-z-]+)\)|\{(#[a-z-]+)\}",
            (ROOT / f"docs/{name}/unknown.md").read_text("utf-8"),
        )
        for name in LANGUAGES
    ]
    assert anchors[0] == anchors[1] and len(anchors[0]) >= 6
