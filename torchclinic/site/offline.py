"""The site without a network: what a browser needs to install it as an app, and what the service
worker keeps."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from pathlib import Path

from .. import LANGUAGES

NAME = "Torch Clinic"
COLOUR = "#123c45"
#: What no page asks for by itself: source maps, lists for search engines, and what only file://
#: needs.
_LEFT_OUT = re.compile(
    r"\.(map|gz)$|(^|/)sitemap\.xml$|(^|/)file(-search|-origins)?\.js$|/search_index\.js$|^sw\.js$"
)
_CORNERS = re.compile(r' rx="\d+"')


def write(out: Path, scripts: Path, keep: bool) -> None:
    """Write the manifest of each language, for every page asks for it, and, when all else is
    written, the list of files and the service worker.

    Args:
        scripts: folder of sw.js and retire.js.
        keep: whether readers may keep the site; else a worker that removes itself.
    """
    for language in LANGUAGES:
        icon = (out / language / "assets" / "favicon.svg").read_text(encoding="utf-8")
        # Systems cut an icon into their own shape.
        (out / language / "assets" / "icon.svg").write_text(
            _CORNERS.sub("", icon, count=1), encoding="utf-8"
        )
        (out / language / "manifest.webmanifest").write_text(
            json.dumps(manifest(language), ensure_ascii=False), encoding="utf-8"
        )
    if not keep:
        (out / "sw.js").write_bytes((scripts / "retire.js").read_bytes())
        return
    files = {
        address(file.relative_to(out)): digest(file.read_bytes())
        for file in sorted(out.rglob("*"))
        if file.is_file()
    }
    kept = {path: value for path, value in files.items() if not _LEFT_OUT.search(path)}
    text = json.dumps({"files": kept}, separators=(",", ":"))
    (out / "offline.json").write_text(text, encoding="utf-8")
    worker = (scripts / "sw.js").read_text(encoding="utf-8")
    (out / "sw.js").write_text(worker.replace("{digest}", digest(text.encode())), encoding="utf-8")


def manifest(language: str) -> dict[str, object]:
    """The web app manifest; addresses are relative to it. An app holds both languages and starts in
    the reader's."""
    icon = {"sizes": "any", "type": "image/svg+xml"}
    return {
        "name": NAME,
        "short_name": NAME,
        "lang": language,
        "start_url": "./",
        "scope": "../",
        "display": "standalone",
        "theme_color": COLOUR,
        "background_color": COLOUR,
        "icons": [
            {"src": "assets/favicon.svg", **icon, "purpose": "any"},
            {"src": "assets/icon.svg", **icon, "purpose": "maskable"},
        ],
    }


def address(file: Path) -> str:
    """A file's address below the root, as a browser asks for it: that of a folder for its page."""
    return (
        file.as_posix().removesuffix("index.html") if file.name == "index.html" else file.as_posix()
    )


def digest(data: bytes) -> str:
    """As a browser checks it."""
    return "sha256-" + base64.b64encode(hashlib.sha256(data).digest()).decode()
