"""The site: what surrounds MkDocs. `Site` is what mkdocs_hooks.py calls for one language; `build` makes both and puts them together.

Nothing here, and nothing that MkDocs reads, imports torch: the site shows evidence that was recorded before.
"""

from __future__ import annotations

import base64
import hashlib
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
from typing import Any
from urllib.parse import urlsplit

from .. import LANGUAGES
from ..content import catalogue, chinese, index, origins, overview, words
from ..content.catalogue import Symptom
from ..content.tip import Tip
from . import file_scheme, home, lists, machine_readable, messages, minify, notebook, offline, parts, redirect_pages, symptom_page, tip_page
from .labels import LABELS, script

CONFIGS = {"en": "mkdocs.yml", "zh": "mkdocs.zh.yml"}
SITE_URL = "http://127.0.0.1:8000/"
#: Environment variable: the file in which `build` hands the catalogue, read once, to both runs of MkDocs.
CATALOGUE = "TORCHCLINIC_CATALOGUE"
#: Environment variable: sources of the pages to make, such as `en/lookup.md`, one a line; all if it is not set.
ONLY = "TORCHCLINIC_ONLY"
ASSETS = {".js", ".css", ".svg", ".png"}
NOTEBOOKS = "notebooks/"
#: Scripts that the build completes.
SCRIPTS = "docs/root"
#: Asked before anything else: where the reader's own script and style may come from.
POLICY = "default-src 'self'; script-src 'self'{hashes}; img-src 'self' data:; object-src 'none'; base-uri 'self'; form-action 'self'"
_CHARSET = '<meta charset="utf-8">'
_WORD = re.compile(r"\{(en|zh) ([\w-]+)\}")


class Site:
    """One language of the site, for one run of MkDocs."""

    def __init__(self, root: Path, language: str, repository: str = ""):
        self.root, self.language, self.repository = root, language, repository
        made = os.environ.get(CATALOGUE)
        self.catalogue = pickle.loads(Path(made).read_bytes()) if made else catalogue.load(root, lint=False)
        self.temporary = tempfile.TemporaryDirectory(prefix="torchclinic-site-")  # lives as long as this run
        self.generated = Path(self.temporary.name)

    def nav(self) -> list[Any]:
        label = LABELS[self.language]
        symptoms: list[Any] = ["symptoms/index.md", "no-message.md", "messages.md", "exceptions.md"]
        for topic, members in lists.topics(self.catalogue).items():
            files = [f"{symptom.id}.md" for symptom in members if self.language in symptom.pages]
            symptoms.append({parts.topic_name(self.catalogue, topic, self.language): [f"{topic}/index.md", *files]})
        tips: list[Any] = ["tips/index.md", "cheat-sheet.md"]
        for topic, made in lists.tips_by_topic(self.catalogue, self.language).items():
            tips.append({parts.topic_name(self.catalogue, topic, self.language): [f"{tip.id}.md" for tip in made]})
        return [
            {label["home"]: "index.md"},
            {label["lookup"]: "lookup.md"},
            {label["symptoms"]: symptoms},
            {label["tips"]: tips},
            {label["tags"]: "tags.md"},
            {label["about"]: ["verified.md", "sources.md", "terminal.md", "cluster-logs.md", "contribute.md", "lend.md", "machines.md", "about.md"]},
        ]

    def generate(self) -> list[tuple[Path, str]]:
        """Write generated sources into a temporary folder; (folder, name) of each. mkdocs-jupyter reads none that is not a file."""
        texts = {
            "symptoms/index.md": lists.symptoms_page(self.catalogue, self.language),
            "messages.md": messages.messages_page(self.catalogue, self.language),
            "exceptions.md": messages.exceptions_page(self.catalogue, self.language),
            "tips/index.md": lists.tips_page(self.catalogue, self.language),
            "cheat-sheet.md": lists.cheat_sheet(self.catalogue, self.language),
            "sources.md": lists.sources_page(self.catalogue, self.language),
        }
        texts["assets/words.js"] = script((self.root / SCRIPTS / "words.js").read_text(encoding="utf-8"), self.language)
        texts["torchclinic_checks.py"] = (self.root / "torchclinic/checks.py").read_text(encoding="utf-8")  # to copy beside a script
        for topic in lists.topics(self.catalogue):
            if overview.path(self.root, topic, self.language).is_file():
                continue  # written by hand, with the list in it
            texts[f"{topic}/index.md"] = lists.topic_page(self.catalogue, topic, self.language)
        for symptom in self.catalogue.symptoms.values():
            if self.language in symptom.pages:
                texts[f"{NOTEBOOKS}{symptom.id}.ipynb"] = notebook.dumps(notebook.make(self.catalogue, symptom, self.language))
                texts[f"{NOTEBOOKS}{symptom.id}.py"] = symptom.code(self.language).text  # to download
        for name, text in texts.items():
            file = self.generated / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        return [(self.generated, name) for name in texts]

    def assets(self) -> list[tuple[Path, str]]:
        """(folder, name) of the styles and scripts, which belong to no language."""
        docs = self.root / "docs"
        return [(docs, file.relative_to(docs).as_posix()) for file in sorted((docs / "assets").rglob("*")) if file.suffix in ASSETS]

    def is_notebook(self, name: str) -> bool:
        return name.startswith(NOTEBOOKS)

    def symptom_of(self, name: str) -> Symptom | None:
        """The symptom whose page or notebook page is made from this source, e.g. `autograd/backward-second-time.md`."""
        ident, _, suffix = name.removeprefix(NOTEBOOKS).rpartition(".")
        symptom = self.catalogue.symptoms.get(ident.rpartition("/")[2])
        if symptom is None or symptom.id != ident or self.language not in symptom.pages:
            return None
        return symptom if suffix in ("md", "ipynb") else None

    def tip_of(self, name: str) -> Tip | None:
        """The tip whose page is made from this source, e.g. `tips/autograd/hooks.md`."""
        made = self.catalogue.tips.get(name.rpartition("/")[2].removesuffix(".md"))
        return made if made is not None and name == f"{made.id}.md" and self.language in made.pages else None

    def page(self, name: str, text: str) -> tuple[dict[str, Any], str]:
        """What a page's front matter gains, and its Markdown with all directives expanded.

        Args:
            name: of the page's source.
            text: that source, without its front matter.
        """
        made = self.symptom_of(name) or self.tip_of(name)
        if made is None:
            return {}, home.expand(self.catalogue, chinese.joined(text) if self.language == "zh" else text, self.language)
        description = parts.description(made, self.language)
        if self.is_notebook(name):
            return {"description": description, "search": {"exclude": True}, "hide": ["navigation"]}, text
        is_symptom = isinstance(made, Symptom)
        facts = {
            "description": description,
            "search": {"boost": 4 if is_symptom else 2},  # symptoms before tips, and these before pages about this site
            "tags": parts.tag_names(self.catalogue, made.snippet.tags if is_symptom else made.tags, self.language),
        }
        make = symptom_page.symptom_page if is_symptom else tip_page.tip_page
        return facts, make(self.catalogue, made, self.language, self.repository)  # type: ignore[operator]

    def head(self, name: str, url: str, base: str) -> dict[str, Any]:
        """What main.html puts into a page's head, beyond what MkDocs knows.

        Args:
            name: of the page's source.
            url: of the page, in its language.
            base: address of the site's root, with a slash at its end.
        """
        made = (None if self.is_notebook(name) else self.symptom_of(name)) or self.tip_of(name)
        return {
            "alternates": {language: f"{base}{language}/{url}" for language in LANGUAGES},
            "locales": {language: machine_readable.LOCALES[language] for language in sorted(LANGUAGES, key=lambda one: one != self.language)},
            "article": machine_readable.article(self.catalogue, made, self.language, base) if made else "",
        }

    def finish(self, out: Path, base: str) -> None:
        """After MkDocs: write the lookup's index, what machines read and the redirects; the search index in place of MkDocs', give every page the policy."""
        shutil.rmtree(out / "notebook", ignore_errors=True)  # nbconvert's templates, which MkDocs takes for files of the theme
        machine_readable.write_language(self.catalogue, out, self.language, base)
        titles = {made.id: made.title(self.language) for made in (*self.catalogue.symptoms.values(), *self.catalogue.tips.values())}
        redirect_pages.write(self.catalogue.redirects, titles, out, self.language, machine_readable.address(base, self.language))
        assets = out / "assets"
        index.write(self.catalogue.index((self.language,)), assets)
        searched = self.catalogue.search_index(self.language, lists.overviews(self.catalogue, self.language))
        (assets / "search-texts.json").write_text(index.dumps(searched.pop("texts")), encoding="utf-8")
        searched["words"] = words.of(self.language, "search") | {
            name: words.of(self.language, "answer")[name] for name in ("cause", "leaning")
        }  # its worker needs no other file
        (assets / "search.json").write_text(index.dumps(searched), encoding="utf-8")
        for name in ("lunr", "workers"):  # Material's engine, in whose place search-worker.js is started
            shutil.rmtree(assets / "javascripts" / name)
        file_scheme.write(out, self.root / SCRIPTS / "file.js")
        pages = {file: file.read_text(encoding="utf-8") for file in out.rglob("*.html")}
        names, scripts = minify.parts(pages.values())
        one = policy(scripts)  # for all of them: a host may send it as a header, too
        for file, page in pages.items():
            file.write_text(with_policy(page, one), encoding="utf-8")
        self.slim(out, names, scripts)

    def slim(self, out: Path, names: set[str], inline: set[str]) -> None:
        """Make what every page loads lighter.

        Args:
            names: classes and ids of all pages.
            inline: scripts in them.
        """
        assets = out / "assets"
        scripts = [*assets.glob("javascripts/*.js"), *(file for file in assets.glob("*.js") if not file.name.startswith("file"))]
        used = names | minify.words([*inline, *(file.read_text(encoding="utf-8") for file in scripts)])
        for file in [*assets.glob("stylesheets/*.css"), assets / "site.css"]:
            file.write_text(minify.slim(file.read_text(encoding="utf-8"), used), encoding="utf-8")
        for file in assets.glob("*.js"):
            file.write_text(minify.uncommented(file.read_text(encoding="utf-8")), encoding="utf-8")


def policy(scripts: Iterable[str]) -> str:
    """The content security policy of pages that these scripts stand in."""
    hashes = sorted(base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts)
    return POLICY.format(hashes="".join(f" 'sha256-{value}'" for value in hashes))


def with_policy(page: str, policy: str) -> str:
    """Raises: ValueError (the page does not begin as our templates do)."""
    if _CHARSET not in page:
        raise ValueError(f"a page without {_CHARSET}, after which its content security policy stands")
    return page.replace(_CHARSET, f'{_CHARSET}<meta http-equiv="Content-Security-Policy" content="{policy}">', 1)


# ---- both languages


def build(root: Path, out: Path, *, site_url: str = "", strict: bool = True, keep: bool = True, generator: str = "mkdocs") -> int:
    """Build both languages and the root pages; the exit status.

    Args:
        out: replaced as a whole, and only when everything was built.
        site_url: where it will stand; from SITE_URL, or this machine's port 8000, if left out.
        strict: stop at any problem or warning. Else print them and build what can be built.
        keep: readers may keep the site for offline use.
        generator: the module that builds: mkdocs, or properdocs, its maintained fork.
    """
    started = time.monotonic()
    site_url = (site_url or os.environ.get("SITE_URL") or SITE_URL).rstrip("/") + "/"
    loaded = catalogue.load(root)
    problems = loaded.problems
    for problem in problems:
        print(problem, file=sys.stderr)
    if problems:
        consequence = "nothing was built" if strict else "the site is built as far as it can be"
        print(f"The catalogue has {len(problems)} problem{'s' * (len(problems) > 1)}: {consequence}.", file=sys.stderr)
        if strict:
            return 1
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".site-", dir=out.parent) as folder:
        new = Path(folder, "new")
        new.mkdir()
        made = Path(folder, "catalogue.pickle")
        made.write_bytes(pickle.dumps(loaded))
        environment = {"SITE_URL": site_url, CATALOGUE: str(made)}
        with ThreadPoolExecutor() as pool:
            runs = dict(zip(LANGUAGES, pool.map(lambda language: run_mkdocs(root, new, language, environment, strict, generator), LANGUAGES), strict=True))
        failed = [language for language, run in runs.items() if run.returncode]
        for language, run in runs.items():
            shown = [line for line in run.stdout.splitlines() if language in failed or line.startswith(("WARNING", "ERROR"))]
            # The catalogue's problems stand above already, once.
            shown = [line for line in shown if not any(str(problem) in line for problem in problems)]
            for line in shown:
                print(f"{language}: {line}", file=sys.stderr)
        if failed:
            print(f"MkDocs failed for {', '.join(failed)}; {out} is as it was.", file=sys.stderr)
            return 1
        _root_pages(root, new, urlsplit(site_url).path or "/")
        machine_readable.write(loaded, new, site_url)
        offline.write(new, root / SCRIPTS, keep)
        if out.exists():
            out.rename(Path(folder, "old"))
        new.rename(out)
        out.chmod(0o755)
    pages = {language: sum(1 for _ in (out / language).rglob("index.html")) for language in LANGUAGES}
    counts = ", ".join(f"{count} pages in {language}" for language, count in pages.items())
    print(f"{out}: {counts}, in {time.monotonic() - started:.1f} s")
    return 0


def refresh(root: Path, out: Path, pages: set[str], site_url: str) -> bool:
    """Put single pages into a site that was built before, for whoever writes them; whether it could be done.

    Lists, search, index and copies stay as they were, so `build` must follow.

    Args:
        pages: their sources, such as `en/lookup.md`.
    """
    with tempfile.TemporaryDirectory(prefix=".site-", dir=out.parent) as folder:
        new, made = Path(folder, "new"), Path(folder, "catalogue.pickle")
        made.write_bytes(pickle.dumps(catalogue.load(root, lint=False, check=False)))
        environment = {"SITE_URL": site_url, CATALOGUE: str(made), ONLY: "\n".join(pages)}
        languages = sorted({name.partition("/")[0] for name in pages})
        with ThreadPoolExecutor() as pool:
            runs = list(pool.map(lambda language: run_mkdocs(root, new, language, environment, False), languages))
        if any(run.returncode for run in runs):
            return False
        for language in languages:
            same = minify.policy_of((out / language / "index.html").read_text(encoding="utf-8"))
            for file in (new / language).rglob("index.html"):
                text = with_policy(file.read_text(encoding="utf-8"), same)
                target = out / file.relative_to(new)
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text(text, encoding="utf-8")
    return True


def run_mkdocs(root: Path, out: Path, language: str, environment: dict[str, str], strict: bool, generator: str = "mkdocs") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", generator, "build", "-f", CONFIGS[language], "-d", str(out / language), *(["--strict"] if strict else [])]
    # The notice on MkDocs 2 is about a version that is not used here.
    environment = {**os.environ, **environment, "NO_MKDOCS_2_WARNING": "1", "PYTHONIOENCODING": "utf-8"}
    return subprocess.run(command, cwd=root, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", errors="replace", check=False)


def _root_pages(root: Path, out: Path, base: str) -> None:
    """What belongs to no language: the page that leads to the reader's, the 404 page, which hosts show at any depth, the evidence, and the table of PyTorch's messages."""
    shutil.copytree(root / "evidence", out / "evidence")
    if (root / origins.FILE).exists():
        shutil.copy(root / origins.FILE, out / "origins.bin")  # not .gz, which some hosts unpack on the way: an offline copy would not be what its digest says
        file_scheme.write_origins(root / origins.FILE, out)
    for name in ("index.html", "404.html"):
        text = (root / "overrides" / "root" / name).read_text(encoding="utf-8")
        text = _WORD.sub(lambda found: LABELS[found[1]][found[2]], text)
        text = text.replace("{base}", html.escape(base) if name == "404.html" else "")
        (out / name).write_text(with_policy(text, policy(minify.parts([text])[1])), encoding="utf-8")
