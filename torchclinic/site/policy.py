"""The content security policy of pages: where the reader's own scripts and styles may come from."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable

from selectolax.lexbor import LexborHTMLParser

POLICY = (
    "default-src 'self'; script-src 'self'{hashes}; img-src 'self' data:; object-src 'none'; "
    "base-uri 'self'; form-action 'self'"
)
#: What stands before the policy: asked before anything else.
_CHARSET = re.compile(r'<meta charset="?utf-8"?>')
#: Types of scripts that run, and so must be named. JSON-LD is data, and is not asked about.
_RUNS = (None, "", "module", "text/javascript")


def scripts(tree: LexborHTMLParser) -> set[str]:
    """The scripts that stand in a page.

    >>> page = '<script>c()</script><script type="application/ld+json">{}</script>'
    >>> scripts(LexborHTMLParser(page))
    {'c()'}
    """
    return {
        node.text()
        for node in tree.css("script:not([src])")
        if node.attributes.get("type") in _RUNS
    }


def of(scripts: Iterable[str]) -> str:
    """The policy of pages that these scripts stand in."""
    hashes = sorted(
        base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts
    )
    return POLICY.format(hashes="".join(f" 'sha256-{value}'" for value in hashes))


def read(page: str) -> str:
    """The policy that a page has; "" if none."""
    node = LexborHTMLParser(page).css_first("meta[http-equiv=Content-Security-Policy]")
    return (node.attributes["content"] or "") if node else ""


def added(page: str, policy: str = "") -> str:
    """The page with a policy: that of its own scripts, if left out.

    Raises: ValueError (it does not begin as our templates do).
    """
    policy = policy or of(scripts(LexborHTMLParser(page)))
    tag = f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
    text, count = _CHARSET.subn(lambda charset: charset[0] + tag, page, count=1)
    if not count:
        raise ValueError("a page without <meta charset>, after which its policy stands")
    return text
