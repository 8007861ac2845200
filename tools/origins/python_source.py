"""What the Python files of a release can print: exceptions, warnings, checks, log lines; read by
`ast`, nothing is imported."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Callable, Iterator

from .python_texts import Definition, Scope, last_name, texts
from .template import Piece, Site, percent, template

#: Longer conditions tell a reader less than the source does.
CONDITION = 100
#: Functions that raise or warn, by their last name -> (the class that is printed, the position of
#: the condition or -1, the arguments that may hold the message).
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
#: Of those, which are given the class: by position or name.
CLASS_GIVEN: dict[str, tuple[int | str, ...]] = {
    "check": (2, "exc_type"),
    "_check_with": (0,),
    "_check_tensor_all_with": (0,),
}
#: Methods of a logger that are seen at the default level. What they write is no exception: its
#: class is LOG.
LOGGERS = ("log", "logger", "logging", "_logger", "_log", "LOG", "warning_log", "perf_hint_log")
LOGGED = ("warning", "warn", "error", "critical", "exception", "warning_once")
LOG = "log"
#: Endings of classes that make their own message.
EXCEPTIONS = ("Error", "Exception", "Warning", "Failure")


def parse(source: str) -> ast.Module:
    """A file. Raises: SyntaxError: a newer Python is needed to read it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # escape sequences of other people's strings
        return ast.parse(source)


def sites(tree: ast.Module, module: str) -> list[Site]:
    """Every place of a file that prints a message."""
    reader = _Reader()
    reader.block(tree.body, Scope(module, tree.body), "")
    return reader.sites


class _Reader:
    def __init__(self) -> None:
        self.sites: list[Site] = []

    def block(self, body: list[ast.stmt], scope: Scope, condition: str) -> None:
        """Read statements. `condition` holds of those that stand directly in `body`."""
        for node in body:
            if isinstance(node, Definition):
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

    def definition(self, node: Definition, scope: Scope) -> None:
        name = f"{scope.name}.{node.name}"
        for decorator in node.decorator_list:
            if isinstance(decorator, ast.Call) and last_name(decorator.func) == "deprecated":
                kind = _category(decorator, "DeprecationWarning")
                self.add(decorator.args[:1], decorator, Scope(name, [], scope), kind, "")
        if isinstance(node, ast.ClassDef):
            # Names of a class are not seen by its methods: what is assigned there is asked for
            # nowhere.
            self.block(node.body, Scope(name, [], scope, (), node.name), "")
            return
        given = node.args
        parameters = [*given.posonlyargs, *given.args, *given.kwonlyargs]
        parameters += [rest for rest in (given.vararg, given.kwarg) if rest]
        names = tuple(parameter.arg for parameter in parameters)
        self.block(node.body, Scope(name, node.body, scope, names, scope.method_of), "")

    def branches(self, node: ast.If, scope: Scope) -> None:
        """An `if`, its `elif`s and its `else`."""
        tests = []
        while True:
            self.calls(node.test, scope, "")
            self.block(node.body, scope, ast.unparse(node.test))
            tests.append(node.test)
            if len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If):
                node = node.orelse[0]
                continue
            test = tests[0] if len(tests) == 1 else ast.BoolOp(ast.Or(), tests)
            self.block(node.orelse, scope, _not(test))
            return

    def raised(self, node: ast.Raise, scope: Scope, condition: str) -> None:
        """`raise X(…)`, `raise X(…).with_traceback(…)`."""
        call = node.exc
        while (
            isinstance(call, ast.Call)
            and isinstance(call.func, ast.Attribute)
            and isinstance(call.func.value, ast.Call)
        ):
            call = call.func.value
        if isinstance(call, ast.Call):
            messages = [*call.args, *(keyword.value for keyword in call.keywords)]
            self.add(messages, node, scope, _class(last_name(call.func)), condition)

    def calls(self, expression: ast.expr, scope: Scope, condition: str) -> None:
        """Calls that raise or warn, anywhere in an expression. The condition is that of a call that
        is a statement of its own."""
        for node in ast.walk(expression):
            if isinstance(node, ast.Call):
                self.call(node, scope, condition if node is expression else "")

    def call(self, node: ast.Call, scope: Scope, condition: str) -> None:
        name = last_name(node.func)
        subject = node.func.value if isinstance(node.func, ast.Attribute) else None
        if name in CHECKS:
            self.check(node, name, scope, condition)
        elif name in ("warn", "warn_explicit") and (
            isinstance(node.func, ast.Name) or last_name(subject) == "warnings"
        ):
            messages = _arguments(node, (0, "message"))
            self.add(messages, node, scope, _category(node, "UserWarning"), condition)
        elif name in LOGGED and last_name(subject) in LOGGERS:
            self.add(node.args[:1], node, scope, LOG, condition)
        elif name == "__init__" and last_name(getattr(subject, "func", None)) == "super":
            if scope.method_of.endswith(EXCEPTIONS):  # an exception that makes its own message
                self.add(node.args, node, scope, scope.method_of, condition)

    def check(self, node: ast.Call, name: str, scope: Scope, condition: str) -> None:
        kind, position, places = CHECKS[name]
        messages = _arguments(node, places)
        if name == "check" and not any(isinstance(message, ast.Lambda) for message in messages):
            return  # another function of that common name
        if classes := _arguments(node, CLASS_GIVEN.get(name, ())):
            kind = last_name(classes[0]) or kind
        if 0 <= position < len(node.args):
            condition = _not(node.args[position])
        for message in messages:
            self.add([message], node, scope, kind, condition)

    def add(
        self,
        messages: list[ast.expr],
        node: ast.stmt | ast.expr,
        scope: Scope,
        kind: str,
        condition: str,
    ) -> None:
        """Note the first of the arguments that is a text."""
        for message in messages:
            if isinstance(message, ast.Lambda):
                message = message.body
            choices = [pieces for pieces in texts(message, scope) if _says_something(pieces)]
            if kind == LOG:  # formats what it is given
                choices = [percent(pieces) for pieces in choices]
            for text in dict.fromkeys(map(template, choices)):
                shown = condition if len(condition) <= CONDITION else ""
                self.sites.append(Site(text, node.lineno, scope.name, kind, shown))
            if choices:
                return


def _says_something(pieces: list[Piece]) -> bool:
    return any(isinstance(piece, str) and not piece.isspace() for piece in pieces)


def _bodies(node: ast.stmt) -> Iterator[list[ast.stmt]]:
    """The blocks of a compound statement other than `if`."""
    for field in ("body", "orelse", "finalbody"):
        inner = getattr(node, field, None)
        if isinstance(inner, list):
            yield inner
    for handler in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
        yield handler.body


def _arguments(node: ast.Call, places: tuple[int | str, ...]) -> list[ast.expr]:
    """The arguments of a call at these positions, then those of these names, as far as they are
    given."""
    named = {keyword.arg: keyword.value for keyword in node.keywords}
    positions = [place for place in places if isinstance(place, int)]
    by_position = [node.args[place] for place in positions if place < len(node.args)]
    return by_position + [
        named[place] for place in places if isinstance(place, str) and place in named
    ]


def _class(name: str) -> str:
    """A name that is a class's; "" of any other, which is computed."""
    return name if name.lstrip("_")[:1].isupper() else ""


def _category(node: ast.Call, otherwise: str) -> str:
    """The class of a warning; "" where it is computed."""
    given = _arguments(node, (1, "category"))
    if not given or isinstance(given[0], ast.Constant):
        return otherwise
    return _class(last_name(given[0]))


_OPPOSITE: dict[type[ast.cmpop], Callable[[], ast.cmpop]] = {
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
}


def _not(test: ast.expr) -> str:
    """The source of the opposite, without `not` where that is as true; `a < b` has none: NaN is
    neither."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return ast.unparse(test.operand)
    if isinstance(test, ast.Compare) and len(test.ops) == 1 and type(test.ops[0]) in _OPPOSITE:
        opposite = _OPPOSITE[type(test.ops[0])]()
        return ast.unparse(ast.Compare(test.left, [opposite], test.comparators))
    if isinstance(test, ast.Constant):
        return ""  # `assert False, …`
    return ast.unparse(ast.UnaryOp(ast.Not(), test))
