"""The families of devices that PyTorch runs on: which one a text tells, its messages in CUDA's
words, and what stands for CUDA's names there. docs/assets/devices.js is the twin.

Builds for other devices print what those for CUDA print, with another word: one page serves both.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypedDict

from .pasted import Pasted


class Family(TypedDict):
    """What content/devices.py makes of a family of facts/devices.yml."""

    id: str
    name: dict[str, str]
    noun: str  # what one of its devices is, where a page says GPU
    signs: list[str]  # a text that holds one of them is of this family
    prints: list[list[str]]  # [words of its own, those of a build for CUDA]
    instead: list[list[str]]  # [a name of CUDA's, its own]
    tools: list[str]  # programs of its driver
    packages: list[str]  # what brings it to PyTorch


def family(families: Iterable[Family], pasted: Pasted) -> Family | None:
    """The family of the device that a text tells; None for NVIDIA's, and where none is told."""
    return next((one for one in families if any(map(pasted.says, one["signs"]))), None)


def in_cuda_words(one: Family, text: str) -> str:
    """The text with what this family prints in the words of a build for CUDA, line by line."""
    for own, cuda in one["prints"]:
        text = text.replace(own, cuda)
    return text


def instead(families: Iterable[Family], device: str, shown: str) -> list[list[str]]:
    """[a name of CUDA's, the family's own] for each name that what is shown holds."""
    pairs = next((one["instead"] for one in families if one["id"] == device), [])
    return [pair for pair in pairs if pair[0] in shown]
