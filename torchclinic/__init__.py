"""Torch Clinic: PyTorch errors whose break and fix have been run."""

from pathlib import Path

#: The checkout: snippets/, docs/, facts/ and evidence/ lie below it.
ROOT = Path(__file__).resolve().parent.parent
LANGUAGES = ("en", "zh")
