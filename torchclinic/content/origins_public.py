"""Under which name people know what a release defines: `torch.nn.Linear` of torch.nn.modules.linear.Linear. Read by `ast` from what modules export.

A name is public where it is torch's, no part of it begins with an underscore, and its module lists it in `__all__`, or, without a list that is plain, defines it
or imports it from torch. Of several the shortest is taken. What a program makes while it runs (`globals()[name] = …`) is not seen.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from ..find.origins import module_of


@dataclass
class Module:
    """What a module binds. Attributes: defined: its own functions and classes; imported: name -> (module, name there); stars: modules of which it takes all; listed: `__all__`, None without one that is plain."""

    defined: set[str] = field(default_factory=set)
    imported: dict[str, tuple[str, str]] = field(default_factory=dict)
    stars: list[str] = field(default_factory=list)
    listed: set[str] | None = None

    def exports(self, name: str) -> bool:
        return name in self.listed if self.listed is not None else not name.startswith("_")


def public(modules: dict[str, Module]) -> dict[str, str]:
    """Qualified name of a function or class as it is defined -> its shortest public name; what has none is left out.

    Args:
        modules: all of a release, by their names.
    """
    found: dict[str, str] = {}
    for module in sorted(modules, key=lambda name: (name.count("."), name)):
        if _documented(module):
            for name, defined in sorted(_exported(modules, module, ()).items()):
                if not name.startswith("_") and defined not in found:
                    found[defined] = f"{module}.{name}"
    return found


def _documented(module: str) -> bool:
    """May a module be documented? functorch's is, as torch.func."""
    parts = module.split(".")
    return parts[0] == "torch" and not any(part.startswith("_") for part in parts)


def _exported(modules: dict[str, Module], module: str, above: tuple[str, ...]) -> dict[str, str]:
    """What `from module import *` brings: name -> where it is defined."""
    if module not in modules or module in above:
        return {}
    here, found = modules[module], {}
    for star in here.stars:
        found.update(_exported(modules, star, (*above, module)))
    for name in here.imported:
        if defined := _defined(modules, module, name, ()):
            found[name] = defined
    found.update({name: f"{module}.{name}" for name in here.defined})
    return {name: defined for name, defined in found.items() if here.exports(name)}


def _defined(modules: dict[str, Module], module: str, name: str, above: tuple[str, ...]) -> str:
    """Where a name of a module is defined; "" where that is not in torch, or is a module."""
    if module not in modules or module in above:
        return ""
    here = modules[module]
    if name in here.defined:
        return f"{module}.{name}"
    if name in here.imported:
        return _defined(modules, *here.imported[name], (*above, module))
    return next(filter(None, (_exported(modules, star, (*above, module)).get(name, "") for star in here.stars)), "")


def read(tree: ast.Module, file: str) -> Module:
    """What a file binds.

    Args:
        file: its name in the wheel.
    """
    made, package = Module(), module_of(file) if file.endswith("/__init__.py") else module_of(file).rpartition(".")[0]
    for node in _statements(tree.body):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            made.defined.add(node.name)
        elif isinstance(node, ast.ImportFrom):
            above = package.rsplit(".", node.level - 1)[0] if node.level else ""
            where = ".".join(filter(None, (above, node.module)))
            for alias in node.names:
                if alias.name == "*":
                    made.stars.append(where)
                else:
                    made.imported[alias.asname or alias.name] = (where, alias.name)
        elif isinstance(node, ast.Assign) and [getattr(target, "id", "") for target in node.targets] == ["__all__"]:
            made.listed = _texts(node.value)
        elif isinstance(node, ast.AugAssign) and getattr(node.target, "id", "") == "__all__":
            made.listed = made.listed | more if made.listed is not None and (more := _texts(node.value)) is not None else None
        elif isinstance(node, ast.Expr) and ast.unparse(node.value).startswith("__all__."):
            made.listed = None
    return made


def _texts(node: ast.expr) -> set[str] | None:
    """The texts of a list of constants; None of anything else."""
    if isinstance(node, ast.List | ast.Tuple) and all(isinstance(one, ast.Constant) for one in node.elts):
        return {str(one.value) for one in node.elts}  # type: ignore[attr-defined]
    return None


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Of a module, those within `if` and `try` as well."""
    for node in body:
        yield node
        if isinstance(node, ast.If | ast.Try):
            for inner in (node.body, node.orelse, getattr(node, "finalbody", []), *(handler.body for handler in getattr(node, "handlers", []))):
                yield from _statements(inner)
