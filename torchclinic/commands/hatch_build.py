"""Writes the finished knowledge into the wheel. Hatchling loads this file by its path, from a checkout or from an unpacked sdist."""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class KnowledgeHook(BuildHookInterface):
    """Makes each part of the knowledge and puts it into torchclinic/data/."""

    folder = ""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Raises: SystemExit, where the files break a rule: a wheel is finished, or it is not made."""
        if version == "editable":
            return  # the checkout's own files and cache serve it
        sys.path.insert(0, self.root)
        from torchclinic.commands import knowledge, maker

        if problems := maker.problems(Path(self.root)):
            raise SystemExit("\n".join([*map(str, problems), f"{len(problems)} problems: no wheel was made"]))
        self.folder = tempfile.mkdtemp()
        for part in knowledge.PARTS:
            file = Path(self.folder, f"{part}.json")
            file.write_text(json.dumps(knowledge.dressed(maker.make(part, Path(self.root))), ensure_ascii=False, separators=(",", ":")), encoding="utf-8")
            build_data["force_include"][str(file)] = f"torchclinic/{knowledge.DATA.name}/{file.name}"
        table = Path(self.root, knowledge.ORIGINS)
        if table.exists():  # packed as it is: the notice of PyTorch's licence stands in it
            build_data["force_include"][str(table)] = f"torchclinic/{knowledge.DATA.name}/{table.name}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        if self.folder:
            shutil.rmtree(self.folder)
