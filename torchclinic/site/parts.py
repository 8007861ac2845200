"""What the pages of symptoms, of tips and of lists have in common: names of topics and tags,
summaries, programs, sources, search words."""

from __future__ import annotations

import html

from ..content.catalogue import Catalogue
from ..content.figure import alternative
from ..content.page import Page
from ..content.symptom import Symptom
from ..content.tip import PROGRAMS, Tip
from .labels import LABELS
from .markup import fence, plain

#: Synonyms shown at the foot of a page.
SYNONYMS = 8


def topic_name(catalogue: Catalogue, topic: str, language: str) -> str:
    return catalogue.topics[topic].get(language, topic)


def tag_names(catalogue: Catalogue, tags: list[str], language: str) -> list[str]:
    return [
        catalogue.tags[tag][language] for tag in tags if language in catalogue.tags.get(tag, {})
    ]


def summary(shown: Symptom | Tip, language: str) -> str:
    page = shown.pages.get(language)
    return page.front.summary if page else ""


def description(shown: Symptom | Tip, language: str) -> str:
    """The summary without Markdown's marks, for search engines."""
    return summary(shown, language).replace("`", "")


def figure(catalogue: Catalogue, name: str, language: str, page: str) -> str:
    """A figure in both colour schemes, of which Material shows the one that fits.

    Args:
        page: the id of the page that it is on.
    """
    alt = html.escape(alternative(catalogue.root, name, language), quote=True).replace("]", "")
    up = "../" * page.count("/")
    return "\n".join(
        f"![{alt}]({up}assets/figures/{name}-{language}-{scheme}.svg#only-{scheme})"
        "{ width=672 height=326 }"
        for scheme in ("light", "dark")
    )


def program(catalogue: Catalogue, name: str) -> str:
    """A program of docs/programs, whole, under its name."""
    text = (catalogue.root / PROGRAMS / name).read_text(encoding="utf-8")
    return fence(text.rstrip("\n"), "python", name)


def sources(catalogue: Catalogue, rows: list[str], language: str) -> list[str]:
    """The documents whose entries (`rows`) a page answers, in one line."""
    names = []
    for document in dict.fromkeys(row.partition("-")[0] for row in rows):
        source = catalogue.sources[document]
        facts = [source[name] for name in ("title", "author", "licence") if name in source]
        names.append(html.escape(LABELS[language]["comma"].join(facts), quote=False))
    if not names:
        return []
    label = LABELS[language]
    note = label["after"].format(sources=label["join"].join(names))
    return ["", f'<p class="tc-note" markdown="0">{note}</p>']


def synonyms(page: Page, language: str) -> list[str]:
    """The first of them, in the order of the page: enough to see that one is right here. The search
    and the page's keywords have all."""
    label, typed = LABELS[language], map(plain, page.front.synonyms[:SYNONYMS])
    line = f"{label['also']}{label['words'].join(typed)}\n{{ .tc-note }}"
    return ["", line] if page.front.synonyms else []


def host(address: str) -> str:
    """Whose documentation an address is of."""
    name = address.partition("://")[2].partition("/")[0]
    owners = {"pytorch.org": "PyTorch", "nvidia.com": "NVIDIA", "python.org": "Python"}
    return next((owner for end, owner in owners.items() if name.endswith(end)), name)


def docs_name(address: str) -> str:
    """What to call a page of PyTorch's documentation: `torch.Tensor.backward`,
    `notes/autograd#in-place`."""
    path, _, anchor = address.partition("#")
    name = path.rstrip("/").rpartition("/")[2].removesuffix(".html")
    if anchor and not anchor.startswith("torch."):
        return f"{name}: {anchor.replace('-', ' ')}"
    return anchor or name
