"""Serves the built site on this machine, and builds it again when a source changes."""

from __future__ import annotations

import functools
import http.server
import subprocess
import sys
import threading
import time
import webbrowser
from collections.abc import Iterator
from pathlib import Path

from . import answer

WATCHED = (
    "docs",
    "snippets",
    "evidence",
    "known",
    "torchclinic",
    "overrides",
    "vocabulary.yml",
    "redirects.yml",
    "mkdocs.yml",
    "mkdocs.zh.yml",
    "mkdocs_hooks.py",
)
#: Seconds between two looks at the files.
PAUSE = 0.7


class Handler(http.server.SimpleHTTPRequestHandler):
    """Static files as a host serves them: /x leads to /x/, what is missing gets the root 404.html, nothing is kept from an earlier build."""

    extensions_map = {
        **http.server.SimpleHTTPRequestHandler.extensions_map,
        ".js": "text/javascript",
        ".html": "text/html; charset=utf-8",
        ".py": "text/plain; charset=utf-8",
        ".ipynb": "application/json",
        ".json": "application/json",
        ".md": "text/markdown; charset=utf-8",
        ".txt": "text/plain; charset=utf-8",
        ".xml": "application/xml",
    }

    def end_headers(self) -> None:
        self.send_header("Cache-Control", "no-cache")
        super().end_headers()

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        page = Path(self.directory, "404.html")
        if code != 404 or not page.exists():
            super().send_error(code, message, explain)
            return
        body = page.read_bytes()
        self.send_response(404)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def list_directory(self, path: str) -> None:  # type: ignore[override]
        self.send_error(404)

    def log_message(self, format: str, *arguments: object) -> None:
        """The terminal is for the builds."""


def listen(folder: Path, port: int) -> http.server.ThreadingHTTPServer:
    """A running server of a folder, on this machine only. Raises: OSError if the port is taken."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", port), functools.partial(Handler, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def serve(root: Path, port: int, open_browser: bool) -> int:
    """Build, serve, open the lookup, and build again after every change, until interrupted; the exit status."""
    out = root / ".cache" / "serve"
    out.mkdir(parents=True, exist_ok=True)
    try:
        server = listen(out, port)
    except OSError as error:
        print(f"Port {port} cannot be used ({error.strerror}). Is the site being served already? Else take another: --port {port + 1}", file=sys.stderr)
        return 2
    address = f"http://127.0.0.1:{server.server_port}/"
    print("Building both languages …", flush=True)
    seen = snapshot(root)
    status = _build(root, out, address)
    page = f"{address}{answer.language_of_locale()}/lookup/"
    print(f"Serving at {address}  (lookup: {page})  Ctrl-C stops.", flush=True)
    if open_browser and status == 0:
        webbrowser.open(page)
    try:
        while True:
            seen = _after_change(root, seen)
            _build(root, out, address)
    except KeyboardInterrupt:
        print()
        return 0
    finally:
        server.shutdown()


def _build(root: Path, out: Path, address: str) -> int:
    """A build in a fresh process, so that changes of the generator count as well."""
    program = "import sys; from pathlib import Path; from torchclinic import site; sys.exit(site.build(Path(sys.argv[1]), Path(sys.argv[2]), site_url=sys.argv[3], strict=False))"
    return subprocess.run([sys.executable, "-c", program, str(root), str(out), address], cwd=root, check=False).returncode


def snapshot(root: Path) -> dict[str, int]:
    """When each watched file was last written."""
    return dict(_times(root))


def _times(root: Path) -> Iterator[tuple[str, int]]:
    for name in WATCHED:
        path = root / name
        for file in path.rglob("*") if path.is_dir() else [path]:
            try:
                if file.is_file() and "__pycache__" not in file.parts:
                    yield str(file), file.stat().st_mtime_ns
            except OSError:  # gone while we looked
                continue


def _after_change(root: Path, seen: dict[str, int]) -> dict[str, int]:
    """Wait for a change, and for it to be over: an editor or a branch switch writes many files."""
    now = snapshot(root)
    while now == seen:
        time.sleep(PAUSE)
        now = snapshot(root)
    changed = sorted(file for file in now.keys() | seen.keys() if now.get(file) != seen.get(file))
    more = f" and {len(changed) - 1} more" if len(changed) > 1 else ""
    print(f"{Path(changed[0]).relative_to(root)}{more} changed; building …", flush=True)
    time.sleep(PAUSE / 3)
    return snapshot(root)
