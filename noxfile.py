"""Everything that is run: `python3 -m nox -s serve`, `python3 -m nox -s tests`; `python3 -m nox -l` lists the rest."""

from __future__ import annotations

import gzip
import json
import shutil
from pathlib import Path

import nox
from nox.command import CommandFailed

nox.needs_version = ">=2025.2.9"
nox.options.sessions = ["tests"]
nox.options.reuse_venv = "yes"
# pip, not uv: on Linux uv would take torch's CUDA build, several GB, where pip takes the build that the machine offers.
nox.options.default_venv_backend = "virtualenv"

GROUPS = nox.project.load_toml("pyproject.toml")
TORCH = "torch==2.13.0"  # the release that the pages are written for, as torchclinic/content/evidence.py and constraints.txt have it
# What is recorded on the CPU, as (Python, torch). Of torch, besides the pages' own: the newest; the first 2.x that still has wheels for our Pythons; the last
# before fully_shard (2.3.1); the first where torch.load takes weights only (2.6.0); what many have installed (2.9.1, 2.11.0). Of Python: all that the newest
# wheels are for, since depth of recursion, pickling and tracebacks differ. Several GB each; `-- --missing` runs only what changed since.
VERSIONS = [
    *(("3.11", torch) for torch in ("2.13.0", "newest", "2.9.1", "2.6.0", "2.3.1", "2.0.1")),
    ("3.12", "2.11.0"),
    *((python, "2.13.0") for python in ("3.10", "3.12", "3.13")),
]
NODE = "lighthouse@12.8.2"  # 13 needs Node 22
# The wheels of torch that are read for its messages: those for ARM64, whose instructions are easily followed. A new macOS takes what was built for an older one.
WHEELS = ("--python-version", "3.11", "--only-binary", ":all:")
MACOS, LINUX = (*WHEELS, "--platform", "macosx_26_0_arm64"), (*WHEELS, "--platform", "manylinux_2_28_aarch64")
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


@nox.session
def tests(session: nox.Session) -> None:
    """All that CI runs: style, catalogue, unit tests, browser, the tips' code blocks, and on the CPU the snippets that changed and a fifth of the others."""
    install(session, "run", "tips", "site", "test")
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")
    session.run("actionlint", *sorted(str(file) for file in Path(".github/workflows").glob("*.yml")))
    clinic(session, "catalogue")
    clinic(session, "verify", "--changed")
    clinic(session, "verify", "--mutate", "--changed")
    session.env["OMP_NUM_THREADS"] = "1"  # threads that wait for each other on a busy machine make seconds into minutes
    session.run("pytest", "--codeblocks", "tests", "docs/en/tips", *session.posargs)  # the Chinese tips hold the same code: the catalogue compares them


@nox.session
def verify(session: nox.Session) -> None:
    """Run snippets and record the evidence: `nox -s verify -- --record autograd/backward-second-time`."""
    install(session, "run")
    clinic(session, "verify", *session.posargs)


@nox.session
def page(session: nox.Session) -> None:
    """Everything that concerns one page, drafts included, and pictures of it: `nox -s page -- shapes/matmul-shapes`."""
    install(session, "run", "site", "test")
    for ident in session.posargs:
        clinic(session, "check", ident)
        clinic(session, "preview", ident, "--out", str(Path(session.create_tmp(), f"{ident.rpartition('/')[2]}.png")))


@nox.session
def mutate(session: nox.Session) -> None:
    """Run wrong versions of every fix and every block of the tips: each must be caught, or excused. `nox -s mutate -- --record nn/bn-one-value`."""
    install(session, "run", "tips")
    clinic(session, "verify", "--mutate", *session.posargs)


@nox.session
def flakes(session: nox.Session) -> None:
    """Run every snippet, in random order, and every block of the tips 20 times on the CPU with all cores at work: none may fail. An hour or more."""
    install(session, "run", "tips", "test")
    clinic(session, "verify", "--repeat", "20", "--busy", *session.posargs)
    session.env |= {"PYTHONPATH": str(Path.cwd()), "OMP_NUM_THREADS": "1"}
    session.run("python", "tests/busy.py", "20", "pytest", "-q", "--codeblocks", "docs/en/tips")


@nox.session
@nox.parametrize("python,torch", VERSIONS)
def versions(session: nox.Session, torch: str) -> None:
    """Record the CPU evidence of several torch releases and Pythons, and print which breaks print other words: `nox -s versions -- shapes/matmul-shapes`."""
    # The older ones were built before NumPy 2; with 2.4 the interpreters of Triton 3.5 and 3.6 fail.
    numpy = "numpy<2" if torch.startswith(("2.0", "2.1", "2.2", "2.3")) else "numpy<2.4"
    # torch.utils.cpp_extension of the older ones imports pkg_resources, which setuptools 81 no longer has.
    packages = (numpy, "PyYAML", "setuptools<81", "wheel", RUNTIME)
    session.install("-q", *(("--upgrade", "torch") if torch == "newest" else (f"torch=={torch}",)), *packages)
    # An older release may fail where a newer one is cured: that is recorded, and no reason to stop.
    clinic(session, "verify", "--record", *session.posargs, success_codes=[0, 1])
    clinic(session, "changes")


@nox.session(name="figures")
def figures_(session: nox.Session) -> None:
    """Run the scripts of figures and draw what they measured."""
    install(session, "run", "tips")
    clinic(session, "figures", *session.posargs)


@nox.session(name="third-party")
def third_party(session: nox.Session) -> None:
    """Run the snippets, programs and tips' blocks that need packages of others, which are big or slow to build: `nox -s third-party -- --record`."""
    install(session, "run", "tips")
    session.install("-q", "-c", "constraints.txt", "pytest", "pytest-codeblocks", "pytest-timeout")
    for requirement in nox.project.dependency_groups(GROUPS, "third-party"):
        # What cannot be had here is not the end: its snippets and blocks are skipped, with the reason.
        if requirement.startswith("horovod"):
            build_horovod(session, requirement)
        elif requirement.startswith(("nvidia", "triton")):
            session.install("-q", "--no-deps", requirement, success_codes=[0, 1])  # cuDNN would bring cuBLAS, which no snippet loads
        else:
            session.install("-q", "-c", "constraints.txt", requirement, success_codes=[0, 1])
    try:
        session.run("python", "-c", "import torchvision", silent=True)
    except CommandFailed:  # the wheel of PyPI beside a CPU build of torch
        session.run("python", "-m", "pip", "uninstall", "-q", "-y", "torchvision")
    clinic(session, "verify", "--third-party", *session.posargs)
    session.run("pytest", "--noconftest", "tests/third_party.py", env={"PYTHONPATH": "tests"})  # conftest builds the site, which asks for more
    asking = [file for file in sorted(Path("docs/en/tips").rglob("*.md")) if "find_spec(" in file.read_text("utf-8")]
    session.run("pytest", "--codeblocks", *map(str, asking))
    clinic(session, "verify", "--mutate", *(file.relative_to("docs/en").with_suffix("").as_posix() for file in asking))


def build_horovod(session: nox.Session, requirement: str) -> None:
    """Build Horovod without MPI. It comes as source only, and asks for C++14, with which torch's headers no longer compile."""
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
            file.write_text(file.read_text(encoding="utf-8").replace("CMAKE_CXX_STANDARD 14", "CMAKE_CXX_STANDARD 20"), encoding="utf-8")
        parts = {
            "HOROVOD_WITH_PYTORCH": "1",
            "HOROVOD_WITH_GLOO": "1",
            "HOROVOD_WITHOUT_MPI": "1",
            "HOROVOD_WITHOUT_TENSORFLOW": "1",
            "HOROVOD_WITHOUT_MXNET": "1",
        }
        tools = {"MAKEFLAGS": "-j2", "CMAKE_POLICY_VERSION_MINIMUM": "3.5"}
        session.install("-q", "--no-build-isolation", str(source), env={**parts, **tools}, success_codes=[0, 1])


@nox.session
def origins(session: nox.Session) -> None:
    """Read PyTorch's own messages out of the newest wheel of each minor release since 2.0, of those that the table lacks; `-- anew`: of all, 3.5 GB."""
    session.install("-q", "-c", "constraints.txt", "PyYAML")
    table = Path("facts", "origins.json.gz")
    if "anew" in session.posargs:
        table.unlink(missing_ok=True)
    listed = session.run("python", "-m", "pip", "index", "versions", "torch", *MACOS, silent=True)
    assert isinstance(listed, str)
    available = next(line for line in listed.splitlines() if line.startswith("Available versions: ")).removeprefix("Available versions: ").split(", ")
    parts = {version: tuple(map(int, version.split("+")[0].split("."))) for version in available}
    newest = {parts[version][:2]: version for version in sorted(available, key=parts.__getitem__) if parts[version] >= (2,)}
    last = json.loads(gzip.decompress(table.read_bytes()))["releases"][-1] if table.exists() else "0"
    new = [version for version in newest.values() if parts[version] > tuple(map(int, last.split(".")))]
    if new:
        folder = session.create_tmp()
        # With the newest that the table has: what stands in its libraries is not new in the next.
        for version in [*(version for version in available if version == last), *new]:
            for system in (MACOS, LINUX) if parts[version] >= WITH_CUDA else (MACOS,):
                session.run("python", "-m", "pip", "download", "-q", "--no-deps", *system, "-d", folder, f"torch=={version}")
        clinic(session, "origins", folder)
        for wheel in Path(folder).glob("*.whl"):
            wheel.unlink()
    clinic(session, "origins", "--moved")


@nox.session
def package(session: nox.Session) -> None:
    """Build the wheel, install it where there is no checkout, and try its commands: with any Python from 3.10 on, without torch."""
    session.install("-q", "-c", "constraints.txt", "PyYAML", "hatchling", "pytest", "pytest-timeout")
    files = ("package", "commands", "lookup", "explain", "run", "hooks")
    session.run("pytest", *(f"tests/test_{name}.py" for name in files), *session.posargs)


@nox.session
def fuzz(session: nox.Session) -> None:
    """200,000 mutations of real pastes to both matchers, as many conditions, 20,000 queries a language to both searches; any difference fails."""
    install(session, "run", "test")
    session.run("python", "tests/benchmarks/fuzz.py", *session.posargs)


@nox.session
def bench(session: nox.Session) -> None:
    """Every number that is reported, as a ratio or a share measured in one run."""
    install(session, "run", "site", "test", "bench")
    session.run("python", "tests/benchmarks/bench.py", *session.posargs)


@nox.session(name="site-check")
def site_check(session: nox.Session) -> None:
    """Accessibility, console, requests to others, weight and Lighthouse of the built site; Lighthouse needs Node 20 and npm; `-- axe weight` does without."""
    install(session, "site", "test")
    folder = session.create_tmp()
    if "lighthouse" in session.posargs or not {"axe", "weight"} & set(session.posargs):
        session.run("npm", "install", "--silent", "--no-save", "--no-audit", "--no-fund", "--prefix", folder, NODE, external=True)
    session.run("python", "tests/benchmarks/site_check.py", "--node", folder, *session.posargs)


@nox.session
def properdocs(session: nox.Session) -> None:
    """Build the site with the newest ProperDocs, the maintained fork of MkDocs: every file must be as MkDocs makes it. And both from the staged tree."""
    install(session, "site")
    session.install("-q", "--upgrade", "properdocs")
    session.run("properdocs", "--version")
    folder = Path(session.create_tmp())
    made = {}
    for generator in ("mkdocs", "properdocs"):
        clinic(session, "site", "build", "--generator", generator, "--out", str(folder / generator))
        made[generator] = {file.relative_to(folder / generator).as_posix(): file.read_bytes() for file in (folder / generator).rglob("*") if file.is_file()}
    different = sorted(name for name in {*made["mkdocs"], *made["properdocs"]} if made["mkdocs"].get(name) != made["properdocs"].get(name))
    if different:
        session.error(f"{len(different)} files differ between {folder / 'mkdocs'} and {folder / 'properdocs'}: {', '.join(different[:10])}")
    session.log(f"{len(made['mkdocs'])} files, all the same")
    clinic(session, "site", "stage", "--out", str(folder / "stage"))
    for name in ("mkdocs.yml", "mkdocs.zh.yml"):
        for generator in ("mkdocs", "properdocs"):
            session.run("python", "-m", generator, "build", "-q", "--strict", "-f", str(folder / "stage" / name))


@nox.session
def screenshots(session: nox.Session) -> None:
    """Take screenshots of the site in both languages, schemes and two widths; those that the README shows are written into docs/screenshots/."""
    install(session, "site", "test")
    session.install("-q", "-c", "constraints.txt", "pillow")
    folder = session.create_tmp()
    session.run("pytest", "-q", "tests/browser/test_browser.py", "-k", "scrolls_sideways", env={"SCREENSHOTS": folder})
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
    """Write constraints.txt anew from the newest releases that fit together; review the difference."""
    session.install("-q", TORCH, *nox.project.dependency_groups(GROUPS, "run", "tips", "site", "test", "bench"))
    frozen = session.run("python", "-m", "pip", "freeze", "--exclude", "pip", "--exclude", "setuptools", "--exclude", "wheel", silent=True)
    assert isinstance(frozen, str)
    lines = [line.split("+")[0] for line in frozen.splitlines() if "==" in line]  # without torch's local build tag
    Path("constraints.txt").write_text("# The versions that CI runs with; written by `nox -s pin`.\n" + "\n".join(lines) + "\n", encoding="utf-8")
