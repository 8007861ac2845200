"""A real browser on the built site.

Chromium from the PATH; else Playwright's own; else, as root on Debian, from apt-get; else a clear
failure.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from torchclinic import ROOT
from torchclinic.content import catalogue
from torchclinic.site import build, server

from . import measure

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


#: Milliseconds until what does not come is taken for lost, on however busy a machine.
PATIENCE = 120_000
expect.set_options(timeout=PATIENCE)


def chromium(environment: dict[str, str]) -> str | None:
    """Path of a browser; None for Playwright's own. Fails with what to do if none can be had.

    Args:
        environment: the machine's own, with what leads to a network.
    """
    for name in NAMES:
        if path := shutil.which(name):
            return path
    install = [sys.executable, "-m", "playwright", "install", "chromium"]
    tried = subprocess.run(install, capture_output=True, check=False, env=environment)
    if tried.returncode == 0:
        return None
    if shutil.which("apt-get") and os.geteuid() == 0:
        environment = {**environment, "DEBIAN_FRONTEND": "noninteractive"}
        for command in ("apt-get update -q", "apt-get install -y -q chromium"):
            subprocess.run(command.split(), check=False, capture_output=True, env=environment)
        if path := shutil.which("chromium"):
            return path
    pytest.fail(
        "No browser: put Chromium or Chrome on the PATH (Debian: `apt-get install chromium`), or"
        " let `python -m playwright install chromium` reach its download."
    )


@pytest.fixture(scope="session")
def browser(machine_environment: dict[str, str]) -> Iterator[Browser]:
    """Its contexts wait as long as `expect` does."""
    with sync_playwright() as playwright:
        path = chromium(machine_environment)
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        new_context = browser.new_context

        def patient(**options: Any) -> BrowserContext:
            context = new_context(**options)
            context.set_default_timeout(PATIENCE)
            return context

        browser.new_context = patient  # type: ignore[method-assign]
        yield browser
        browser.close()


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
    assert build.build(catalogue.load(ROOT), site_folder, site_url=url) == 0
    yield url
    running.shutdown()


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    """A page at the English lookup.

    The test fails if anything was asked of another host, or if the console has an error.
    """
    context = browser.new_context(
        locale="en-US",
        viewport={"width": 1280, "height": 900},
        permissions=["clipboard-read", "clipboard-write"],
    )
    page = context.new_page()
    complaints: list[str] = []
    measure.watch(page, address, complaints.append, complaints.append)
    page.goto(f"{address}en/lookup/")
    yield page
    context.close()
    assert complaints == []


def shots_folder() -> Path | None:
    """Where screenshots go: SCREENSHOTS=folder; none are taken without it."""
    name = os.environ.get("SCREENSHOTS")
    return Path(name) if name else None
