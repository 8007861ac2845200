"""What a release is told with: `tools/release.py v2026.11.0` prints its part of CHANGELOG.md.

Fails unless the tag is the package's version and the changes of that version are written.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
_VERSION = re.compile(r'^__version__ = "([^"]+)"$', re.MULTILINE)


def version(root: Path = ROOT) -> str:
    """Of the package, read without importing it."""
    text = Path(root, "torchclinic", "__init__.py").read_text(encoding="utf-8")
    found = _VERSION.search(text)
    assert found, "torchclinic/__init__.py has no __version__"
    return found[1]


def notes(tag: str, root: Path = ROOT) -> str:
    """What CHANGELOG.md says of a version.

    Raises:
        SystemExit: the tag is another version's, or nothing is written of this one.
    """
    if tag != f"v{version(root)}":
        raise SystemExit(f"the tag is {tag}, and torchclinic/__init__.py says {version(root)}")
    text = Path(root, "CHANGELOG.md").read_text(encoding="utf-8")
    _, heading, rest = text.partition(f"\n## [{version(root)}] - ")
    told = rest.partition("\n## ")[0].partition("\n")[2].strip()
    if not (heading and told):
        raise SystemExit(f"CHANGELOG.md has no changes of {version(root)}")
    return told


if __name__ == "__main__":
    print(notes(sys.argv[1]))
