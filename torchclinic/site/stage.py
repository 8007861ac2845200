"""The site as a tree of Markdown that needs nothing of ours: every directive expanded, everything
generated written out, plain settings.

Any generator that reads Markdown with the extensions named in its mkdocs.yml can make a site of it:
`mkdocs build --strict`, without hooks, without our templates. What MkDocs' hooks add to the built
site (copies, feeds, redirects, the content security policy, offline use) is not in it.
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import yaml
from mkdocs.utils.yaml import yaml_load

from .. import LANGUAGES
from ..content import index, yamlfile
from ..content.page import split_front_matter
from ..content.problem import BadInput, Problems
from .build import CONFIGS, SITE_URL
from .edition import NOTEBOOKS, Edition

#: How settings that `stage` wrote begin: a folder with such a file may be replaced.
MARK = "# Written by `torchclinic site stage`"
#: Front matter that generators read.
FIELDS = ("title", "description", "hide", "search", "tags")


def stage(root: Path, out: Path) -> int:
    """Write the tree of both languages; the exit status.

    Args:
        out: replaced as a whole if it is such a tree; its folders `docs/en` and `docs/zh` hold the
            pages.

    Raises:
        BadInput: `out` holds something else.
    """
    if out.exists() and not _may_be_replaced(out):
        raise BadInput(
            f"{out} holds something else than a staged tree; nothing was written. "
            "Name an empty or a new folder with --out."
        )
    shutil.rmtree(out, ignore_errors=True)
    for language in LANGUAGES:
        edition = Edition(root, language)
        problems = edition.catalogue.problems
        for problem in problems:
            print(problem, file=sys.stderr)
        if problems:
            return 1
        write(edition, out / "docs" / language)
        settings = yaml_load((root / CONFIGS[language]).open(encoding="utf-8"))
        text = yaml.safe_dump(
            plain(settings, edition), allow_unicode=True, sort_keys=False, width=160
        )
        command = f"mkdocs build --strict -f {CONFIGS[language]}"
        (out / CONFIGS[language]).write_text(f"{MARK}: `{command}`\n{text}", encoding="utf-8")
    print(f"{out}: {sum(1 for _ in out.rglob('*.md'))} pages")
    return 0


def _may_be_replaced(out: Path) -> bool:
    settings = out / CONFIGS["en"]
    if settings.is_file():
        return settings.read_text(encoding="utf-8").startswith(MARK)
    return out.is_dir() and not any(out.iterdir())


def write(edition: Edition, out: Path) -> None:
    """Write the pages of one language, and all that they link."""
    docs = edition.root / "docs" / edition.language
    texts = {
        file.relative_to(docs).as_posix(): file.read_text(encoding="utf-8")
        for file in sorted(docs.rglob("*.md"))
    }
    for name, text in {**texts, **edition.generated()}.items():
        target = out / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shown = page(edition, docs / name, name, text) if target.suffix == ".md" else text
        target.write_text(shown, encoding="utf-8")
    for folder, name in edition.assets():
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(folder / name, out / name)
    index.write(edition.catalogue.index((edition.language,)), out / "assets")


def page(edition: Edition, file: Path, name: str, source: str) -> str:
    """One page: front matter that generators read, and Markdown without directives."""
    front, body, _ = split_front_matter(source)
    written = yamlfile.load(front, file, 2, Problems(edition.root))
    facts, text = edition.page(name, body, written)
    meta = {**written, **facts}
    kept = {field: meta[field] for field in FIELDS if field in meta}
    # JSON is YAML, and a title is one line whatever it holds.
    lines = [f"{field}: {json.dumps(value, ensure_ascii=False)}" for field, value in kept.items()]
    return "\n".join(["---", *lines, "---", "", text.strip("\n"), ""]) if kept else text


def plain(settings: dict[str, Any], edition: Edition) -> dict[str, Any]:
    """The settings of one language without hooks and templates."""
    theme = {name: value for name, value in settings["theme"].items() if name != "custom_dir"}
    names = {"en": "English", "zh": "中文"}
    return {
        **{name: value for name, value in settings.items() if name not in ("hooks", "extra")},
        "site_url": f"{SITE_URL}{edition.language}/",
        "docs_dir": f"docs/{edition.language}",
        "site_dir": f"site/{edition.language}",
        "theme": theme,
        "nav": edition.nav(),
        "not_in_nav": f"/{NOTEBOOKS}\n",
        "extra": {
            "generator": False,
            "alternate": [
                {"name": names[language], "link": f"../{language}/", "lang": language}
                for language in LANGUAGES
            ],
        },
    }
