"""What the Python files of a release can print: exceptions, warnings, checks, log lines; read by `ast`, nothing is imported.

A message becomes a template: its literals, with `{}` where the format puts a value, `{:int}` where the format says that it is a whole number, and `{{` for a
brace. What is no format (a call that returns the message, a name that several places fill) is a hole, or no message at all: nothing is guessed.
"""

from __future__ import annotations

import ast
import itertools
import string
import textwrap
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

#: A literal as it is, or a hole.
Piece = str | tuple[str]
HOLE, INT = ("",), ("int",)
#: Longer conditions tell a reader less than the source does.
CONDITION = 100
#: Texts that one message may have, where an `if` chooses.
CHOICES = 4
#: Functions that raise or warn, by their last name -> (the class that is printed, the position of the condition or -1, the arguments that may hold the message).
CHECKS: dict[str, tuple[str, int, tuple[int | str, ...]]] = {
    "_check": ("RuntimeError", 0, (1, "message")),
    "_check_index": ("IndexError", 0, (1, "message")),
    "_check_value": ("ValueError", 0, (1, "message")),
    "_check_type": ("TypeError", 0, (1, "message")),
    "_check_not_implemented": ("NotImplementedError", 0, (1, "message")),
    "_check_tensor_all": ("RuntimeError", 0, (1, "message")),
    "_check_with": ("", 1, (2, "message")),
    "_check_tensor_all_with": ("", 1, (2, "message")),
    "_assert": ("AssertionError", 0, (1, "message")),
    "_assert_async": ("RuntimeError", 0, (1, "assert_msg")),
    "check": ("RuntimeError", 0, (1,)),
    "unimplemented": ("Unsupported", -1, ("gb_type", "explanation", 0)),
    "unimplemented_v2": ("Unsupported", -1, ("gb_type", "explanation")),
    "unimplemented_with_warning": ("Unsupported", -1, ("gb_type", "explanation", 2)),
}
#: Methods of a logger that are seen at the default level. What they write is no exception: its class is LOG.
LOGGERS = ("log", "logger", "logging", "_logger", "_log", "LOG", "warning_log", "perf_hint_log")
LOGGED = ("warning", "warn", "error", "critical", "exception", "warning_once")
LOG = "log"


@dataclass(frozen=True)
class Site:
    """One place that prints.

    Attributes:
        text: the template.
        line: from 1.
        name: qualified name of the function, or of the module.
        kind: class of the exception or warning as printed, without its module; "log" of a log line; "" where it is not known.
        condition: of the `if` directly above, as source; "" where there is none, or a long one.
    """

    text: str
    line: int
    name: str
    kind: str
    condition: str


def parse(source: str) -> ast.Module:
    """A file. Raises: SyntaxError: a newer Python is needed to read it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # escape sequences of other people's strings
        return ast.parse(source)


def sites(tree: ast.Module, module: str) -> list[Site]:
    """Every place of a file that prints a message."""
    reader = _Reader()
    reader.block(tree.body, _Scope(module, tree.body), "")
    return reader.found


def template(pieces: list[Piece]) -> str:
    """The text of a template; neighbouring holes are one."""
    made: list[str] = []
    for piece in pieces:
        if isinstance(piece, str):
            made.append(piece.replace("{", "{{").replace("}", "}}"))
        elif made and made[-1] in ("{}", "{:int}"):
            made[-1] = "{}"
        else:
            made.append("{:int}" if piece == INT else "{}")
    return "".join(made).strip()


@dataclass(frozen=True)
class _Scope:
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
    outer: _Scope | None = None
    parameters: tuple[str, ...] = ()
    method_of: str = ""

    @cached_property
    def assigned(self) -> dict[str, list[ast.expr | None]]:
        return _assigned(self.body) | {name: [None] for name in self.parameters}

    def values(self, name: str) -> list[ast.expr]:
        """All that a name can hold; [] where that is not simply known."""
        scope: _Scope | None = self
        while scope and name not in scope.assigned:
            scope = scope.outer
        found = scope.assigned[name] if scope else []
        return [value for value in found if value is not None] if all(value is not None for value in found) else []


class _Reader:
    def __init__(self) -> None:
        self.found: list[Site] = []

    def block(self, body: list[ast.stmt], scope: _Scope, condition: str) -> None:
        """Read statements. `condition` holds of those that stand directly in `body`."""
        for node in body:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                self.definition(node, scope)
                continue
            if isinstance(node, ast.Raise):
                self.raised(node, scope, condition)
            elif isinstance(node, ast.Assert):
                if node.msg:
                    self.add([node.msg], node, scope, "AssertionError", _not(node.test))
            elif isinstance(node, ast.If):
                self.branches(node, scope)
                continue
            for inner in ast.iter_child_nodes(node):
                if isinstance(inner, ast.expr):
                    self.calls(inner, scope, condition)
                elif isinstance(inner, ast.withitem):
                    self.calls(inner.context_expr, scope, "")
            for inner_body in _bodies(node):
                self.block(inner_body, scope, "")

    def definition(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef, scope: _Scope) -> None:
        name = f"{scope.name}.{node.name}"
        for decorator in node.decorator_list:
            if isinstance(decorator, ast.Call) and _last(decorator.func) == "deprecated":
                self.add(decorator.args[:1], decorator, _Scope(name, [], scope), _category(decorator, "DeprecationWarning"), "")
        if isinstance(node, ast.ClassDef):
            # Names of a class are not seen by its methods: what is assigned there is asked for nowhere.
            self.block(node.body, _Scope(name, [], scope, (), node.name), "")
            return
        given = node.args
        parameters = [*given.posonlyargs, *given.args, *given.kwonlyargs, *filter(None, (given.vararg, given.kwarg))]
        self.block(node.body, _Scope(name, node.body, scope, tuple(one.arg for one in parameters), scope.method_of), "")

    def branches(self, node: ast.If, scope: _Scope) -> None:
        """An `if`, its `elif`s and its `else`."""
        tests = []
        while True:
            self.calls(node.test, scope, "")
            self.block(node.body, scope, ast.unparse(node.test))
            tests.append(node.test)
            if len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If):
                node = node.orelse[0]
                continue
            self.block(node.orelse, scope, _not(tests[0] if len(tests) == 1 else ast.BoolOp(ast.Or(), tests)))
            return

    def raised(self, node: ast.Raise, scope: _Scope, condition: str) -> None:
        """`raise X(…)`, `raise X(…).with_traceback(…)`."""
        call = node.exc
        while isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Call):
            call = call.func.value
        if isinstance(call, ast.Call):
            name = _last(call.func)
            known = name.lstrip("_")[:1].isupper()
            self.add([*call.args, *(keyword.value for keyword in call.keywords)], node, scope, name if known else "", condition)

    def calls(self, expression: ast.expr, scope: _Scope, condition: str) -> None:
        """Calls that raise or warn, anywhere in an expression. The condition is that of a call that is a statement of its own."""
        for node in ast.walk(expression):
            if not isinstance(node, ast.Call):
                continue
            name = _last(node.func)
            if name in CHECKS:
                self.check(node, name, scope, condition if node is expression else "")
            elif name in ("warn", "warn_explicit") and (isinstance(node.func, ast.Name) or _last(node.func.value) == "warnings"):  # type: ignore[attr-defined]
                self.add(_arguments(node, (0, "message")), node, scope, _category(node, "UserWarning"), condition if node is expression else "")
            elif name in LOGGED and isinstance(node.func, ast.Attribute) and _last(node.func.value) in LOGGERS:
                self.add(node.args[:1], node, scope, LOG, condition if node is expression else "", formatted=True)
            elif name == "__init__" and isinstance(node.func, ast.Attribute) and _last(getattr(node.func.value, "func", None)) == "super":
                # An exception that makes its own message.
                if scope.method_of.endswith(("Error", "Exception", "Warning", "Failure")):
                    self.add(node.args, node, scope, scope.method_of, condition if node is expression else "")

    def check(self, node: ast.Call, name: str, scope: _Scope, condition: str) -> None:
        kind, position, places = CHECKS[name]
        messages = _arguments(node, places)
        if name == "check" and not any(isinstance(message, ast.Lambda) for message in messages):
            return  # another function of that common name
        if name in ("check", "_check_with", "_check_tensor_all_with"):
            named = _arguments(node, (0,) if name != "check" else (2, "exc_type"))
            kind = (_last(named[0]) if named else kind) or kind
        if 0 <= position < len(node.args):
            condition = _not(node.args[position])
        for message in messages:
            self.add([message], node, scope, kind, condition)

    def add(self, messages: list[ast.expr], node: ast.AST, scope: _Scope, kind: str, condition: str, formatted: bool = False) -> None:
        """Note the first of the arguments that is a text."""
        for message in messages:
            if isinstance(message, ast.Lambda):
                message = message.body
            texts = [pieces for pieces in _texts(message, scope) if any(isinstance(piece, str) and not piece.isspace() for piece in pieces)]
            if formatted:
                texts = [percent(pieces) for pieces in texts]
            if texts:
                for text in dict.fromkeys(map(template, texts)):
                    self.found.append(Site(text, node.lineno, scope.name, kind, condition if len(condition) <= CONDITION else ""))  # type: ignore[attr-defined]
                return


def _bodies(node: ast.stmt) -> Iterator[list[ast.stmt]]:
    """The blocks of a compound statement other than `if`."""
    for field in ("body", "orelse", "finalbody"):
        inner = getattr(node, field, None)
        if isinstance(inner, list):
            yield inner
    for handler in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
        yield handler.body


def _assigned(body: list[ast.stmt]) -> dict[str, list[ast.expr | None]]:
    """What each name is given in a function or module, functions within it left out; None for all but a plain assignment.

    `name += …` adds to a message, which begins as before: it counts for nothing.
    """
    found: dict[str, list[ast.expr | None]] = {}
    left: list[ast.AST] = [*body]
    while left:
        node = left.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.setdefault(node.name, []).append(None)
            continue
        if isinstance(node, ast.Lambda | ast.AugAssign):
            continue
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            found.setdefault(node.targets[0].id, []).append(node.value)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            if node.value:
                found.setdefault(node.target.id, []).append(node.value)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store | ast.Del):
            found.setdefault(node.id, []).append(None)
        else:
            left.extend(ast.iter_child_nodes(node))
            if isinstance(node, ast.Global | ast.Nonlocal):
                for name in node.names:
                    found.setdefault(name, []).append(None)
            elif isinstance(node, ast.ExceptHandler) and node.name:
                found.setdefault(node.name, []).append(None)
            continue
        left.extend(child for child in ast.iter_child_nodes(node) if not isinstance(child, ast.Name))
    return found


def _texts(node: ast.expr, scope: _Scope, depth: int = 0) -> list[list[Piece]]:
    """The texts that an expression can be, as pieces; [] where it is no text."""
    if depth > 8:
        return []
    if isinstance(node, ast.Constant):
        return [[node.value]] if isinstance(node.value, str) else []
    if isinstance(node, ast.JoinedStr):
        return _joined([[[part.value]] if isinstance(part, ast.Constant) else _hole(part, scope, depth) for part in node.values])  # type: ignore[list-item,arg-type]
    if isinstance(node, ast.IfExp):
        return [*_texts(node.body, scope, depth + 1), *_texts(node.orelse, scope, depth + 1)][:CHOICES]
    if isinstance(node, ast.Name):
        values = scope.values(node.id)
        texts = [_texts(value, scope, depth + 1) for value in values]
        # A name that can hold what is no text may hold anything.
        return [text for found in texts for text in found][:CHOICES] if values and len(values) <= CHOICES and all(texts) else []
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        sides = [_texts(side, scope, depth + 1) for side in (node.left, node.right)]
        return _joined([side or [[HOLE]] for side in sides]) if any(sides) else []
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
        return [percent(pieces) for pieces in _texts(node.left, scope, depth + 1)]
    if isinstance(node, ast.Call):
        return _call(node, scope, depth)
    return []


def _hole(part: ast.FormattedValue, scope: _Scope, depth: int) -> list[list[Piece]]:
    """What stands for a value of an f-string: its text where that is known, else a hole."""
    spec = part.format_spec.values[0] if isinstance(part.format_spec, ast.JoinedStr) and len(part.format_spec.values) == 1 else None
    if isinstance(spec, ast.Constant) and spec.value == "d":
        return [[INT]]
    if part.format_spec or part.conversion not in (-1, ord("s")):
        return [[HOLE]]
    if isinstance(part.value, ast.Call) and isinstance(part.value.func, ast.Name) and part.value.func.id == "len":
        return [[INT]]
    return _texts(part.value, scope, depth + 1) or [[HOLE]]


def _call(node: ast.Call, scope: _Scope, depth: int) -> list[list[Piece]]:
    name = _last(node.func)
    if name in ("dedent", "cleandoc") and len(node.args) == 1:
        return [_each_line(pieces) for pieces in _texts(node.args[0], scope, depth + 1)]
    if not isinstance(node.func, ast.Attribute):
        return []
    texts = _texts(node.func.value, scope, depth + 1) if name in ("format", "strip", "lstrip", "rstrip", "join") else []
    if name == "format":
        return [made for made in map(_format, texts) if made]
    if name in ("strip", "lstrip", "rstrip") and not node.args:
        return texts
    if name == "join" and texts and len(node.args) == 1 and isinstance(node.args[0], ast.List | ast.Tuple):
        parts = [_texts(part, scope, depth + 1) or [[HOLE]] for part in node.args[0].elts]
        return _joined([part for pair in parts for part in (texts, pair)][1:])
    return []


def _joined(parts: list[list[list[Piece]]]) -> list[list[Piece]]:
    """One after the other, in all ways that they may be chosen, up to CHOICES."""
    return [[piece for pieces in chosen for piece in pieces] for chosen in itertools.islice(itertools.product(*parts), CHOICES)]


def _each_line(pieces: list[Piece]) -> list[Piece]:
    """`textwrap.dedent`: holes stand in no margin."""
    marks = "".join(piece if isinstance(piece, str) else "\0" for piece in pieces)
    holes = iter([piece for piece in pieces if not isinstance(piece, str)])
    made: list[Piece] = []
    for number, literal in enumerate(textwrap.dedent(marks).split("\0")):
        if number:
            made.append(next(holes))
        made.append(literal)
    return made


def percent(pieces: list[Piece]) -> list[Piece]:
    """`%` filled in: `%d` is a whole number, all else a hole."""
    made: list[Piece] = []
    for piece in pieces:
        if not isinstance(piece, str):
            made.append(piece)
            continue
        at = 0
        while (mark := piece.find("%", at)) >= 0:
            made.append(piece[at:mark])
            end = mark + 1
            if piece[end : end + 1] == "(":
                end = piece.find(")", end) + 1 or len(piece)
            start = end
            while piece[end : end + 1] and piece[end] in "#0- +123456789.*l":
                end += 1
            kind = piece[end : end + 1]
            if kind == "%" and end == mark + 1:
                made.append("%")
            elif kind and kind in "diouxXeEfFgGcrsa":
                made.append(INT if kind in "di" and end == start else HOLE)
            else:  # a percent sign that formats nothing
                made.append(piece[mark : end + 1])
            at = end + 1
        made.append(piece[at:])
    return [piece for piece in made if piece]


def _format(pieces: list[Piece]) -> list[Piece]:
    """`str.format` filled in; [] where the text is no format."""
    made: list[Piece] = []
    for piece in pieces:
        if not isinstance(piece, str):
            made.append(piece)
            continue
        try:
            for literal, field, spec, _ in string.Formatter().parse(piece):
                made.append(literal)
                if field is not None:
                    made.append(INT if spec == "d" else HOLE)
        except ValueError:
            return []
    return [piece for piece in made if piece]


def _arguments(node: ast.Call, places: tuple[int | str, ...]) -> list[ast.expr]:
    """The arguments of a call at these positions and of these names, as far as they are given."""
    named = {keyword.arg: keyword.value for keyword in node.keywords}
    found = [node.args[place] if place < len(node.args) else None for place in places if isinstance(place, int)]
    return [value for value in (*found, *(named.get(place) for place in places if isinstance(place, str))) if value]


def _category(node: ast.Call, otherwise: str) -> str:
    """The class of a warning; "" where it is computed."""
    given = _arguments(node, (1, "category"))
    if not given or isinstance(given[0], ast.Constant):
        return otherwise
    name = _last(given[0])
    return name if name.lstrip("_")[:1].isupper() else ""


def _last(node: ast.AST | None) -> str:
    """`RuntimeError` of torch.x.RuntimeError; "" of what is no name."""
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


_OPPOSITE: dict[type[ast.cmpop], Callable[[], ast.cmpop]] = {
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
}


def _not(test: ast.expr) -> str:
    """The source of the opposite, without `not` where that is as true; `a < b` has none: NaN is neither."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return ast.unparse(test.operand)
    if isinstance(test, ast.Compare) and len(test.ops) == 1 and type(test.ops[0]) in _OPPOSITE:
        return ast.unparse(ast.Compare(test.left, [_OPPOSITE[type(test.ops[0])]()], test.comparators))
    if isinstance(test, ast.Constant):
        return ""  # `assert False, …`
    return ast.unparse(ast.UnaryOp(ast.Not(), test))
