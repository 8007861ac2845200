"""What the reader's own source says of the line that failed: read as a tree, never run."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cached_property
from types import FunctionType
from typing import Any

from .live_things import HELD, own
from .live_tree import (
    Step,
    body_of,
    called,
    calls_in,
    failing,
    function_of,
    goes_back,
    holding,
    last_before,
    managers,
    named_managers,
    nodes_of,
    origins,
    parts_of,
    returned,
    targets,
)

_LOOPS = (ast.For, ast.While, ast.AsyncFor)


class Place:
    """The line of the user's own code that failed."""

    def __init__(self, step: Step) -> None:
        self.frame, self.line = step.frame, step.line
        self.node = failing(step)

    @cached_property
    def body(self) -> ast.AST | None:
        return function_of(self.frame)

    def operands(self) -> Iterator[tuple[str, Any]]:
        """What the failing expression takes, from left to right: (as it is written, value)."""
        seen = set()
        parts = list(parts_of(self.node)) if self.node else []
        if not any(self._value(part)[0] for part in parts):  # the names that were to be given
            statement = next(iter(holding(self.body, self.line)), None)
            whole = getattr(statement, "value", None) or getattr(statement, "iter", None)
            parts += parts_of(whole) if whole else []
        for node in parts:
            known, value = self._value(node)
            while not known and isinstance(node, ast.Attribute):  # of a method, whose it is
                node = node.value
                known, value = self._value(node)
            name = ast.unparse(node)
            if known and name not in seen:
                seen.add(name)
                yield name, value

    def calls(self, *methods: str) -> bool:
        """Does the failing expression call one of these methods?"""
        functions = [call.func for call in calls_in(self.node)]
        return any(isinstance(f, ast.Attribute) and f.attr in methods for f in functions)

    def hands_to(self, name: str) -> bool:
        """Does the failing expression take what a call of this gives?"""
        return any(ast.unparse(call.func) == name for call in calls_in(self.node))

    def since(self, name: str) -> list[str]:
        """How and where a name got its value, as far as its function says."""
        if self.body is None:
            return []
        told = self._made(name) + self._filled(name)
        if self._again(name):
            told.append("backward before")
        if self._stepped(name):
            told.append("step before")
        loop = next((n for n in holding(self.body, self.line) if isinstance(n, _LOOPS)), None)
        if loop and (since := _over(loop, name.partition(".")[0].partition("[")[0])):
            added = "adds to itself" in told and since.startswith("carried")
            told.append("added up over the loop" if added else since)
        return told

    def _last(self, name: str) -> ast.Assign | ast.AugAssign | None:
        return last_before(self.body, name, self.line)

    def _made(self, name: str) -> list[str]:
        """The functions that its last assignment calls, and those by which what it takes was
        made."""
        last = self._last(name)
        if last is None:
            return []
        values = origins(self.body, last.value, name)
        told = made_of(values)
        for call in calls_in(last.value):
            told += through(self._value(call.func)[1], "by" if call is last.value else "via")
        if any(map(self._over_zero, values)):
            told.append("divided by 0")
        added = isinstance(last.value, ast.BinOp) and name in {
            ast.unparse(node) for node in ast.walk(last.value)
        }
        if added or isinstance(last, ast.AugAssign):
            told.append("adds to itself")
        for node in holding(self.body, last.lineno):
            told += sorted(managers("made in", node))
        return list(dict.fromkeys(told))

    def _filled(self, name: str) -> list[str]:
        """Of a list that a loop fills: did the loop run?"""
        for loop in nodes_of(self.body):
            if isinstance(loop, ast.For) and loop.lineno < self.line:
                fills = {f"{name}.append", f"{name}.extend"}
                if fills & {ast.unparse(call.func) for call in calls_in(loop)}:
                    names = {n.id for n in ast.walk(loop.target) if isinstance(n, ast.Name)}
                    ran = names <= self.frame.f_locals.keys()
                    return ["its loop ran" if ran else "its loop never ran"]
        last = self._last(name)
        if last and isinstance(last.value, ast.ListComp):
            known, value = self._value(last.value.generators[0].iter)
            if known and type(value) in (list, tuple, dict):
                return ["its loop ran" if value else "its loop never ran"]
        return []

    def _stepped(self, name: str) -> bool:
        """Was a model stepped or loaded since a name got its value?"""
        last = self._last(name)
        return any(
            isinstance(node, ast.Attribute)
            and node.attr in ("step", "load_state_dict")
            and (last.lineno if last else self.line) < node.lineno < self.line
            for node in nodes_of(self.body)
        )

    def is_itself(self) -> bool:
        """Does the failing expression call, by another name, the function that it stands in?"""
        code = self.frame.f_code
        names = [f for f in (n.func for n in calls_in(self.node)) if ast.unparse(f) != code.co_name]
        values = [self._value(name)[1] for name in names]
        return any(type(f) is FunctionType and f.__code__ is code for f in values)

    def _over_zero(self, value: ast.AST) -> bool:
        divisors = [
            self._value(node.right)[1]
            for node in ast.walk(value)
            if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div)
        ]
        return any(type(number) in (int, float) and number == 0 for number in divisors)

    def _again(self, name: str) -> bool:
        """Was backward() of the same value called above, without a new value since?"""
        last = self._last(name)
        return any(
            goes_back(node, name) or self._hands_on(node, name)
            for node in nodes_of(self.body)
            if isinstance(node, ast.Call) and (last.lineno if last else 0) < node.lineno < self.line
        )

    def _hands_on(self, call: ast.Call, name: str) -> bool:
        """Does a function of the user's own get this value, and call backward() of it?"""
        known, function = self._value(call.func)
        if not known or type(function) is not FunctionType:
            return False
        code = function.__code__
        named = dict(zip(code.co_varnames, call.args, strict=False))
        named |= {word.arg: word.value for word in call.keywords if word.arg}
        inside = list(nodes_of(body_of(code, function.__globals__)))
        return any(
            goes_back(node, parameter)
            for parameter, value in named.items()
            if ast.unparse(value) == name
            for node in inside
        )

    def made_after(self, name: str, other: str) -> bool:
        """Did one name get its value below the line at which another one did?"""
        ours, theirs = self._last(name), self._last(other)
        return bool(ours and theirs and ours.lineno > theirs.lineno)

    def _value(self, node: ast.AST) -> tuple[bool, Any]:
        """(is it known?, value), without running anything."""
        if isinstance(node, ast.Name):
            for names in (self.frame.f_locals, self.frame.f_globals):
                if node.id in names:
                    return True, names[node.id]
        elif isinstance(node, ast.Attribute):
            known, value = self._value(node.value)
            its = own(value) if known else {}
            for held in (its, *(its.get(name) for name in HELD)):
                if type(held) is dict and node.attr in held:
                    return True, held[node.attr]
        elif isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
            known, value = self._value(node.value)
            at: Any = node.slice.value
            if known and type(value) in (list, tuple) and type(at) is int:
                return (True, value[at]) if -len(value) <= at < len(value) else (False, None)
            if known and type(value) is dict and type(at) in (int, str):
                return at in value, value.get(at)
        return False, None


def through(function: Any, how: str = "via") -> list[str]:
    """The functions by which what it returns was made, of the user's own module or function."""
    returns = [origins(*part) for part in returned(function, "forward")]
    return [phrase for values in returns for phrase in made_of(values, how)]


def made_of(values: list[ast.expr], how: str = "by") -> list[str]:
    """The functions that an expression calls, and those of what it takes."""
    return [
        f"{'via' if at else how} {name}"
        for at, value in enumerate(values)
        for name in called(value)
    ]


def around(mine: list[Step]) -> list[str]:
    """What the failing line stands in, in the user's own functions: a loop, `with no_grad()`."""
    seen = set()
    for step in mine:
        body = function_of(step.frame)
        for node in holding(body, step.line):
            seen |= {"in a loop"} if isinstance(node, _LOOPS) else managers("in", node)
        for decorator in getattr(body, "decorator_list", ()):
            seen |= named_managers("in", decorator)
        backward = [n for n in nodes_of(body) if getattr(n, "attr", "") == "backward"]
        if len(backward) > 1:
            seen.add(f"backward={len(backward)}")
    return sorted(seen)


def goes_into_backward(mine: list[Step], place: Place) -> bool:
    """Is a gradient taken of what the failing line was to compute? Followed through assignments
    and returns, as far as the user's own frames go."""
    for step in mine:
        body = function_of(step.frame)
        names: set[str] = set()
        returned = False
        statements = (
            n for n in nodes_of(body) if isinstance(n, ast.stmt) and not hasattr(n, "body")
        )
        for node in sorted(statements, key=lambda node: node.lineno):
            uses = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
            failed = node.lineno <= step.line <= (node.end_lineno or 0)
            if not failed and not (names & uses and node.lineno > step.line):
                continue
            if isinstance(node, ast.Assign | ast.AugAssign):
                names |= {ast.unparse(target) for target in targets(node)}
            elif isinstance(node, ast.Return):
                returned = True
            elif isinstance(node, ast.Expr) and ".backward(" in ast.unparse(node):
                return not (failed and place.calls("backward"))
        if not returned:
            return False
    return False


def gives(dataset: Any) -> list[str]:
    """How many parts an item of the user's own dataset has, as its source says."""
    counts = {
        len(value.elts) if isinstance(value, ast.Tuple) else 1
        for _, value in returned(dataset, "__getitem__")
        if not isinstance(value, ast.Dict)
    }
    return [f"gives={count}" for count in counts] if len(counts) == 1 else []


def _over(loop: ast.stmt, name: str) -> str:
    """Where a loop has a name from that it reads: from above, or from its own last round."""
    uses = [node for node in ast.walk(loop) if isinstance(node, ast.Name) and node.id == name]
    reads = [node.lineno for node in uses if isinstance(node.ctx, ast.Load)]
    stores = [node for node in uses if isinstance(node.ctx, ast.Store)]
    if not reads:
        return ""
    if not stores:
        return "set above the loop"
    first = min(stores, key=lambda node: node.lineno)
    of_header = isinstance(loop, ast.For | ast.AsyncFor) and first in ast.walk(loop.target)
    held = [node for node in ast.walk(loop) if isinstance(node, ast.stmt) and node is not loop]
    statement = [node for node in held if first in ast.walk(node)]
    end = min((node.end_lineno or node.lineno for node in statement), default=first.lineno)
    return "" if of_header or min(reads) > end else "carried through the loop"
