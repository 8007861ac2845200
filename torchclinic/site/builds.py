"""Serving a site while it is written: what somebody waits for is made first, which is pages that a
browser asks for while there is no site yet, and those made from a source that changed."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
import webbrowser
from pathlib import Path

from ..content import catalogue
from . import build, watch
from .server import listen, sources_of

#: Seconds between two looks at the files.
PAUSE = 0.5


def serve(root: Path, out: Path, port: int, open_browser: bool, language: str) -> int:
    """Build into `out`, serve, open the lookup, and build again after every change, until
    interrupted; the exit status."""
    out.mkdir(parents=True, exist_ok=True)
    builds = Builds(root, out)
    try:
        server = listen(out, port, builds.may_come)
    except OSError as error:
        print(
            f"Port {port} cannot be used ({error.strerror}). Is the site being served already? "
            f"Else take another: --port {port + 1}",
            file=sys.stderr,
        )
        return 2
    builds.address = f"http://127.0.0.1:{server.server_port}/"
    try:
        builds.begin(f"{language}/lookup.md")
        page = f"{builds.address}{language}/lookup/"
        print(f"Serving at {builds.address}  (lookup: {page})  Ctrl-C stops.", flush=True)
        if open_browser:
            webbrowser.open(page)
        while True:
            builds.look()
            time.sleep(PAUSE)
    except KeyboardInterrupt:
        print()
        return 0
    finally:
        builds.stop()
        server.shutdown()


class Builds:
    """The builds of one site: which is running, which pages somebody waits for.

    Attributes:
        address: of the site's root.
    """

    def __init__(self, root: Path, out: Path, address: str = ""):
        self.root, self.out, self.address = root, out, address
        self.seen = watch.snapshot(root)
        self.complete = False
        self.running: subprocess.Popen[bytes] | None = None
        self.asked: set[str] = set()
        self.answered: set[str] = set()

    def may_come(self, address: str) -> bool:
        """Whether what is missing at an address may be built yet. Pages are made at once."""
        if not self.complete:
            self.asked |= sources_of(address) - self.answered
        return not self.complete

    def begin(self, first: str) -> None:
        """Show what the last run built, if that can be; else make one page, and then all."""
        changed = watch.changed_since(self.root, self.out, self.address)
        if changed is None:
            print("Building both languages …", flush=True)
            shutil.rmtree(self.out)
            self.out.mkdir()
            build.write_root(self.root, self.out, self.address)
            self._refresh({first})
            self._whole()
            return
        self.complete = True
        print("Showing what was built before.", flush=True)
        if changed:
            self._changed(changed)

    def look(self) -> None:
        """Do what has become necessary."""
        if self.running and self.running.poll() is not None:
            self.running, self.complete = None, True
        if changed := watch.after_change(self.root, self.seen):
            self.seen = watch.snapshot(self.root)
            self._changed(changed)
        elif self.asked:
            asked, self.asked = self.asked, set()
            self.answered |= asked
            self._refresh(asked)

    def stop(self) -> None:
        """End a build, and the two runs of MkDocs that it waits for."""
        process, self.running = self.running, None
        if process is None:
            return
        if process.poll() is None:
            if hasattr(os, "killpg"):
                os.killpg(process.pid, signal.SIGTERM)
            else:
                process.terminate()
        process.wait()

    def _changed(self, files: list[str]) -> None:
        """Show what is made from these files, then build all again."""
        more = f" and {len(files) - 1} more" if len(files) > 1 else ""
        print(f"{Path(files[0]).relative_to(self.root)}{more} changed; building …", flush=True)
        self.stop()  # what it builds is out of date
        watch.forget(self.out, files)
        started = time.monotonic()
        watch.copy_assets(self.root, self.out, files)
        pages = watch.pages_of(self.root, files)
        if pages and self._refresh(pages):
            print(
                f"{', '.join(sorted(pages))}: shown after {time.monotonic() - started:.1f} s; "
                "building the rest …",
                flush=True,
            )
        self._whole()

    def _refresh(self, pages: set[str]) -> bool:
        """Make single pages, beside a build of the whole; whether it could be done."""
        whole, self.running = self.running, None
        try:
            self._start("refresh", *sorted(pages))
            return self.running is not None and self.running.wait() == 0
        finally:
            self.stop()
            self.running = whole

    def _whole(self) -> None:
        self.complete = False
        self.answered.clear()
        self._start("whole")

    def _start(self, work: str, *pages: str) -> None:
        """In a fresh process each time, so that changes of the generator count as well."""
        program = f"from torchclinic.site import builds; builds.{work}()"
        self.running = subprocess.Popen(
            [sys.executable, "-c", program, str(self.root), str(self.out), self.address, *pages],
            cwd=self.root,
            start_new_session=True,
        )


def whole() -> None:
    """The program of a build of everything: ROOT OUT ADDRESS. What it read is written down, unless
    there is something to tell again."""
    # SIGTERM leaves no temporary folder behind.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    root, out, address = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
    read = watch.digests(root)
    loaded = catalogue.load(root)
    status = build.build(loaded, out, site_url=address, strict=False, keep=False)
    if status == 0:
        watch.keep(out, address, {} if loaded.problems else read)
    sys.exit(status)


def refresh() -> None:
    """The program of a build of single pages: ROOT OUT ADDRESS PAGE…"""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    _, root, out, address, *pages = sys.argv
    sys.exit(not build.refresh(Path(root), Path(out), set(pages), address))
