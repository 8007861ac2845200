"""The built site as readers' machines see it.

A server that compresses and counts, the kinds of pages, axe-core: for tests and for
tests/benchmarks/site_check.py.
"""

from __future__ import annotations

import gzip
import http.server
import io
import re
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote, urlsplit

from playwright.sync_api import Browser, Page

from torchclinic import LANGUAGES
from torchclinic.site import server

SYMPTOM = "shapes/matmul-shapes/"
NOTEBOOK = f"notebooks/{SYMPTOM}"
HIT = quote("RuntimeError: mat1 and mat2 shapes cannot be multiplied (64x864 and 1176x10)")
NONE = quote("ValueError: my own message at /home/ann/x.py")
#: Each kind of page: a name, and an address below a language.
PAGES = {
    "home": "",
    "lookup": "lookup/",
    "lookup, a hit": f"lookup/#q={HIT}",
    "lookup, no hit": f"lookup/#q={NONE}",
    "symptom": SYMPTOM,
    "notebook": NOTEBOOK,
    "topic": "memory/",
    "tip": "tips/nn/training-loop/",
    "cheat sheet": "cheat-sheet/",
    "symptoms": "symptoms/",
    "messages": "messages/",
    "exceptions": "exceptions/",
    "tags": "tags/",
    "verified": "verified/",
    "sources": "sources/",
    "cluster's logs": "cluster-logs/",
    "about": "about/",
    "search": "#search=loss backward",
    "search, nothing": "#search=kaggle submission format",
}
AXE_TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
#: Rows far off the screen have the size that the browser guessed until someone scrolls there: they
#: are judged as they are then.
SHOW_ALL = """() => {
    const rule = new CSSStyleSheet();
    rule.replaceSync("* { content-visibility: visible !important }");
    document.adoptedStyleSheets.push(rule);
}"""
#: What changed has begun to fade a frame later; what goes round for ever is not waited for.
SETTLE = """async () => {
    for (let frame = 0; frame < 2; frame += 1) await new Promise(requestAnimationFrame);
    const ends = (animation) => animation.effect.getComputedTiming().endTime !== Infinity;
    await Promise.allSettled(document.getAnimations().filter(ends).map((each) => each.finished));
}"""
SCHEMES = ("light", "dark")
WIDTHS = {390: 844, 1280: 900}
#: Most kilobytes (1000 bytes), compressed, of a page with all that it loads by itself. The page
#: chosen is one of the longest.
WEIGHTS = {"symptom": (SYMPTOM, 80), "notebook": (NOTEBOOK, 60)}
COMPRESSED = (
    ".html",
    ".js",
    ".css",
    ".json",
    ".svg",
    ".xml",
    ".txt",
    ".md",
    ".ipynb",
    ".py",
    ".webmanifest",
)


class Handler(server.Handler):
    """Compresses and keeps connections, as a host does, and counts what it sends."""

    protocol_version = "HTTP/1.1"
    sent: list[tuple[str, int]] = []
    packed: dict[str, bytes] = {}
    slow = False  # as a phone's network

    def send_head(self) -> Any:
        file = Path(self.translate_path(self.path))
        file = file / "index.html" if self.path.split("?")[0].endswith("/") else file
        if (
            file.suffix not in COMPRESSED
            or not file.is_file()
            or "gzip" not in self.headers.get("Accept-Encoding", "")
        ):
            return super().send_head()
        key = str(file)
        if key not in self.packed:
            self.packed[key] = gzip.compress(file.read_bytes(), 9, mtime=0)
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(key))
        self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(self.packed[key])))
        self.end_headers()
        return io.BytesIO(self.packed[key])

    def copyfile(self, source: Any, outputfile: Any) -> None:
        body = source.read()
        if self.slow:
            time.sleep(DELAY + len(body) / BYTES_A_SECOND)
        self.sent.append((self.path, len(body)))
        outputfile.write(body)

    def handle(self) -> None:
        with suppress(ConnectionError):  # a browser that was closed
            super().handle()


@contextmanager
def serving(folder: Path, port: int = 0) -> Iterator[str]:
    """The address at which a folder is served."""
    with http.server.ThreadingHTTPServer(
        ("127.0.0.1", port), partial(Handler, directory=str(folder))
    ) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{running.server_port}/"
        running.shutdown()


def watch(
    page: Page, address: str, console: Callable[[str], object], foreign: Callable[[str], object]
) -> None:
    """Tell of errors in the console, and of requests to other hosts."""
    page.on(
        "console",
        lambda message: console(f"console: {message.text}") if message.type == "error" else None,
    )
    page.on("pageerror", lambda error: console(f"error: {error}"))
    page.on(
        "request",
        lambda request: (
            None
            if request.url.startswith((address, "data:", "blob:"))
            else foreign(f"asked {request.url}")
        ),
    )


def open_page(page: Page, address: str, path: str) -> None:
    """Load a page, and wait for what its scripts put there."""
    page.goto(f"{address}{path}", wait_until="networkidle")
    if "#q=" in path:
        page.locator("[data-lookup-result] .tc-card").first.wait_for()
    if "#search=" in path:
        # On a phone the field is there, but as small as its button.
        button = page.locator("label.md-header__button[for=__search]")
        (button if button.is_visible() else page.locator(".md-search__input")).click()
        page.locator(".md-search__input").focus()
        page.keyboard.type(path.partition("#search=")[2])
        page.locator(".md-search-result__link").first.wait_for()
    settle(page)


def settle(page: Page) -> None:
    """Wait for what fades in or over."""
    page.evaluate(SETTLE)


class Report(NamedTuple):
    views: int
    violations: dict[str, set[str]]  # what, and in which views
    console: list[str]
    foreign: list[str]


def axe(browser: Browser, address: str, views: Iterable[tuple[str, str, int]]) -> Report:
    """axe-core on each kind of page.

    Args:
        views: (language, scheme, width) of each.
    """
    report = Report(0, defaultdict(set), [], [])
    schemes: dict[tuple[str, int], list[str]] = defaultdict(list)
    for language, scheme, width in views:
        schemes[language, width].append(scheme)
    count = 0
    for (language, width), of_view in schemes.items():
        for name, path in PAGES.items():
            # A context of its own: nothing is remembered, and a new #… loads anew.
            with browser.new_context(
                viewport={"width": width, "height": WIDTHS[width]},
                color_scheme=of_view[0],
                reduced_motion="reduce",
            ) as context:
                where = f"{language} {name}, {width} px"
                _judge(context.new_page(), address, f"{language}/{path}", of_view, where, report)
                count += len(of_view)
    return report._replace(views=count)


def _judge(
    page: Page, address: str, path: str, schemes: list[str], where: str, report: Report
) -> None:
    """What axe-core says of a page in each scheme goes into the report."""
    watch(
        page,
        address,
        lambda text: report.console.append(f"{text} ({where})"),
        lambda text: report.foreign.append(f"{text} ({where})"),
    )
    open_page(page, address, path)
    page.evaluate((files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8"))
    page.evaluate(SHOW_ALL)
    for scheme in schemes:
        # Material's script comes when the reader does anything, and follows the scheme.
        page.mouse.move(1, 400)
        page.wait_for_function("() => window.document$")
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        page.wait_for_function(
            "scheme => document.body.dataset.mdColorScheme === scheme",
            arg={"light": "default", "dark": "slate"}[scheme],
        )
        settle(page)
        answer = page.evaluate(
            """tags => axe.run(document, {
                runOnly: { type: "tag", values: tags }, resultTypes: ["violations"],
            })""",
            AXE_TAGS,
        )
        for violation in answer["violations"]:
            for node in violation["nodes"]:
                target = " ".join(str(part) for part in node["target"])
                why = node["failureSummary"].splitlines()[-1].strip()[:200]
                what = f"{violation['id']}: {re.sub(r'[0-9]+', 'N', target)}\n      {why}"
                report.violations[what].add(f"{where}, {scheme}")


def weigh(browser: Browser, address: str, path: str) -> dict[str, float]:
    """Kilobytes of each file that a page loads by itself, compressed.

    Only for a site that `serving` serves.
    """
    with browser.new_context(viewport={"width": 1280, "height": 900}) as context:
        Handler.sent.clear()
        context.new_page().goto(f"{address}{path}", wait_until="networkidle")
    return {urlsplit(what).path: size / 1000 for what, size in Handler.sent}


def all_views() -> list[tuple[str, str, int]]:
    return [
        (language, scheme, width)
        for language in LANGUAGES
        for scheme in SCHEMES
        for width in WIDTHS
    ]


#: A slow phone, as Lighthouse has it: processor, and network from the server's side, since a
#: browser's own brake does not reach its workers.
SLOWER, DELAY, BYTES_A_SECOND = 4, 0.15, 1_600_000 / 8
#: In the page: when the first result stands.
_FIRST = """() => new Promise(resolve => {
  const list = document.querySelector('.md-search-result__list');
  const seen = () => list.querySelector('a') && resolve(performance.now());
  new MutationObserver(seen).observe(list, { childList: true });
})"""


def first_result(browser: Browser, address: str, language: str) -> tuple[float, float, str]:
    """What the first search costs a slow phone whose reader types as soon as the page stands.

    Returns:
        Kilobytes of the search's own files, seconds from the last key to the first result
        (Material's own script comes in between), the files.
    """
    with browser.new_context(viewport={"width": 390, "height": 844}) as context:
        page = context.new_page()
        page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
        Handler.sent.clear()
        Handler.slow = True
        try:
            page.goto(f"{address}{language}/about/", wait_until="load")
            page.locator("label.md-header__button[for=__search]").click()
            page.locator(".md-search__input").focus()
            page.evaluate(f"() => {{ window.first = ({_FIRST})(); }}")
            page.keyboard.insert_text("loss nan")
            started = page.evaluate("performance.now()")
            page.keyboard.press("ArrowLeft")
            shown = page.evaluate("window.first")
        finally:
            Handler.slow = False
        sizes = {
            path: size / 1000
            for path, size in list(Handler.sent)
            if any(part in path for part in ("/search", "/lunr", "/workers/"))
        }
    return (
        sum(sizes.values()),
        (shown - started) / 1000,
        ", ".join(f"{path.rpartition('/')[2]} {size:.1f}" for path, size in sizes.items()),
    )
