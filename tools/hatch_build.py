"""Writes the finished knowledge into the wheel. Hatchling loads this file by its path, from a
checkout or from an unpacked sdist."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class KnowledgeHook(BuildHookInterface[Any]):
    """Makes each part of the knowledge and puts it into torchclinic/data/."""

    folder = ""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Raises: SystemExit: the files break a rule; a wheel is finished, or it is not made."""
        if version == "editable":
            return  # the checkout's own files and cache serve it
        sys.path.insert(0, self.root)
        from torchclinic.commands import knowledge
        from torchclinic.site import knowledge_parts as maker

        if problems := maker.problems(Path(self.root)):
            raise SystemExit(
                "\n".join([*map(str, problems), f"{len(problems)} problems: no wheel was made"])
            )
        self.folder = tempfile.mkdtemp()
        data = f"torchclinic/{knowledge.DATA.name}"
        for part in knowledge.PARTS:
            file = Path(self.folder, f"{part}.jsonl")
            made = maker.make(part, Path(self.root))
            if not made:  # an answer would silently lack what only PyTorch's source knows
                raise SystemExit(f"there is no {part}: no wheel was made")
            if "rest" in made and (site := os.environ.get("SITE_URL")):
                made["rest"]["site"] = site.rstrip("/") + "/"
            file.write_bytes(knowledge.packed(made))
            build_data["force_include"][str(file)] = f"{data}/{file.name}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        if self.folder:
            shutil.rmtree(self.folder)
