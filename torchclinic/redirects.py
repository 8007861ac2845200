"""Redirects: where a page went whose stem or topic changed. Ids are permanent; if one has to change after all, the old address still leads on.

redirects.yml, a mapping of old id to new id, `tips/...` for tips; both languages are redirected:

    memory/out-of-memory: memory/cuda-oom
"""

from __future__ import annotations

import html
import re
from pathlib import Path

from . import yamlfile
from .labels import MESSAGES
from .problem import Problems

FILE = "redirects.yml"
_ID = re.compile(r"(?:tips/)?[a-z0-9-]+/[a-z0-9-]+")
_PAGE = """<!doctype html>
<html lang="{language}">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width,initial-scale=1">
    <meta http-equiv="refresh" content="0; url={target}">
    <title>{title}</title>
    <link rel="canonical" href="{canonical}">
    <link rel="stylesheet" href="{up}assets/root.css">
  </head>
  <body>
    <main>
      <h1>{moved}</h1>
      <p><a href="{target}">{title}</a></p>
    </main>
  </body>
</html>
"""


def read(root: Path, ids: set[str], problems: Problems) -> dict[str, str]:
    """Old id -> new id; {} if there is no file.

    Args:
        ids: of all symptoms and tips.
    """
    file = root / FILE
    if not file.exists():
        return {}
    text = file.read_text(encoding="utf-8")
    lines = text.splitlines()
    found = {}
    for old, new in yamlfile.load(text, file, 1, problems).items():
        line = next((number for number, row in enumerate(lines, 1) if row.startswith(f"{old}:")), 1)
        if old in ids:
            problems.add(file, line, f"`{old}` is a page: a redirect would hide it")
        elif not _ID.fullmatch(str(old)):
            problems.add(file, line, f"`{old}` is no id: write topic/stem, or tips/topic/stem")
        elif new not in ids:
            problems.add(file, line, f"`{old}` leads to `{new}`, which is neither a symptom nor a tip; lead it to the page of today")
        else:
            found[old] = new
    return found


def page(old: str, new: str, title: str, language: str, own: str) -> str:
    """The page at the old address.

    Args:
        own: address of the site in this language, with a slash at its end; only the canonical address is absolute.
    """
    up = "../" * (old.count("/") + 1)
    return _PAGE.format(
        language=language,
        target=html.escape(f"{up}{new}/"),
        canonical=html.escape(f"{own}{new}/"),
        title=html.escape(title.replace("`", "")),
        moved=MESSAGES[language]["moved"],
        up=up,
    )


def write(found: dict[str, str], titles: dict[str, str], out: Path, language: str, own: str) -> None:
    """Write every redirect of one language; `titles` are those of the pages of today, by id."""
    for old, new in found.items():
        file = out / old / "index.html"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(page(old, new, titles[new], language, own), encoding="utf-8")
