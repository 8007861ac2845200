"""One page alone, as pictures: built without the rest of the site, looked at in a real browser, put
together into one picture."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Literal

from playwright.sync_api import Browser, Error, sync_playwright

from ..content import catalogue
from ..content.symptom import Symptom
from . import build
from .server import listen

Scheme = Literal["light", "dark"]
#: Width and scheme of each picture.
VIEWS: tuple[tuple[int, Scheme], ...] = (
    (390, "light"),
    (390, "dark"),
    (1280, "light"),
    (1280, "dark"),
)
#: Height of a window, and the greatest of a picture, in pixels.
HIGH, TALL = 844, 4000
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")


class CannotShow(Exception):
    """The page cannot be built, or there is no browser; says which."""


def pictures(root: Path, symptom: Symptom, languages: list[str], folder: Path, out: Path) -> None:
    """Write the picture of a symptom's pages.

    Args:
        folder: an empty one, for what is built.
        out: the PNG.

    Raises:
        CannotShow.
    """
    pages = "\n".join(f"{language}/{symptom.id}.md" for language in languages)
    runs = build.run_both(
        catalogue.load(root, lint=False, check=False, drafts={symptom.stem}),
        folder,
        {build.ONLY: pages, "SITE_URL": "http://127.0.0.1/"},
        languages=languages,
    )
    for run in runs.values():
        if run.returncode:
            raise CannotShow(f"the page cannot be built:\n{run.stdout[-3000:]}")
    server = listen(folder, 0)
    address = f"http://127.0.0.1:{server.server_port}/"
    try:
        with sync_playwright() as playwright:
            path = next((path for name in BROWSERS if (path := shutil.which(name))), None)
            browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
            columns = [
                _picture(browser, address, f"{language}/{symptom.id}/", folder, width, scheme)
                for width, scheme in VIEWS
                for language in languages
            ]
            _together(browser, address, columns, folder, out)
    except Error as error:
        raise CannotShow(
            f"no browser could show it ({error.message.splitlines()[0]}): "
            "put Chromium or Chrome on the PATH"
        ) from None
    finally:
        server.shutdown()


def _picture(
    browser: Browser, address: str, page: str, folder: Path, width: int, scheme: Scheme
) -> str:
    """Take one picture into `folder`; the element that shows it."""
    view = browser.new_page(viewport={"width": width, "height": HIGH}, color_scheme=scheme)
    view.goto(address + page)
    name = f"{page[:2]}-{width}-{scheme}.png"
    tall = min(TALL, view.evaluate("document.documentElement.scrollHeight"))
    view.set_viewport_size({"width": width, "height": max(HIGH, tall)})
    view.screenshot(path=folder / name)
    view.close()
    return f'<img src="{name}" width="{width // 2}">'


def _together(browser: Browser, address: str, columns: list[str], folder: Path, out: Path) -> None:
    style = "margin:0;display:flex;gap:8px;align-items:start;width:max-content"
    (folder / "all.html").write_text(f"<body style='{style}'>{''.join(columns)}", encoding="utf-8")
    wide = sum(width // 2 + 8 for width, _ in VIEWS) * len(columns) // len(VIEWS)
    view = browser.new_page(viewport={"width": wide, "height": TALL // 2})
    view.goto(f"{address}all.html")
    view.screenshot(path=out, full_page=True)
