"""The house: which room may import which. Arrows run downwards only, so that who reads a room need not know what stands above it."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from torchclinic import ROOT

PACKAGE = ROOT / "torchclinic"
#: room -> the rooms that it may import, beside itself and the package's own names (ROOT, LANGUAGES).
ROOMS: dict[str, set[str]] = {
    "checks": set(),
    "find": set(),
    "content": {"find"},
    "run": {"content", "find"},
    "site": {"content", "find"},
    "commands": {"site", "run", "content", "find"},
    "authoring": {"commands", "site", "run", "content", "find"},
}
FILES = sorted(PACKAGE.rglob("*.py"))
#: Lines that one can hold in the head. Of 100 columns: ruff sees to that.
LINES = 350


def imports(file: Path, types: bool = True) -> Iterator[str]:
    """Full names of all that a file imports, anywhere in it; of the package's own, as modules.

    Args:
        types: also what is imported for a checker of types alone.
    """
    package = ("torchclinic", *file.parent.relative_to(PACKAGE).parts)
    tree = ast.parse(file.read_text(encoding="utf-8"))
    if not types:
        for node in ast.walk(tree):
            if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
                node.body = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = (
                ".".join([*package[: len(package) - node.level + 1], *filter(None, [node.module])])
                if node.level
                else node.module or ""
            )
            for alias in node.names:
                yield f"{base}.{alias.name}" if is_module(f"{base}.{alias.name}") else base


def is_module(name: str) -> bool:
    path = ROOT.joinpath(*name.split("."))
    return name.startswith("torchclinic") and (
        path.with_suffix(".py").is_file() or (path / "__init__.py").is_file()
    )


def module_of(file: Path) -> str:
    return ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def room_of(module: str) -> str:
    """The room of a module of the package; "" for the package itself."""
    return module.partition(".")[2].partition(".")[0]


@pytest.mark.parametrize("file", FILES, ids=module_of)
def test_arrows_run_downwards(file: Path) -> None:
    room = room_of(module_of(file))
    for name in imports(file):
        if name.split(".")[0] != "torchclinic":
            assert room != "find" or name.split(".")[0] in sys.stdlib_module_names, (
                f"find is the standard library alone, not {name}"
            )
        elif room in ROOMS:
            assert room_of(name) in {"", room, *ROOMS[room]}, f"{room} may not import {name}"


def test_no_module_is_longer_than_one_can_hold_in_the_head() -> None:
    files = [*FILES, *(ROOT / "tools").rglob("*.py")]
    lines = {
        file.relative_to(ROOT).as_posix(): len(file.read_text(encoding="utf-8").splitlines())
        for file in files
    }
    assert {name: count for name, count in lines.items() if count > LINES} == {}


def test_every_room_is_known() -> None:
    assert {
        folder.name for folder in PACKAGE.iterdir() if (folder / "__init__.py").exists()
    } == set(ROOMS)


def test_no_circle() -> None:
    graph = {
        module_of(file): {name for name in imports(file) if is_module(name) and room_of(name)}
        - {module_of(file)}
        for file in FILES
    }
    assert list(
        TopologicalSorter(graph).static_order()
    )  # raises CycleError, which names the circle


def test_only_cells_import_torch_and_only_the_site_knows_mkdocs() -> None:
    for file in FILES:
        names = {name.split(".")[0] for name in imports(file)}
        assert (
            "torch" not in names
            or module_of(file)
            in (
                "torchclinic.run.cell",
                "torchclinic.authoring.figures",
            )
            or room_of(module_of(file)) == "checks"
        ), file
        assert not names & {"mkdocs"} or room_of(module_of(file)) == "site", file


def test_without_the_packages_of_the_site_all_else_works() -> None:
    """`verify` runs where neither MkDocs nor a parser of HTML is installed, on a GPU machine for one."""
    missing = ["minify_html", "mkdocs", "selectolax", "tinycss2"]
    program = f"import sys; sys.modules.update(dict.fromkeys({missing})); from torchclinic.commands.parser import main; sys.exit(main(sys.argv[1:]))"
    done = {
        what: subprocess.run(
            [sys.executable, "-c", program, *what.split()], cwd=ROOT, capture_output=True, text=True
        )
        for what in ("verify --help", "site build")
    }
    assert done["verify --help"].returncode == 0
    assert (
        done["site build"].returncode == 2
        and "needs the package" in done["site build"].stderr
        and "Traceback" not in done["site build"].stderr
    )
