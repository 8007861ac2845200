"""What one release of PyTorch prints, read out of its wheel, or of an installed torch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from zipfile import BadZipFile, ZipFile

from torchclinic.content.problem import BadInput
from torchclinic.find import origins_table

from . import elf, exports, machine_code, python_source
from .template import Site

#: Folders whose messages only PyTorch's own tests print.
TESTS = ("torch/testing/_internal/", "torch/test/")
PACKAGES = ("torch/", "functorch/")
#: Libraries that are read, of wheels for ARM64: of macOS, and of Linux.
MACOS = tuple(f"torch/lib/lib{name}.dylib" for name in ("c10", "torch_cpu", "torch_python"))
LINUX = tuple(
    f"torch/lib/lib{name}.so"
    for name in ("c10", "c10_cuda", "torch_cpu", "torch_cuda", "torch_cuda_linalg", "torch_python")
)


@dataclass
class Release:
    """Places by file, of a release's Python, of macOS's libraries and of Linux's; None of a system
    whose libraries were not read.

    Attributes:
        strings: those of the libraries, sorted, of two letters and more.
        public: what `exports.public` knows.
    """

    version: str
    python: list[tuple[str, Site]] = field(default_factory=list)
    native: list[tuple[str, Site]] | None = None
    linux: list[tuple[str, Site]] | None = None
    strings: list[bytes] = field(default_factory=list)
    public: dict[str, str] = field(default_factory=dict)

    def __or__(self, other: Release) -> Release:
        """What two wheels of one release print. Their Python is the same: that of the first is
        taken."""
        if self.version != other.version:
            raise BadInput(f"torch {self.version} and {other.version} are two releases")
        return Release(
            self.version,
            self.python or other.python,
            self.native if self.native is not None else other.native,
            self.linux if self.linux is not None else other.linux,
            sorted({*self.strings, *other.strings}),
            self.public or other.public,
        )


def read(source: Path) -> Release:
    """What a wheel prints, or an installed torch by its folder.

    Raises:
        BadInput: it is neither.
    """
    if source.is_dir():
        root = source.parent
        names = [
            file.relative_to(root).as_posix()
            for file in sorted(source.rglob("*"))
            if file.suffix in (".py", ".dylib", ".so")
        ]
        return _read(source, names, lambda name: (root / name).read_bytes())
    try:
        with ZipFile(source) as wheel:
            return _read(source, sorted(wheel.namelist()), wheel.read)
    except (OSError, BadZipFile) as error:
        raise BadInput(
            f"{source} is no wheel and no folder of an installed torch ({error})"
        ) from None


def _read(source: Path, names: list[str], content: Callable[[str], bytes]) -> Release:
    if "torch/version.py" not in names:
        raise BadInput(
            f"{source} holds no torch/version.py: name wheels of torch, or the folder `torch` of an"
            " environment"
        )
    release = Release(_version(content("torch/version.py").decode()))
    modules: dict[str, exports.Module] = {}
    strings: set[bytes] = set()
    for name in names:
        if name.endswith(".py") and name.startswith(PACKAGES) and not name.startswith(TESTS):
            module = origins_table.module_of(name)
            tree = python_source.parse(content(name).decode("utf-8"))
            release.python += [(name, site) for site in python_source.sites(tree, module)]
            modules[module] = exports.read(tree, name)
        elif name in MACOS or name in LINUX:
            strings |= _library(release, source, name, content(name))
    release.strings = sorted(strings)
    release.public = exports.public(modules)
    return release


def _library(release: Release, source: Path, name: str, data: bytes) -> set[bytes]:
    """Add what a library prints. Returns: its strings."""
    if elf.for_x86(data):
        return set()  # an installed torch: its Python is read
    try:
        sites, strings = machine_code.sites(data)
    except ValueError as error:
        raise BadInput(
            f"{source}: {name}: {error}; name a wheel for macosx_arm64 or manylinux_aarch64"
        ) from None
    if name in MACOS:
        release.native = (release.native or []) + sites
    else:
        release.linux = (release.linux or []) + sites
    return strings


def version(source: Path) -> str:
    """The release of a wheel, by its name, or of an installed torch.

    Raises:
        BadInput: it is neither.
    """
    if source.is_dir():
        try:
            return _version((source / "version.py").read_text(encoding="utf-8"))
        except OSError as error:
            raise BadInput(f"{source} holds no installed torch ({error})") from None
    parts = source.name.split("-")
    if not source.name.endswith(".whl") or parts[0] != "torch" or len(parts) < 5:
        raise BadInput(
            f"{source} is no wheel of torch, such as torch-2.13.0-cp311-none-macosx_11_0_arm64.whl"
        )
    return parts[1].partition("+")[0]


def _version(source: str) -> str:
    """2.13.0 of `__version__ = '2.13.0+cpu'`."""
    for line in source.splitlines():
        if line.startswith("__version__"):
            return line.split("'" if "'" in line else '"')[1].partition("+")[0]
    raise BadInput("torch/version.py names no version")


def order(version: str) -> tuple[int, ...]:
    """By which releases are sorted."""
    return tuple(int(part) for part in version.split(".") if part.isdigit())
