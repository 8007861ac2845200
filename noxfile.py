"""Everything that is run: `python3 -m nox -s serve`, `python3 -m nox -s tests`; `python3 -m nox -l` lists the rest."""

from __future__ import annotations

from pathlib import Path

import nox

nox.needs_version = ">=2025.2.9"
nox.options.sessions = ["tests"]
nox.options.reuse_venv = "yes"
# pip, not uv: on Linux uv would take torch's CUDA build, several GB, where pip takes the build that the machine offers.
nox.options.default_venv_backend = "virtualenv"

GROUPS = nox.project.load_toml("pyproject.toml")
TORCH = "torch==2.13.0"  # the release that the recorded CPU evidence is of


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
    """All that CI runs: style, catalogue, unit tests, browser, the pages' code blocks, every snippet on the CPU."""
    install(session, "run", "tips", "site", "test")
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")
    session.run("actionlint", *sorted(str(file) for file in Path(".github/workflows").glob("*.yml")))
    clinic(session, "catalogue")
    clinic(session, "verify")
    session.run("pytest", "--codeblocks", "tests", "docs/en/tips", *session.posargs)  # the Chinese tips hold the same code: the catalogue compares them


@nox.session
def verify(session: nox.Session) -> None:
    """Run snippets and record the evidence: `nox -s verify -- --record autograd/backward-second-time`."""
    install(session, "run")
    clinic(session, "verify", *session.posargs)


@nox.session(name="figures")
def figures_(session: nox.Session) -> None:
    """Run the scripts of figures and draw what they measured."""
    install(session, "run", "tips")
    clinic(session, "figures", *session.posargs)


@nox.session
def fuzz(session: nox.Session) -> None:
    """200,000 mutations of real pastes to both matchers; any difference fails."""
    install(session, "run", "test")
    session.run("python", "benchmarks/fuzz.py", *session.posargs)


@nox.session
def bench(session: nox.Session) -> None:
    """Every number that is reported, as a ratio or a share measured in one run."""
    install(session, "run", "site", "test", "bench")
    session.run("python", "benchmarks/bench.py", *session.posargs)


@nox.session
def style(session: nox.Session) -> None:
    """Rewrite what the style check would complain of."""
    install(session, "test")
    session.run("ruff", "check", "--fix", ".")
    session.run("ruff", "format", ".")


@nox.session
def pin(session: nox.Session) -> None:
    """Write constraints.txt anew from the newest releases that fit together; review the difference."""
    session.install("-q", TORCH, *nox.project.dependency_groups(GROUPS, "run", "site", "test", "bench"))
    frozen = session.run("python", "-m", "pip", "freeze", "--exclude", "pip", "--exclude", "setuptools", "--exclude", "wheel", silent=True)
    assert isinstance(frozen, str)
    lines = [line.split("+")[0] for line in frozen.splitlines() if "==" in line]  # without torch's local build tag
    Path("constraints.txt").write_text("# The versions that CI runs with; written by `nox -s pin`.\n" + "\n".join(lines) + "\n", encoding="utf-8")
