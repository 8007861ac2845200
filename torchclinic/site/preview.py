"""One page alone, as pictures: built without the rest of the site, looked at in a real browser, put together into one picture."""

from __future__ import annotations

import pickle
import shutil
from pathlib import Path

from playwright.sync_api import Error, sync_playwright

from ..content import catalogue
from ..content.symptom import Symptom
from . import build
from .server import listen

#: Width and scheme of each picture.
VIEWS = ((390, "light"), (390, "dark"), (1280, "light"), (1280, "dark"))
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
    made = folder / "catalogue.pickle"
    made.write_bytes(pickle.dumps(catalogue.load(root, lint=False, check=False, drafts={symptom.stem})))
    site = folder / "site"
    for language in languages:
        environment = {build.CATALOGUE: str(made), build.ONLY: f"{language}/{symptom.id}.md", "SITE_URL": "http://127.0.0.1/"}
        run = build.run_mkdocs(root, site, language, environment, strict=False)
        if run.returncode:
            raise CannotShow(f"the page cannot be built:\n{run.stdout[-3000:]}")
    server = listen(site, 0)
    address = f"http://127.0.0.1:{server.server_port}/"
    try:
        with sync_playwright() as playwright:
            path = next((found for name in BROWSERS if (found := shutil.which(name))), None)
            browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
            columns = []
            for width, scheme in VIEWS:
                for language in languages:
                    page = browser.new_page(viewport={"width": width, "height": HIGH}, color_scheme=scheme)
                    page.goto(f"{address}{language}/{symptom.id}/")
                    name = f"{language}-{width}-{scheme}.png"
                    tall = min(TALL, page.evaluate("document.documentElement.scrollHeight"))
                    page.set_viewport_size({"width": width, "height": max(HIGH, tall)})
                    page.screenshot(path=site / name)
                    page.close()
                    columns.append(f'<img src="{name}" width="{width // 2}">')
            (site / "all.html").write_text(
                f"<body style='margin:0;display:flex;gap:8px;align-items:start;width:max-content'>{''.join(columns)}", encoding="utf-8"
            )
            page = browser.new_page(viewport={"width": sum(width // 2 + 8 for width, _ in VIEWS) * len(languages), "height": TALL // 2})
            page.goto(f"{address}all.html")
            page.screenshot(path=out, full_page=True)
    except Error as error:
        raise CannotShow(f"no browser could show it ({error.message.splitlines()[0]}): put Chromium or Chrome on the PATH") from None
    finally:
        server.shutdown()
