"""How well the lookup does on real, labelled pastes, beside what a person would use instead.

    python tests/benchmarks/pastes.py PASTES.jsonl

Each line of the file: {"id", "text", "labels": [stems accepted, best first]}; the label "other" is "no symptom of ours".
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from torchclinic.content import catalogue
from torchclinic.find import lookup
from torchclinic.find.clean import words

Engine = Callable[[str], list[str]]


def score(
    rows: list[dict[str, Any]], engine: Engine, silent: frozenset[str] = frozenset()
) -> dict[str, Any]:
    """Shares of right first hits, false claims, wrappers before causes, and the rows that went wrong.

    Args:
        silent: labels of symptoms that print nothing: their pastes are people's own words, and are counted apart.
    """
    by_label: dict[str, list[bool]] = defaultdict(list)
    wrong, false, wrapped, apart = [], [], [], []
    for row in rows:
        labels = row["labels"]
        hits = engine(row["text"])
        first = hits[0] if hits else None
        if labels[0] == "other":
            if first is not None and first not in labels:
                false.append((row["id"], first))
            continue
        if labels[0] in silent:
            apart.append((row["id"], labels[0], first))
            if first is not None and first not in labels:
                false.append((row["id"], first))
            continue
        by_label[labels[0]].append(first in labels)
        if first not in labels:
            wrong.append((row["id"], labels[0], first))
        if (
            first in labels[1:]
            and labels[0] in hits
            and first
            in ("worker-exception", "child-failed", "device-side-assert", "dynamo-backend-failed")
        ):
            wrapped.append((row["id"], labels[0], first))
    right = sum(sum(found) for found in by_label.values())
    total = sum(len(found) for found in by_label.values())
    return {
        "right": right,
        "labelled": total,
        "share": right / max(1, total),
        "macro": sum(sum(found) / len(found) for found in by_label.values())
        / max(1, len(by_label)),
        "claimed wrongly": sum(1 for _, _, first in wrong if first) + len(false),
        "by_label": {label: (sum(found), len(found)) for label, found in by_label.items()},
        "wrong": wrong,
        "false": false,
        "wrapped": wrapped,
        "apart": apart,
    }


def values_filled(rows: list[dict[str, Any]], table: dict[str, Any]) -> tuple[int, int]:
    """Of the right first hits whose wording has named holes: how many have a value for each of them."""
    filled = total = 0
    for row in rows:
        hits = lookup.lookup(table, row["text"])["hits"]
        names = (
            [piece.split("\u27e9")[0] for piece in hits[0]["wording"].split("\u27e8")[1:]]
            if hits and hits[0]["symptom"] in row["labels"]
            else []
        )
        if any(names):
            total += 1
            filled += all(name in hits[0]["values"] for name in names if name)
    return filled, total


def _text(wording: dict[str, Any]) -> str:
    return "".join(part if isinstance(part, str) else "?" for part in wording["parts"])


def rivals(made: catalogue.Catalogue, table: dict[str, Any]) -> dict[str, Engine]:
    """What a person would use instead: full-text ranking of the pages and wordings, and string similarity."""
    try:
        from rank_bm25 import BM25Okapi
        from rapidfuzz import fuzz, process
    except ImportError:
        return {}
    stems = list(table["symptoms"])
    texts = []
    for stem in stems:
        text = (
            " ".join(_text(wording) for wording in table["wordings"] if wording["symptom"] == stem)
            + " "
            + table["symptoms"][stem]["title"]["en"]
        )
        if stem in made.symptoms:
            text += " " + (
                made.symptoms[stem].pages["en"].body if "en" in made.symptoms[stem].pages else ""
            )
        texts.append(words(text.lower()))
    ranking = BM25Okapi(texts)

    def bm25(text: str) -> list[str]:
        scores = ranking.get_scores(words(text.lower()))
        best = max(range(len(stems)), key=lambda n: scores[n])
        return [stems[best]] if scores[best] > 0 else []

    wordings = [_text(wording) for wording in table["wordings"]]

    def similar(text: str) -> list[str]:
        found = process.extractOne(text, wordings, scorer=fuzz.partial_ratio, score_cutoff=80)
        return [table["wordings"][found[2]]["symptom"]] if found else []

    return {
        "BM25 over pages and wordings": bm25,
        "rapidfuzz partial_ratio >= 80 over wordings": similar,
    }


#: In the page: type a text into Material's search box; the first result's address once the list has come to rest, "" if it stays empty.
_SEARCH = """text => new Promise(resolve => {
  const input = document.querySelector('.md-search__input'), list = document.querySelector('.md-search-result');
  const first = () => list.querySelector('.md-search-result__link')?.href ?? '';
  let rest;
  const seen = new MutationObserver(() => { clearTimeout(rest); rest = setTimeout(done, 150); });
  const last = setTimeout(done, 2500);
  function done() { seen.disconnect(); clearTimeout(last); resolve(first()); }
  list.querySelector('.md-search-result__list').replaceChildren();
  seen.observe(list, { childList: true, subtree: true, characterData: true });
  input.value = text;
  input.dispatchEvent(new KeyboardEvent('keyup'));
})"""


def search_of_the_site(
    made: catalogue.Catalogue, rows: list[dict[str, Any]]
) -> dict[str, list[str]]:
    """What Material's own search on this site puts first for each text: {text: [stem]}, [] for no result. Builds the site and drives a browser."""
    import shutil
    import tempfile

    from playwright.sync_api import sync_playwright

    from torchclinic.site import build, server

    found: dict[str, list[str]] = {}
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        out = Path(folder, "site")
        out.mkdir()
        running = server.listen(out, 0)
        address = f"http://127.0.0.1:{running.server_port}/"
        build.build(made, out, site_url=address)
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"),
            args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
        )
        page = browser.new_page()
        page.goto(f"{address}en/")
        page.locator(".md-search__input").click()
        page.wait_for_timeout(3000)  # the search index arrives
        for row in rows:
            link = page.evaluate(_SEARCH, row["text"])
            stem = link.partition("#")[0].partition("?")[0].rstrip("/").rpartition("/")[2]
            found[row["text"]] = [stem] if link else []
        browser.close()
        running.shutdown()
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("pastes", type=Path)
    parser.add_argument(
        "--only",
        default="",
        help="comma-separated labels: count only rows whose first label is one of these as labelled",
    )
    parser.add_argument(
        "--search",
        type=int,
        default=0,
        metavar="N",
        help="also ask Material's own search on N of the pastes (a second or two each)",
    )
    parser.add_argument("--misses", action="store_true", help="list what went wrong")
    options = parser.parse_args()
    rows = [
        json.loads(line)
        for line in options.pastes.read_text(encoding="utf-8").splitlines()
        if line.strip()
    ]
    made = catalogue.load()
    table = made.index()
    if options.only:
        chosen = set(options.only.split(","))
        rows = [
            row if row["labels"][0] in chosen else {**row, "labels": ["other", *row["labels"]]}
            for row in rows
        ]

    def ours(text: str) -> list[str]:
        return [hit["symptom"] for hit in lookup.lookup(table, text)["hits"]]

    silent = frozenset(
        stem
        for stem in table["symptoms"]
        if all(wording["symptom"] != stem for wording in table["wordings"])
    )
    if options.search:
        chosen = random.Random(0).sample(rows, min(options.search, len(rows)))
        first = search_of_the_site(made, chosen)
        for name, engine in {"this lookup": ours, "Material's search": first.__getitem__}.items():
            result = score(chosen, engine, silent)
            print(
                f"on {len(chosen)} pastes, {name}: {result['right']} of {result['labelled']} first, {result['claimed wrongly']} wrong claims"
            )
    for name, engine in {"this lookup": ours, **rivals(made, table)}.items():
        result = score(rows, engine, silent)
        print(
            f"{name}: {result['right']} of {result['labelled']} labelled pastes first ({result['share']:.1%}; macro over labels {result['macro']:.1%}); "
            f"{result['claimed wrongly']} wrong claims in {len(rows)} pastes, {len(result['false'])} of them where nothing of ours is meant"
        )
        if engine is ours:
            filled, total = values_filled(rows, table)
            print(
                f"  wrapper before a present cause: {len(result['wrapped'])}; values filled in: {filled} of {total}"
            )
            found = sum(1 for _, label, first in result["apart"] if first == label)
            print(
                f"  apart: {len(result['apart'])} pastes of {len({label for _, label, _ in result['apart']})} symptoms that print nothing, {found} found (prose is no message)"
            )
            if options.misses:
                for label, (right, total) in sorted(result["by_label"].items()):
                    print(f"  {label}: {right} of {total}")
                for ident, label, first in result["wrong"]:
                    print(f"  wrong  {ident}: {label}, said {first}")
                for ident, first in result["false"]:
                    print(f"  false  {ident}: said {first}")
                for ident, label, first in result["wrapped"]:
                    print(f"  wrapper {ident}: {label}, said {first}")


if __name__ == "__main__":
    main()
