"""Under which name people know what a release defines: `torch.nn.Linear` of
torch.nn.modules.linear.Linear. Read by `ast` from what modules export.

A name is public where it is torch's, no part of it begins with an underscore, and its module lists
it in `__all__`, or, without a list that is plain, defines it or imports it from torch. Of several
the shortest is taken. What a program makes while it runs (`globals()[name] = …`) is not seen.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from torchclinic.find.origins_table import module_of

from .python_texts import Definition


@dataclass
class Module:
    """What a module binds.

    Attributes:
        defined: its own functions and classes.
        imported: name -> (module, name there).
        stars: modules of which it takes all.
        listed: `__all__`; None without one that is plain.
    """

    defined: set[str] = field(default_factory=set)
    imported: dict[str, tuple[str, str]] = field(default_factory=dict)
    stars: list[str] = field(default_factory=list)
    listed: set[str] | None = None

    def exports(self, name: str) -> bool:
        return name in self.listed if self.listed is not None else not name.startswith("_")


def public(modules: dict[str, Module]) -> dict[str, str]:
    """Qualified name of a function or class as it is defined -> its shortest public name; what has
    none is left out.

    Args:
        modules: all of a release, by their names.
    """
    names: dict[str, str] = {}
    for module in sorted(modules, key=lambda name: (name.count("."), name)):
        if _documented(module):
            for name, defined in sorted(_exported(modules, module, ()).items()):
                if not name.startswith("_"):
                    names.setdefault(defined, f"{module}.{name}")
    return names


def _documented(module: str) -> bool:
    """May a module be documented? functorch's is, as torch.func."""
    parts = module.split(".")
    return parts[0] == "torch" and not any(part.startswith("_") for part in parts)


def _exported(modules: dict[str, Module], module: str, above: tuple[str, ...]) -> dict[str, str]:
    """What `from module import *` brings: name -> where it is defined."""
    if module not in modules or module in above:
        return {}
    here = modules[module]
    names: dict[str, str] = {}
    for star in here.stars:
        names.update(_exported(modules, star, (*above, module)))
    for name in here.imported:
        if defined := _defined(modules, module, name, ()):
            names[name] = defined
    names.update({name: f"{module}.{name}" for name in here.defined})
    return {name: defined for name, defined in names.items() if here.exports(name)}


def _defined(modules: dict[str, Module], module: str, name: str, above: tuple[str, ...]) -> str:
    """Where a name of a module is defined; "" where that is not in torch, or is a module."""
    if module not in modules or module in above:
        return ""
    here, above = modules[module], (*above, module)
    if name in here.defined:
        return f"{module}.{name}"
    if name in here.imported:
        return _defined(modules, *here.imported[name], above)
    of_stars = (_exported(modules, star, above).get(name, "") for star in here.stars)
    return next(filter(None, of_stars), "")


def read(tree: ast.Module, file: str) -> Module:
    """What a file binds.

    Args:
        file: its name in the wheel.
    """
    module, name = Module(), module_of(file)
    package = name if file.endswith("/__init__.py") else name.rpartition(".")[0]
    for node in _statements(tree.body):
        if isinstance(node, Definition):
            module.defined.add(node.name)
        elif isinstance(node, ast.ImportFrom):
            _import(module, package, node)
        elif isinstance(node, ast.Assign):
            if [getattr(target, "id", "") for target in node.targets] == ["__all__"]:
                module.listed = _texts(node.value)
        elif isinstance(node, ast.AugAssign) and getattr(node.target, "id", "") == "__all__":
            more = _texts(node.value)
            listed = module.listed
            module.listed = None if listed is None or more is None else listed | more
        elif isinstance(node, ast.Expr) and ast.unparse(node.value).startswith("__all__."):
            module.listed = None
    return module


def _import(module: Module, package: str, node: ast.ImportFrom) -> None:
    above = package.rsplit(".", node.level - 1)[0] if node.level else ""
    source = ".".join(filter(None, (above, node.module)))
    for alias in node.names:
        if alias.name == "*":
            module.stars.append(source)
        else:
            module.imported[alias.asname or alias.name] = (source, alias.name)


def _texts(node: ast.expr) -> set[str] | None:
    """The texts of a list of constants; None of anything else."""
    if not isinstance(node, ast.List | ast.Tuple):
        return None
    values = [element.value for element in node.elts if isinstance(element, ast.Constant)]
    return set(map(str, values)) if len(values) == len(node.elts) else None


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Of a module, those within `if` and `try` as well."""
    for node in body:
        yield node
        if isinstance(node, ast.If | ast.Try):
            handlers = (handler.body for handler in getattr(node, "handlers", []))
            for inner in (node.body, node.orelse, getattr(node, "finalbody", []), *handlers):
                yield from _statements(inner)
