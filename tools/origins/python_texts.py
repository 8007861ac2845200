"""Which texts an expression of Python can be, as pieces of a template.

What is no format (a call that returns the message, a name that several places fill) is a hole, or
no text: nothing is guessed.
"""

from __future__ import annotations

import ast
import itertools
import textwrap
from dataclasses import dataclass
from functools import cached_property

from .template import HOLE, INT, Piece, formatted, percent

#: Texts that one message may have, where an `if` chooses.
CHOICES = 4
#: Expressions within expressions that are followed.
DEPTH = 8
Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


@dataclass(frozen=True)
class Scope:
    """A module, class or function.

    Attributes:
        name: qualified.
        body: its statements.
        outer: the scope around it whose names it sees.
        parameters: of a function.
        method_of: name of the class that it is in.
    """

    name: str
    body: list[ast.stmt]
    outer: Scope | None = None
    parameters: tuple[str, ...] = ()
    method_of: str = ""

    @cached_property
    def assigned(self) -> dict[str, list[ast.expr | None]]:
        return _assigned(self.body) | {name: [None] for name in self.parameters}

    def values(self, name: str) -> list[ast.expr]:
        """All that a name can hold; [] where that is not simply known."""
        scope: Scope | None = self
        while scope and name not in scope.assigned:
            scope = scope.outer
        values = scope.assigned[name] if scope else []
        known = [value for value in values if value is not None]
        return known if len(known) == len(values) else []


def last_name(node: ast.AST | None) -> str:
    """`RuntimeError` of torch.x.RuntimeError; "" of what is no name."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _assigned(body: list[ast.stmt]) -> dict[str, list[ast.expr | None]]:
    """What each name is given in a function or module, functions within it left out; None for all
    but a plain assignment.

    `name += …` adds to a message, which begins as before: it counts for nothing.
    """
    values: dict[str, list[ast.expr | None]] = {}
    left: list[ast.AST] = [*body]
    while left:
        node = left.pop()
        if isinstance(node, Definition):
            values.setdefault(node.name, []).append(None)
            continue
        if isinstance(node, ast.Lambda | ast.AugAssign):
            continue
        bound = _bound(node)
        for name, value in bound:
            values.setdefault(name, []).append(value)
        plain = isinstance(node, ast.AnnAssign) or any(value for _, value in bound)
        left += [
            child
            for child in ast.iter_child_nodes(node)
            if not (plain and isinstance(child, ast.Name))
        ]
    return values


def _bound(node: ast.AST) -> list[tuple[str, ast.expr | None]]:
    """The names that a node itself gives a value; None for all but a plain assignment."""
    if isinstance(node, ast.Assign) and len(node.targets) == 1:
        target = node.targets[0]
        return [(target.id, node.value)] if isinstance(target, ast.Name) else []
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        return [(node.target.id, node.value)] if node.value else []
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store | ast.Del):
        return [(node.id, None)]
    if isinstance(node, ast.Global | ast.Nonlocal):
        return [(name, None) for name in node.names]
    if isinstance(node, ast.ExceptHandler) and node.name:
        return [(node.name, None)]
    return []


def texts(node: ast.expr, scope: Scope, depth: int = 0) -> list[list[Piece]]:
    """The texts that an expression can be, as pieces; [] where it is no text."""
    if depth > DEPTH:
        return []
    if isinstance(node, ast.Constant):
        return [[node.value]] if isinstance(node.value, str) else []
    if isinstance(node, ast.JoinedStr):
        return _joined([_part(part, scope, depth) for part in node.values])
    if isinstance(node, ast.IfExp):
        return [*texts(node.body, scope, depth + 1), *texts(node.orelse, scope, depth + 1)][
            :CHOICES
        ]
    if isinstance(node, ast.Name):
        return _of_name(scope.values(node.id), scope, depth)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        sides = [texts(side, scope, depth + 1) for side in (node.left, node.right)]
        return _joined([side or [[HOLE]] for side in sides]) if any(sides) else []
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
        return [percent(pieces) for pieces in texts(node.left, scope, depth + 1)]
    if isinstance(node, ast.Call):
        return _of_call(node, scope, depth)
    return []


def _of_name(values: list[ast.expr], scope: Scope, depth: int) -> list[list[Piece]]:
    """A name that can hold what is no text may hold anything."""
    choices = [texts(value, scope, depth + 1) for value in values]
    if not values or len(values) > CHOICES or not all(choices):
        return []
    return [text for choice in choices for text in choice][:CHOICES]


def _part(part: ast.expr, scope: Scope, depth: int) -> list[list[Piece]]:
    """A part of an f-string: a value is its text where that is known, else a hole."""
    if isinstance(part, ast.Constant):
        return [[str(part.value)]]
    if not isinstance(part, ast.FormattedValue):
        return [[HOLE]]
    format_spec = part.format_spec
    if isinstance(format_spec, ast.JoinedStr) and len(format_spec.values) == 1:
        spec = format_spec.values[0]
        if isinstance(spec, ast.Constant) and spec.value == "d":
            return [[INT]]
    if format_spec or part.conversion not in (-1, ord("s")):
        return [[HOLE]]
    value = part.value
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "len":
        return [[INT]]
    return texts(value, scope, depth + 1) or [[HOLE]]


def _of_call(node: ast.Call, scope: Scope, depth: int) -> list[list[Piece]]:
    name = last_name(node.func)
    if name in ("dedent", "cleandoc") and len(node.args) == 1:
        return [_dedented(pieces) for pieces in texts(node.args[0], scope, depth + 1)]
    if not isinstance(node.func, ast.Attribute):
        return []
    if name not in ("format", "strip", "lstrip", "rstrip", "join"):
        return []
    subjects = texts(node.func.value, scope, depth + 1)
    if name == "format":
        return [pieces for pieces in map(formatted, subjects) if pieces]
    if name == "join":
        return _of_join(subjects, node.args, scope, depth)
    return [] if node.args else subjects


def _of_join(
    between: list[list[Piece]], given: list[ast.expr], scope: Scope, depth: int
) -> list[list[Piece]]:
    """`" ".join([…])` of a list that stands there."""
    if not between or len(given) != 1 or not isinstance(given[0], ast.List | ast.Tuple):
        return []
    parts = [texts(part, scope, depth + 1) or [[HOLE]] for part in given[0].elts]
    return _joined([part for pair in parts for part in (between, pair)][1:])


def _joined(parts: list[list[list[Piece]]]) -> list[list[Piece]]:
    """One after the other, in all ways that they may be chosen, up to CHOICES."""
    return [
        [piece for pieces in choice for piece in pieces]
        for choice in itertools.islice(itertools.product(*parts), CHOICES)
    ]


def _dedented(pieces: list[Piece]) -> list[Piece]:
    """`textwrap.dedent`: holes stand in no margin."""
    marks = "".join(piece if isinstance(piece, str) else "\0" for piece in pieces)
    holes = iter([piece for piece in pieces if not isinstance(piece, str)])
    dedented: list[Piece] = []
    for number, literal in enumerate(textwrap.dedent(marks).split("\0")):
        if number:
            dedented.append(next(holes))
        dedented.append(literal)
    return dedented
