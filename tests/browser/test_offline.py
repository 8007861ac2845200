"""Readers without a network: those who keep the site, and those who open it from a folder."""

from __future__ import annotations

import http.server
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from making import copy_of
from playwright.sync_api import Browser, BrowserContext, Error, Page, expect

from torchclinic import ROOT
from torchclinic.content import catalogue
from torchclinic.find import origins_table
from torchclinic.site import build, offline, server

from .test_browser import TRACEBACK

MESSAGE = (
    "RuntimeError: Trying to backward through the graph a second time (or directly access saved"
    " tensors after they have already been freed)."
)
SCRIPTS = ROOT / build.SCRIPTS
#: Milliseconds: a browser lets the worker in charge end its answers, for five minutes at most.
LAST_ANSWERS = 360_000


class Network:
    """A host that can go away and come back, at one address."""

    def __init__(self, folder: Path):
        self.folder, self.port = folder, 0
        self.server: http.server.ThreadingHTTPServer | None = None
        self.start()

    def start(self) -> None:
        self.server = server.listen(self.folder, self.port)
        self.port = self.server.server_port

    def stop(self) -> None:
        if self.server:
            self.server.shutdown()
            self.server.server_close()
        self.server = None

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}/"


@pytest.fixture
def network(built: Path, tmp_path: Path) -> Iterator[Network]:
    """A copy of a small site."""
    network = Network(shutil.copytree(built, tmp_path / "served"))
    yield network
    network.stop()


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    with browser.new_context(locale="en-US", viewport={"width": 1280, "height": 900}) as context:
        yield context


def keep(page: Page, address: str) -> None:
    page.goto(f"{address}en/about/")
    page.locator("[data-tc-offline] button").click()
    expect(page.locator("[data-tc-offline]")).to_contain_text("is kept on this device")


def search(page: Page, query: str) -> str:
    """Where the first hit leads."""
    if not page.locator(".md-search__input").is_visible():
        page.locator("label.md-header__button[for=__search]").click()
    page.locator(".md-search__input").click()
    page.keyboard.insert_text(query)
    page.keyboard.press("ArrowLeft")
    first = page.locator(".md-search-result__link").first
    expect(first).to_be_visible()
    return first.get_attribute("href") or ""


def test_a_kept_site_needs_no_network_and_asks_before_it_changes(
    network: Network, context: BrowserContext, checkout: Path, tmp_path: Path
) -> None:
    shutil.copy(
        ROOT / origins_table.FILE, network.folder / "origins.bin"
    )  # as a checkout's site has it
    (network.folder / "offline.json").unlink()
    offline.write(network.folder, SCRIPTS, keep=True)
    page = context.new_page()
    keep(page, network.address)
    network.stop()

    page.goto(f"{network.address}zh/notebooks/autograd/backward-second-time/")  # never visited
    expect(page.locator(".md-content")).to_contain_text(
        "Trying to backward through the graph a second time"
    )
    page.goto(f"{network.address}en/lookup")  # as hosts do, with the slash
    expect(page).to_have_url(f"{network.address}en/lookup/")
    page.locator("#tc-paste").fill(MESSAGE)
    expect(page.locator(".tc-hit h2")).to_be_visible()
    assert "backward-second-time" in search(page, "backward")
    assert page.goto(f"{network.address}en/no/such/page/").status == 404
    expect(page.locator("body")).to_contain_text("页面不存在")
    page.goto(f"{network.address}en/lookup/")
    page.locator("#tc-paste").fill(
        "RuntimeError: Closure use is not currently supported if GradScaler is enabled."
    )
    expect(page.locator(".tc-origin").first).to_contain_text("GradScaler.step")
    for name in ("index.json", "llms.txt", "evidence/2.13.0-py3.11-cpu.json"):
        assert page.evaluate("async url => (await fetch(url)).ok", f"{network.address}{name}"), name

    # The site changes.
    changed = copy_of(checkout, tmp_path / "changed")
    file = changed / "docs/en/contribute.md"
    file.write_text(file.read_text(encoding="utf-8") + "\nAnother sentence.\n", encoding="utf-8")
    assert (
        build.build(catalogue.load(changed), network.folder, site_url="https://example.org/clinic/")
        == 0
    )
    network.start()
    page.goto(f"{network.address}en/contribute/")
    question = page.locator(".tc-update")
    expect(question).to_contain_text("A new version")
    expect(page.locator(".md-content")).not_to_contain_text("Another sentence.")
    page.reload()
    expect(question).to_be_visible()
    expect(page.locator(".md-content")).not_to_contain_text("Another sentence.")
    other = context.new_page()
    other.goto(f"{network.address}en/contribute/")
    expect(other.locator(".tc-update")).to_be_visible()
    page.bring_to_front()  # as the reader who clicks: on a busy machine a tab behind may sleep
    question.locator("button").first.click()
    expect(page.locator(".md-content")).to_contain_text("Another sentence.", timeout=LAST_ANSWERS)
    other.bring_to_front()
    other.locator(".tc-update button").first.click()  # accepted before, in the first tab
    expect(other.locator(".md-content")).to_contain_text("Another sentence.")
    other.close()
    network.stop()
    page.reload()
    expect(page.locator(".md-content")).to_contain_text("Another sentence.")
    assert len(page.evaluate("() => caches.keys()")) == 1
    page.goto(f"{network.address}en/about/")
    page.locator("[data-tc-offline] button").click()
    expect(page.locator("[data-tc-offline] button")).to_have_text("Keep this site for offline use")
    assert page.evaluate("() => caches.keys()") == []


def test_nothing_is_kept_unasked(network: Network, context: BrowserContext) -> None:
    page = context.new_page()
    page.goto(f"{network.address}en/")
    page.goto(f"{network.address}en/about/")
    expect(page.locator("[data-tc-offline] button")).to_be_visible()
    assert (
        page.evaluate("async () => (await navigator.serviceWorker.getRegistrations()).length") == 0
    )
    assert page.evaluate("() => caches.keys()") == []


@pytest.mark.full
def test_an_answer_that_never_comes_does_not_keep_the_new_version_away(
    network: Network, context: BrowserContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    worker = network.folder / "sw.js"
    text = worker.read_text(encoding="utf-8")
    assert text.count("60_000") == 1
    worker.write_text(text.replace("60_000", "2_000"), encoding="utf-8")
    answer, over = server.Handler.do_GET, threading.Event()

    def never(handler: server.Handler) -> None:
        if handler.path == "/en/slow":
            over.wait(LAST_ANSWERS / 1000)
        answer(handler)

    monkeypatch.setattr(server.Handler, "do_GET", never)
    page = context.new_page()
    keep(page, network.address)
    page.goto(f"{network.address}en/contribute/")
    page.evaluate("() => void fetch('/en/slow')")
    worker.write_text(text + "// Another.\n", encoding="utf-8")
    page.evaluate("async () => (await navigator.serviceWorker.getRegistration()).update()")
    with page.expect_navigation():
        page.locator(".tc-update button").first.click()
    over.set()


@pytest.mark.full
def test_files_of_two_builds_are_not_mixed(network: Network, context: BrowserContext) -> None:
    file = network.folder / "en" / "contribute" / "index.html"
    # The host has this file of another build.
    file.write_text(file.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    page = context.new_page()
    page.goto(f"{network.address}en/about/")
    page.locator("[data-tc-offline] button").click()
    expect(page.locator("[data-tc-offline]")).to_contain_text("could not be kept")


@pytest.mark.full
def test_whoever_works_on_the_site_sees_no_kept_pages(
    network: Network, context: BrowserContext
) -> None:
    page = context.new_page()
    keep(page, network.address)
    # As `site serve` has it, at the same address.
    offline.write(network.folder, SCRIPTS, keep=False)
    page.reload()
    gone = """async () => {
        const { serviceWorker } = navigator;
        const workers = await serviceWorker.getRegistrations();
        return !serviceWorker.controller && !workers.length && !(await caches.keys()).length;
    }"""
    while True:
        try:
            if page.evaluate(gone):
                break
        except Error:
            pass  # the page is being loaded anew
        page.wait_for_timeout(200)
    page.goto(f"{network.address}en/about/")
    page.locator("[data-tc-offline] button").click()
    expect(page.locator("[data-tc-offline]")).to_contain_text("could not be kept")


@pytest.mark.full
def test_it_can_be_installed(network: Network, context: BrowserContext) -> None:
    page = context.new_page()
    page.goto(f"{network.address}zh/autograd/backward-second-time/")
    session = context.new_cdp_session(page)
    manifest = session.send("Page.getAppManifest")
    assert (
        manifest["errors"] == [] and manifest["url"] == f"{network.address}zh/manifest.webmanifest"
    )
    assert session.send("Page.getInstallabilityErrors")["installabilityErrors"] in (
        [],
        [{"errorId": "in-incognito", "errorArguments": []}],
    )
    content = page.request.get(f"{network.address}zh/manifest.webmanifest").json()
    for icon in content["icons"]:
        assert page.request.get(f"{network.address}zh/{icon['src']}").ok


@pytest.mark.parametrize("language", ["en", "zh"])
def test_from_a_folder(
    address: str, site_folder: Path, context: BrowserContext, language: str
) -> None:
    """Pages, links, the lookup, long pastes and the search, at file: addresses.

    Chromium complains of the module that file.js stands in for.
    """
    page = context.new_page()
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(f"error: {error}"))
    page.on(
        "request",
        lambda request: (
            None
            if request.url.startswith(("file:", "data:"))
            else wrong.append(f"asked {request.url}")
        ),
    )
    root = site_folder.as_uri()
    page.goto(f"{root}/index.html")
    page.wait_for_url(f"{root}/en/index.html")
    page.goto(f"{root}/{language}/lookup/index.html")
    page.locator("#tc-paste").fill(TRACEBACK)
    page.locator(".tc-hit h2 a").click()
    page.wait_for_url(f"{root}/{language}/shapes/matmul-shapes/index.html#v=**")
    expect(page.locator("[data-tc-diagnoses]")).to_contain_text("1176")
    assert (
        page.evaluate(
            "() => getComputedStyle(document.querySelector('.md-header')).backgroundColor"
        )
        == "rgb(18, 60, 69)"
    )
    labels = page.locator(".tc-row[open] [data-tc-case] .tabbed-set").first.locator(
        ".tabbed-labels > label"
    )
    labels.nth(1).click()
    expect(
        page.locator(".tc-row[open] [data-tc-case] .tabbed-set")
        .first.locator(".tabbed-block")
        .nth(1)
    ).to_be_visible()
    other = "zh" if language == "en" else "en"
    page.locator("[data-tc-language]").first.click()
    page.wait_for_url(f"{root}/{other}/shapes/matmul-shapes/index.html**")
    page.locator(".md-tabs__link").nth(4).click()
    page.wait_for_url(f"{root}/{other}/tips/index.html")

    page.goto(f"{root}/{language}/lookup/index.html")
    page.locator("#tc-paste").evaluate(
        "(area, text) => { area.value = text; area.dispatchEvent(new Event('input')); }",
        "nothing to see\n" * 20_000 + TRACEBACK,
    )
    expect(page.locator(".tc-hit figcaption")).to_contain_text("20004")
    page.goto(f"{root}/{language}/messages/index.html")
    page.locator("#tc-filter").fill("mat1 multiplied")
    expect(page.locator(".tc-index li:visible").first).to_contain_text("mat1 and mat2")
    page.goto(f"{root}/{language}/about/index.html")
    assert "/memory/cuda-oom/" in search(
        page, {"en": "CUDA out of memory", "zh": "爆显存"}[language]
    )
    page.locator(".md-search-result__link").first.click()
    page.wait_for_url(f"{root}/{language}/**/index.html**")
    assert page.locator("h1").is_visible()
    assert wrong == []
