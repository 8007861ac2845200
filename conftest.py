"""What every test runs in, those of tests/ and the blocks of the tips: no setting of this machine.

Imports nothing of the package, so that a test needs the libraries that it uses, and no more.
"""

from __future__ import annotations

import os
import signal
import sys
from typing import Any

import pytest

#: Of the machine's environment, what says where things lie; on Windows all of it stays. Settings
#: of pip, Python, torch, OpenMP, locale, proxies and launchers would decide what a test sees.
KEPT = {
    *("PATH", "HOME", "USER", "LOGNAME", "TMPDIR", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"),
    *("VIRTUAL_ENV", "PLAYWRIGHT_BROWSERS_PATH", "SCREENSHOTS"),
}
MACHINE = dict(os.environ)
SETTINGS = {
    "PIP_CONFIG_FILE": os.devnull,
    # Threads that wait for each other on a busy machine make seconds into minutes.
    "OMP_NUM_THREADS": "1",
    "NO_MKDOCS_2_WARNING": "1",
}

if sys.platform != "win32":
    for name in [*os.environ]:
        if name not in KEPT and not name.startswith("PYTEST"):
            del os.environ[name]
    # A shell's background job ignores it, and so would all that a test starts.
    signal.signal(signal.SIGINT, signal.default_int_handler)
os.environ.update(SETTINGS)


@pytest.fixture(scope="session")
def machine_environment() -> dict[str, str]:
    """The machine's own environment, for what must reach a network."""
    return MACHINE


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--full", action="store_true", help="also what is slow and rarely breaks")
    parser.addoption("--record", action="store_true", help="note which routes ran as they stand")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is marked `full`, unless it is asked for: by an option or by its name."""
    asked_for = config.getoption("--full") or "full" in config.getoption("markexpr")
    if asked_for or any("::" in argument for argument in config.args):
        return
    left_out = [item for item in items if item.get_closest_marker("full")]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if item not in left_out]


@pytest.hookimpl(optionalhook=True)  # where xdist is
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Which tests stay in one process: the browser's share a site, those of a file its fixtures.

    Not by xdist's own groups: of pytest 9.2, version 3.8 takes none, and says nothing.
    """
    from xdist.scheduler import LoadScopeScheduling

    class ByFile(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file = nodeid.partition("::")[0]
            return "tests/browser" if file.startswith("tests/browser/") else file

    return ByFile(config, log)
