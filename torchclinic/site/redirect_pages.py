"""The pages at addresses that pages had once."""

from __future__ import annotations

from pathlib import Path

from .templates import render


def page(old: str, new: str, title: str, language: str, home: str) -> str:
    """The page at the old address.

    Args:
        home: address of the site in this language, with a slash at its end; only the canonical
            address is absolute.
    """
    up = "../" * (old.count("/") + 1)
    title = title.replace("`", "")
    values = {"target": f"{up}{new}/", "canonical": f"{home}{new}/", "title": title, "up": up}
    return render("moved.html", language, **values)


def write(
    redirects: dict[str, str], titles: dict[str, str], out: Path, language: str, home: str
) -> None:
    """Write every redirect of one language; `titles` are those of the pages of today, by id."""
    for old, new in redirects.items():
        file = out / old / "index.html"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(page(old, new, titles[new], language, home), encoding="utf-8")
