"""Every number that is reported, as a ratio or a share measured in one run; nothing here is a test.

    python tests/benchmarks/bench.py [pastes] [speed] [terminal] [site] [search] [origins] [--pastes PASTES.jsonl] [--queries QUERIES.jsonl]

speed       the two matchers on a 1 MB log: against plain passes over the same text, on hostile pastes, with ten times the wordings
terminal    what `torchclinic run` costs: its start, 300,000 lines through it, to a pipe and to a terminal; `import torchclinic`; and `install()` where nobody knows the error
site        both languages cold with notebooks, against stock Material on the same Markdown pages without
search      our search against Material's own, on the same pages and queries: right first, in the top three, nothing, and what the first result costs a phone
origins     PyTorch's own messages: what it costs to load and to ask them, beside a lookup, and how many pastes they know; of --pastes, too
pastes      right first hits and false claims on labelled pastes (tests/benchmarks/pastes.py); needs --pastes
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent.parent), str(HERE.parent)]

from speed import compare, speed

from tools.origins import table as tables
from torchclinic import LANGUAGES, ROOT
from torchclinic.content import catalogue
from torchclinic.find import lookup, origins_table
from torchclinic.find import origins as find_origins

LINES = 300_000
LOOK_UP = "from torchclinic.commands.knowledge import load; load().look_up({!r})"
MATCH = "RuntimeError: mat1 and mat2 shapes cannot be multiplied (64x400 and 784x10)"
UNKNOWN = 'Traceback (most recent call last):\n  File "x.py", line 3, in f\nValueError: mine alone'
#: A program with torch whose error the hook of `install()` explains.
CRASH = """
import sys, torch, torchclinic
torchclinic.install()
try:
    torch.nn.Linear(1176, 10)(torch.ones(8, 864))
except RuntimeError:
    sys.excepthook(*sys.exc_info())
"""

#: A program with torch whose error nobody knows: milliseconds of processor that the hook adds to
#: what the interpreter prints, and MB that it makes the process bigger.
NOBODYS = """
import io, resource, sys, time, torch, torchclinic
torchclinic.install()
def resident():
    pages = open("/proc/self/statm").read().split()[1] if sys.platform == "linux" else 0
    return int(pages) * resource.getpagesize() / 1e6
def cost(hook):
    begun = time.process_time()
    hook(type(error), error, error.__traceback__)
    return 1000 * (time.process_time() - begun)
try:
    {}
except Exception as raised:
    error = raised
mine, sys.stderr, real = sys.excepthook, io.StringIO(), sys.stderr
bare, before = cost(sys.__excepthook__), resident()
print(cost(mine) - bare, resident() - before, file=real)
"""


def unknown(times: int = 15) -> None:
    """What `install()` costs a program with torch that dies of an error that nobody knows, against
    the start of a bare Python, each in processes of their own, in turns."""
    for name, code in (
        ("that PyTorch never raises", "{}['label']"),
        ("as PyTorch raises them", "raise RuntimeError('the queue gave up')"),
    ):
        ratios, costs = [], []
        for _ in range(times):
            bare = _until_end([sys.executable, "-c", "pass"], False)[1]
            done = subprocess.run(
                [sys.executable, "-c", NOBODYS.replace("{}", code, 1)],
                cwd=HERE.parent.parent,
                stderr=subprocess.PIPE,
                text=True,
                check=True,
            )
            milliseconds, size = map(float, done.stderr.split()[-2:])
            ratios.append(milliseconds / bare / 1000)
            costs.append((milliseconds, size))
        cost, size = (statistics.median(column) for column in zip(*costs, strict=True))
        print(
            f"install(), an unknown error {name}: {statistics.median(ratios):.2f} times the processor time of a bare Python's start (medians of {times}; {cost:.0f} ms, {size:.1f} MB more)",
            flush=True,
        )


def terminal(times: int = 15, long: int = 5) -> None:
    """Each against the bare command, in turns."""
    python = [sys.executable, "-c"]
    through = [sys.executable, "-m", "torchclinic", "run"]
    lines = [
        *python,
        f"import sys\nfor n in range({LINES}): print('step', n, 'loss 0.1234', file=sys.stderr)",
    ]
    for name, first, second, rounds, to_terminal in (
        (
            "import torchclinic, against bare Python",
            [*python, "pass"],
            [*python, "import torchclinic"],
            times,
            False,
        ),
        (
            "start of `run`, against `python -c pass`",
            [*python, "pass"],
            [*through, *python, "pass"],
            times,
            False,
        ),
        (
            "a lookup of a text that nobody knows, against a match",
            [*python, LOOK_UP.format(MATCH)],
            [*python, LOOK_UP.format(UNKNOWN)],
            times,
            False,
        ),
        (
            "a crash with what the program knew, against one without",
            ["env", "TORCHCLINIC_LIVE=0", *python, CRASH],
            [*python, CRASH],
            long,
            False,
        ),
        (
            f"{LINES:,} lines of standard error to a pipe, through `run`",
            lines,
            [*through, *lines],
            long,
            False,
        ),
        (
            f"{LINES:,} lines of standard error to a terminal, through `run`",
            lines,
            [*through, *lines],
            long,
            True,
        ),
    ):
        costs = [
            (_until_end(first, to_terminal), _until_end(second, to_terminal))
            for _ in range(rounds + 1)
        ][1:]
        wall, processor = (
            statistics.median(mine[at] / bare[at] for bare, mine in costs) for at in (0, 1)
        )
        bare, mine = (
            statistics.median(one[0] for one in column) * 1000
            for column in zip(*costs, strict=True)
        )
        print(
            f"{name}: {wall:.2f} times as long, {processor:.2f} times the processor time (medians of {rounds}; {bare:.0f} ms, {mine:.0f} ms)",
            flush=True,
        )


def _until_end(command: list[str], to_terminal: bool) -> tuple[float, float]:
    """Seconds until a command has ended and all that it printed has been read, and of its processor time."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    reader, writer = os.openpty() if to_terminal else os.pipe()
    started = time.perf_counter()
    with subprocess.Popen(command, cwd=HERE.parent.parent, stderr=writer) as running:
        os.close(writer)
        try:
            while os.read(reader, 1 << 16):
                pass
        except OSError:  # a terminal that nobody has open any more
            pass
        assert running.wait() == 0
    os.close(reader)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (
        time.perf_counter() - started,
        after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
    )


def site(made: catalogue.Catalogue, times: int = 3) -> None:
    """Both languages of our build, against stock Material on the same expanded Markdown: without our notebooks, templates, hooks and features."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        pages = sum(_stock(root / language, made.root, language) for language in LANGUAGES)
        # The notice on MkDocs 2 waits for a reader.
        environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
        stock = [
            [
                sys.executable,
                "-m",
                "mkdocs",
                "build",
                "-q",
                "-f",
                str(root / language / "mkdocs.yml"),
            ]
            for language in LANGUAGES
        ]
        program = "import sys; from pathlib import Path; from torchclinic.content import catalogue; from torchclinic.site import build; sys.exit(build.build(catalogue.load(Path(sys.argv[1])), Path(sys.argv[2])))"
        mine = [[sys.executable, "-c", program, str(made.root), str(root / "site")]]
        rounds = []
        for _ in range(times):
            seconds = []
            shutil.rmtree(root / "site", ignore_errors=True)
            for commands in (mine, stock):
                before, started = os.times(), time.perf_counter()
                # Ours runs its two languages at once, so these do too.
                for run in [
                    subprocess.Popen(
                        command, cwd=made.root, env=environment, stdout=subprocess.DEVNULL
                    )
                    for command in commands
                ]:
                    assert run.wait() == 0
                after = os.times()
                seconds += [
                    after.children_user
                    + after.children_system
                    - before.children_user
                    - before.children_system,
                    time.perf_counter() - started,
                ]
            rounds.append(seconds)
            print(
                "  ours {:.1f} s of processor, {:.1f} s; stock {:.1f} s of processor, {:.1f} s".format(
                    *seconds
                ),
                flush=True,
            )
        count = sum(
            1 for language in LANGUAGES for _ in (root / "site" / language).rglob("index.html")
        )
    processor = statistics.median(mine / stock for mine, _, stock, _ in rounds)
    wall = statistics.median(mine / stock for _, mine, _, stock in rounds)
    print(
        f"site, both languages cold, {count} pages with notebooks, against stock Material's {pages} of the same Markdown: "
        f"{processor:.2f} times its processor time, {wall:.2f} times as long (medians of {times})"
    )


def _stock(folder: Path, root: Path, language: str) -> int:
    """A project of plain Material with the Markdown that ours gives to MkDocs; the number of its pages."""
    import yaml

    from torchclinic.site.edition import Edition

    edition = Edition(root, language)
    docs = root / "docs" / language
    sources = {
        name: text
        for name, text in edition.generated().items()
        if name.endswith(".md") and not name.startswith("notebooks/")
    }
    sources |= {
        file.relative_to(docs).as_posix(): file.read_text(encoding="utf-8")
        for file in docs.rglob("*.md")
    }
    for name, text in sources.items():
        front, body = text.split("---\n", 2)[1:] if text.startswith("---\n") else ("", text)
        body = edition.page(name, body, yaml.safe_load(front) or {})[1]
        file = folder / "docs" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"---\n{front}---\n{body}" if front else body, encoding="utf-8")
    extensions = (
        (root / "mkdocs.yml")
        .read_text(encoding="utf-8")
        .partition("markdown_extensions:\n")[2]
        .split("\n\n")[0]
    )
    settings = {
        "site_name": "Stock",
        "theme": {"name": "material", "language": language, "font": False},
        "plugins": {"search": {}, "tags": {}},
    }
    (folder / "mkdocs.yml").write_text(
        yaml.safe_dump(settings) + f"markdown_extensions:\n{extensions}\n", encoding="utf-8"
    )
    return len(sources)


# ---- the search

#: Asks Material's worker, in a page of its site, and gives the addresses of the first three results of each query; null where it has thrown.
_MATERIAL = """async queries => {
  const { base, search } = JSON.parse(document.getElementById("__config").textContent);
  const index = await (await fetch(`${base}/search/search_index.json`)).json();
  let worker;
  const ask = (data) => new Promise((resolve) => {
    const late = setTimeout(() => { worker.terminate(); worker = null; resolve(null); }, 10000);
    worker.onmessage = (event) => { clearTimeout(late); resolve(event.data); };
    worker.postMessage(data);
  });
  const found = [];
  for (const query of queries) {
    if (!worker) {
      worker = new Worker(search);
      await ask({ type: 0, data: { ...index, options: { suggest: false } } });
    }
    const answer = await ask({ type: 2, data: query });
    found.push(answer && answer.data.items.slice(0, 3).map((group) => group[0].location));
  }
  return found;
}"""


def search(made: catalogue.Catalogue, file: Path) -> None:
    from browser import measure
    from browser.conftest import FLAGS, chromium
    from playwright.sync_api import sync_playwright

    from torchclinic.commands.search import Box
    from torchclinic.site import build
    from torchclinic.site import knowledge_parts as maker

    rows = [
        json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line.strip()
    ]
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        folder = Path(name)
        build.build(made, folder / "ours")
        for language in LANGUAGES:
            _stock(folder / language, made.root, language)
            environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
            command = [
                sys.executable,
                "-m",
                "mkdocs",
                "build",
                "-q",
                "-d",
                str(folder / "stock" / language),
            ]
            subprocess.run(
                command,
                cwd=folder / language,
                env=environment,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                check=True,
            )
        browser = playwright.chromium.launch(executable_path=chromium(), args=FLAGS)
        for language in LANGUAGES:
            asked = [row for row in rows if row["lang"] == language]
            box = Box(made.index(), maker.search_index(made, language))
            answers = [box.search(row["query"]) for row in asked]
            ours = [[ident.rpartition("/")[2] for ident in box.ids(answer)] for answer in answers]
            with measure.serving(folder / "stock") as address:
                page = browser.new_page()
                page.goto(f"{address}{language}/")
                given = page.evaluate(_MATERIAL, [row["query"] for row in asked])
                page.close()
            theirs = [
                [place.partition("#")[0].rstrip("/").rpartition("/")[2] for place in places or []]
                for places in given
            ]
            for who, found, weak in (
                ("ours", ours, [answer["weak"] for answer in answers]),
                ("Material's", theirs, [False] * len(asked)),
            ):
                _print_share(f"search, {language}, {who}", asked, found, weak)
            print(
                f"  Material's threw on {sum(places is None for places in given)} of {len(asked)}"
            )
            for who in ("ours", "stock"):
                with measure.serving(folder / who) as address:
                    size, seconds, parts = measure.first_result(browser, address, language)
                print(
                    f"  first result on a slow phone, {who}: {size:.0f} kB, {seconds:.1f} s after the last key ({parts})"
                )
        browser.close()


def origins(made: catalogue.Catalogue, file: Path | None) -> None:
    """What PyTorch's own messages cost beside the lookup, and how much of pastes they know. Takes {"id", "text"} lines."""
    table, packed = made.index(), (ROOT / origins_table.FILE).read_bytes()
    own = origins_table.load(data := tables.load(ROOT / origins_table.FILE))
    texts = [
        vector["text"]
        for vector in json.loads((HERE.parent / "vectors.json").read_text(encoding="utf-8"))
    ]
    parsed, loaded, asked = compare(
        lambda: [lookup.lookup(table, text) for text in texts],
        lambda: json.loads(gzip.decompress(packed)),
        lambda: origins_table.load(data),
        lambda: [find_origins.origin(own, text) for text in texts],
    )
    print(
        f"origins: {len(own['wordings'])} templates, {len(packed) / 1000:.0f} kB packed. In lookups of a paste, to unpack {parsed * len(texts):.0f}, to load "
        f"{loaded * len(texts):.0f}, to ask once {asked:.2f}"
    )
    for name in (file, HERE.parent / "data" / "foreign.jsonl"):
        rows = (
            [json.loads(line) for line in name.read_text(encoding="utf-8").splitlines()]
            if name
            else []
        )
        left = [row for row in rows if lookup.lookup(table, row["text"])["status"] == "none"]
        found = [
            sum(find_origins.origin(own, row["text"]) is not None for row in some)
            for some in (rows, left)
        ]
        if rows:
            print(
                f"  {name.name if name else ''}: an origin for {found[0]} of {len(rows)} pastes, for {found[1]} of the {len(left)} that no symptom matches"
            )


def _print_share(
    who: str, asked: list[dict[str, Any]], found: list[list[str]], weak: list[bool]
) -> None:
    wanted = [(row["gold"], stems) for row, stems in zip(asked, found, strict=True) if row["gold"]]
    first = sum(bool(stems) and stems[0] in gold for gold, stems in wanted)
    three = sum(bool({*stems[:3]} & {*gold}) for gold, stems in wanted)
    nothing = sum(not stems for _, stems in wanted)
    absent = [
        bool(stems) and not marked
        for row, stems, marked in zip(asked, found, weak, strict=True)
        if not row["gold"]
    ]
    count = max(1, len(wanted))
    print(
        f"{who}: {first / count:.0%} right first, {three / count:.0%} in the top three, nothing for {nothing} of {len(wanted)}; "
        f"unmarked for what is not here {sum(absent)} of {len(absent)}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "what",
        nargs="*",
        choices=["speed", "terminal", "site", "search", "origins", "pastes", []],
        metavar="WHAT",
    )
    parser.add_argument("--pastes", type=Path)
    parser.add_argument(
        "--queries",
        type=Path,
        default=HERE.parent / "data" / "queries.jsonl",
        help='lines {"id", "lang", "query", "gold": [stems]}',
    )
    options = parser.parse_args()
    what = options.what or [
        "speed",
        "terminal",
        "site",
        "search",
        "origins",
        *(["pastes"] if options.pastes else []),
    ]
    made = catalogue.load()
    for name, work in (
        ("speed", speed),
        ("terminal", lambda made: (terminal(), unknown())),
        ("site", site),
        ("search", lambda made: search(made, options.queries)),
        ("origins", lambda made: origins(made, options.pastes)),
    ):
        if name in what:
            work(made)
    if "pastes" in what:
        if not options.pastes:
            parser.error("pastes needs --pastes PASTES.jsonl")
        subprocess.run([sys.executable, str(HERE / "pastes.py"), str(options.pastes)], check=True)


if __name__ == "__main__":
    main()
