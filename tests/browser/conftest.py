"""A real browser on the built site. Chromium from the PATH; else Playwright's own; else, as root on Debian, from apt-get; else a clear failure."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from torchclinic import ROOT
from torchclinic.site import build, server

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"]


def chromium() -> str | None:
    """Path of a browser; None for Playwright's own. Fails with what to do if there is none to be had."""
    for name in NAMES:
        if path := shutil.which(name):
            return path
    tried = subprocess.run([sys.executable, "-m", "playwright", "install", "chromium"], capture_output=True, text=True, check=False)
    if tried.returncode == 0:
        return None
    if shutil.which("apt-get") and os.geteuid() == 0:
        for command in (["apt-get", "update", "-q"], ["apt-get", "install", "-y", "-q", "chromium"]):
            subprocess.run(command, check=False, capture_output=True, env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"})
        if path := shutil.which("chromium"):
            return path
    pytest.fail(
        "No browser: put Chromium or Chrome on the PATH (Debian: `apt-get install chromium`), or let `python -m playwright install chromium` reach its download."
    )


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        made = playwright.chromium.launch(executable_path=chromium(), args=FLAGS)
        yield made
        made.close()


@pytest.fixture(scope="session")
def site_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where `address` has put the site."""
    folder = tmp_path_factory.mktemp("site") / "out"
    folder.mkdir()
    return folder


@pytest.fixture(scope="session")
def address(site_folder: Path) -> Iterator[str]:
    """The site, built for a port of this machine and served there."""
    running = server.listen(site_folder, 0)
    url = f"http://127.0.0.1:{running.server_port}/"
    assert build.build(ROOT, site_folder, site_url=url) == 0
    yield url
    running.shutdown()


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    """A page at the English lookup; the test fails if anything was asked of another host, or if the console has an error."""
    context = browser.new_context(locale="en-US", viewport={"width": 1280, "height": 900}, permissions=["clipboard-read", "clipboard-write"])
    made = context.new_page()
    wrong: list[str] = []
    made.on("console", lambda message: wrong.append(f"console: {message.text}") if message.type == "error" else None)
    made.on("pageerror", lambda error: wrong.append(f"error: {error}"))
    made.on("request", lambda request: None if request.url.startswith((address, "data:", "blob:")) else wrong.append(f"asked {request.url}"))
    made.goto(f"{address}en/lookup/")
    yield made
    context.close()
    assert wrong == []


def shots_folder() -> Path | None:
    """Where screenshots go: SCREENSHOTS=folder; none are taken without it."""
    name = os.environ.get("SCREENSHOTS")
    return Path(name) if name else None
