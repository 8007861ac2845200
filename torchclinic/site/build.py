"""Both languages of the site: what surrounds MkDocs, which runs once for each, both at once."""

from __future__ import annotations

import html
import os
import pickle
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urlsplit

from .. import LANGUAGES
from ..content import catalogue, index
from ..content.catalogue import Catalogue
from ..content.problem import Problems
from ..find import origins_table
from . import file_scheme, machine_readable, offline, policy
from .edition import CATALOGUE, SCRIPTS
from .labels import LABELS

CONFIGS = {"en": "mkdocs.yml", "zh": "mkdocs.zh.yml"}
SITE_URL = "http://127.0.0.1:8000/"
#: Environment variable: sources of the pages to make, such as `en/lookup.md`, one a line; all if it
#: is not set.
ONLY = "TORCHCLINIC_ONLY"
_WORD = re.compile(r"\{(en|zh) ([\w-]+)\}")


def build(
    loaded: Catalogue,
    out: Path,
    *,
    site_url: str = "",
    strict: bool = True,
    keep: bool = True,
    generator: str = "mkdocs",
) -> int:
    """Build both languages and the root pages; the exit status.

    Args:
        out: replaced as a whole, and only when everything was built.
        site_url: where it will stand; from SITE_URL, or this machine's port 8000, if left out.
        strict: stop at any problem or warning. Else print them and build what can be built.
        keep: readers may keep the site for offline use.
        generator: the module that builds: mkdocs, or properdocs, its maintained fork.
    """
    _tell_problems(loaded.problems, strict)
    if loaded.problems and strict:
        return 1
    started = time.monotonic()
    site_url = (site_url or os.environ.get("SITE_URL") or SITE_URL).rstrip("/") + "/"
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".site-", dir=out.parent) as folder:
        new = Path(folder, "new")
        new.mkdir()
        runs = run_both(loaded, new, {"SITE_URL": site_url}, strict=strict, generator=generator)
        if failed := _tell_runs(loaded, runs):
            print(f"MkDocs failed for {', '.join(failed)}; {out} is as it was.", file=sys.stderr)
            return 1
        write_root(loaded.root, new, site_url)
        machine_readable.write(loaded, new, site_url)
        offline.write(new, loaded.root / SCRIPTS, keep)
        if out.exists():
            out.rename(Path(folder, "old"))
        new.rename(out)
        out.chmod(0o755)
    counts = ", ".join(
        f"{sum(1 for _ in (out / language).rglob('index.html'))} pages in {language}"
        for language in LANGUAGES
    )
    print(f"{out}: {counts}, in {time.monotonic() - started:.1f} s")
    return 0


def _tell_problems(problems: Problems, strict: bool) -> None:
    for problem in problems:
        print(problem, file=sys.stderr)
    if problems:
        count = f"{len(problems)} problem{'s' * (len(problems) > 1)}"
        consequence = "nothing was built" if strict else "the site is built as far as it can be"
        print(f"The catalogue has {count}: {consequence}.", file=sys.stderr)


def _tell_runs(loaded: Catalogue, runs: dict[str, subprocess.CompletedProcess[str]]) -> list[str]:
    """Print what MkDocs warned of; the languages for which it failed, of which all is printed."""
    failed = [language for language, run in runs.items() if run.returncode]
    for language, run in runs.items():
        for line in run.stdout.splitlines():
            told = any(str(problem) in line for problem in loaded.problems)  # above, once
            if not told and (language in failed or line.startswith(("WARNING", "ERROR"))):
                print(f"{language}: {line}", file=sys.stderr)
    return failed


def run_both(
    loaded: Catalogue,
    out: Path,
    environment: dict[str, str],
    *,
    languages: Iterable[str] = LANGUAGES,
    strict: bool = False,
    generator: str = "mkdocs",
) -> dict[str, subprocess.CompletedProcess[str]]:
    """Run MkDocs for languages at once; each writes its folder in `out`."""
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor() as pool:
        file = Path(folder, "catalogue.pickle")
        file.write_bytes(pickle.dumps(loaded))
        running = {
            language: pool.submit(
                run_mkdocs,
                loaded.root,
                out,
                language,
                {**environment, CATALOGUE: str(file)},
                strict,
                generator,
            )
            for language in languages
        }
        return {language: run.result() for language, run in running.items()}


def run_mkdocs(
    root: Path,
    out: Path,
    language: str,
    environment: dict[str, str],
    strict: bool,
    generator: str = "mkdocs",
) -> subprocess.CompletedProcess[str]:
    """Run MkDocs for one language; what it prints is kept."""
    target = ["-f", CONFIGS[language], "-d", str(out / language)]
    command = [sys.executable, "-m", generator, "build", *target, *["--strict"] * strict]
    # The notice on MkDocs 2 is about a version that is not used here.
    environment = {
        **os.environ,
        **environment,
        "NO_MKDOCS_2_WARNING": "1",
        "PYTHONIOENCODING": "utf-8",
    }
    return subprocess.run(
        command,
        cwd=root,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
        check=False,
    )


def refresh(root: Path, out: Path, pages: set[str], site_url: str) -> bool:
    """Put single pages into a site, for whoever waits for them; whether it could be done.

    A language that is not there at all gets the lookup's index, the styles and the scripts as
    well. Lists, search, index and copies stay as they were, so `build` must follow.

    Args:
        pages: their sources, such as `en/lookup.md`.
    """
    loaded = catalogue.load(root, lint=False, check=False)
    languages = sorted({name.partition("/")[0] for name in pages})
    with tempfile.TemporaryDirectory(prefix=".site-", dir=out.parent) as folder:
        new = Path(folder)
        environment = {"SITE_URL": site_url, ONLY: "\n".join(pages)}
        runs = run_both(loaded, new, environment, languages=languages)
        if any(run.returncode for run in runs.values()):
            return False
        for language in languages:
            _put(loaded, new / language, out / language)
    return True


def _put(loaded: Catalogue, new: Path, here: Path) -> None:
    """Put what a run for some pages made into the site of its language."""
    assets = here / "assets"
    if not (assets / "index.json").is_file():
        index.write(loaded.index((here.name,)), new / "assets")
        shutil.copytree(new, here, dirs_exist_ok=True, ignore=shutil.ignore_patterns("*.html"))
    # All pages of a whole site have one policy, which names the scripts of all.
    whole = (assets / "search.json").is_file()
    shared = policy.read((here / "index.html").read_text(encoding="utf-8")) if whole else ""
    for file in new.rglob("index.html"):
        name = file.relative_to(new)
        if name.parent.name != "tags":  # it knows the tags of these pages alone
            page = file.read_text(encoding="utf-8")
            (here / name).parent.mkdir(parents=True, exist_ok=True)
            (here / name).write_text(policy.added(page, shared), encoding="utf-8")


def write_root(root: Path, out: Path, site_url: str) -> None:
    """What belongs to no language: the page that leads to the reader's, the 404 page, which hosts
    show at any depth, the evidence, and the table of PyTorch's messages."""
    shutil.copytree(root / "evidence", out / "evidence")
    if (root / origins_table.FILE).exists():
        # Not .gz, which some hosts unpack on the way: an offline copy would not be what its digest
        # says.
        shutil.copy(root / origins_table.FILE, out / "origins.bin")
        file_scheme.write_origins(root / origins_table.FILE, out)
    base = urlsplit(site_url).path or "/"
    for name in ("index.html", "404.html"):
        text = (root / "overrides" / "root" / name).read_text(encoding="utf-8")
        text = _WORD.sub(lambda word: LABELS[word[1]][word[2]], text)
        text = text.replace("{base}", html.escape(base) if name == "404.html" else "")
        (out / name).write_text(policy.added(text), encoding="utf-8")
