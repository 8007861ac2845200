"""The reader's source as trees: of a frame's line, of its function, of what they call."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterator
from types import CodeType, FrameType, FunctionType
from typing import Any, NamedTuple

from .live_things import in_class

#: Lines of a file that is read.
LINES = 5000
#: Managers whose block a line may stand in.
MANAGERS = ("no_grad", "inference_mode", "enable_grad", "autocast", "set_grad_enabled")
#: Functions of an assignment that are named, and assignments that are followed.
CALLS, ORIGINS = 4, 8
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


class Step(NamedTuple):
    """A frame of a traceback, the line and the instruction at which it stood."""

    frame: FrameType
    line: int
    at: int


def calls_in(node: ast.AST | None) -> list[ast.Call]:
    return [part for part in (ast.walk(node) if node else ()) if isinstance(part, ast.Call)]


def called(value: ast.AST) -> list[str]:
    """The functions that an expression calls, CALLS at most, without what they belong to."""
    kept = [call for call in calls_in(value) if not _is_plain(call)]
    names = [ast.unparse(call.func).rpartition(".")[2] for call in kept]
    return [name for name in dict.fromkeys(names) if name.isidentifier()][:CALLS]


def _is_plain(call: ast.Call) -> bool:
    """squeeze(1), which takes away no dimension but the one that is named."""
    return isinstance(call.func, ast.Attribute) and call.func.attr == "squeeze" and bool(call.args)


def managers(where: str, node: ast.AST) -> set[str]:
    """Those of MANAGERS that a `with` names; none of another statement."""
    items = node.items if isinstance(node, ast.With | ast.AsyncWith) else ()
    return {found for item in items for found in named_managers(where, item.context_expr)}


def named_managers(where: str, node: ast.AST) -> set[str]:
    text = ast.unparse(node)
    return {f"{where} {name}" for name in MANAGERS if name in text}


def returned(thing: Any, method: str) -> list[tuple[ast.AST, ast.expr]]:
    """What a function of the user's own, or a method of a thing, returns, as its source has it:
    (its tree, the expression)."""
    function = thing if type(thing) is FunctionType else in_class(thing, method)
    if type(function) is not FunctionType:
        return []
    if str(function.__globals__.get("__name__")).partition(".")[0] == "torch":
        return []
    body = body_of(function.__code__, function.__globals__)
    nodes = [node for node in nodes_of(body) if isinstance(node, ast.Return)]
    return [(body, node.value) for node in nodes if body and node.value]


def last_before(body: ast.AST | None, name: str, line: int) -> ast.Assign | ast.AugAssign | None:
    """The last assignment to a name above a line."""
    last: ast.Assign | ast.AugAssign | None = None
    for node in nodes_of(body):
        if isinstance(node, ast.Assign | ast.AugAssign) and node.lineno < line:
            named = any(ast.unparse(target) == name for target in targets(node))
            if named and (last is None or node.lineno >= last.lineno):
                last = node
    return last


def origins(body: ast.AST | None, value: ast.expr, but: str = "") -> list[ast.expr]:
    """An expression, and what was last assigned to the names in it, and in that: ORIGINS at
    most."""
    found = [value]
    for part in found:  # grows
        names = {node.id for node in ast.walk(part) if isinstance(node, ast.Name)} - {but}
        before = [last_before(body, name, part.lineno) for name in sorted(names)]
        new = [assigned.value for assigned in before if assigned and assigned.value not in found]
        found += new[: ORIGINS - len(found)]
    return found


def failing(step: Step) -> ast.AST | None:
    """The expression that failed; the whole line where Python does not say (before 3.11)."""
    code = step.frame.f_code
    lines = linecache.getlines(code.co_filename, step.frame.f_globals)
    first, last, begin, end = step.line, step.line, None, None
    if hasattr(code, "co_positions"):
        places = list(code.co_positions())
        if 0 <= step.at // 2 < len(places):
            one, other, begin, end = places[step.at // 2]
            first, last = one or first, other or last
    text = lines[first - 1 : last]
    if text and begin is not None and end is not None:  # in bytes
        text[-1] = text[-1].encode()[:end].decode(errors="ignore")
        text[0] = text[0].encode()[begin:].decode(errors="ignore")
    source = "".join(text).strip().rstrip(":")
    for form in (f"({source}\n)", source):
        if tree := _tree(form):
            return tree.body[0] if tree.body else None
    return None


def _tree(source: str) -> ast.Module | None:
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def targets(node: ast.Assign | ast.AugAssign) -> list[ast.expr]:
    """What an assignment gives a value to; of `x, y = …` both."""
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    held = [target.elts for target in targets if isinstance(target, ast.Tuple | ast.List)]
    return [*targets, *(part for parts in held for part in parts)]


def goes_back(node: ast.AST, name: str) -> bool:
    """Is this a call of backward() of a name?"""
    function = node.func if isinstance(node, ast.Call) else None
    return (
        isinstance(function, ast.Attribute)
        and function.attr == "backward"
        and ast.unparse(function.value) == name
    )


def function_of(frame: FrameType) -> ast.AST | None:
    """The tree of the function, or of the module, that a frame runs."""
    return body_of(frame.f_code, frame.f_globals)


def body_of(code: CodeType, names: dict[str, Any]) -> ast.AST | None:
    lines = linecache.getlines(code.co_filename, names)
    tree = _tree("".join(lines)) if 0 < len(lines) <= LINES else None
    if tree is None or code.co_name == "<module>":
        return tree
    for node in ast.walk(tree):
        if isinstance(node, _FUNCTIONS) and node.name == code.co_name:
            if code.co_firstlineno in (
                node.lineno,
                *(part.lineno for part in node.decorator_list),
            ):
                return node
    return None


def nodes_of(body: ast.AST | None) -> Iterator[ast.AST]:
    """What a function or module runs itself: nothing of the functions that it defines."""
    waiting = list(ast.iter_child_nodes(body)) if body else []
    while waiting:
        node = waiting.pop(0)
        yield node
        if not isinstance(node, (*_FUNCTIONS, ast.Lambda)):
            waiting[:0] = ast.iter_child_nodes(node)


def holding(body: ast.AST | None, line: int) -> list[ast.stmt]:
    """The statements that hold a line, the innermost first."""
    return [
        node
        for node in nodes_of(body)
        if isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or 0)
    ][::-1]


def parts_of(node: ast.AST) -> Iterator[ast.AST]:
    """Names, attributes and items in an expression, from left to right."""
    if isinstance(node, ast.Name | ast.Attribute | ast.Subscript):
        yield node
    plain = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name | ast.Attribute)
    if not plain and not isinstance(node, ast.Name):
        for child in ast.iter_child_nodes(node):
            yield from parts_of(child)
