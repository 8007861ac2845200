"""The package torchclinic.checks as one file, to copy beside a script."""

from __future__ import annotations

import ast
from pathlib import Path


def joined(package: Path) -> str:
    """The modules one below the other: no name stands in two of them, and none in a class's head
    or a default value comes from another."""
    source = (package / "__init__.py").read_text(encoding="utf-8")
    init = ast.parse(source)
    modules = {node.module: 0 for node in init.body if isinstance(node, ast.ImportFrom)}
    imports: dict[str, int] = {}
    bodies = []
    for module in modules:
        lines = (package / f"{module}.py").read_text(encoding="utf-8").splitlines()
        head = [
            node
            for node in ast.parse("\n".join(lines)).body
            if isinstance(node, (ast.Import, ast.ImportFrom))
        ]
        imports |= {ast.unparse(node): 0 for node in head if not getattr(node, "level", 0)}
        bodies.append("\n".join(lines[head[-1].end_lineno :]).strip())
    docstring = f'"""{ast.get_docstring(init, clean=False)}"""'
    return "\n\n\n".join([f"{docstring}\n\n" + "\n".join(imports), *bodies]) + "\n"
