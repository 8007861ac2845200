"""Runs first in each Python that `torchclinic run --live` or `--hang` starts, directly or not: this
folder stands on PYTHONPATH for that run alone. When an exception ends the program, what it knew
goes into a file of TORCHCLINIC_LIVE_DIR; where its threads stand, when it is asked or ended by a
signal, into one of TORCHCLINIC_HANG_DIR. Nothing else is changed."""

import os
import sys
from importlib.machinery import PathFinder
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

HERE = Path(__file__).resolve().parent
FOLDER = os.environ.get("TORCHCLINIC_LIVE_DIR", "")
STACKS = os.environ.get("TORCHCLINIC_HANG_DIR", "")
previous = sys.excepthook


def hook(kind, error, trace):  # type: ignore[no-untyped-def]
    previous(kind, error, trace)
    try:
        sys.path.append(str(HERE.parents[2]))  # it may be another Python's: asked last for a name
        from torchclinic.commands import live_child

        live_child.keep(error, FOLDER)
    except BaseException:  # the program's own end is what counts
        pass


if FOLDER:
    sys.excepthook = hook
if STACKS:
    try:  # by its file: nothing of ours may come into this program's reach
        spec = spec_from_file_location("_torchclinic_prepared", HERE.parent / "prepared.py")
        if spec and spec.loader:
            prepared = module_from_spec(spec)
            spec.loader.exec_module(prepared)
            prepared.prepare(STACKS)
    except Exception:
        pass
# Then the sitecustomize that this one hides.
others = [path for path in sys.path if Path(path or ".").resolve() != HERE]
spec = PathFinder.find_spec("sitecustomize", others)
if spec and spec.loader:
    spec.loader.exec_module(module_from_spec(spec))
