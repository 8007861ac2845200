"""MkDocs' events, each handed to a plain function of torchclinic. MkDocs loads it by its path, from anywhere."""

from __future__ import annotations

import logging
import os
import re
import sys
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import Abort
from mkdocs.plugins import event_priority
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from mkdocs.structure.toc import get_toc

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # `mkdocs` does not look where it was started

from torchclinic.site import minify, notebook, patches
from torchclinic.site.build import ONLY, Site
from torchclinic.site.labels import LABELS

log = logging.getLogger("mkdocs.hooks.torchclinic")  # below `mkdocs`, so that --strict counts its warnings
#: The address of its search worker, in the settings that Material writes into each page.
MATERIALS_SEARCH = re.compile(r"javascripts/workers/search\.\w+\.min\.js")
site: Site


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Read the catalogue; make the nav from its topics."""
    global site
    root = Path(config.config_file_path).resolve().parent
    site = Site(root, config.theme["language"], config.repo_url or "")
    for problem in site.catalogue.problems:
        log.warning("%s", problem)
    if site.catalogue.problems and config.strict:
        raise Abort(f"The catalogue has {len(site.catalogue.problems)} problems, see above; nothing was built.")
    if base := os.environ.get("SITE_URL"):
        config.site_url = f"{base.rstrip('/')}/{site.language}/"
    config.nav = site.nav()
    config.mdx_configs["toc"]["permalink_title"] = LABELS[site.language]["permalink"]
    patches.own_notebooks(root / "overrides" / "notebook")
    patches.colour_less()
    if ONLY in os.environ:
        patches.make_only({name.partition("/")[2] for name in os.environ[ONLY].split() if name.startswith(f"{site.language}/")})
    return config


@event_priority(100)  # before mkdocs-jupyter looks for notebooks
def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add what is generated, and the assets that both languages share."""
    for folder, name in [*site.generate(), *site.assets()]:
        files.append(File(name, str(folder), config.site_dir, config.use_directory_urls))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Expand directives; set description and tags."""
    facts, text = site.page(page.file.src_uri, markdown)
    page.meta.update(facts)
    page.meta["search"] = {"exclude": True}  # the search's index is our own
    if site.is_notebook(page.file.src_uri):
        page.edit_url = None
    return text


def on_page_content(html: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Give notebooks the headings and the anchors of any other page."""
    name = page.file.src_uri
    symptom = site.symptom_of(name)
    if symptom is not None and site.is_notebook(name):
        page.title = notebook.title(symptom, site.language)
        page.toc = get_toc(notebook.toc(symptom, site.language))
        html = notebook.page_html(site.catalogue, symptom, site.language, html)
    return html


def on_env(env: Any, config: MkDocsConfig, files: Files) -> Any:
    """Let the templates use our labels and start our search where Material starts its own, and leave no indents."""
    env.add_extension(minify.Tight)
    env.globals["labels"] = LABELS[site.language]
    env.filters["own_search"] = lambda settings: MATERIALS_SEARCH.sub("search-worker.js", settings)
    return env


def on_page_context(context: Any, page: Page, config: MkDocsConfig, nav: Any) -> Any:
    """Let main.html say what a page is to a search engine."""
    context["head"] = site.head(page.file.src_uri, page.url, base_of(config))
    return context


def base_of(config: MkDocsConfig) -> str:
    """Address of the site's root: that of both languages."""
    return (config.site_url or "").removesuffix(f"{site.language}/")


def on_post_build(config: MkDocsConfig) -> None:
    """What needs the whole site: index of the lookup, search index, what machines read, content security policy."""
    if ONLY not in os.environ:
        site.finish(Path(config.site_dir), base_of(config))
