"""All that is replaced within MkDocs, mkdocs-jupyter and nbconvert. None of it is promised to stay, so each piece is looked at before it is replaced:
where it has changed the build stops and says so. tests/test_patches.py says it earlier, and of changes that no signature shows.
"""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from types import CodeType
from typing import Any

import jinja2
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import Files
from mkdocs.structure.pages import Page
from pygments.token import STANDARD_TYPES, Token


class Outdated(PluginError):
    """A package is no longer what is relied on here."""


@dataclass(frozen=True)
class Pin:
    """What is replaced.

    Attributes:
        place: `module:name`, or `module:Class.name`.
        parameters: of the function; None if it is none.
        user: the function that looks the name up each time, so that it finds the replacement.
    """

    place: str
    parameters: tuple[str, ...] | None
    user: str

    @property
    def name(self) -> str:
        return re.split("[:.]", self.place)[-1]


POPULATE = Pin("mkdocs.commands.build:_populate_page", ("page", "config", "files", "dirty"), "mkdocs.commands.build:build")
MAKE = Pin("mkdocs.commands.build:_build_page", ("page", "config", "doc_files", "nav", "env", "dirty", "excluded"), "mkdocs.commands.build:build")
TEMPLATES = Pin("mkdocs_jupyter.config:settings.templates_dir", None, "mkdocs_jupyter.nbconvert2:nb2html")
CONTENTS = Pin("mkdocs_jupyter.plugin:_get_nb_toc_tokens", ("fpath", "toc_depth"), "mkdocs_jupyter.plugin:Plugin.on_pre_page")
SOUP = Pin("nbconvert.exporters.html:BeautifulSoup", None, "nbconvert.exporters.html:HTMLExporter.from_notebook_node")
VALIDATE = Pin(
    "nbconvert.exporters.html:HTMLExporter._validate_preprocessor", ("self", "nbc", "preprocessor"), "nbconvert.exporters.html:HTMLExporter._preprocess"
)
ENVIRONMENT = Pin(
    "nbconvert.exporters.templateexporter:TemplateExporter._create_environment",
    ("self",),
    "nbconvert.exporters.templateexporter:TemplateExporter.environment",
)
PINS = (POPULATE, MAKE, TEMPLATES, CONTENTS, SOUP, VALIDATE, ENVIRONMENT)
_ORIGINALS: dict[Pin, Any] = {}


def find(place: str) -> tuple[Any, str]:
    """What has the attribute that `place` names, and the attribute's name. Raises: ImportError, AttributeError."""
    module, _, path = place.partition(":")
    owner: Any = importlib.import_module(module)
    *outer, name = path.split(".")
    for part in outer:
        owner = getattr(owner, part)
    getattr(owner, name)
    return owner, name


def changed(pin: Pin) -> str:
    """What is no longer as it is relied on; "" if all is."""
    for place in (pin.place, pin.user):
        try:
            find(place)
        except (ImportError, AttributeError):
            return f"there is no {place}"
    made, user = (getattr(*find(place)) for place in (pin.place, pin.user))
    if pin.parameters is not None and tuple(inspect.signature(made).parameters) != pin.parameters:
        return f"{pin.place} takes ({', '.join(inspect.signature(made).parameters)}), not ({', '.join(pin.parameters)})"
    code = getattr(user.fget if isinstance(user, property) else user, "__code__", None)
    if code is None or not _mentions(code, pin.name):
        return f"{pin.user} does not ask for {pin.name}"
    return ""


def _mentions(code: CodeType, name: str) -> bool:
    """Whether a function, or one within it, looks a name up."""
    return name in code.co_names or any(_mentions(inner, name) for inner in code.co_consts if isinstance(inner, CodeType))


def replace(pin: Pin, make: Callable[[Any], Any]) -> None:
    """Put `make(what was there)` in its place; again and again, always from what the package itself had there.

    Raises: Outdated.
    """
    if pin not in _ORIGINALS:
        if why := changed(pin):
            package = pin.place.partition(".")[0]
            version = metadata.version(package.replace("_", "-"))
            raise Outdated(
                f"{package} {version}: {why}. torchclinic/site/patches.py replaces {pin.place}. Install the release that constraints.txt names, "
                "or read what the new one does there and bring patches.py along."
            )
        _ORIGINALS[pin] = getattr(*find(pin.place))
    owner, name = find(pin.place)
    setattr(owner, name, make(_ORIGINALS[pin]))


# ---- MkDocs: single pages


def make_only(names: set[str]) -> None:
    """Let MkDocs make these pages alone. Of the others it reads the titles, for the nav."""

    def populate_some(populate: Callable[..., None]) -> Callable[..., None]:
        def some(page: Page, config: MkDocsConfig, files: Files, dirty: bool = False) -> None:
            if page.file.src_uri in {*names, "tags.md"}:  # a page's tags are links to that one
                populate(page, config, files, dirty)
                page.meta["search"] = {"exclude": True}  # the index of the whole site stays
            else:
                page.read_source(config)
                page.content = ""
                if heading := re.search(r"^# (.+)$", page.markdown or "", re.MULTILINE):
                    page.meta.setdefault("title", heading[1])

        return some

    def make_some(make: Callable[..., None]) -> Callable[..., None]:
        def some(page: Page, *rest: Any, **options: Any) -> None:
            if page.file.src_uri in names:
                make(page, *rest, **options)

        return some

    replace(POPULATE, populate_some)
    replace(MAKE, make_some)


# ---- Pygments: lighter code


def colour_less() -> None:
    """No spans for plain names and blanks in code, which have the colour of their surroundings: a fifth of a page."""
    STANDARD_TYPES.update({Token.Name: "", Token.Text.Whitespace: ""})


# ---- mkdocs-jupyter: lighter and faster


class _NotParsed(str):
    """Stands in for BeautifulSoup, by which nbconvert finds images and cells to amend: half of its time, and here there are none."""

    def __new__(cls, text: str, features: str = "") -> _NotParsed:
        return super().__new__(cls, text)

    def select(self, selector: str) -> tuple[()]:
        return ()


class _Memory(jinja2.BytecodeCache):
    """Each template is compiled once, not once a notebook."""

    def __init__(self) -> None:
        self.code: dict[str, bytes] = {}

    def load_bytecode(self, bucket: jinja2.bccache.Bucket) -> None:
        if bucket.key in self.code:
            bucket.bytecode_from_string(self.code[bucket.key])

    def dump_bytecode(self, bucket: jinja2.bccache.Bucket) -> None:
        self.code[bucket.key] = bucket.bytecode_to_string()


def own_notebooks(templates: Path) -> None:
    """Make mkdocs-jupyter use our templates, and spare it work whose result is not used: 20 times as fast as it is."""
    memory = _Memory()

    def with_memory(create: Callable[[Any], jinja2.Environment]) -> Callable[[Any], jinja2.Environment]:
        def made(self: Any) -> jinja2.Environment:
            environment = create(self)
            environment.bytecode_cache = memory
            return environment

        return made

    replace(TEMPLATES, lambda _: str(templates))
    replace(CONTENTS, lambda _: lambda *arguments: ([], None))  # title and contents are known: no second conversion to find them
    replace(SOUP, lambda _: _NotParsed)
    replace(VALIDATE, lambda _: lambda *arguments: None)  # what notebook.make makes is valid; a dozen steps that change nothing would ask
    replace(ENVIRONMENT, with_memory)
