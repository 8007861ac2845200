"""The pages at addresses that pages had once."""

from __future__ import annotations

import html
from pathlib import Path

from .labels import LABELS

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


def page(old: str, new: str, title: str, language: str, own: str) -> str:
    """The page at the old address.

    Args:
        own: address of the site in this language, with a slash at its end; only the canonical
            address is absolute.
    """
    up = "../" * (old.count("/") + 1)
    return _PAGE.format(
        language=language,
        target=html.escape(f"{up}{new}/"),
        canonical=html.escape(f"{own}{new}/"),
        title=html.escape(title.replace("`", "")),
        moved=LABELS[language]["moved"],
        up=up,
    )


def write(
    found: dict[str, str], titles: dict[str, str], out: Path, language: str, own: str
) -> None:
    """Write every redirect of one language; `titles` are those of the pages of today, by id."""
    for old, new in found.items():
        file = out / old / "index.html"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(page(old, new, titles[new], language, own), encoding="utf-8")
