"""The package where there is no checkout: built from the sdist, installed into a fresh environment,
run from an empty folder."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile
from collections.abc import Callable
from pathlib import Path

import packaging
import pytest
import yaml

from torchclinic import ROOT
from torchclinic.commands import knowledge, parser

from .test_rooms import imports, is_module, module_of, room_of

MATMUL = "RuntimeError: mat1 and mat2 shapes cannot be multiplied (64x400 and 784x10)"
Clinic = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built without network from the sdist: that the sdist holds all that is needed is
    shown as well."""
    folder = tmp_path_factory.mktemp("dist")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", str(folder)],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    with tarfile.open(next(folder.glob("*.tar.gz"))) as archive:
        archive.extractall(
            folder / "source", **({"filter": "data"} if hasattr(tarfile, "data_filter") else {})
        )
    source = next((folder / "source").iterdir())
    command = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "-q",
        "--no-build-isolation",
        "--no-deps",
        "--no-index",
        "-w",
        str(folder),
        str(source),
    ]
    subprocess.run(
        command,
        check=True,
        env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
    )
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="session")
def fresh(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A fresh environment that holds the wheel and nothing else."""
    folder = tmp_path_factory.mktemp("fresh") / "env"
    venv.create(folder, with_pip=False)
    subprocess.run(
        [
            sys.executable,
            "-m",
            "pip",
            "--python",
            str(folder),
            "install",
            "-q",
            "--no-deps",
            "--no-index",
            str(wheel),
        ],
        check=True,
    )
    return folder


@pytest.fixture
def clinic_outside(fresh: Path, tmp_path: Path) -> Clinic:
    """The installed command, run in an empty folder."""

    def run(
        *arguments: str, text: str = "", **environment: str
    ) -> subprocess.CompletedProcess[str]:
        plain = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        command = [str(fresh / "bin" / "torchclinic"), *arguments]
        return subprocess.run(
            command,
            input=text,
            capture_output=True,
            encoding="utf-8",
            cwd=tmp_path,
            env={**plain, **environment},
            check=False,
        )

    return run


@pytest.mark.full
@pytest.mark.skipif(sys.platform == "win32" or not shutil.which("bash"), reason="needs bash")
def test_what_a_release_tries(
    wheel: Path, tmp_path: Path, machine_environment: dict[str, str]
) -> None:
    """The steps of release.yml, as the runner runs them; the sdist is built with a network."""
    venv.create(tmp_path / "env", with_pip=True)
    (tmp_path / "dist").mkdir()
    for file in (wheel, *wheel.parent.glob("*.tar.gz")):
        shutil.copy(file, tmp_path / "dist")
    release = yaml.safe_load((ROOT / ".github/workflows/release.yml").read_text(encoding="utf-8"))
    steps = [step for step in release["jobs"]["installed"]["steps"] if "run" in step]
    for step in steps:
        path = f"{tmp_path / 'env/bin'}{os.pathsep}{machine_environment['PATH']}"
        environment = {**machine_environment, "PATH": path, **step.get("env", {})}
        environment.pop("PYTHONPATH", None)
        command = ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", step["run"]]
        subprocess.run(command, cwd=tmp_path, env=environment, check=True)
    assert len(steps) == 2


def test_the_wheel_asks_for_little_and_is_light(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        metadata = archive.read(
            next(name for name in archive.namelist() if name.endswith("/METADATA"))
        ).decode()
        packed = {entry.filename: entry.compress_size for entry in archive.infolist()}
    needs = re.findall(r"^Requires-Dist: (.*)$", metadata, re.MULTILINE)
    assert [need for need in needs if "extra ==" not in need] == ["packaging>=22"]
    assert "Requires-Python: >=3.10" in metadata
    # What one more page may cost: its answer in two languages, and all of it.
    pages = len(list((ROOT / "snippets").rglob("*.py")))
    assert packed["torchclinic/data/answers.jsonl"] < pages * (3 << 10)
    origins = packed["torchclinic/data/origins.jsonl"]
    assert wheel.stat().st_size - origins < pages * (16 << 10) and origins < 5 << 18
    assert not [name for name in packed if not name.startswith(("torchclinic/", "torchclinic-"))]


#: Where what a user runs begins. run/client.py starts the server as a program; Python itself starts
#: sitecustomize, in the processes of `run --live`.
BEGINNINGS = ("__main__", "pytest", "checks", "run.server", "commands.startup.sitecustomize")


def reached() -> set[str]:
    """Modules that an installed command may import, however late. Rooms of the pages' writers are
    cut off: commands that need them say that they work in a checkout."""
    waiting = {*parser.EVERYWHERE.values(), *(f"torchclinic.{name}" for name in BEGINNINGS)}
    modules: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name in modules or room_of(name) in ("authoring", "site"):
            continue
        modules.add(name)
        file = ROOT.joinpath(*name.split("."))
        file = file / "__init__.py" if file.is_dir() else file.with_suffix(".py")
        loaded = [*imports(file, types=False), name.rpartition(".")[0]]
        waiting |= {name for name in loaded if is_module(name)}
    return modules


def test_the_wheel_holds_what_its_commands_reach_and_no_more(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        files = [ROOT / name for name in archive.namelist() if name.endswith(".py")]
    packed = {module_of(file) for file in files}
    wanted = reached()
    assert {"torchclinic.checks.modes", "torchclinic.run.cell"} < wanted
    assert packed == wanted, (
        "pyproject.toml, exclude: "
        f"add {sorted(packed - wanted)}, take out {sorted(wanted - packed)}"
    )


def test_it_answers_where_the_error_happens(
    clinic_outside: Clinic, fresh: Path, tmp_path: Path
) -> None:
    message = MATMUL.removeprefix("RuntimeError: ")
    (tmp_path / "train.py").write_text(f"raise RuntimeError({message!r})\n", encoding="utf-8")
    (tmp_path / "hooked.py").write_text(
        f"import torchclinic; torchclinic.install()\nraise RuntimeError({message!r})\n",
        encoding="utf-8",
    )
    path = os.pathsep.join(
        [str(fresh / "bin"), os.environ.get("PATH", "")]
    )  # as in an active environment
    for arguments in (["train.py"], ["hooked.py"]):
        done = clinic_outside("run", "python", *arguments, PATH=path, TORCHCLINIC_LANG="en")
        assert (
            done.returncode == 1
            and done.stderr.count("Torch Clinic: Each row you pass has 400 values") == 1
        )
        assert " torchclinic fix shapes/matmul-shapes" in done.stderr.splitlines()[-1]


def test_lookup_knows(clinic_outside: Clinic) -> None:
    done = clinic_outside("lookup", "--lang", "en", text=MATMUL)
    assert done.returncode == 0, done.stderr
    assert (
        "Each row you pass has 400 values" in done.stdout
        and "torchclinic show shapes/matmul-shapes" in done.stdout
    )
    assert "python -m" not in done.stdout
    assert clinic_outside("lookup", "--lang", "zh", text=MATMUL).stdout.startswith("矩阵形状")
    assert clinic_outside("lookup", text="nothing to see").returncode == 1


def test_search_finds(clinic_outside: Clinic) -> None:
    assert (
        clinic_outside("search", "--lang", "en", "loss", "becomes", "nan")
        .stdout.splitlines()[0]
        .endswith("(numerics/loss-nan)")
    )
    assert (
        "(memory/cuda-oom)"
        in clinic_outside("search", "--lang", "zh", "显存不足").stdout.splitlines()[0]
    )


def test_fix_and_show(clinic_outside: Clinic) -> None:
    assert (
        "nn.Flatten()"
        in clinic_outside("fix", "matmul-shapes", "no-flatten", "--lang", "en").stdout
    )
    page = clinic_outside("show", "shapes/matmul-shapes", "--lang", "zh").stdout
    assert "现象\n" in page and "mat1 and mat2 shapes cannot be multiplied" in page
    done = clinic_outside("fix", "matmul-shape")
    assert done.returncode == 2 and "did you mean shapes/matmul-shapes" in done.stderr


def test_library(fresh: Path, tmp_path: Path) -> None:
    """Importing costs next to nothing; a lookup needs neither YAML nor torch."""
    program = (
        "import sys; before = set(sys.modules); import torchclinic; new = set(sys.modules) - "
        "before\n"
        "assert new <= {'torchclinic', '__future__'}, new\n"
        f"print(torchclinic.lookup({MATMUL!r})['hits'][0]['symptom'], 'yaml' in sys.modules, "
        f"'torch' in sys.modules)"
    )
    done = subprocess.run(
        [str(fresh / "bin" / "python"), "-c", program],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
    )
    assert done.stdout.split() == ["matmul-shapes", "False", "False"], done.stderr


def test_verify_runs_a_symptom_without_yaml(
    clinic_outside: Clinic, fresh: Path, tmp_path: Path
) -> None:
    torch = pytest.importorskip("torch")
    trap = tmp_path / "trap"
    trap.mkdir()
    (trap / "yaml.py").write_text("raise ImportError('no PyYAML here')\n", encoding="utf-8")
    path = os.pathsep.join([str(trap), str(Path(torch.__file__).parent.parent)])
    evidence = tmp_path / "seen"
    done = clinic_outside(
        "verify", "worker-exception", "--record", "--evidence", str(evidence), PYTHONPATH=path
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert " 0 failed, 0 skipped" in done.stdout and len(list(evidence.glob("*-cpu.json*"))) == 1


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["site", "build"], "in a checkout"),
        (["catalogue"], "in a checkout"),
        (["new", "shapes/x"], "in a checkout"),
        (["verify", "matmul-shapes", "--record"], "--evidence DIR"),
        (["verify", "matmul-shapes", "--mutate", "--record"], "in a checkout"),
        (["verify", "no-such-symptom"], "no symptom `no-such-symptom`"),
        (["verify", "matmul-shapes"], "No module named 'torch'"),
    ],
)
def test_what_needs_more_says_so(clinic_outside: Clinic, arguments: list[str], says: str) -> None:
    done = clinic_outside(*arguments)
    assert done.returncode == 2 and says in done.stderr and "Traceback" not in done.stderr


def test_help_offers_what_works(clinic_outside: Clinic) -> None:
    text = clinic_outside("--help").stdout
    assert "lookup" in text and "stamp" not in text


def test_env_says_where_one_stands(clinic_outside: Clinic, fresh: Path, tmp_path: Path) -> None:
    done = clinic_outside("env", "--lang", "en")
    assert done.returncode == 2 and "python -m pip install packaging" in done.stderr
    shutil.copytree(Path(packaging.__file__).parent, tmp_path / "packages" / "packaging")
    done = clinic_outside("env", "--lang", "en", PYTHONPATH=str(tmp_path / "packages"))
    assert done.returncode == 1 and f"torch is not installed for {fresh}" in done.stdout
    assert "python -m torchclinic" not in done.stdout


@pytest.mark.parametrize("damage", ["gone", "cut", "older"])
def test_without_its_data_nothing_is_answered(fresh: Path, tmp_path: Path, damage: str) -> None:
    installed = next(fresh.glob("lib/*/site-packages/torchclinic"))
    copy = shutil.copytree(installed, tmp_path / "torchclinic")
    answers = copy / "data" / "answers.jsonl"
    if damage == "gone":
        shutil.rmtree(copy / "data")
    else:
        text = answers.read_text(encoding="utf-8")
        answers.write_text(
            text[:1000]
            if damage == "cut"
            else text.replace(f'"version":{knowledge.VERSION}', '"version":0', 1),
            encoding="utf-8",
        )
    for arguments in (
        ["lookup"],
        ["lookup", "--jsonl"],
        ["fix", "matmul-shapes"],
        ["show", "matmul-shapes"],
        ["verify", "matmul-shapes"],
    ):
        done = subprocess.run(
            [sys.executable, "-m", "torchclinic", *arguments],
            input='{"id": 1, "text": "x"}\n',
            capture_output=True,
            encoding="utf-8",
            cwd=tmp_path,
            env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
            check=False,
        )
        assert done.returncode == 2 and not done.stdout, arguments
        assert ("install" in done.stderr.lower()) and "Traceback" not in done.stderr, done.stderr
