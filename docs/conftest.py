"""What the tips' code blocks run in: one process, each with a clean torch and an empty folder."""

from __future__ import annotations

import os
import random
import sys
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest


def _is_block(item: pytest.Item) -> bool:
    return type(item).__module__.startswith("pytest_codeblocks")


def pytest_configure(config: pytest.Config) -> None:
    """Give torch.compile a folder of its own: in that of the machine, two runs side by side read
    each other's half-written files.
    """
    folder = tempfile.TemporaryDirectory(prefix="torchclinic-compiled-", ignore_cleanup_errors=True)
    os.environ["TORCHINDUCTOR_CACHE_DIR"] = folder.name
    config.add_cleanup(folder.cleanup)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> Iterator[None]:
    """A fixture would not reach these items: they are no functions."""
    if not _is_block(item):
        return (yield)
    import torch

    random.seed(0)
    torch.manual_seed(0)
    before = Path.cwd(), dict(os.environ), torch.get_num_threads(), sys.path[:]
    with (
        tempfile.TemporaryDirectory(prefix="torchclinic-tip-") as folder,
        warnings.catch_warnings(),
    ):
        os.chdir(folder)
        try:
            return (yield)
        finally:
            os.chdir(before[0])
            os.environ.clear()
            os.environ.update(before[1])
            sys.path[:] = before[3]
            torch.set_num_threads(before[2])
            torch.set_default_dtype(torch.float32)
            torch.set_default_device(None)
            torch.set_grad_enabled(True)
            torch.use_deterministic_algorithms(False)
            torch.autograd.set_detect_anomaly(False)
