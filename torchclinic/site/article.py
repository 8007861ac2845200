"""An article: a symptom or a tip, whose page is made from more than its own Markdown."""

from __future__ import annotations

from ..content.catalogue import Catalogue
from ..content.symptom import Symptom
from ..content.tip import Tip
from . import symptom_page, tip_page

Article = Symptom | Tip


def articles(catalogue: Catalogue) -> list[Article]:
    """All, symptoms first."""
    return [*catalogue.symptoms.values(), *catalogue.tips.values()]


def of_source(catalogue: Catalogue, name: str) -> Article | None:
    """The article whose page is made from this source, e.g. `autograd/hooks.md`."""
    stem = name.rpartition("/")[2].removesuffix(".md")
    for article in (catalogue.symptoms.get(stem), catalogue.tips.get(stem)):
        if article is not None and name == f"{article.id}.md":
            return article
    return None


def tags(article: Article) -> list[str]:
    return article.facts.tags if isinstance(article, Tip) else article.snippet.tags


def markdown(catalogue: Catalogue, article: Article, language: str, repository: str = "") -> str:
    """The page as Markdown, with all directives expanded.

    Args:
        repository: where its sources are edited; "" if they are only named.
    """
    if isinstance(article, Tip):
        return tip_page.tip_page(catalogue, article, language, repository)
    return symptom_page.symptom_page(catalogue, article, language, repository)
