"""What the reader's own source says of the line that failed: read as a tree, never run."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterator
from functools import cached_property
from types import CodeType, FrameType, FunctionType
from typing import Any, NamedTuple

from .live_things import HELD, own

#: Lines of a file that is read.
LINES = 5000
#: Managers whose block a line may stand in.
MANAGERS = ("no_grad", "inference_mode", "enable_grad", "autocast", "set_grad_enabled")
#: Functions of an assignment that are named.
CALLS = 4
_LOOPS = (ast.For, ast.While, ast.AsyncFor)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


class Step(NamedTuple):
    """A frame of a traceback, the line and the instruction at which it stood."""

    frame: FrameType
    line: int
    at: int


class Place:
    """The line of the user's own code that failed."""

    def __init__(self, step: Step) -> None:
        self.frame, self.line = step.frame, step.line
        self.node = _failing(step)

    @cached_property
    def body(self) -> ast.AST | None:
        return _function(self.frame)

    def operands(self) -> Iterator[tuple[str, Any]]:
        """What the failing expression takes, from left to right: (as it is written, value)."""
        seen = set()
        for node in _parts(self.node) if self.node else ():
            known, value = self._value(node)
            if not known and isinstance(node, ast.Attribute):  # of a method, whose it is
                node = node.value
                known, value = self._value(node)
            name = ast.unparse(node)
            if known and name not in seen:
                seen.add(name)
                yield name, value

    def calls(self, *methods: str) -> bool:
        """Does the failing expression call one of these methods?"""
        return any(
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in methods
            for node in (ast.walk(self.node) if self.node else ())
        )

    def since(self, name: str) -> list[str]:
        """How and where a name got its value, as far as its function says."""
        if self.body is None:
            return []
        told = self._made(name)
        if self._again(name):
            told.append("backward before")
        loop = next((n for n in _holding(self.body, self.line) if isinstance(n, _LOOPS)), None)
        if loop and (since := _over(loop, name.partition(".")[0].partition("[")[0])):
            added = "adds to itself" in told and since.startswith("carried")
            told.append("added up over the loop" if added else since)
        return told

    def _last(self, name: str) -> ast.Assign | ast.AugAssign | None:
        """The last assignment to a name above the failing line."""
        last: ast.Assign | ast.AugAssign | None = None
        for node in _nodes(self.body):
            if isinstance(node, ast.Assign | ast.AugAssign) and node.lineno < self.line:
                named = any(ast.unparse(target) == name for target in _targets(node))
                if named and (last is None or node.lineno >= last.lineno):
                    last = node
        return last

    def _made(self, name: str) -> list[str]:
        """The functions that its last assignment calls, and those by which what it takes was
        made."""
        last = self._last(name)
        if last is None:
            return []
        told, values = [f"by {called}" for called in _called(last.value)], [last.value]
        taken = {node.id for node in ast.walk(last.value) if isinstance(node, ast.Name)} - {name}
        for other in sorted(taken):
            before = self._last(other)
            told += [f"via {called}" for called in _called(before.value)] if before else []
            values += [before.value] if before else []
        if any(map(self._over_zero, values)):
            told.append("divided by 0")
        added = isinstance(last.value, ast.BinOp) and name in {
            ast.unparse(node) for node in ast.walk(last.value)
        }
        if added or isinstance(last, ast.AugAssign):
            told.append("adds to itself")
        for node in _holding(self.body, last.lineno):
            for item in node.items if isinstance(node, ast.With | ast.AsyncWith) else ():
                told += sorted(_managers("made in", item.context_expr))
        return list(dict.fromkeys(told))

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
            _goes_back(node, name) or self._hands_on(node, name)
            for node in _nodes(self.body)
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
        inside = list(_nodes(_body(code, function.__globals__)))
        return any(
            _goes_back(node, parameter)
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


def around(mine: list[Step]) -> Iterator[str]:
    """What the failing line stands in, in the user's own functions: a loop, `with no_grad()`."""
    seen = set()
    for step in mine:
        body = _function(step.frame)
        if body is None:
            continue
        nodes, holding = list(_nodes(body)), _holding(body, step.line)
        if any(isinstance(node, _LOOPS) for node in holding):
            seen.add("in a loop")
        for node in nodes:
            for item in node.items if isinstance(node, ast.With | ast.AsyncWith) else ():
                seen |= _managers("in" if node in holding else "elsewhere", item.context_expr)
        for decorator in getattr(body, "decorator_list", ()):
            seen |= _managers("in", decorator)
        backward = [n for n in nodes if isinstance(n, ast.Attribute) and n.attr == "backward"]
        if len(backward) > 1:
            seen.add(f"backward={len(backward)}")
    yield from sorted(seen)


def goes_into_backward(mine: list[Step]) -> bool:
    """Is a gradient taken of what the failing line was to compute? Followed through assignments
    and returns, as far as the user's own frames go."""
    for step in mine:
        body = _function(step.frame)
        names: set[str] = set()
        returned = False
        for node in sorted(
            (node for node in _nodes(body) if isinstance(node, ast.stmt) and not _is_block(node)),
            key=lambda node: node.lineno,
        ):
            uses = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
            failed = node.lineno <= step.line <= (node.end_lineno or 0)
            if not failed and not (names & uses and node.lineno > step.line):
                continue
            if isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign):
                names |= {
                    part.id
                    for part in ast.walk(node)
                    if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
                }
            elif isinstance(node, ast.Return):
                returned = True
            elif isinstance(node, ast.Expr) and ".backward(" in ast.unparse(node) and not failed:
                return True
        if not returned:
            return False
    return False


def _is_block(node: ast.stmt) -> bool:
    return hasattr(node, "body")


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


def _called(value: ast.AST) -> list[str]:
    """The functions that an expression calls, CALLS at most, without what they belong to."""
    functions = [node.func for node in ast.walk(value) if isinstance(node, ast.Call)]
    names = [ast.unparse(function).rpartition(".")[2] for function in functions]
    return [name for name in dict.fromkeys(names) if name.isidentifier()][:CALLS]


def _managers(where: str, node: ast.AST) -> set[str]:
    text = ast.unparse(node)
    return {f"{where} {name}" for name in MANAGERS if name in text}


def _failing(step: Step) -> ast.AST | None:
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


def _targets(node: ast.Assign | ast.AugAssign) -> list[ast.expr]:
    """What an assignment gives a value to; of `x, y = …` both."""
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    held = [target.elts for target in targets if isinstance(target, ast.Tuple | ast.List)]
    return [*targets, *(part for parts in held for part in parts)]


def _goes_back(node: ast.AST, name: str) -> bool:
    """Is this a call of backward() of a name?"""
    function = node.func if isinstance(node, ast.Call) else None
    return (
        isinstance(function, ast.Attribute)
        and function.attr == "backward"
        and ast.unparse(function.value) == name
    )


def _function(frame: FrameType) -> ast.AST | None:
    """The tree of the function, or of the module, that a frame runs."""
    return _body(frame.f_code, frame.f_globals)


def _body(code: CodeType, names: dict[str, Any]) -> ast.AST | None:
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


def _nodes(body: ast.AST | None) -> Iterator[ast.AST]:
    """What a function or module runs itself: nothing of the functions that it defines."""
    waiting = list(ast.iter_child_nodes(body)) if body else []
    while waiting:
        node = waiting.pop(0)
        yield node
        if not isinstance(node, (*_FUNCTIONS, ast.Lambda)):
            waiting[:0] = ast.iter_child_nodes(node)


def _holding(body: ast.AST | None, line: int) -> list[ast.stmt]:
    """The statements that hold a line, the innermost first."""
    return [
        node
        for node in _nodes(body)
        if isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or 0)
    ][::-1]


def _parts(node: ast.AST) -> Iterator[ast.AST]:
    """Names, attributes and items in an expression, from left to right."""
    if isinstance(node, ast.Name | ast.Attribute | ast.Subscript):
        yield node
    plain = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name | ast.Attribute)
    if not plain and not isinstance(node, ast.Name):
        for child in ast.iter_child_nodes(node):
            yield from _parts(child)
