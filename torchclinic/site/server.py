"""Serves the built site on this machine. When a source changes, the pages made from it are made at once, and then the whole site again."""

from __future__ import annotations

import functools
import http.server
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
import webbrowser
from collections.abc import Iterator
from pathlib import Path

from .. import LANGUAGES

WATCHED = (
    "docs",
    "snippets",
    "evidence",
    "facts",
    "torchclinic",
    "overrides",
    "mkdocs.yml",
    "mkdocs.zh.yml",
)
#: Seconds between two looks at the files.
PAUSE = 0.5


class Handler(http.server.SimpleHTTPRequestHandler):
    """Static files as a host serves them: /x leads to /x/, what is missing gets the root 404.html, nothing is kept from an earlier build."""

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


def serve(root: Path, out: Path, port: int, open_browser: bool, language: str) -> int:
    """Build into `out`, serve, open the lookup, and build again after every change, until interrupted; the exit status."""
    out.mkdir(parents=True, exist_ok=True)
    try:
        server = listen(out, port)
    except OSError as error:
        print(f"Port {port} cannot be used ({error.strerror}). Is the site being served already? Else take another: --port {port + 1}", file=sys.stderr)
        return 2
    address = f"http://127.0.0.1:{server.server_port}/"
    print("Building both languages …", flush=True)
    seen = snapshot(root)
    running = _start(BUILD, root, out, address)
    try:
        status = running.wait()
        page = f"{address}{language}/lookup/"
        print(f"Serving at {address}  (lookup: {page})  Ctrl-C stops.", flush=True)
        if open_browser and status == 0:
            webbrowser.open(page)
        while True:
            changed, seen = _after_change(root, seen)
            _stop(running)  # what it builds is out of date
            started = time.monotonic()
            copy_assets(root, out, changed)
            pages = pages_of(root, changed)
            if pages:
                running = _start(REFRESH, root, out, address, *sorted(pages))
                if running.wait() == 0:
                    print(f"{', '.join(sorted(pages))}: shown after {time.monotonic() - started:.1f} s; building the rest …", flush=True)
            running = _start(BUILD, root, out, address)
    except KeyboardInterrupt:
        print()
        return 0
    finally:
        _stop(running)
        server.shutdown()


# A fresh process each time, so that changes of the generator count as well. SIGTERM leaves no temporary folder behind.
_HEAD = "import signal, sys; from pathlib import Path; from torchclinic.site import build; signal.signal(signal.SIGTERM, lambda *_: sys.exit(1)); "
BUILD = _HEAD + "sys.exit(build.build(Path(sys.argv[1]), Path(sys.argv[2]), site_url=sys.argv[3], strict=False, keep=False))"
REFRESH = _HEAD + "sys.exit(not build.refresh(Path(sys.argv[1]), Path(sys.argv[2]), set(sys.argv[4:]), sys.argv[3]))"


def _start(program: str, root: Path, out: Path, address: str, *more: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", program, str(root), str(out), address, *more], cwd=root, start_new_session=True)


def _stop(process: subprocess.Popen[bytes]) -> None:
    """End a build, and the two runs of MkDocs that it waits for."""
    if process.poll() is None:
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGTERM)
        else:
            process.terminate()
    process.wait()


def copy_assets(root: Path, out: Path, changed: list[str]) -> None:
    """Put styles, scripts and pictures that changed into the built site, as they are: the build that follows makes them lighter."""
    for name in changed:
        file = Path(name)
        if file.is_file() and file.is_relative_to(root / "docs" / "assets"):
            for language in LANGUAGES:
                target = out / language / file.relative_to(root / "docs")
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(file, target)


def pages_of(root: Path, changed: list[str]) -> set[str]:
    """The pages that show these files most of all, as build.refresh takes them; none if any of the files belongs to more than its pages."""
    found = set()
    for name in changed:
        file = Path(name).relative_to(root)
        if not Path(name).is_file():
            return set()
        if file.parts[0] == "docs" and file.parts[1] in LANGUAGES and file.suffix == ".md":
            found.add(file.relative_to("docs").as_posix())
        elif file.parts[0] == "snippets" and file.suffix == ".py" and len(file.parts) == 3:
            for language in LANGUAGES:
                ident = f"{file.parts[1]}/{file.stem}"
                found |= {f"{language}/{ident}.md", f"{language}/notebooks/{ident}.ipynb"}
        else:
            return set()
    return found


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


def _after_change(root: Path, seen: dict[str, int]) -> tuple[list[str], dict[str, int]]:
    """The files that changed, and what was seen then. Waits for a change to be over: an editor or a branch switch writes many files."""
    changed: list[str] = []
    while not changed:
        time.sleep(PAUSE)
        if snapshot(root) != seen:
            time.sleep(PAUSE / 3)
            now = snapshot(root)
            changed = sorted(file for file in now.keys() | seen.keys() if now.get(file) != seen.get(file))
    more = f" and {len(changed) - 1} more" if len(changed) > 1 else ""
    print(f"{Path(changed[0]).relative_to(root)}{more} changed; building …", flush=True)
    return changed, now
