"""What of this machine's environment reaches a cell: what it takes to find programs and devices.

Anything else is left out, since what a cell does may not depend on who runs it where: somebody's
pip configuration, locale, proxies, home folder, `PYTHON*`, `TORCH_*`, `OMP_*`.
"""

from __future__ import annotations

import os
import site
import sys
from importlib.util import find_spec
from pathlib import Path

#: Programs and their libraries, what a C compiler looks for, and the GPUs that are lent.
PASSED = (
    *("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "LIBRARY_PATH", "CPATH", "C_INCLUDE_PATH"),
    *("CPLUS_INCLUDE_PATH", "SDKROOT", "DEVELOPER_DIR", "CUDA_VISIBLE_DEVICES"),
    *("NVIDIA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES"),
)
FIXED = {
    "LANG": "C.UTF-8",
    "LC_ALL": "C.UTF-8",
    "HOME": "/nonexistent",  # each cell has its own, and TMPDIR
    # Some systems run programs as a user without a name, at which getpass stops.
    "USER": "clinic",
    "LOGNAME": "clinic",
    # Options such as --isolated leave the configuration of the whole machine in.
    "PIP_CONFIG_FILE": os.devnull,
    # One thread, as on a machine with one core: sums come in the same order everywhere, cells side
    # by side do not wait for each other's threads, and what holds with one holds with more. A cell
    # that is about threads chooses their number itself.
    "OMP_NUM_THREADS": "1",
}


def environment() -> dict[str, str]:
    """The environment of the process that starts cells."""
    passed = {name: os.environ[name] for name in PASSED if name in os.environ}
    # As if the environment of this interpreter were active: `ninja` and `torchrun` lie there.
    programs = [str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)]
    return {**FIXED, **passed, **_where_torch_lies(), "PATH": os.pathsep.join(programs)}


def _where_torch_lies() -> dict[str, str]:
    """What makes Python find torch in a user's own folder, or in one that a cluster's module set.

    Nothing where it is installed with the interpreter.
    """
    spec = find_spec("torch")
    if not spec or not spec.origin:
        return {}
    folder = Path(spec.origin).parent.parent
    search = os.environ.get("PYTHONPATH", "")
    if any(Path(entry).resolve() == folder for entry in search.split(os.pathsep) if entry):
        return {"PYTHONPATH": search}
    if Path(site.getusersitepackages()) == folder:
        return {"PYTHONUSERBASE": site.getuserbase()}
    return {}
