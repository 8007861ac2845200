"""The recipes of "An environment from zero": run on stand-in wheels and stub programs, else read."""

from __future__ import annotations

import functools
import importlib.util
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import threading
import zipfile
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import quote

import pytest
from test_env import Place

from torchclinic import LANGUAGES, ROOT
from torchclinic.content import command
from torchclinic.content.problem import Problems

if not shutil.which("bash"):
    pytest.skip("its recipes are typed into bash", allow_module_level=True)

PAGES = {
    language: ROOT / f"docs/{language}/tips/install-env/environments-from-zero.md"
    for language in LANGUAGES
}
PIECE = re.compile(r"^## [^\n]*\{#([a-z]+)\}$|^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
INDEX = "https://download.pytorch.org/whl"
#: What carries torch's name and version, and sees a GPU where there is an nvidia-smi.
TORCH = """
import shutil
__version__ = "2.13.0+cu126"
class cuda:
    is_available = staticmethod(lambda: shutil.which("nvidia-smi") is not None)
class ones:
    def __init__(self, *sizes, device):
        self.number = float(sizes[0] * sizes[1])
    sum = lambda self: self
    item = lambda self: self.number
"""
STUBS = {
    "nvidia-smi": 'echo "NVIDIA A100, 560.35"',
    "scontrol": "echo 127.0.0.1; echo node2",
    # One task on each node, all of them here; its own options left out.
    "srun": """while [[ $1 == --* ]]; do shift; done
for ((node = 0; node < ${SLURM_NNODES:-1}; node++)); do "$@" & tasks+=($!); done
for task in "${tasks[@]}"; do wait "$task" || exit 1; done""",
    "python3": f'exec {sys.executable} "$@"',
    "torchrun": f'exec {sys.executable} -m torch.distributed.run "$@"',
}
INSTRUCTIONS = {"FROM", "WORKDIR", "RUN", "COPY", "CMD"}


def blocks(language: str) -> list[tuple[str, str, str]]:
    """(section, kind, text) of what a page shows as code, in order."""
    found, section = [], "opening"
    for match in PIECE.finditer(PAGES[language].read_text(encoding="utf-8")):
        section = match[1] or section
        if match[2]:
            found.append((section, match[2], match[3]))
    return found


def shown(section: str, kind: str) -> list[str]:
    return [text for at, what, text in blocks("en") if (at, what) == (section, kind)]


def typed(text: str) -> str:
    return re.sub(r"^\$ ", "", text, flags=re.MULTILINE)


def wheel(index: Path, package: str, version: str, code: str) -> None:
    """Put a package into an index."""
    folder, info = index / package, f"{package}-{version}.dist-info"
    file = f"{package}-{version}-py3-none-any.whl"
    folder.mkdir(parents=True)
    with zipfile.ZipFile(folder / file, "w") as made:
        made.writestr(f"{package}/__init__.py", code)
        for name, text in {
            "METADATA": f"Metadata-Version: 2.1\nName: {package}\nVersion: {version}\n",
            "WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
            "RECORD": "",
        }.items():
            made.writestr(f"{info}/{name}", text)
    (folder / "index.html").write_text(f'<a href="{quote(file)}">{file}</a>')


class Machine:
    """A folder with check.py, an index on the loopback in PyTorch's place, and stub programs."""

    def __init__(self, folder: Path, index: str) -> None:
        self.folder, self.index = folder / "work", index
        self.programs = folder / "programs"
        for place in (self.folder, self.programs):
            place.mkdir(parents=True)
        (self.folder / "check.py").write_text(shown("opening", "python")[0], encoding="utf-8")
        for name, text in STUBS.items():
            self.program(name, text)

    def program(self, name: str, text: str) -> None:
        (self.programs / name).write_text(f"#!/bin/bash\n{text}\n")
        (self.programs / name).chmod(0o755)

    def type(self, text: str, **variables: str) -> str:
        """What these lines print on the standard output; each must end well."""
        environment = {
            **{name: value for name, value in os.environ.items() if name != "VIRTUAL_ENV"},
            "PATH": f"{self.programs}:{os.environ['PATH']}",
            "HOME": str(self.folder),
            "PIP_DISABLE_PIP_VERSION_CHECK": "1",
            "PIP_NO_CACHE_DIR": "1",
            "PIP_INDEX_URL": f"{self.index}/simple",
            **variables,
        }
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", text.replace(INDEX, f"{self.index}/whl")],
            cwd=self.folder,
            env=environment,
            capture_output=True,
            encoding="utf-8",
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("index")
    wheel(folder / "whl/cu126", "torch", "2.13.0+cu126", TORCH)
    wheel(folder / "simple", "numpy", "2.4.6", "")

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

    handler = functools.partial(Quiet, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture
def machine(tmp_path: Path, index: str) -> Machine:
    return Machine(tmp_path, index)


@pytest.fixture
def answer() -> str:
    """What check.py prints where all is well."""
    return shown("check", "text")[0]


def test_pip_and_the_steps_of_the_dockerfile(machine: Machine, answer: str) -> None:
    if not importlib.util.find_spec("ensurepip"):
        pytest.skip("this Python has no ensurepip: Debian's package python3-venv")
    (lines,) = shown("pip", "console")
    assert machine.type(typed(lines)).endswith(answer)
    (machine.programs / "nvidia-smi").unlink()  # it really looked
    assert machine.type(".venv/bin/python check.py") == answer.replace("cuda", "cpu")

    machine.program("nvidia-smi", STUBS["nvidia-smi"])
    machine.type(".venv/bin/python -m pip uninstall -y torch")
    whole = shown("docker", "docker")[0].replace("\\\n", "")
    steps = [line.split(" ", 1) for line in whole.splitlines()]
    assert steps[0][0] == "FROM" and {name for name, _ in steps} <= INSTRUCTIONS
    for name, rest in steps:
        if name == "COPY":
            assert (machine.folder / rest.split()[0]).is_file()
        elif name in ("RUN", "CMD"):
            line = rest if name == "RUN" else " ".join(json.loads(rest))
            printed = machine.type(f"source .venv/bin/activate; {line}")
    assert printed == answer


@pytest.mark.parametrize("way", [0, 1], ids=["folder", "project"])
def test_uv(machine: Machine, answer: str, way: int) -> None:
    uv = pytest.importorskip("uv", reason="uv is not installed; nox -s third-party has it")
    machine.program("uv", f'exec {uv.find_uv_bin()} "$@"')
    (project,) = shown("uv", "toml")
    if way:
        (machine.folder / "pyproject.toml").write_text(
            project.replace(INDEX, f"{machine.index}/whl")
        )
    lines = typed(shown("uv", "console")[way]).replace("3.12", sys.executable)
    variables = {
        "UV_PYTHON_DOWNLOADS": "never",
        "UV_CACHE_DIR": str(machine.folder / "cache"),
        "UV_DEFAULT_INDEX": f"{machine.index}/simple",
    }
    assert machine.type(lines, **variables) == answer


def active(machine: Machine) -> None:
    """An environment to be activated, in which the stand-in is torch."""
    (machine.folder / ".venv/bin").mkdir(parents=True)
    (machine.folder / ".venv/bin/activate").write_text("export PYTHONPATH=$PWD/packages")
    (machine.folder / "packages/torch").mkdir(parents=True)
    (machine.folder / "packages/torch/__init__.py").write_text(TORCH)
    machine.program("python", STUBS["python3"])


def test_slurm(machine: Machine, answer: str) -> None:
    script, _ = shown("slurm", "slurm")
    active(machine)
    (machine.folder / "check.slurm").write_text(script)
    machine.type("bash -n check.slurm")
    printed = machine.type("bash check.slurm", SLURM_CPUS_PER_TASK="4")
    assert printed == f"NVIDIA A100, 560.35\n{answer}"
    known = command.load(ROOT, Problems(ROOT))
    assert known
    for option in re.findall(r"^#SBATCH (--[a-z-]+)=\S+$", script, re.MULTILINE):
        assert option in known.programs["sbatch"], option


def test_slurm_on_two_machines(machine: Machine) -> None:
    _, last = shown("slurm", "slurm")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    (machine.folder / "train.py").write_text(
        'import os\nopen(os.environ["RANK"], "w").write(os.environ["WORLD_SIZE"])\n'
    )
    machine.type(
        last.replace(":29500", f":{port}"),
        **{"SLURM_JOB_NODELIST": "node[1-2]", "SLURM_NNODES": "2", "SLURM_JOB_ID": "7"},
        SLURM_CPUS_PER_TASK="4",
        OMP_NUM_THREADS="1",
    )
    ranks = {file.name: file.read_text() for file in machine.folder.glob("[0-9]*")}
    assert ranks == {str(rank): "8" for rank in range(8)}


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_env_prints_is_what_the_page_shows(tmp_path: Path, language: str) -> None:
    place = Place(tmp_path)
    place.torch()
    place.gpu()
    place.program("pip", f"#!/bin/sh\necho 'pip 26.2 from {place.packages}/pip (python 3.12)'\n")
    done = place.run("--lang", language)
    assert done.returncode == 0, done.stdout + done.stderr
    printed = done.stdout.replace(str(place.programs), str(place.python.parent))
    printed = printed.replace(str(tmp_path / "env"), "/home/me/work/.venv")
    text = [text for at, kind, text in blocks(language) if (at, kind) == ("check", "text")][1]
    version = re.compile(r"(?<=^Python.)\s*[\d.]+|(?<=/lib/python)[\d.]+")  # is this machine's
    assert version.sub("", printed) == version.sub("", text)


def test_both_languages_show_the_same_code() -> None:
    """Aside from comments, and from what is in the language of the reader."""
    english, chinese = (
        [
            (at, kind, text)
            for at, kind, text in blocks(language)
            if kind != "python" and (at, kind) != ("check", "text")
        ]
        for language in LANGUAGES
    )
    assert english == chinese


def test_what_is_not_run_names_only_what_was_looked_up() -> None:
    known = command.load(ROOT, Problems(ROOT))
    assert known
    wrong = []
    for section, kind, text in blocks("en"):
        if kind in ("console", "powershell") or section == "colab":
            place = "notebook" if section == "colab" else "shell"
            wrong += [
                f"{section}: {says}" for says in command.complaints({place: typed(text)}, "", known)
            ]
    assert not wrong, "\n".join(wrong)
