"""The programs that pages show are run as they say, in processes of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import cluster_logs
import torch

from torchclinic import ROOT

TORCHRUN = (sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2")


@contextmanager
def ddp_train(folder: Path) -> Iterator[subprocess.Popen[str]]:
    """`torchrun --nproc-per-node 2 ddp_train.py` on the CPU.

    Its warnings and errors go into `errors` of the folder.
    """
    folder.mkdir(exist_ok=True)
    command = [*TORCHRUN, str(ROOT / "docs/programs/ddp_train.py"), "--epochs", "15"]
    environment = {**os.environ, "CUDA_VISIBLE_DEVICES": "", "OMP_NUM_THREADS": "1"}
    with (folder / "errors").open("w") as errors:
        process = subprocess.Popen(
            command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=errors, text=True
        )
    try:
        yield process
    finally:
        if process.poll() is None:
            process.terminate()  # torchrun ends its processes before itself
            process.communicate()


def finish(folder: Path) -> dict[int, float]:
    """The loss of each epoch of a run that is let through."""
    with ddp_train(folder) as process:
        output, _ = process.communicate()
    assert process.returncode == 0, (folder / "errors").read_text()
    lines = [line.split() for line in output.splitlines()]
    return {int(epoch): float(loss) for _, epoch, _, loss in lines}


def test_ddp_train_goes_on_to_the_same_numbers(tmp_path: Path) -> None:
    whole = finish(tmp_path / "whole")
    assert list(whole) == list(range(15))
    assert whole[14] < whole[0] / 5

    with ddp_train(tmp_path / "halves") as process:
        assert process.stdout is not None
        assert process.stdout.readline().split()[:2] == ["epoch", "0"], (
            tmp_path / "halves/errors"
        ).read_text()
    assert process.returncode != 0  # ended in the middle, by the signal that a cluster sends
    rest = finish(tmp_path / "halves")
    assert rest == {epoch: loss for epoch, loss in whole.items() if epoch >= 15 - len(rest)}
    assert 0 < len(rest) < 15

    first, second = (
        torch.load(tmp_path / folder / "checkpoint.pt", weights_only=True)
        for folder in ("whole", "halves")
    )
    torch.testing.assert_close(
        first, second, rtol=0, atol=0
    )  # weights, optimizer, schedule and random numbers
    assert not list(tmp_path.glob("*/*.partial"))


def test_logs_of_a_cluster_in_duckdb(tmp_path: Path) -> None:
    output, memory = cluster_logs.run("logs_duckdb.py", cluster_logs.make(tmp_path))
    assert {output} == cluster_logs.shown()
    assert memory < cluster_logs.LONG / 4, "a long log is read at its end"
