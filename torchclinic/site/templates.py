"""Pages, files and pieces of HTML whose shape stands in a template of `templates/`."""

from __future__ import annotations

import functools
import html
import re
from pathlib import Path
from typing import Any
from xml.sax import saxutils

from .labels import LABELS
from .markup import plain

_NO_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render(name: str, language: str, /, **values: Any) -> str:
    """A template, filled; it knows the language and its labels."""
    template = _environment().get_template(name)
    return str(template.render(language=language, label=LABELS[language], **values))


@functools.cache
def _environment() -> Any:
    """Jinja is MkDocs' own; who only answers from a checkout has neither."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(Path(__file__).with_name("templates")),
        undefined=StrictUndefined,
        keep_trailing_newline=True,
        trim_blocks=True,
        lstrip_blocks=True,
        comment_start_string="{##",  # `{#` begins an anchor
        comment_end_string="##}",
    )
    environment.filters |= {
        "html": html.escape,
        "oneline": functools.partial(re.sub, r"\n\s*", ""),
        "plain": plain,
        "repr": repr,
        "xml": lambda text: saxutils.escape(_NO_XML.sub("", text)),
    }
    return environment
