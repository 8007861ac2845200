"""Everything that is run: `python3 -m nox -s serve`, `python3 -m nox -s tests`.

`python3 -m nox -l` lists the rest.
"""

from __future__ import annotations

import gzip
import json
import os
import shutil
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import nox
from nox.command import CommandFailed

nox.needs_version = ">=2025.2.9"
nox.options.sessions = ["tests"]
nox.options.reuse_venv = "yes"
# pip, not uv: on Linux uv would take torch's CUDA build, several GB, where pip takes the build
# that the machine offers.
nox.options.default_venv_backend = "virtualenv"

GROUPS = nox.project.load_toml("pyproject.toml")
# The release that the pages are written for, as content/evidence.py and constraints.txt have it.
TORCH = "torch==2.13.0"
# What is recorded on the CPU, as (Python, torch). Of torch, besides the pages' own: the newest;
# the first 2.x that still has wheels for our Pythons; the last before fully_shard (2.3.1); the
# first where torch.load takes weights only (2.6.0); what many have installed (2.9.1, 2.11.0). Of
# Python: all that the newest wheels are for, since depth of recursion, pickling and tracebacks
# differ. Several GB each; `-- --missing` runs only what changed since.
VERSIONS = [
    *(("3.11", torch) for torch in ("2.13.0", "newest", "2.9.1", "2.6.0", "2.3.1", "2.0.1")),
    ("3.12", "2.11.0"),
    *((python, "2.13.0") for python in ("3.10", "3.12", "3.13")),
]
PYTEST = ("pytest", "--codeblocks")
NODE = "lighthouse@12.8.2"  # 13 needs Node 22
JAVASCRIPT = ("@biomejs/biome@2.6.8", "typescript@7.0.2")
# The wheels of torch that are read for its messages: those for ARM64, whose instructions are
# easily followed. A new macOS takes what was built for an older one.
WHEELS = ("--python-version", "3.11", "--only-binary", ":all:")
MACOS, LINUX = (
    (*WHEELS, "--platform", "macosx_26_0_arm64"),
    (*WHEELS, "--platform", "manylinux_2_28_aarch64"),
)
WITH_CUDA = (2, 11)  # the first whose wheel for Linux on ARM64 is built for CUDA
RUNTIME = "nvidia-cuda-runtime-cu12; sys_platform == 'linux'"


def install(session: nox.Session, *groups: str) -> None:
    """Install dependency groups at the pinned versions."""
    session.install("-q", "-c", "constraints.txt", *nox.project.dependency_groups(GROUPS, *groups))
    session.env["NO_MKDOCS_2_WARNING"] = "1"


def clinic(session: nox.Session, *arguments: str, **options: object) -> None:
    session.run("python", "-m", "torchclinic", *arguments, **options)


@nox.session
def serve(session: nox.Session) -> None:
    """Build both languages, serve them at http://127.0.0.1:8000/, and rebuild what changes."""
    install(session, "site")
    clinic(session, "site", "serve", *session.posargs)


@nox.session
def site(session: nox.Session) -> None:
    """Build the static site into site/."""
    install(session, "site")
    clinic(session, "site", "build", *session.posargs)


class Lacking(Exception):
    """What a stage needs and this machine has not."""


class Stages:
    """The stages of a session: each runs, whatever became of those before it."""

    def __init__(self, session: nox.Session) -> None:
        self.session = session
        self.results: dict[str, str] = {}

    def run(self, name: str, *command: str) -> None:
        self.call(name, self.session.run, *command)

    def call(self, name: str, function: Callable[..., object], *arguments: object) -> None:
        started = time.monotonic()
        try:
            function(*arguments)
            result = "passed"
        except CommandFailed:
            result = "FAILED"
        except Lacking as reason:
            result = f"skipped: {reason};"
        self.results[name] = f"{result} after {time.monotonic() - started:.0f} s"

    def end(self) -> None:
        """List what became of each stage; the session fails if one did."""
        for name, result in self.results.items():
            self.session.log(f"{name:10} {result}")
        if failed := [name for name in self.results if self.results[name].startswith("FAILED")]:
            self.session.error(f"failed: {', '.join(failed)}")


def side_by_side() -> list[str]:
    """Options of pytest: as many processes as there are cores, the browser's first and alone."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return ["-n", str(min(cores or 1, 4)), "--dist", "loadscope", "--no-loadscope-reorder"]


def run_stages(
    session: nox.Session, *options: str, cells: Sequence[str], mutants: Sequence[str]
) -> None:
    """Run style, types, catalogue, snippets and their wrong versions, and the tests.

    Args:
        options: of pytest.
        cells, mutants: options of `verify`, and of `verify --mutate`.
    """
    clinic = ("python", "-m", "torchclinic")
    stages = Stages(session)
    stages.run("style", "ruff", "check", ".")
    stages.run("format", "ruff", "format", "--check", ".")
    stages.run(
        "workflows", "actionlint", *map(str, sorted(Path(".github/workflows").glob("*.yml")))
    )
    stages.run("types", "mypy")
    stages.call("javascript", check_javascript, session)
    stages.run("catalogue", *clinic, "catalogue")
    stages.run("cells", *clinic, "verify", *cells)
    stages.run("mutants", *clinic, "verify", "--mutate", *mutants)
    # The Chinese tips hold the same code: the catalogue compares them.
    stages.run("tests", *PYTEST, *side_by_side(), "tests", "docs/en/tips", *options)
    stages.end()


@nox.session
def tests(session: nox.Session) -> None:
    """What CI runs; `-- tests/test_lookup.py::test_json` runs that with pytest, and no more.

    Of the snippets and their wrong versions, those that changed and a share of the others.
    """
    install(session, "run", "tips", "site", "test")
    if session.posargs:
        session.run(*PYTEST, *session.posargs)
    else:
        # Seconds of processor time: a minute and a half on two cores.
        share = ("--changed", "--share", "180")
        run_stages(session, cells=share, mutants=share)


@nox.session
def full(session: nox.Session) -> None:
    """All that `tests` runs, and what it leaves out: every snippet, wrong version and test."""
    install(session, "run", "tips", "site", "test")
    run_stages(session, "--full", *session.posargs, cells=[], mutants=[])


def check_javascript(session: nox.Session, *arguments: str) -> None:
    """Raises: Lacking where there is no npm, or where it reaches no registry."""
    if not shutil.which("npm"):
        raise Lacking("needs Node and npm, https://nodejs.org/")
    folder = Path(session.create_tmp())
    options = ("--silent", "--no-save", "--no-audit", "--no-fund", "--prefix", str(folder))
    try:
        session.run("npm", "install", *options, *JAVASCRIPT, external=True)
    except CommandFailed:
        raise Lacking(f"npm could not install {' and '.join(JAVASCRIPT)}") from None
    tools = folder / "node_modules" / ".bin"
    check = ("check", "--write") if "fix" in arguments else ("ci",)
    session.run(str(tools / "biome"), *check, ".", external=True)
    session.run(str(tools / "tsc"), "-p", ".", external=True)


@nox.session(venv_backend="none")
def javascript(session: nox.Session) -> None:
    """Style, lint and types of the scripts; `-- fix` rewrites what can be. Skipped without npm."""
    try:
        check_javascript(session, *session.posargs)
    except Lacking as reason:
        session.skip(str(reason))


@nox.session
def live(session: nox.Session) -> None:
    """How often the program itself tells the cause, beside its text alone: programs, breaks."""
    install(session, "run", "test")
    session.run("python", "-m", "tools.live", *session.posargs)


@nox.session
def verify(session: nox.Session) -> None:
    """Run snippets, and record what they did: `nox -s verify -- --record shapes/matmul-shapes`."""
    install(session, "run")
    clinic(session, "verify", *session.posargs)


@nox.session
def page(session: nox.Session) -> None:
    """All that concerns one page or draft, with pictures: `nox -s page -- shapes/matmul-shapes`."""
    groups = nox.project.dependency_groups(GROUPS, "run", "site")
    # Of torch the small build: on Linux the one for CUDA is several GB.
    builds = os.environ.get("PIP_EXTRA_INDEX_URL", "https://download.pytorch.org/whl/cpu")
    session.install(
        *("-q", "-c", "constraints.txt", "playwright", *groups),
        env={"PIP_EXTRA_INDEX_URL": builds},
    )
    session.env["NO_MKDOCS_2_WARNING"] = "1"
    for ident in session.posargs:
        clinic(session, "check", ident)
        picture = Path(session.create_tmp(), f"{ident.rpartition('/')[2]}.png")
        clinic(session, "preview", ident, "--out", str(picture))


@nox.session
def mutate(session: nox.Session) -> None:
    """Run wrong versions of fixes and of the tips' blocks: each must be caught, or excused.

    `nox -s mutate -- --record nn/bn-one-value` notes that those of a page are.
    """
    install(session, "run", "tips")
    clinic(session, "verify", "--mutate", *session.posargs)


@nox.session
def flakes(session: nox.Session) -> None:
    """Run every snippet, in random order, and every block of the tips 20 times: none may fail.

    On the CPU, beside twice as much work as there are cores; then every snippet once more on one
    core and on two, where the system can do that. Hours.
    """
    install(session, "run", "tips", "test")
    clinic(session, "verify", "--repeat", "20", "--busy", *session.posargs)
    for cores in ("0", "0,1") if shutil.which("taskset") else ():
        pinned = ("taskset", "-c", cores, "python", "-m", "torchclinic", "verify", "--busy")
        session.run(*pinned, *session.posargs, external=True)
    command = ("python", "tests/busy.py", "20", "pytest", "-q", "--codeblocks", "docs/en/tips")
    session.run(*command, env={"PYTHONPATH": str(Path.cwd())})


@nox.session
@nox.parametrize("python,torch", VERSIONS)
def versions(session: nox.Session, torch: str) -> None:
    """Record the evidence of several torch releases and Pythons, and which words differ there.

    On the CPU; `nox -s versions -- shapes/matmul-shapes` does so for a page.
    """
    # The older ones were built before NumPy 2; with 2.4 Triton 3.5 and 3.6 cannot interpret.
    numpy = "numpy<2" if torch.startswith(("2.0", "2.1", "2.2", "2.3")) else "numpy<2.4"
    # torch.utils.cpp_extension of the older ones imports pkg_resources: not in setuptools 81.
    packages = (numpy, "PyYAML", "setuptools<81", "wheel", RUNTIME, "pytest", "pytest-timeout")
    session.install(
        "-q", *(("--upgrade", "torch") if torch == "newest" else (f"torch=={torch}",)), *packages
    )
    # An older release may fail where a newer one is cured: that is recorded, and no reason to stop.
    clinic(session, "verify", "--record", *session.posargs, success_codes=[0, 1])
    clinic(session, "changes")
    if torch in ("newest", "2.13.0", "2.11.0"):  # what a GPU will have
        session.run("pytest", "tests/test_cuda_cells.py", "-k", "names")


@nox.session(name="figures")
def figures_(session: nox.Session) -> None:
    """Run the scripts of figures and draw what they measured."""
    install(session, "run", "tips")
    clinic(session, "figures", *session.posargs)


@nox.session(name="third-party")
def third_party(session: nox.Session) -> None:
    """Run snippets, programs and tips' blocks that need big packages, or such as build slowly."""
    install(session, "run", "tips")
    session.install("-q", "-c", "constraints.txt", "pytest", "pytest-codeblocks", "pytest-timeout")
    for requirement in nox.project.dependency_groups(GROUPS, "third-party"):
        # What cannot be had here is not the end: what needs it is skipped, with the reason.
        if requirement.startswith("horovod"):
            build_horovod(session, requirement)
        elif requirement.startswith(("nvidia", "triton")):
            # cuDNN would bring cuBLAS, which no snippet loads.
            session.install("-q", "--no-deps", requirement, success_codes=[0, 1])
        else:
            session.install("-q", "-c", "constraints.txt", requirement, success_codes=[0, 1])
    try:
        session.run("python", "-c", "import torchvision", silent=True)
    except CommandFailed:  # the wheel of PyPI beside a CPU build of torch
        session.run("python", "-m", "pip", "uninstall", "-q", "-y", "torchvision")
    clinic(session, "verify", "--third-party", *session.posargs)
    session.run("pytest", "tests/third_party.py", "tests/test_environments.py")
    asking = [
        file
        for file in sorted(Path("docs/en/tips").rglob("*.md"))
        if "find_spec(" in file.read_text("utf-8")
    ]
    session.run("pytest", "--codeblocks", *map(str, asking))
    clinic(
        session,
        "verify",
        "--mutate",
        *(file.relative_to("docs/en").with_suffix("").as_posix() for file in asking),
    )


def build_horovod(session: nox.Session, requirement: str) -> None:
    """Build Horovod without MPI.

    It comes as source only, and asks for C++14, with which torch's headers no longer compile.
    """
    if list(Path(session.virtualenv.location).glob("lib/*/site-packages/horovod")):
        return  # ten minutes saved
    session.install("-q", "setuptools", "wheel")
    folder = Path(session.create_tmp())
    options = ("-q", "--no-deps", "--no-build-isolation", "--no-binary", ":all:", "-d", str(folder))
    session.run("python", "-m", "pip", "download", *options, requirement, success_codes=[0, 1])
    for archive in folder.glob("horovod-*.tar.gz"):
        shutil.unpack_archive(archive, folder)
        source = folder / archive.name.removesuffix(".tar.gz")
        for file in (source / "CMakeLists.txt", source / "horovod/torch/CMakeLists.txt"):
            file.write_text(
                file.read_text(encoding="utf-8").replace(
                    "CMAKE_CXX_STANDARD 14", "CMAKE_CXX_STANDARD 20"
                ),
                encoding="utf-8",
            )
        parts = {
            "HOROVOD_WITH_PYTORCH": "1",
            "HOROVOD_WITH_GLOO": "1",
            "HOROVOD_WITHOUT_MPI": "1",
            "HOROVOD_WITHOUT_TENSORFLOW": "1",
            "HOROVOD_WITHOUT_MXNET": "1",
        }
        tools = {"MAKEFLAGS": "-j2", "CMAKE_POLICY_VERSION_MINIMUM": "3.5"}
        session.install(
            "-q", "--no-build-isolation", str(source), env={**parts, **tools}, success_codes=[0, 1]
        )


@nox.session
def origins(session: nox.Session) -> None:
    """Read PyTorch's own messages out of the newest wheel of each minor release since 2.0.

    Of those that the table lacks; `-- anew`: of all, 3.5 GB.
    """
    session.install("-q", "-c", "constraints.txt", "PyYAML")
    table = Path("facts", "origins.json.gz")
    if "anew" in session.posargs:
        table.unlink(missing_ok=True)
    listed = session.run("python", "-m", "pip", "index", "versions", "torch", *MACOS, silent=True)
    assert isinstance(listed, str)
    available = (
        next(line for line in listed.splitlines() if line.startswith("Available versions: "))
        .removeprefix("Available versions: ")
        .split(", ")
    )
    parts = {version: tuple(map(int, version.split("+")[0].split("."))) for version in available}
    newest = {
        parts[version][:2]: version
        for version in sorted(available, key=parts.__getitem__)
        if parts[version] >= (2,)
    }
    last = (
        json.loads(gzip.decompress(table.read_bytes()))["releases"][-1] if table.exists() else "0"
    )
    new = [
        version for version in newest.values() if parts[version] > tuple(map(int, last.split(".")))
    ]
    if new:
        folder = session.create_tmp()
        # With the newest that the table has: what stands in its libraries is not new in the next.
        for version in [*(version for version in available if version == last), *new]:
            for system in (MACOS, LINUX) if parts[version] >= WITH_CUDA else (MACOS,):
                options = ("-q", "--no-deps", *system, "-d", folder)
                session.run("python", "-m", "pip", "download", *options, f"torch=={version}")
        session.run("python", "-m", "tools.origins", folder)
        for wheel in Path(folder).glob("*.whl"):
            wheel.unlink()
    session.run("python", "-m", "tools.origins", "--moved")


@nox.session
def package(session: nox.Session) -> None:
    """Try the commands of the wheel where there is no checkout: any Python from 3.10, no torch."""
    session.install(
        "-q", "-c", "constraints.txt", "PyYAML", "hatchling", "pytest", "pytest-timeout"
    )
    files = ("package", "commands", "source", "lookup", "explain", "run_anywhere", "run", "hooks")
    session.run("pytest", *(f"tests/test_{name}.py" for name in files), *session.posargs)


@nox.session
def systems(session: nox.Session) -> None:
    """What must hold on every system: the lookup, the commands, `run` with pipes. No torch."""
    session.install("-q", "-c", "constraints.txt", "PyYAML", "pytest", "pytest-timeout")
    files = ("lookup", "ladder", "wording", "commands", "source", "explain", "run_anywhere")
    session.run("pytest", *(f"tests/test_{name}.py" for name in files), *session.posargs)


@nox.session
def fuzz(session: nox.Session) -> None:
    """Ask Python and JavaScript the same; any difference fails.

    200,000 mutations of real pastes, as many conditions, 20,000 queries a language.
    """
    install(session, "run", "test")
    session.run("python", "tests/benchmarks/fuzz.py", *session.posargs)


@nox.session
def bench(session: nox.Session) -> None:
    """Every number that is reported, as a ratio or a share measured in one run."""
    install(session, "run", "site", "test", "bench")
    session.run("python", "tests/benchmarks/bench.py", *session.posargs)


@nox.session(name="site-check")
def site_check(session: nox.Session) -> None:
    """Accessibility, console, requests to others, weight and Lighthouse of the built site.

    Lighthouse needs Node 20 and npm; `-- axe weight` does without.
    """
    install(session, "site", "test")
    folder = session.create_tmp()
    if "lighthouse" in session.posargs or not {"axe", "weight"} & set(session.posargs):
        options = ("--silent", "--no-save", "--no-audit", "--no-fund", "--prefix", folder)
        session.run("npm", "install", *options, NODE, external=True)
    session.run("python", "tests/benchmarks/site_check.py", "--node", folder, *session.posargs)


@nox.session
def properdocs(session: nox.Session) -> None:
    """Build the site with the newest ProperDocs, a fork of MkDocs: no file may differ.

    And build the staged tree with both.
    """
    install(session, "site")
    session.install("-q", "--upgrade", "properdocs")
    session.run("properdocs", "--version")
    folder = Path(session.create_tmp())
    files: dict[str, dict[str, bytes]] = {}
    for generator in ("mkdocs", "properdocs"):
        clinic(session, "site", "build", "--generator", generator, "--out", str(folder / generator))
        files[generator] = {
            file.relative_to(folder / generator).as_posix(): file.read_bytes()
            for file in (folder / generator).rglob("*")
            if file.is_file()
        }
    different = sorted(
        name
        for name in {*files["mkdocs"], *files["properdocs"]}
        if files["mkdocs"].get(name) != files["properdocs"].get(name)
    )
    if different:
        session.error(
            f"{len(different)} files differ between {folder / 'mkdocs'} and"
            f" {folder / 'properdocs'}: {', '.join(different[:10])}"
        )
    session.log(f"{len(files['mkdocs'])} files, all the same")
    clinic(session, "site", "stage", "--out", str(folder / "stage"))
    for name in ("mkdocs.yml", "mkdocs.zh.yml"):
        for generator in ("mkdocs", "properdocs"):
            options = ("-q", "--strict", "-f", str(folder / "stage" / name))
            session.run("python", "-m", generator, "build", *options)


@nox.session
def pictures(session: nox.Session) -> None:
    """Make the README's pictures anew, in docs/screenshots/.

    They are of the screenshots of the site in both languages, schemes and two widths.
    """
    install(session, "site", "test")
    session.install("-q", "-c", "constraints.txt", "pillow")
    folder = session.create_tmp()
    command = ("pytest", "-q", "tests/browser/test_browser.py", "-k", "scrolls_sideways", "--full")
    session.run(*command, env={"SCREENSHOTS": folder})
    session.run("python", "tests/browser/pictures.py", folder, "docs/screenshots")
    session.log(f"All of them, to look at: {folder}")


@nox.session
def style(session: nox.Session) -> None:
    """Rewrite what the style check would complain of."""
    install(session, "test")
    session.run("ruff", "check", "--fix", ".")
    session.run("ruff", "format", ".")


@nox.session
def pin(session: nox.Session) -> None:
    """Write constraints.txt anew from the newest releases that fit together."""
    session.install(
        "-q", TORCH, *nox.project.dependency_groups(GROUPS, "run", "tips", "site", "test", "bench")
    )
    left_out = ("--exclude", "pip", "--exclude", "setuptools", "--exclude", "wheel")
    frozen = session.run("python", "-m", "pip", "freeze", *left_out, silent=True)
    assert isinstance(frozen, str)
    # Without torch's local build tag.
    lines = [line.split("+")[0] for line in frozen.splitlines() if "==" in line]
    Path("constraints.txt").write_text(
        "# The versions that CI runs with; written by `nox -s pin`.\n" + "\n".join(lines) + "\n",
        encoding="utf-8",
    )
