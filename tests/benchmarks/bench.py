"""Every number that is reported, as a ratio or a share measured in one run; nothing here is a test.

    python tests/benchmarks/bench.py [pastes] [speed] [processes] [terminal] [site] [search] [origins] [--pastes PASTES.jsonl] [--queries QUERIES.jsonl]

speed       the two matchers on a 1 MB log: against plain passes over the same text, on hostile pastes, with ten times the wordings
processes   the snippets through the forkserver, and in one plain interpreter per cell
terminal    what `torchclinic run` costs: its start, 300,000 lines through it, to a pipe and to a terminal; and `import torchclinic`
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
import random
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent.parent), str(HERE.parent)]

from torchclinic import LANGUAGES, ROOT
from torchclinic.content import catalogue, index
from torchclinic.content import origins as content_origins
from torchclinic.find import lookup
from torchclinic.find import origins as find_origins
from torchclinic.find.wording import HOLES
from torchclinic.run import verify

MEGABYTE = 1_000_000
HOSTILE = 250
LINES = 300_000


def compare(*works: Callable[[], object], times: int = 9) -> list[float]:
    """For each work but the first: how many times the first's processor time it takes. They run in turns, so a busy machine slows all of them."""
    rounds = [[_once(work) for work in works] for _ in range(times + 1)][1:]
    return [statistics.median(one[at] / one[0] for one in rounds) for at in range(1, len(works))]


def training_log(table: dict[str, Any]) -> str:
    """1 MB of what training prints, with a progress bar, warnings, and a traceback at the end."""
    rng = random.Random(0)
    lines = []
    size = step = 0
    while size < MEGABYTE - 2000:
        step += 1
        line = rng.choice(
            (
                f"2026-11-21 12:{step % 60:02d}:{step % 59:02d},123 INFO train.py:{step % 400} epoch {step // 100} step {step} loss {rng.random():.4f} lr 1e-4",
                f"[rank{step % 8}]: step {step}: loss={rng.random():.4f}, grad_norm={rng.random():.3f}, tokens/s={rng.randrange(90000)}",
                f" {step % 100}%|{'#' * (step % 30):<30}| {step}/9999 [00:{step % 60:02d}<02:13, {rng.random() * 9:.2f}it/s]",
                f"saving checkpoint to /data/runs/exp{step % 9}/step_{step}.pt",
                '  File "/usr/lib/python3.12/site-packages/torch/nn/modules/module.py", line 1773, in _wrapped_call_impl',
            )
        )
        lines.append(line)
        size += len(line) + 1
    traceback = 'Traceback (most recent call last):\n  File "train.py", line 9, in <module>\n    model(x)\n'
    return "\n".join(lines) + "\n" + traceback + "RuntimeError: mat1 and mat2 shapes cannot be multiplied (64x400 and 784x10)\n"


def hostile(table: dict[str, Any]) -> dict[str, str]:
    """1 MB of repeats of each wording's own pieces: its first literal, all but its end, its holes filled to the brim."""
    made = {}
    words = {number: word for word, numbers in table["anchors"].items() for number in numbers}
    for number, wording in enumerate(table["wordings"]):
        parts = wording["parts"]
        literals = [part for part in parts if isinstance(part, str)]
        filled = "".join(part if isinstance(part, str) else (HOLES[part[1]][0][0] if HOLES[part[1]][0] else "x") * HOLES[part[1]][1] for part in parts[:-1])
        for name, piece in (("first", literals[0]), ("open", filled or literals[0]), ("line", (filled or literals[0]) + "\n"), ("word", words[number] + " ")):
            made[f"{number}-{name}"] = piece * (MEGABYTE // len(piece))
    # All of them take a quarter of an hour; the sample is another one in every run.
    chosen = random.Random().sample(sorted(made), min(HOSTILE, len(made)))
    return {name: made[name] for name in chosen}


def multiplied(table: dict[str, Any], times: int) -> dict[str, Any]:
    """The index with `times` as many wordings; the added ones are made up, of words that no log has."""
    rng = random.Random(1)
    wordings, anchors = list(table["wordings"]), dict(table["anchors"])
    for wording in table["wordings"] * (times - 1):
        words = ["".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=rng.randint(4, 11))) for _ in range(8)]
        for word in sorted(words, key=len)[-2:]:
            anchors[word] = [*anchors.get(word, []), len(wordings)]
        wordings.append({**wording, "parts": [" ".join(words)], "near": [], "unless": [], "when": []})
    return {**table, "wordings": wordings, "anchors": anchors}


def speed(made: catalogue.Catalogue) -> None:
    table = made.index()
    log = training_log(table)
    for language in LANGUAGES:
        served = index.dumps(made.index((language,))).encode()
        print(
            f"index as served, {language}: {len(table['symptoms'])} stems, {len(table['wordings'])} wordings, {len(gzip.compress(served, 9)) / 1024:.1f} KiB gzip"
        )
    ten = multiplied(table, 10)
    print(f"Python, 1 MB log: {compare(log.split, lambda: lookup.lookup(table, log))[0]:.1f} times text.split()")
    print(f"Python, ten times the wordings: {compare(lambda: lookup.lookup(table, log), lambda: lookup.lookup(ten, log))[0]:.2f} times")
    pastes = hostile(table)
    worst = max(pastes, key=lambda name: _once(lambda: lookup.lookup(table, pastes[name])))
    against = compare(lambda: lookup.lookup(table, log), lambda: lookup.lookup(table, pastes[worst]))[0]
    print(f"Python, {len(pastes)} hostile pastes of 1 MB: worst {against:.2f} times the log ({_named(table, worst)})")
    with tempfile.TemporaryDirectory() as folder:
        for name, data in (("index", table), ("ten", ten), ("log", log), ("hostile", pastes)):
            Path(folder, f"{name}.json").write_text(json.dumps(data), encoding="utf-8")
        from twins import node

        done = subprocess.run([node(), str(HERE / "speed.mjs"), folder], capture_output=True, text=True, check=True)
    result = json.loads(done.stdout)
    print(f"JavaScript, 1 MB log: {result['log']:.1f} times a bare loop over its characters")
    print(f"JavaScript, ten times the wordings: {result['ten']:.2f} times")
    print(f"JavaScript, hostile: worst {result['worst']:.2f} times the log ({_named(table, result['name'])})")


def _once(work: Callable[[], object]) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started


def _named(table: dict[str, Any], name: str) -> str:
    wording = table["wordings"][int(name.split("-")[0])]
    return f"{name.split('-')[1]} of {wording['symptom']}"


def processes(made: catalogue.Catalogue, only: str = "") -> None:
    machine = verify.ask_machine()
    symptoms = [made.find(name) for name in only.split(",")] if only else list(made.symptoms.values())
    seconds = {}
    for name, plain in (("forkserver", False), ("plain", True)):
        started = time.perf_counter()
        runs = verify.execute(made.index(), symptoms, machine, plain=plain)
        seconds[name] = time.perf_counter() - started
        count = sum(1 for run in runs if run.outcome != "skipped")
    print(
        f"verify, {count} cells: {seconds['forkserver']:.0f} s through the forkserver, {seconds['plain']:.0f} s with a plain interpreter for each: "
        f"{seconds['plain'] / seconds['forkserver']:.1f} times as long"
    )


def terminal(times: int = 15, long: int = 5) -> None:
    """Each against the bare command, in turns."""
    python = [sys.executable, "-c"]
    through = [sys.executable, "-m", "torchclinic", "run"]
    lines = [*python, f"import sys\nfor n in range({LINES}): print('step', n, 'loss 0.1234', file=sys.stderr)"]
    for name, first, second, rounds, to_terminal in (
        ("import torchclinic, against bare Python", [*python, "pass"], [*python, "import torchclinic"], times, False),
        ("start of `run`, against `python -c pass`", [*python, "pass"], [*through, *python, "pass"], times, False),
        (f"{LINES:,} lines of standard error to a pipe, through `run`", lines, [*through, *lines], long, False),
        (f"{LINES:,} lines of standard error to a terminal, through `run`", lines, [*through, *lines], long, True),
    ):
        costs = [(_until_end(first, to_terminal), _until_end(second, to_terminal)) for _ in range(rounds + 1)][1:]
        wall, processor = (statistics.median(mine[at] / bare[at] for bare, mine in costs) for at in (0, 1))
        bare, mine = (statistics.median(one[0] for one in column) * 1000 for column in zip(*costs, strict=True))
        print(f"{name}: {wall:.2f} times as long, {processor:.2f} times the processor time (medians of {rounds}; {bare:.0f} ms, {mine:.0f} ms)", flush=True)


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
    return time.perf_counter() - started, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def site(made: catalogue.Catalogue, times: int = 3) -> None:
    """Both languages of our build, against stock Material on the same expanded Markdown: without our notebooks, templates, hooks and features."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        pages = sum(_stock(root / language, made.root, language) for language in LANGUAGES)
        # The notice on MkDocs 2 waits for a reader.
        environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
        stock = [[sys.executable, "-m", "mkdocs", "build", "-q", "-f", str(root / language / "mkdocs.yml")] for language in LANGUAGES]
        program = "import sys; from pathlib import Path; from torchclinic.site import build; sys.exit(build.build(Path(sys.argv[1]), Path(sys.argv[2])))"
        mine = [[sys.executable, "-c", program, str(made.root), str(root / "site")]]
        rounds = []
        for _ in range(times):
            seconds = []
            shutil.rmtree(root / "site", ignore_errors=True)
            for commands in (mine, stock):
                before, started = os.times(), time.perf_counter()
                # Ours runs its two languages at once, so these do too.
                for run in [subprocess.Popen(command, cwd=made.root, env=environment, stdout=subprocess.DEVNULL) for command in commands]:
                    assert run.wait() == 0
                after = os.times()
                seconds += [after.children_user + after.children_system - before.children_user - before.children_system, time.perf_counter() - started]
            rounds.append(seconds)
            print("  ours {:.1f} s of processor, {:.1f} s; stock {:.1f} s of processor, {:.1f} s".format(*seconds), flush=True)
        count = sum(1 for language in LANGUAGES for _ in (root / "site" / language).rglob("index.html"))
    processor = statistics.median(mine / stock for mine, _, stock, _ in rounds)
    wall = statistics.median(mine / stock for _, mine, _, stock in rounds)
    print(
        f"site, both languages cold, {count} pages with notebooks, against stock Material's {pages} of the same Markdown: "
        f"{processor:.2f} times its processor time, {wall:.2f} times as long (medians of {times})"
    )


def _stock(folder: Path, root: Path, language: str) -> int:
    """A project of plain Material with the Markdown that ours gives to MkDocs; the number of its pages."""
    import yaml

    from torchclinic.site import build as ours
    from torchclinic.site import home, symptom_page, tip_page

    one = ours.Site(root, language)
    docs = root / "docs" / language
    sources = {name: (made / name).read_text(encoding="utf-8") for made, name in one.generate() if name.endswith(".md")}
    sources |= {file.relative_to(docs).as_posix(): file.read_text(encoding="utf-8") for file in docs.rglob("*.md")}
    for name, text in sources.items():
        front, body = text.split("---\n", 2)[1:] if text.startswith("---\n") else ("", text)
        symptom, tip = one.symptom_of(name), one.tip_of(name)
        if symptom is not None:
            body = symptom_page.symptom_page(one.catalogue, symptom, language)
        elif tip is not None:
            body = tip_page.tip_page(one.catalogue, tip, language)
        else:
            body = home.expand(one.catalogue, body, language)
        file = folder / "docs" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"---\n{front}---\n{body}" if front else body, encoding="utf-8")
    extensions = (root / "mkdocs.yml").read_text(encoding="utf-8").partition("markdown_extensions:\n")[2].split("\n\n")[0]
    settings = {"site_name": "Stock", "theme": {"name": "material", "language": language, "font": False}, "plugins": {"search": {}, "tags": {}}}
    (folder / "mkdocs.yml").write_text(yaml.safe_dump(settings) + f"markdown_extensions:\n{extensions}\n", encoding="utf-8")
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

    from torchclinic.commands import maker
    from torchclinic.commands.search import Box
    from torchclinic.site import build

    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        folder = Path(name)
        build.build(made.root, folder / "ours")
        for language in LANGUAGES:
            _stock(folder / language, made.root, language)
            environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
            command = [sys.executable, "-m", "mkdocs", "build", "-q", "-d", str(folder / "stock" / language)]
            subprocess.run(command, cwd=folder / language, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
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
            theirs = [[place.partition("#")[0].rstrip("/").rpartition("/")[2] for place in places or []] for places in given]
            for who, found, weak in (("ours", ours, [answer["weak"] for answer in answers]), ("Material's", theirs, [False] * len(asked))):
                _print_share(f"search, {language}, {who}", asked, found, weak)
            print(f"  Material's threw on {sum(places is None for places in given)} of {len(asked)}")
            for who in ("ours", "stock"):
                with measure.serving(folder / who) as address:
                    size, seconds, parts = measure.first_result(browser, address, language)
                print(f"  first result on a slow phone, {who}: {size:.0f} kB, {seconds:.1f} s after the last key ({parts})")
        browser.close()


def origins(made: catalogue.Catalogue, file: Path | None) -> None:
    """What PyTorch's own messages cost beside the lookup, and how much of pastes they know. Takes {"id", "text"} lines."""
    table, packed = made.index(), (ROOT / content_origins.FILE).read_bytes()
    own = find_origins.load(data := content_origins.load(ROOT / content_origins.FILE))
    texts = [vector["text"] for vector in json.loads((HERE.parent / "vectors.json").read_text(encoding="utf-8"))]
    parsed, loaded, asked = compare(
        lambda: [lookup.lookup(table, text) for text in texts],
        lambda: json.loads(gzip.decompress(packed)),
        lambda: find_origins.load(data),
        lambda: [find_origins.origin(own, text) for text in texts],
    )
    print(
        f"origins: {len(own['wordings'])} templates, {len(packed) / 1000:.0f} kB packed. In lookups of a paste, to unpack {parsed * len(texts):.0f}, to load "
        f"{loaded * len(texts):.0f}, to ask once {asked:.2f}"
    )
    for name in (file, HERE.parent / "data" / "foreign.jsonl"):
        rows = [json.loads(line) for line in name.read_text(encoding="utf-8").splitlines()] if name else []
        left = [row for row in rows if lookup.lookup(table, row["text"])["status"] == "none"]
        found = [sum(find_origins.origin(own, row["text"]) is not None for row in some) for some in (rows, left)]
        if rows:
            print(f"  {name.name if name else ''}: an origin for {found[0]} of {len(rows)} pastes, for {found[1]} of the {len(left)} that no symptom matches")


def _print_share(who: str, asked: list[dict[str, Any]], found: list[list[str]], weak: list[bool]) -> None:
    wanted = [(row["gold"], stems) for row, stems in zip(asked, found, strict=True) if row["gold"]]
    first = sum(bool(stems) and stems[0] in gold for gold, stems in wanted)
    three = sum(bool({*stems[:3]} & {*gold}) for gold, stems in wanted)
    nothing = sum(not stems for _, stems in wanted)
    absent = [bool(stems) and not marked for row, stems, marked in zip(asked, found, weak, strict=True) if not row["gold"]]
    count = max(1, len(wanted))
    print(
        f"{who}: {first / count:.0%} right first, {three / count:.0%} in the top three, nothing for {nothing} of {len(wanted)}; "
        f"unmarked for what is not here {sum(absent)} of {len(absent)}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="*", choices=["speed", "processes", "terminal", "site", "search", "origins", "pastes", []], metavar="WHAT")
    parser.add_argument("--pastes", type=Path)
    parser.add_argument("--queries", type=Path, default=HERE.parent / "data" / "queries.jsonl", help='lines {"id", "lang", "query", "gold": [stems]}')
    parser.add_argument("--only", default="", help="processes: these symptoms, comma-separated, instead of all")
    options = parser.parse_args()
    what = options.what or ["speed", "processes", "terminal", "site", "search", "origins", *(["pastes"] if options.pastes else [])]
    made = catalogue.load()
    for name, work in (
        ("speed", speed),
        ("processes", lambda made: processes(made, options.only)),
        ("terminal", lambda made: terminal()),
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
