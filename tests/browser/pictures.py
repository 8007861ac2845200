"""Makes the README's pictures from the browser test's screenshots.

`python tests/browser/pictures.py FROM TO`; `nox -s pictures` takes them first.
"""

from __future__ import annotations

import sys
from pathlib import Path

from PIL import Image

#: What the README shows; the test takes the rest to be looked at.
CHOSEN = [
    "home-en-light-1280",
    "symptom-en-light-1280",
    "messages-en-dark-1280",
    "home-zh-dark-390",
    "lookup-en-light-390",
    "symptom-zh-dark-390",
]
LIMIT = 100_000  # bytes of one picture


def shrink(source: Path, target: Path) -> int:
    """Write a picture as WebP without loss, at a third of the bytes; their number."""
    with Image.open(source) as picture:
        picture.convert("RGB").save(target, lossless=True, quality=100, method=6)
    return target.stat().st_size


def main(source: str, target: str) -> int:
    Path(target).mkdir(parents=True, exist_ok=True)
    sizes = {
        name: shrink(Path(source, f"{name}.png"), Path(target, f"{name}.webp")) for name in CHOSEN
    }
    for name, size in sizes.items():
        print(f"{target}/{name}.webp: {size / 1000:.0f} kB")
    return int(max(sizes.values()) > LIMIT)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
