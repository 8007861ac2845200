"""The built site as readers' machines see it: accessibility, the console, requests to others, Lighthouse, weight. `nox -s site-check` runs it.

    python benchmarks/site_check.py [axe] [lighthouse] [weight] [--site FOLDER] [--node FOLDER] [--quick] [--runs 3]

axe         axe-core with the rules of WCAG 2.2 A and AA, on each kind of page, in both languages, both colour schemes and two widths;
            an error in the console or a request to another host on the way fails as well
lighthouse  mobile; the median of several runs. Performance is judged only if the machine had nothing else to do
weight      compressed bytes until a page is quiet, before search is used
"""

from __future__ import annotations

import argparse
import gzip
import http.server
import io
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "tests")]

from browser.conftest import FLAGS, chromium
from playwright.sync_api import Browser, Page, sync_playwright

from torchclinic import LANGUAGES, ROOT, server, site

PORT = 8765
SYMPTOM = "shapes/matmul-shapes/"
NOTEBOOK = f"notebooks/{SYMPTOM}"
HIT = quote("RuntimeError: mat1 and mat2 shapes cannot be multiplied (64x400 and 784x10)")
NONE = quote("ValueError: my own message at /home/ann/x.py")
#: What is looked at with axe: a name, and an address below a language. What a build lacks is left out.
PAGES = {
    "home": "",
    "lookup": "lookup/",
    "lookup, a hit": f"lookup/#q={HIT}",
    "lookup, no hit": f"lookup/#q={NONE}",
    "symptom": SYMPTOM,
    "notebook": NOTEBOOK,
    "tip": "tips/nn/training-loop/",
    "cheat sheet": "cheat-sheet/",
    "symptoms": "symptoms/",
    "messages": "messages/",
    "exceptions": "exceptions/",
    "tags": "tags/",
    "verified": "verified/",
    "sources": "sources/",
    "search": "#search",
}
AXE_TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
SCHEMES = ("light", "dark")
WIDTHS = {390: 844, 1280: 900}
QUICK = [("zh", "dark", 390), ("en", "light", 1280)]
#: Pages for Lighthouse, and the least that each category should reach.
LIGHTHOUSE = {"home": "en/", "symptom": f"en/{SYMPTOM}", "notebook": f"en/{NOTEBOOK}", "lookup": "en/lookup/", "messages": "en/messages/"}
SCORES = {"performance": 98, "accessibility": 100, "best-practices": 100, "seo": 100}
#: Most kilobytes (1000 bytes), compressed, of a page with all that it loads by itself.
WEIGHTS = {"symptom": (SYMPTOM, 80), "notebook": (NOTEBOOK, 60)}
COMPRESSED = (".html", ".js", ".css", ".json", ".svg", ".xml", ".txt", ".md", ".ipynb", ".py")
#: Load per core above which times say nothing.
BUSY = 0.3

Row = tuple[str, str, str, str]


class Handler(server.Handler):
    """Compresses and keeps connections, as a host does, and counts what it sends."""

    protocol_version = "HTTP/1.1"
    sent: list[tuple[str, int]] = []
    packed: dict[str, bytes] = {}

    def send_head(self) -> Any:
        file = Path(self.translate_path(self.path))
        file = file / "index.html" if self.path.split("?")[0].endswith("/") else file
        if file.suffix not in COMPRESSED or not file.is_file() or "gzip" not in self.headers.get("Accept-Encoding", ""):
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
        self.sent.append((self.path, len(body)))
        outputfile.write(body)

    def handle(self) -> None:
        try:
            super().handle()
        except ConnectionError:  # a browser that was closed
            pass


@contextmanager
def serving(folder: Path, port: int) -> Iterator[str]:
    """The address at which a folder is served."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", port), partial(Handler, directory=str(folder))) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{running.server_port}/"
        running.shutdown()


def built(folder: Path, path: str) -> bool:
    return (folder / "en" / urlsplit(path).path / "index.html").is_file()


def open_page(page: Page, address: str, path: str) -> None:
    """Load a page, and wait for what its scripts put there."""
    page.goto(f"{address}{path}", wait_until="networkidle")
    if "#q=" in path:
        page.locator("[data-lookup-result] .tc-card").first.wait_for()
    if path.endswith("#search"):
        if not page.locator(".md-search__input").is_visible():
            page.locator("label.md-header__button[for=__search]").click()
        page.locator(".md-search__input").click()
        page.keyboard.type("loss backward")
        page.locator(".md-search-result__link").first.wait_for()
        page.wait_for_timeout(400)  # it fades in


def run_axe(browser: Browser, folder: Path, address: str, source: str, quick: bool) -> list[Row]:
    pages = {name: path for name, path in PAGES.items() if built(folder, path)}
    violations: dict[str, set[str]] = defaultdict(set)
    nodes, console, foreign, views = 0, [], [], 0
    combinations = QUICK if quick else list(product(LANGUAGES, SCHEMES, WIDTHS))
    for (language, scheme, width), (name, path) in product(combinations, pages.items()):
        # A context of its own: nothing is remembered, and a new #… loads anew.
        context = browser.new_context(viewport={"width": width, "height": WIDTHS[width]}, color_scheme=scheme, reduced_motion="reduce")
        page = context.new_page()
        view = f"{language} {name}, {scheme}, {width} px"
        watch(page, address, partial(_note, console, view), partial(_note, foreign, view))
        open_page(page, address, f"{language}/{path}")
        page.evaluate(source)
        found = page.evaluate("tags => axe.run(document, {runOnly: {type: 'tag', values: tags}, resultTypes: ['violations']})", AXE_TAGS)
        for violation in found["violations"]:
            for node in violation["nodes"]:
                nodes += 1
                target = " ".join(str(part) for part in node["target"])
                why = node["failureSummary"].splitlines()[-1].strip()[:200]
                violations[f"{violation['id']}: {re.sub(r'[0-9]+', 'N', target)}\n      {why}"].add(view)
        views += 1
        context.close()
    for what, where in sorted(violations.items()):
        print(f"  {what}\n      in {len(where)} views, such as {min(where)}")
    for line in sorted({*console, *foreign}):
        print(f"  {line}")
    return [
        (f"axe violations, {views} views", "0", str(nodes), verdict(nodes == 0)),
        ("errors in the console", "0", str(len(console)), verdict(not console)),
        ("requests to other hosts", "0", str(len(foreign)), verdict(not foreign)),
    ]


def _note(into: list[str], view: str, what: str) -> None:
    into.append(f"{what} ({view})")


def watch(page: Page, address: str, console: Callable[[str], None], foreign: Callable[[str], None]) -> None:
    page.on("console", lambda message: console(f"console: {message.text}") if message.type == "error" else None)
    page.on("pageerror", lambda error: console(f"error: {error}"))
    page.on("request", lambda request: None if request.url.startswith((address, "data:", "blob:")) else foreign(f"asked {request.url}"))


def run_lighthouse(folder: Path, address: str, node: Path, runs: int, busy: bool) -> list[Row]:
    browser = chromium()
    environment = {**os.environ, **({"CHROME_PATH": browser} if browser else {})}
    rows: list[Row] = []
    for name, path in LIGHTHOUSE.items():
        if not (folder / path / "index.html").is_file():
            continue
        reports = []
        for _ in range(runs):
            with tempfile.TemporaryDirectory() as made:
                out = Path(made, "report.json")
                command = ["node", str(node / "node_modules/lighthouse/cli/index.js"), f"{address}{path}", "--quiet", "--output=json", f"--output-path={out}"]
                command += [f"--only-categories={','.join(SCORES)}", f"--chrome-flags=--headless=new {' '.join(FLAGS)}"]
                subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)
                reports.append(json.loads(out.read_text(encoding="utf-8")))
        for category, goal in SCORES.items():
            score = statistics.median(round(100 * (report["categories"][category]["score"] or 0)) for report in reports)
            judged = category != "performance" or not busy
            rows.append((f"Lighthouse {category}, {name}", f"≥ {goal}", f"{score:g}", verdict(score >= goal) if judged else "busy machine: not judged"))
        for line in sorted({line for report in reports for line in failed_audits(report)}):
            print(f"  {name}: {line}")
    return rows


def failed_audits(report: dict[str, Any]) -> Iterator[str]:
    """What costs points, beyond time."""
    for category in SCORES:
        for reference in report["categories"][category]["auditRefs"]:
            audit = report["audits"][reference["id"]]
            if category != "performance" and reference["weight"] and audit["score"] is not None and audit["score"] < 1:
                yield f"{category}: {audit['id']}: {audit['title']}"


def run_weight(browser: Browser, address: str) -> list[Row]:
    rows: list[Row] = []
    for name, (path, goal) in WEIGHTS.items():
        worst = 0.0
        for language in LANGUAGES:
            context = browser.new_context(viewport={"width": 1280, "height": 900})
            Handler.sent.clear()
            context.new_page().goto(f"{address}{language}/{path}", wait_until="networkidle")
            context.close()
            total = sum(size for _, size in Handler.sent) / 1000
            parts = ", ".join(f"{urlsplit(what).path.rstrip('/').rpartition('/')[2]} {size / 1000:.1f}" for what, size in Handler.sent)
            print(f"  {language} {name}: {total:.1f} KB: {parts}")
            worst = max(worst, total)
        rows.append((f"weight of a {name} page", f"≤ {goal} KB", f"{worst:.1f} KB", verdict(worst <= goal)))
    return rows


def verdict(good: bool) -> str:
    return "ok" if good else "FAILS"


def print_table(rows: list[Row]) -> None:
    rows = [("", "goal", "value", ""), *rows]
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    print()
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", choices=[[], "axe", "lighthouse", "weight"], default=[])
    parser.add_argument("--site", type=Path, help=f"a site that was built for http://127.0.0.1:{PORT}/; built anew if left out")
    parser.add_argument("--node", type=Path, default=ROOT, help="the folder that holds node_modules with axe-core and lighthouse")
    parser.add_argument("--quick", action="store_true", help="axe on two views of each page instead of eight")
    parser.add_argument("--runs", type=int, default=3, help="of Lighthouse, for each page")
    options = parser.parse_args()
    parts = options.parts or ["axe", "lighthouse", "weight"]
    busy = os.getloadavg()[0] / (os.cpu_count() or 1) > BUSY
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as made:
        folder = options.site or Path(made, "site")
        if not options.site and site.build(ROOT, folder, site_url=f"http://127.0.0.1:{PORT}/") != 0:
            return 1
        with serving(folder, PORT) as address, sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium(), args=FLAGS)
            if "axe" in parts:
                rows += run_axe(browser, folder, address, (options.node / "node_modules/axe-core/axe.min.js").read_text(encoding="utf-8"), options.quick)
            if "weight" in parts:
                rows += run_weight(browser, address)
            browser.close()
            if "lighthouse" in parts:
                rows += run_lighthouse(folder, address, options.node, options.runs, busy)
    print_table(rows)
    return 1 if any(row[3] == "FAILS" for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
