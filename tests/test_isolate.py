"""A snippet that tries to reach out, or to leave something behind, does not succeed."""

from __future__ import annotations

import os
import socket
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from torchclinic.content import catalogue
from torchclinic.run import isolate
from torchclinic.run.judge import Run
from torchclinic.run.machine import Machine
from torchclinic.run.verify import execute

pytest.importorskip("torch")
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")

SNIPPET = """# ---
# wordings:
#   - text: "the flux capacitor is empty"
# tags: [autograd]
# timeout: 5
# ---

# %% break a
raise RuntimeError("the flux capacitor is empty")

# %% fix a
{fix}
assert True
"""


def fixed(folder: Path, fix: str) -> Run:
    """Run one `fix` cell."""
    file = folder / "project/snippets/autograd/flux.py"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(SNIPPET.format(fix=fix), encoding="utf-8")
    (folder / "project/facts").mkdir(exist_ok=True)
    (folder / "project/facts/vocabulary.yml").write_text(
        "topics:\n  autograd: {en: A, zh: A}\ntags:\n  autograd: {en: A, zh: A}\n", encoding="utf-8"
    )
    clinic = catalogue.load(folder / "project")
    return execute(clinic.index(), list(clinic.symptoms.values()), Machine("0", "", 0, "CPU"))[1]


@pytest.fixture(params=["namespaces", "guard"])
def way(request: Any, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways of shutting in: the strict one where the system allows it, and the other."""
    why = isolate.refused()
    if request.param == "namespaces" and why:
        pytest.skip(f"needs namespaces: {why}")
    if request.param == "guard":
        monkeypatch.setattr(isolate, "refused", lambda: "asked for by the test")
    return str(request.param)


def test_no_network(way: str, tmp_path: Path) -> None:
    done = fixed(tmp_path, "import socket\nsocket.create_connection(('192.0.2.1', 80), timeout=3)")
    assert done.outcome == "failed" and (
        "unreachable" in done.why or "reaches no network" in done.why
    )


def test_own_loopback(way: str, tmp_path: Path) -> None:
    done = fixed(
        tmp_path,
        "import socket\nserver = socket.create_server(('127.0.0.1', 0))\n"
        "socket.create_connection(server.getsockname(), timeout=3)\nsocket.getfqdn()",
    )
    assert done.outcome == "passed", done.why


def test_not_the_machines_loopback(tmp_path: Path) -> None:
    if why := isolate.refused():
        pytest.skip(f"needs namespaces: {why}")
    with socket.create_server(("127.0.0.1", 0)) as server:
        done = fixed(
            tmp_path,
            f"import socket\nsocket.create_connection({server.getsockname()!r}, timeout=3)",
        )
    assert done.outcome == "failed" and "refused" in done.why


def test_writes_only_to_its_own_folder(way: str, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    done = fixed(tmp_path, f"open({str(outside)!r}, 'w')")
    assert done.outcome == "failed" and (
        "Read-only" in done.why or "writes only to its own folder" in done.why
    )
    assert not outside.exists()
    home = fixed(
        tmp_path,
        "from pathlib import Path\nimport tempfile\nPath.home().joinpath('x').write_text('x')\n"
        "tempfile.NamedTemporaryFile(delete=False).write(b'x')",
    )
    assert home.outcome == "passed", home.why
    assert not Path.home().joinpath("x").exists()


def test_leaves_no_process(way: str, tmp_path: Path) -> None:
    done = fixed(
        tmp_path,
        "import os, subprocess\n"
        "print(subprocess.Popen(['sleep', '300'], start_new_session=True).pid)\n"
        "read, write = os.pipe()\n"
        "if not os.fork():\n    os.setsid()\n    if not os.fork():\n"
        "        print(os.getpid(), flush=True)\n        os.write(write, b'.')\n"
        "        import time; time.sleep(300)\n    os._exit(0)\n"
        "os.wait()\nos.read(read, 1)",
    )
    assert done.outcome == "passed", done.why
    pids = [int(word) for word in done.output.split()]
    assert len(pids) == 2
    assert not [pid for pid in pids if Path("/proc", str(pid)).exists()]


def test_leaves_no_process_when_it_hangs(way: str, tmp_path: Path) -> None:
    done = fixed(
        tmp_path,
        "import subprocess, time\n"
        "print(subprocess.Popen(['sleep', '300'], start_new_session=True).pid, flush=True)\n"
        "time.sleep(300)",
    )
    assert done.outcome == "failed" and "still running" in done.why
    assert not Path("/proc", done.output.strip()).exists()


def test_leaves_no_shared_memory(tmp_path: Path) -> None:
    if why := isolate.refused():
        pytest.skip(f"needs namespaces: {why}")
    name = f"torchclinic-{os.getpid()}-{time.time_ns()}"
    done = fixed(
        tmp_path,
        "from multiprocessing import resource_tracker, shared_memory\n"
        f"memory = shared_memory.SharedMemory({name!r}, create=True, size=64)\n"
        "resource_tracker.unregister(memory._name, 'shared_memory')",
    )
    assert done.outcome == "passed", done.why
    assert not Path("/dev/shm", name).exists()


def test_leaves_no_file(way: str, tmp_path: Path) -> None:
    done = fixed(
        tmp_path, "import os\nopen('left', 'w')\nprint(os.path.realpath('left').encode().hex())"
    )
    assert done.outcome == "passed", done.why
    assert not Path(bytes.fromhex(done.output.strip()).decode()).exists()
