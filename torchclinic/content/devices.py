"""facts/devices.yml: the families of devices that PyTorch runs on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .. import LANGUAGES
from ..find.devices import Family
from . import yamlfile
from .problem import Problems

FILE = "devices.yml"
CUDA = "CUDA"
#: What each family says of itself, and of what type that is.
FIELDS: dict[str, type] = {
    **{"name": dict, "noun": str, "type": str, "word": str, "prints": dict, "signs": list},
    **{"instead": dict, "tools": list, "packages": list, "wheels": dict, "source": str},
}


class Devices:
    """
    Attributes:
        twins: what a build for CUDA prints -> the families that print it with a word of their own
            for `CUDA`.
        families: name -> what the file says of it.
    """

    def __init__(self, twins: dict[str, list[str]], families: dict[str, dict[str, Any]]) -> None:
        self.twins, self.families = twins, families

    def for_lookup(self) -> list[Family]:
        """What the lookup goes by, in the order in which a text is asked for its family."""
        return [
            {
                "id": name,
                "name": of["name"],
                "noun": of["noun"],
                "signs": of["signs"],
                "prints": [[own, cuda] for own, cuda in self._prints(name)],
                "instead": [[cuda, own] for cuda, own in of["instead"].items()],
                "tools": of["tools"],
                "packages": of["packages"],
            }
            for name, of in self.families.items()
        ]

    def _prints(self, name: str) -> list[tuple[str, str]]:
        """(its words, CUDA's), those that are its own first."""
        of = self.families[name]
        twins = [twin for twin, families in self.twins.items() if name in families]
        return [*of["prints"].items(), *((twin.replace(CUDA, of["word"]), twin) for twin in twins)]


def read(file: Path, problems: Problems) -> Devices:
    """The families; none if there is no such file. Reports what a family lacks."""
    data = yamlfile.read(file, problems) if file.exists() else {}
    twins, families = data.get("twins") or {}, data.get("families") or {}
    for twin, printed_by in twins.items():
        if CUDA not in twin:
            problems.add(file, 0, f"`{twin}` has no `{CUDA}` for which another word could stand")
        for name in printed_by:
            if name not in families:
                problems.add(file, 0, f"`{twin}` names `{name}`, which is no family")
    kept = {}
    for name, of in families.items():
        wrong = list(_wrong(of))
        for message in wrong:
            problems.add(file, 0, f"`{name}` {message}")
        if not wrong:
            kept[name] = of
    return Devices(twins, kept)


def _wrong(of: Any) -> list[str]:
    if not isinstance(of, dict):
        return [f"is no mapping of {', '.join(FIELDS)}"]
    told = [
        f"has no `{field}`, a {kind.__name__}"
        for field, kind in FIELDS.items()
        if not isinstance(of.get(field), kind)
    ]
    told += [f"has an unknown field `{field}`" for field in of if field not in FIELDS]
    for field in ("name", "wheels"):
        texts = of.get(field)
        lacking = [one for one in LANGUAGES if not isinstance(texts, dict) or not texts.get(one)]
        told += [f"has no `{field}` in `{one}`" for one in lacking]
    return told
