"""MkDocs' events, each handed to a plain function of torchclinic. MkDocs loads it by its path."""

from __future__ import annotations

import logging
import os
import re
import sys
from pathlib import Path
from typing import Any

import minify_html
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import Abort
from mkdocs.structure.files import File, Files, InclusionLevel
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page
from pygments.token import STANDARD_TYPES, Token

# `mkdocs` does not look where it was started.
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from torchclinic.site.build import ONLY
from torchclinic.site.edition import Edition
from torchclinic.site.labels import LABELS

# Below `mkdocs`, so that --strict counts its warnings.
log = logging.getLogger("mkdocs.hooks.torchclinic")
#: The address of its search worker, in the settings that Material writes into each page.
MATERIALS_SEARCH = re.compile(r"javascripts/workers/search\.\w+\.min\.js")
edition: Edition
#: Sources of the pages to make; all if there is none.
only: set[str]


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Read the catalogue; make the nav from its topics."""
    global edition, only
    root = Path(config.config_file_path).resolve().parent
    edition = Edition(root, str(config.theme["language"]), config.repo_url or "")
    wanted = [name.partition("/") for name in os.environ.get(ONLY, "").split()]
    only = {name for language, _, name in wanted if language == edition.language}
    problems = edition.catalogue.problems
    for problem in problems:
        log.warning("%s", problem)
    if problems and config.strict:
        raise Abort(f"The catalogue has {len(problems)} problems, see above; nothing was built.")
    if base := os.environ.get("SITE_URL"):
        config.site_url = f"{base.rstrip('/')}/{edition.language}/"
    config.nav = edition.nav()
    config.mdx_configs["toc"]["permalink_title"] = LABELS[edition.language]["permalink"]
    # No spans for plain names and blanks in code, which look as what surrounds them: a fifth of a
    # page.
    STANDARD_TYPES.update({Token.Name: "", Token.Text.Whitespace: ""})
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add what is generated, and the assets that both languages share."""
    for name, text in edition.generated(only).items():
        files.append(File.generated(config, name, content=text))
    for folder, name in edition.assets():
        files.append(File(name, str(folder), config.site_dir, config.use_directory_urls))
    if only:
        for file in files.documentation_pages():
            if file.src_uri not in {*only, "tags.md"}:  # a page's tags are links to that one
                file.inclusion = InclusionLevel.EXCLUDED
    return files


def on_nav(nav: Navigation, config: MkDocsConfig, files: Files) -> Navigation:
    """Of pages that are not made, the nav has the titles."""
    for page in nav.pages:
        if page.file.inclusion == InclusionLevel.EXCLUDED:
            if shown := edition.article(page.file.src_uri):
                page.title = shown.title(edition.language)
                continue
            page.read_source(config)
            if heading := re.search(r"^# (.+)$", page.markdown or "", re.MULTILINE):
                page.meta.setdefault("title", heading[1])
    return nav


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Expand directives; set description and tags."""
    facts, text = edition.page(page.file.src_uri, markdown, page.meta)
    page.meta.update(facts)
    page.meta["search"] = {"exclude": True}  # the search's index is our own
    return text


def on_env(env: Any, config: MkDocsConfig, files: Files) -> Any:
    """Let the templates use our labels, and start our search where Material starts its own."""
    env.globals["labels"] = LABELS[edition.language]
    env.filters["own_search"] = lambda settings: MATERIALS_SEARCH.sub("search-worker.js", settings)
    return env


def on_page_context(context: Any, page: Page, config: MkDocsConfig, nav: Navigation) -> Any:
    """Let main.html say what a page is to a search engine."""
    context["head"] = edition.head(page.file.src_uri, page.url, base_of(config))
    return context


def on_post_page(output: str, page: Page, config: MkDocsConfig) -> str:
    """No indents, no comments. The tags that HTML lets one leave out stay, for simple readers."""
    return minify_html.minify(
        output,
        keep_closing_tags=True,
        keep_html_and_head_opening_tags=True,
        keep_input_type_text_attr=True,
    )


def base_of(config: MkDocsConfig) -> str:
    """Address of the site's root: that of both languages."""
    return (config.site_url or "").removesuffix(f"{edition.language}/")


def on_post_build(config: MkDocsConfig) -> None:
    """What needs the whole site: index of the lookup, search index, what machines read, policy."""
    if not only:
        edition.finish(Path(config.site_dir), base_of(config))
