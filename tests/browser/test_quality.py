"""What can be measured: accessibility, weight, requests.

tests/benchmarks/site_check.py looks at more views, and asks Lighthouse.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Route

from torchclinic import LANGUAGES

from . import measure


@pytest.fixture(scope="module")
def compressed(address: str, site_folder: Path) -> Iterator[str]:
    """The same site, compressed as a host does."""
    with measure.serving(site_folder) as url:
        yield url


# Each language in one scheme and width, for axe is slow: the rest is left to `nox -s site-check`.
@pytest.mark.parametrize("view", [("en", "light", 1280), ("zh", "dark", 390)])
@pytest.mark.full
def test_nothing_bars_a_reader(
    browser: Browser, compressed: str, view: tuple[str, str, int]
) -> None:
    """No violation of WCAG 2.2 AA that axe finds, no error in the console, no request to others.

    On each kind of page.
    """
    report = measure.axe(browser, compressed, [view])
    assert not report.violations, "\n".join(
        f"{what}: {sorted(where)}" for what, where in report.violations.items()
    )
    assert report.views == len(measure.PAGES)
    assert report.console == []
    assert report.foreign == []


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", measure.WEIGHTS)
def test_weight(browser: Browser, compressed: str, language: str, name: str) -> None:
    path, most = measure.WEIGHTS[name]
    sizes = measure.weigh(browser, compressed, f"{language}/{path}")
    assert sum(sizes.values()) <= most, sizes
    assert not [
        file for file in sizes if "/search-" in file or "/search.js" in file or "offline" in file
    ], "only for those who search, or keep the site"


@pytest.mark.parametrize("path", ["en/", "zh/lookup/"])
def test_the_lookup_is_ready_within_one_round_trip(
    browser: Browser, compressed: str, path: str
) -> None:
    """All that it needs is asked for before any of it has come.

    Here nothing is answered until all was asked for.
    """
    scripts = ("site", "lookup-page", "lookup", "condition", "match", "pasted", "clean", "picture")
    needed = {"index.json", *(f"{script}.js" for script in scripts)}
    held: list[Route] = []
    released = False

    def hold(route: Route) -> None:
        nonlocal released
        name = route.request.url.rpartition("/")[2]
        needed.discard(name)
        if name and not released:
            held.append(route)
        else:
            route.continue_()
        if not needed and not released:
            released = True
            for waiting in held:
                waiting.continue_()

    with browser.new_context() as context:
        page = context.new_page()
        page.route("**/*", hold)
        page.goto(f"{compressed}{path}", wait_until="commit")
        page.locator("form[data-lookup][data-started]").wait_for()
    assert not needed
