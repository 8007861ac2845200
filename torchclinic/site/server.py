"""Serves a built site on this machine, as a host would."""

from __future__ import annotations

import functools
import http.server
import re
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .. import LANGUAGES, ROOT

#: What a page's address looks like, without its language.
_ADDRESS = re.compile(r"(?:[a-z0-9-]+/)*[a-z0-9-]*")


class Handler(http.server.SimpleHTTPRequestHandler):
    """Static files as a host serves them: /x leads to /x/, what is missing gets the root 404.html,
    nothing is kept from an earlier build.

    Args:
        may_come: told the address of what is missing; whether it is being built. Then a page says
            so, which asks again by itself.
    """

    extensions_map = {
        **http.server.SimpleHTTPRequestHandler.extensions_map,
        ".js": "text/javascript",
        ".html": "text/html; charset=utf-8",
        ".py": "text/plain; charset=utf-8",
        ".ipynb": "application/json",
        ".webmanifest": "application/manifest+json",
        ".json": "application/json",
        ".md": "text/markdown; charset=utf-8",
        ".txt": "text/plain; charset=utf-8",
        ".xml": "application/xml",
    }

    def __init__(
        self,
        *request: Any,
        directory: str,
        may_come: Callable[[str], bool] = lambda address: False,
    ):
        self.may_come = may_come
        super().__init__(*request, directory=directory)

    def end_headers(self) -> None:
        self.send_header("Cache-Control", "no-cache")
        super().end_headers()

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        missing = Path(self.directory, "404.html")
        if code == 404 and self.may_come(self.path):
            self._send(503, ROOT / "overrides/root/waiting.html", ("Retry-After", "2"))
        elif code == 404 and missing.exists():
            self._send(404, missing)
        else:
            super().send_error(code, message, explain)

    def _send(self, code: int, page: Path, *headers: tuple[str, str]) -> None:
        body = page.read_bytes()
        self.send_response(code)
        for name, value in (
            ("Content-Type", "text/html; charset=utf-8"),
            ("Content-Length", str(len(body))),
            *headers,
        ):
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def list_directory(self, path: str) -> None:  # type: ignore[override]
        self.send_error(404)

    def log_message(self, format: str, *arguments: object) -> None:
        """The terminal is for the builds."""


def listen(
    folder: Path, port: int, may_come: Callable[[str], bool] = lambda address: False
) -> http.server.ThreadingHTTPServer:
    """A running server of a folder, on this machine only. Raises: OSError if the port is taken."""
    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", port), functools.partial(Handler, directory=str(folder), may_come=may_come)
    )
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def sources_of(address: str) -> set[str]:
    """What the page at an address may be made from, as build.refresh takes it.

    >>> sorted(sources_of("/zh/nn/bn-one-value/?q=x"))
    ['zh/nn/bn-one-value.md', 'zh/nn/bn-one-value/index.md']
    >>> sources_of("/en/assets/site.css")
    set()
    """
    language, _, rest = address.partition("?")[0].lstrip("/").partition("/")
    if language not in LANGUAGES or not _ADDRESS.fullmatch(rest):
        return set()
    name = rest.rstrip("/")
    if not name:
        return {f"{language}/index.md"}
    return {f"{language}/{name}.md", f"{language}/{name}/index.md"}
