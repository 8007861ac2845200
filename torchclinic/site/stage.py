"""The site as a tree of Markdown that needs nothing of ours: every directive expanded, everything generated written out, plain settings.

Any generator that reads Markdown with the extensions named in its mkdocs.yml can make a site of it: `mkdocs build --strict`, without hooks, without
our templates. What MkDocs' hooks add to the built site (copies, feeds, redirects, the content security policy, offline use) is not in it.
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import yaml
from mkdocs.utils import yaml_load

from .. import LANGUAGES
from ..content import index, yamlfile
from ..content.page import split_front_matter
from ..content.problem import BadInput, Problems
from .build import CONFIGS, NOTEBOOKS, SITE_URL, Site

#: How settings that `stage` wrote begin: a folder with such a file may be replaced.
MARK = "# Written by `torchclinic site stage`"
#: Front matter that generators read.
FIELDS = ("title", "description", "hide", "search", "tags")


def stage(root: Path, out: Path) -> int:
    """Write the tree of both languages; the exit status.

    Args:
        out: replaced as a whole if it is such a tree; its folders `docs/en` and `docs/zh` hold the pages.

    Raises:
        BadInput: `out` holds something else.
    """
    settings = out / CONFIGS["en"]
    if out.exists() and not (settings.is_file() and settings.read_text(encoding="utf-8").startswith(MARK)) and (not out.is_dir() or any(out.iterdir())):
        raise BadInput(f"{out} holds something else than a staged tree; nothing was written. Name an empty or a new folder with --out.")
    shutil.rmtree(out, ignore_errors=True)
    for language in LANGUAGES:
        site = Site(root, language)
        problems = site.catalogue.problems
        for problem in problems:
            print(problem, file=sys.stderr)
        if problems:
            return 1
        write(site, out / "docs" / language)
        text = yaml.safe_dump(plain(yaml_load((root / CONFIGS[language]).open(encoding="utf-8")), site), allow_unicode=True, sort_keys=False, width=160)
        (out / CONFIGS[language]).write_text(f"{MARK}: `mkdocs build --strict -f {CONFIGS[language]}`\n{text}", encoding="utf-8")
    print(f"{out}: {sum(1 for _ in out.rglob('*.md'))} pages")
    return 0


def write(site: Site, out: Path) -> None:
    """Write the pages of one language, and all that they link."""
    docs = site.root / "docs" / site.language
    written = [(docs, file.relative_to(docs).as_posix()) for file in sorted(docs.rglob("*.md"))]
    for folder, name in [*written, *site.generate(), *site.assets()]:
        target = out / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.suffix != ".md":
            shutil.copyfile(folder / name, target)
        if target.suffix == ".md":
            target.write_text(page(site, folder / name, name), encoding="utf-8")
        elif target.suffix == ".ipynb":  # mkdocs-jupyter puts one more where readers download it
            target.with_suffix("").mkdir()
            shutil.copyfile(folder / name, target.with_suffix("") / target.name)
    index.write(site.catalogue.index((site.language,)), out / "assets")


def page(site: Site, file: Path, name: str) -> str:
    """One page: front matter that generators read, and Markdown without directives."""
    front, body, _ = split_front_matter(file.read_text(encoding="utf-8"))
    facts, text = site.page(name, body)
    meta = {**yamlfile.load(front, file, 2, Problems(site.root)), **facts}
    kept = {field: meta[field] for field in FIELDS if field in meta}
    # JSON is YAML, and a title is one line whatever it holds.
    lines = [f"{field}: {json.dumps(value, ensure_ascii=False)}" for field, value in kept.items()]
    return "\n".join(["---", *lines, "---", "", text.strip("\n"), ""]) if kept else text


def plain(settings: dict[str, Any], site: Site) -> dict[str, Any]:
    """The settings of one language without hooks, templates and the plugin for notebooks, which are there as files."""
    theme = {name: value for name, value in settings["theme"].items() if name != "custom_dir"}
    plugins = {name: value for name, value in settings["plugins"].items() if name != "mkdocs-jupyter"}
    names = {"en": "English", "zh": "中文"}
    return {
        **{name: value for name, value in settings.items() if name not in ("hooks", "extra")},
        "site_url": f"{SITE_URL}{site.language}/",
        "docs_dir": f"docs/{site.language}",
        "site_dir": f"site/{site.language}",
        "theme": theme,
        "nav": site.nav(),
        "not_in_nav": f"/{NOTEBOOKS}\n",
        "plugins": plugins,
        "extra": {"generator": False, "alternate": [{"name": names[one], "link": f"../{one}/", "lang": one} for one in LANGUAGES]},
    }
