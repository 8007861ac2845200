"""Which versions and builds fit one another."""

from __future__ import annotations

import re

from packaging.requirements import InvalidRequirement, Requirement
from packaging.version import InvalidVersion, Version

from .env_probe import Build, Package


def numbers(version: str) -> list[int]:
    """`2.10.0+cu128` -> [2, 10, 0]."""
    head = re.match(r"[\d.]*", version)
    return [int(part) for part in re.findall(r"\d+", head[0] if head else "")]


def major(version: str) -> int:
    return (numbers(version) or [0])[0]


def wanted_torch(requires: list[str]) -> list[str]:
    """The versions of torch that a package asks for (`==2.13.0`), whatever else is installed.

    What is not understood is left out: only what is known is judged.
    """
    wanted = []
    for text in requires:
        try:
            requirement = Requirement(text)
        except InvalidRequirement:
            continue
        if requirement.name == "torch" and requirement.specifier and not requirement.marker:
            wanted.append(str(requirement.specifier))
    return wanted


def meets(version: str, wanted: str) -> bool:
    """Is it within `==2.13.0` or `>=2.2,<3`? A build before a release counts as that release, too:
    containers carry torch 2.6.0a0 with packages for 2.6."""
    try:
        release, specifier = Version(version), Requirement(f"torch {wanted}").specifier
    except (InvalidVersion, InvalidRequirement):
        return True
    return specifier.contains(release, prereleases=True) or (
        release.is_prerelease and specifier.contains(release.base_version)
    )


def built_for(package: Package) -> str:
    """The torch of a wheel whose address names it, as those of flash-attn do; "" if none does."""
    release = re.search(r"torch(\d+\.\d+)", package.url)
    return release[1] if release else ""


def other_build(torch: str, version: str, builds: tuple[Build, Build]) -> tuple[str, str] | None:
    """What torch and its companion were built for, where that differs.

    Args:
        torch, version: their versions.
        builds: what their version.py say.
    """
    if all("cuda" in build for build in builds):
        kinds = [
            f"CUDA {build['cuda']}" if build["cuda"] else "ROCm" if build.get("hip") else "CPU"
            for build in builds
        ]
        if kinds[0] != kinds[1] and "ROCm" not in kinds:
            return kinds[0], kinds[1]
    tags = torch.partition("+")[2], version.partition("+")[2]
    return tags if all(tags) and tags[0] != tags[1] else None


def is_older(release: str, needed: str) -> bool:
    """Is a library older than the one of the same major version that torch brings?"""
    here, there = numbers(release), numbers(needed)
    return len(here) > 1 and here[:1] == there[:1] and here[:2] < there[:2]


def runs_on(archs: list[str], capability: str) -> bool:
    """Has a build with these architectures (`sm_80`, `sm_90a`, `compute_90`) code for a GPU of this
    compute capability (`8.6`)?"""
    big, _, small = capability.partition(".")
    gpu = int(big) * 10 + int(small)
    for arch in archs:
        parts = re.fullmatch(r"(sm|compute)_(\d+)([af]?)", arch)
        if not parts:
            continue
        number, kind = int(parts[2]), parts[3]
        if kind == "a":
            if number == gpu:
                return True
        elif number <= gpu and (number // 10 == gpu // 10 or (parts[1] == "compute" and not kind)):
            return True
    return False
