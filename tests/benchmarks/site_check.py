"""The built site as readers' machines see it: accessibility, the console, requests to others, Lighthouse, weight. `nox -s site-check` runs it.

    python tests/benchmarks/site_check.py [axe] [weight] [lighthouse] [--site FOLDER] [--node FOLDER] [--runs 3]

axe         axe-core with the rules of WCAG 2.2 A and AA, on each kind of page, in both languages, both colour schemes and two widths;
            an error in the console or a request to another host on the way fails as well. The tests run a quarter of these views.
weight      compressed bytes until a page is quiet, before search is used; the tests run this too
lighthouse  mobile; the median of several runs. Performance is judged only if the machine had nothing else to do
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent.parent), str(HERE.parent)]

from browser import measure
from browser.conftest import FLAGS, chromium
from playwright.sync_api import Browser, sync_playwright

from torchclinic import LANGUAGES, ROOT
from torchclinic.content import catalogue
from torchclinic.site import build

PORT = 8765
#: Pages for Lighthouse, and the least that each category should reach.
LIGHTHOUSE = {
    "home": "en/",
    "symptom": f"en/{measure.SYMPTOM}",
    "notebook": f"en/{measure.NOTEBOOK}",
    "lookup": "en/lookup/",
    "messages": "en/messages/",
    "topic": "en/devices/",
    "tip": "en/tips/nn/training-loop/",
    "symptom in Chinese": "zh/memory/cuda-oom/",
}
#: The most that a page may shift while it loads.
SHIFT = 0.01
SCORES = {"performance": 98, "accessibility": 100, "best-practices": 100, "seo": 100}
#: Load per core above which times say nothing.
BUSY = 0.3

Row = tuple[str, str, str, str]


def run_axe(browser: Browser, address: str) -> list[Row]:
    found = measure.axe(browser, address, measure.all_views())
    for what, where in sorted(found.violations.items()):
        print(f"  {what}\n      in {len(where)} views, such as {min(where)}")
    for line in sorted({*found.console, *found.foreign}):
        print(f"  {line}")
    return [
        (
            f"axe violations, {found.views} views",
            "0",
            str(len(found.violations)),
            verdict(not found.violations),
        ),
        ("errors in the console", "0", str(len(found.console)), verdict(not found.console)),
        ("requests to other hosts", "0", str(len(found.foreign)), verdict(not found.foreign)),
    ]


def run_weight(browser: Browser, address: str) -> list[Row]:
    rows: list[Row] = []
    for name, (path, goal) in measure.WEIGHTS.items():
        worst = 0.0
        for language in LANGUAGES:
            sizes = measure.weigh(browser, address, f"{language}/{path}")
            total = sum(sizes.values())
            parts = ", ".join(
                f"{what.rstrip('/').rpartition('/')[2]} {size:.1f}" for what, size in sizes.items()
            )
            print(f"  {language} {name}: {total:.1f} KB: {parts}")
            worst = max(worst, total)
        rows.append(
            (f"weight of a {name} page", f"≤ {goal} KB", f"{worst:.1f} KB", verdict(worst <= goal))
        )
    return rows


def run_lighthouse(folder: Path, address: str, node: Path, runs: int, busy: bool) -> list[Row]:
    browser = chromium(os.environ)
    environment = {**os.environ, **({"CHROME_PATH": browser} if browser else {})}
    rows: list[Row] = []
    for name, path in LIGHTHOUSE.items():
        if not (folder / path / "index.html").is_file():
            continue
        reports = []
        for _ in range(runs):
            with tempfile.TemporaryDirectory() as made:
                out = Path(made, "report.json")
                command = [
                    "node",
                    str(node / "node_modules/lighthouse/cli/index.js"),
                    f"{address}{path}",
                    "--quiet",
                    "--output=json",
                    f"--output-path={out}",
                ]
                command += [
                    f"--only-categories={','.join(SCORES)}",
                    f"--chrome-flags=--headless=new {' '.join(FLAGS)}",
                ]
                subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)
                reports.append(json.loads(out.read_text(encoding="utf-8")))
        for category, goal in SCORES.items():
            score = statistics.median(
                round(100 * (report["categories"][category]["score"] or 0)) for report in reports
            )
            judged = category != "performance" or not busy
            rows.append(
                (
                    f"Lighthouse {category}, {name}",
                    f"≥ {goal}",
                    f"{score:g}",
                    verdict(score >= goal) if judged else "busy machine: not judged",
                )
            )
        shifts = [report["audits"]["cumulative-layout-shift"]["numericValue"] for report in reports]
        moved = statistics.median(shifts)
        rows.append((f"shift, {name}", f"≤ {SHIFT}", f"{moved:.3f}", verdict(moved <= SHIFT)))
        for line in sorted({line for report in reports for line in failed_audits(report)}):
            print(f"  {name}: {line}")
    return rows


def failed_audits(report: dict[str, Any]) -> Iterator[str]:
    """What costs points, beyond time."""
    for category in SCORES:
        for reference in report["categories"][category]["auditRefs"]:
            audit = report["audits"][reference["id"]]
            if (
                category != "performance"
                and reference["weight"]
                and audit["score"] is not None
                and audit["score"] < 1
            ):
                yield f"{category}: {audit['id']}: {audit['title']}"


def verdict(good: bool) -> str:
    return "ok" if good else "FAILS"


def print_table(rows: list[Row]) -> None:
    rows = [("", "goal", "value", ""), *rows]
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    print()
    for row in rows:
        print(
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        )


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("parts", nargs="*", choices=[[], "axe", "weight", "lighthouse"], default=[])
    parser.add_argument(
        "--site",
        type=Path,
        help=f"a site that was built for http://127.0.0.1:{PORT}/; built anew if left out",
    )
    parser.add_argument(
        "--node", type=Path, default=ROOT, help="the folder that holds node_modules with lighthouse"
    )
    parser.add_argument("--runs", type=int, default=3, help="of Lighthouse, for each page")
    options = parser.parse_args()
    parts = options.parts or ["axe", "weight", "lighthouse"]
    busy = os.getloadavg()[0] / (os.cpu_count() or 1) > BUSY
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as made:
        folder = options.site or Path(made, "site")
        if (
            not options.site
            and build.build(catalogue.load(ROOT), folder, site_url=f"http://127.0.0.1:{PORT}/") != 0
        ):
            return 1
        with measure.serving(folder, PORT) as address, sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium(os.environ), args=FLAGS)
            if "axe" in parts:
                rows += run_axe(browser, address)
            if "weight" in parts:
                rows += run_weight(browser, address)
            browser.close()
            if "lighthouse" in parts:
                rows += run_lighthouse(folder, address, options.node, options.runs, busy)
    print_table(rows)
    return 1 if any(row[3] == "FAILS" for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
