"""One language of the site: what mkdocs_hooks.py asks for while MkDocs runs, and what is written
when it has ended.

Nothing here, and nothing that MkDocs reads, imports torch: the site shows evidence that was
recorded before.
"""

from __future__ import annotations

import os
import pickle
import shutil
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from selectolax.lexbor import LexborHTMLParser

from .. import LANGUAGES
from ..content import catalogue, chinese, index, overview, words
from ..content.symptom import Symptom
from . import (
    article,
    changed,
    checks_file,
    file_scheme,
    home,
    lists,
    machine_readable,
    messages,
    notebook,
    parts,
    policy,
    redirect_pages,
    routes,
    styles,
)
from .article import Article
from .labels import LABELS, script

#: Environment variable: the file with the catalogue, which `build` reads once for both languages.
CATALOGUE = "TORCHCLINIC_CATALOGUE"
NOTEBOOKS = "notebooks/"
#: Scripts that the build completes.
SCRIPTS = "docs/root"
_ASSETS = {".js", ".css", ".svg", ".png"}
_ALL_SYMPTOMS = ("symptoms/index", "no-message", "messages", "exceptions", "changed")
_ABOUT = (
    *(
        "about",
        "verified",
        "sources",
        "terminal",
        "cluster-logs",
        "maintainers",
        "contribute",
        "lend",
    ),
    *("unknown", "machines"),
)


class Edition:
    """One language of the site, for one run of MkDocs."""

    def __init__(self, root: Path, language: str, repository: str = ""):
        self.root, self.language, self.repository = root, language, repository
        file = os.environ.get(CATALOGUE)
        self.catalogue: catalogue.Catalogue = (
            pickle.loads(Path(file).read_bytes()) if file else catalogue.load(root, lint=False)
        )
        #: Of each article that was made: its Markdown, from which its copy is made as well.
        self.markdown: dict[str, str] = {}

    # ---- before

    def nav(self) -> list[Any]:
        """MkDocs' setting `nav`."""
        label = LABELS[self.language]
        symptoms: list[Any] = [f"{name}.md" for name in _ALL_SYMPTOMS]
        for topic, members in lists.topics(self.catalogue).items():
            pages = [f"{symptom.id}.md" for symptom in members if self.language in symptom.pages]
            symptoms.append({self._topic(topic): [f"{topic}/index.md", *pages]})
        tips: list[Any] = ["tips/index.md", "cheat-sheet.md"]
        for topic, about in lists.tips_by_topic(self.catalogue, self.language).items():
            tips.append({self._topic(topic): [f"{tip.id}.md" for tip in about]})
        ways = routes.names(self.root, self.language)
        return [
            {label["home"]: "index.md"},
            {label["lookup"]: "lookup.md"},
            {label["symptoms"]: symptoms},
            *([{label["routes"]: ways}] if ways else []),
            {label["tips"]: tips},
            {label["tags"]: "tags.md"},
            {label["about"]: [f"{name}.md" for name in _ABOUT]},
        ]

    def _topic(self, topic: str) -> str:
        return parts.topic_name(self.catalogue, topic, self.language)

    def generated(self, only: Collection[str] = ()) -> dict[str, str]:
        """Sources and files that stand nowhere: name -> text.

        Args:
            only: sources of the pages that will be made; all if there is none. Notebooks that
                none of them is or links are left out.
        """
        texts = self._lists()
        words_script = (self.root / SCRIPTS / "words.js").read_text(encoding="utf-8")
        texts["assets/words.js"] = script(words_script, self.language)
        texts["torchclinic_checks.py"] = checks_file.joined(self.root / "torchclinic/checks")
        texts |= routes.programs(self.root, self.language)
        for symptom in self.catalogue.symptoms.values():
            page = f"{symptom.id}.md"
            if self.language in symptom.pages and (
                not only or page in only or f"{NOTEBOOKS}{page}" in only
            ):
                texts |= self._notebook(symptom)
        return texts

    def _lists(self) -> dict[str, str]:
        loaded, language = self.catalogue, self.language
        texts = {
            "symptoms/index.md": lists.symptoms_page(loaded, language),
            "messages.md": messages.messages_page(loaded, language),
            "exceptions.md": messages.exceptions_page(loaded, language),
            "changed.md": changed.page(loaded, language),
            "tips/index.md": lists.tips_page(loaded, language),
            "cheat-sheet.md": lists.cheat_sheet(loaded, language),
            "sources.md": lists.sources_page(loaded, language),
        }
        for topic in lists.topics(loaded):
            # An overview is written by hand, with the list in it.
            if not overview.path(self.root, topic, language).is_file():
                texts[f"{topic}/index.md"] = lists.topic_page(loaded, topic, language)
        return texts

    def _notebook(self, symptom: Symptom) -> dict[str, str]:
        """A notebook's page, and the files that it offers."""
        name = f"{NOTEBOOKS}{symptom.id}"
        file = notebook.dumps(notebook.make(self.catalogue, symptom, self.language))
        return {
            f"{name}.md": notebook.page(self.catalogue, symptom, self.language),
            f"{name}/{symptom.stem}.ipynb": file,
            f"{name}.py": symptom.code(self.language).text,
        }

    def assets(self) -> list[tuple[Path, str]]:
        """(folder, name) of the styles and scripts, which belong to no language."""
        docs = self.root / "docs"
        return [
            (docs, file.relative_to(docs).as_posix())
            for file in sorted((docs / "assets").rglob("*"))
            if file.suffix in _ASSETS
        ]

    # ---- each page

    def article(self, name: str) -> Article | None:
        """The article in this language whose page is made from this source."""
        shown = article.of_source(self.catalogue, name)
        return shown if shown and self.language in shown.pages else None

    def page(self, name: str, text: str, meta: Mapping[str, Any]) -> tuple[dict[str, Any], str]:
        """What a page's front matter gains, and its Markdown with all directives expanded.

        Args:
            name: of the page's source.
            text: that source, without its front matter.
            meta: the front matter.
        """
        if name.startswith(NOTEBOOKS):
            symptom = self.article(name.removeprefix(NOTEBOOKS))
            description = parts.description(symptom, self.language) if symptom else ""
            return {"description": description, "hide": ["navigation"]}, text
        shown = self.article(name)
        if shown is None:
            text = chinese.joined(text) if self.language == "zh" else text
            text = routes.expand(self.root, text, meta.get("comments", {}), self.language)
            return {}, home.expand(self.catalogue, text, self.language)
        facts = {
            "description": parts.description(shown, self.language),
            # Symptoms before tips, and these before pages about this site.
            "search": {"boost": 4 if isinstance(shown, Symptom) else 2},
            "tags": parts.tag_names(self.catalogue, article.tags(shown), self.language),
        }
        text = article.markdown(self.catalogue, shown, self.language, self.repository)
        self.markdown[shown.id] = text
        return facts, text

    def head(self, name: str, url: str, base: str) -> dict[str, Any]:
        """What main.html puts into a page's head, beyond what MkDocs knows.

        Args:
            name: of the page's source.
            url: of the page, in its language.
            base: address of the site's root, with a slash at its end.
        """
        shown = self.article(name)
        here_first = sorted(LANGUAGES, key=lambda language: language != self.language)
        return {
            "alternates": {language: f"{base}{language}/{url}" for language in LANGUAGES},
            "locales": {language: machine_readable.LOCALES[language] for language in here_first},
            "article": machine_readable.article(self.catalogue, shown, self.language, base)
            if shown
            else "",
        }

    # ---- after MkDocs

    def finish(self, out: Path, base: str) -> None:
        """Write what needs the whole site: the indexes, what machines read, the redirects; give
        every page the policy; make light what every page loads."""
        self._write_for_machines(out, base)
        index.write(self.catalogue.index((self.language,)), out / "assets")
        self._write_search(out / "assets")
        file_scheme.write(out, self.root / SCRIPTS / "file.js")
        used: set[str] = set()
        scripts: set[str] = set()
        pages = {file: file.read_text(encoding="utf-8") for file in out.rglob("*.html")}
        for page in pages.values():
            tree = LexborHTMLParser(page)
            used |= styles.names(tree)
            scripts |= policy.scripts(tree)
        shared = policy.of(scripts)  # for all of them: a host may send it as a header, too
        for file, page in pages.items():
            file.write_text(policy.added(page, shared), encoding="utf-8")
        styles.lighten(out / "assets", used, scripts)

    def _write_for_machines(self, out: Path, base: str) -> None:
        machine_readable.write_language(self.catalogue, out, self.language, base, self.markdown)
        redirect_pages.write(
            self.catalogue.redirects,
            {shown.id: shown.title(self.language) for shown in article.articles(self.catalogue)},
            out,
            self.language,
            machine_readable.address(base, self.language),
        )

    def _write_search(self, assets: Path) -> None:
        """The index of the search, in place of Material's engine, and the words of its answers:
        its worker needs no other file."""
        overviews = lists.overviews(self.catalogue, self.language)
        searched = dict(self.catalogue.search_index(self.language, overviews))
        texts = index.dumps(searched.pop("texts"))
        (assets / "search-texts.json").write_text(texts, encoding="utf-8")
        answer = words.of(self.language, "answer")
        searched["words"] = words.of(self.language, "search") | {
            name: answer[name] for name in ("cause", "leaning")
        }
        (assets / "search.json").write_text(index.dumps(searched), encoding="utf-8")
        for name in ("lunr", "workers"):
            shutil.rmtree(assets / "javascripts" / name)
