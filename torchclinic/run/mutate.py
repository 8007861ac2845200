"""Wrong versions of a fix, and of a tip's block, made on purpose: a proof that lets one pass proves nothing.

Four kinds, each from the code alone; of a tip's block, whose assertions are its proof, `without` only (`shortened`):

    back      a hunk of the difference between break and fix, put back as it was in the break
    without   a statement, decorator, keyword or context manager taken out
    swap      a call or a value replaced by a neighbour: Identity for a norm, the other dim, another dtype, True for False
    raw       a method that changes a tensor left out: `x` for `x.detach()`

What cannot change what a program computes is left alone: imports, prints, docstrings, annotations, assertions.
"""

from __future__ import annotations

import ast
import copy
import difflib
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

#: Methods that a wrong fix may have forgotten.
RAW = frozenset(
    [
        "detach",
        "clone",
        "contiguous",
        "float",
        "double",
        "half",
        "bfloat16",
        "long",
        "cpu",
        "cuda",
        "to",
        "item",
        "flatten",
        "squeeze",
        "unsqueeze",
        "requires_grad_",
    ]
)
#: Calls in which a bare number is a dimension.
DIMS = frozenset(
    [
        "sum",
        "mean",
        "cat",
        "stack",
        "softmax",
        "log_softmax",
        "argmax",
        "argmin",
        "squeeze",
        "unsqueeze",
        "flatten",
        "transpose",
        "swapaxes",
        "chunk",
        "split",
        "unbind",
    ]
)
DTYPES = {"float32": "float64", "float64": "float32", "float16": "bfloat16", "bfloat16": "float16", "int64": "int32", "long": "int32", "int32": "int64"}
_NORM = re.compile(r"(Sync)?(Batch|Layer|Group|Instance|RMS|LocalResponse)Norm(\dd)?$")


#: (name, what to do to the same node of a copy) for each way to spoil a node.
Changes = Callable[[ast.AST], Iterator[tuple[str, Callable[[ast.AST], None]]]]


@dataclass(frozen=True)
class Mutant:
    """A wrong version of a fix or block. `name` says what was changed, in its own code, and is the same from run to run."""

    name: str
    source: str


def mutants(broken: str, fix: str) -> list[Mutant]:
    """Every wrong version, each once, in the order of the code. `broken` is the source of the break."""
    return _named([*_hunks(broken, fix), *_changed(fix, _changes)], fix)


def _named(made: Iterable[tuple[str, str]], code: str) -> list[Mutant]:
    """Each version once, under a name of its own; none that is the same program as `code`."""
    found: dict[str, Mutant] = {}
    original = ast.dump(ast.parse(code))
    names: set[str] = set()
    for name, source in made:
        try:
            shape = ast.dump(ast.parse(source))
        except SyntaxError:
            continue
        if shape == original or shape in found:
            continue
        number, first = 1, name
        while name in names:
            number += 1
            name = f"{first} ({number})"
        names.add(name)
        found[shape] = Mutant(name, source)
    return list(found.values())


def shortened(block: str) -> list[Mutant]:
    """A tip's block without each of its statements, `with` heads and decorators, one at a time.

    Left alone besides what computes nothing: assertions, in whatever form (`raise AssertionError`, `torch.testing.assert_close`); loops and branches that
    hold one, and calls of the block's own functions that do, since it would go with them (what stands in them is taken out); what only shows or
    hides something, as a loop of prints and `warnings.simplefilter("ignore")` do; and `set_num_threads`, which steadies a clock and changes no result.
    """
    functions = [node for node in ast.walk(ast.parse(block)) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
    asserting = {function.name for function in functions if any(_asserts(inner, set()) for inner in function.body)}

    def counts(statement: ast.stmt) -> bool:
        return not _shows(statement) and not _asserts(statement, asserting)

    return _named(_changed(block, lambda node: _statements(node, counts)), block)


def _hunks(broken: str, fix: str) -> Iterator[tuple[str, str]]:
    """Imports are no part of a hunk: a fix has its own, so that it can be copied, and a break relies on the set-up's. Nor is what only prints."""
    before, after = _telling(broken), _telling(fix)
    for what, i1, i2, j1, j2 in difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if what != "equal":
            line = next((text.strip() for text in [*after[j1:j2], *before[i1:i2]] if text.strip()), "")
            yield f"back: {_short(line)}", "\n".join([*_imports(fix), *after[:j1], *before[i1:i2], *after[j2:]])


def _imports(source: str) -> list[str]:
    return [ast.unparse(node) for node in ast.parse(source).body if isinstance(node, (ast.Import, ast.ImportFrom))]


def _telling(source: str) -> list[str]:
    """Its lines without those statements at its top level that compute nothing, and without empty ones."""
    left_out = [
        range(node.lineno, (node.end_lineno or node.lineno) + 1) for node in ast.parse(source).body if not _counts(node) and not isinstance(node, ast.Assert)
    ]
    return [line for number, line in enumerate(source.splitlines(), 1) if line.strip() and not any(number in span for span in left_out)]


def _changed(fix: str, changes: Changes) -> Iterator[tuple[str, str]]:
    """Walks the tree once to count the places, then changes one place of a fresh copy at a time."""
    tree = ast.parse(fix)
    for place in range(sum(1 for _ in ast.walk(tree))):
        node = _node(tree, place)
        for name, change in changes(node):
            made = copy.deepcopy(tree)
            change(_node(made, place))
            yield name, ast.unparse(ast.fix_missing_locations(made))


def _node(tree: ast.AST, place: int) -> ast.AST:
    for number, node in enumerate(ast.walk(tree)):
        if number == place:
            return node
    raise IndexError(place)


def _changes(node: ast.AST) -> Iterator[tuple[str, Callable[[ast.AST], None]]]:
    """(name, what to do to the same node of a copy) for each way to spoil this node."""
    yield from _statements(node, _counts)
    if isinstance(node, ast.Call):
        yield from _calls(node)


def _statements(node: ast.AST, counts: Callable[[ast.stmt], bool]) -> Iterator[tuple[str, Callable[[ast.AST], None]]]:
    """What of this node can be taken out: statements that count, `with` heads, decorators."""
    for field in ("body", "orelse", "finalbody"):
        for at, statement in enumerate(getattr(node, field, None) if isinstance(getattr(node, field, None), list) else []):
            if counts(statement):
                yield f"without: {_short(ast.unparse(statement))}", lambda made, field=field, at=at: _take_out(getattr(made, field), at)
            if isinstance(statement, (ast.With, ast.AsyncWith)):
                heads = ", ".join(ast.unparse(item.context_expr) for item in statement.items)
                # `with open(...) as file` cannot be left out, and says nothing where it is.
                if not any(item.optional_vars for item in statement.items):
                    yield f"without: with {_short(heads)}", lambda made, field=field, at=at: _open_up(getattr(made, field), at)
    for at, decorator in enumerate(getattr(node, "decorator_list", [])):
        yield f"without: @{_short(ast.unparse(decorator))}", lambda made, at=at: made.decorator_list.pop(at)


def _calls(node: ast.Call) -> Iterator[tuple[str, Callable[[ast.AST], None]]]:
    called, written = _name(node.func), _short(ast.unparse(node))
    if called in ("print", "allclose", "assert_close"):
        return
    for at, keyword in enumerate(node.keywords):
        if keyword.arg:
            yield f"without: {keyword.arg}= in {written}", lambda made, at=at: made.keywords.pop(at)
            if isinstance(keyword.value, ast.Constant):
                yield from _constants(keyword.value, keyword.arg in ("dim", "axis"), written, lambda made, at=at: made.keywords[at].value)
    for at, argument in enumerate(node.args):
        if isinstance(argument, (ast.Constant, ast.UnaryOp)):
            yield from _constants(argument, called in DIMS, written, lambda made, at=at: made.args[at], lambda made, new, at=at: made.args.__setitem__(at, new))
    for part in [*node.args, *(keyword.value for keyword in node.keywords)]:
        if isinstance(part, ast.Attribute) and part.attr in DTYPES and _name(part.value) == "torch":
            yield f"swap: {DTYPES[part.attr]} in {written}", lambda made, old=part.attr: _rename(made, old)
    if _NORM.match(called):
        yield f"swap: Identity for {written}", _identity
    if called in RAW and isinstance(node.func, ast.Attribute):
        yield f"raw: {written}", _receiver


def _constants(
    value: ast.expr,
    dim: bool,
    written: str,
    there: Callable[[ast.AST], ast.expr],
    put: Callable[[ast.AST, ast.expr], None] | None = None,
) -> Iterator[tuple[str, Callable[[ast.AST], None]]]:
    """True for False; for a dimension its neighbour."""
    if isinstance(value, ast.Constant) and isinstance(value.value, bool):
        yield f"swap: {not value.value} in {written}", lambda made: setattr(there(made), "value", not there(made).value)  # type: ignore[attr-defined]
    elif dim and isinstance(value, ast.Constant) and isinstance(value.value, int):
        new = value.value - 1 if value.value else 1
        yield f"swap: {new} for {value.value} in {written}", lambda made: setattr(there(made), "value", new)
    elif dim and put and isinstance(value, ast.UnaryOp) and isinstance(value.op, ast.USub) and isinstance(value.operand, ast.Constant):
        new = -value.operand.value - 1
        yield f"swap: {new} for {ast.unparse(value)} in {written}", lambda made: put(made, ast.Constant(new))


def _counts(statement: ast.stmt) -> bool:
    """Can it change what the program computes?"""
    if isinstance(statement, (ast.Import, ast.ImportFrom, ast.Pass, ast.Global, ast.Nonlocal, ast.Assert)):
        return False
    value = statement.value if isinstance(statement, ast.Expr) else None
    return not (isinstance(value, ast.Constant) or isinstance(value, ast.Call) and _name(value.func) == "print")


def _shows(statement: ast.stmt) -> bool:
    """Does it compute nothing, or do nothing but print, hide warnings, or choose the number of threads?"""
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        called, first = _name(statement.value.func), next(iter(statement.value.args), None)
        if called in ("simplefilter", "filterwarnings") and isinstance(first, ast.Constant) and first.value == "ignore":
            return True
        if called in ("set_num_threads", "setNumThreads"):
            return True
    if isinstance(statement, (ast.For, ast.If, ast.With)):
        return all(_shows(inner) and not isinstance(inner, ast.Assert) for inner in [*statement.body, *getattr(statement, "orelse", [])])
    return not _counts(statement)


def _asserts(statement: ast.stmt, asserting: set[str]) -> bool:
    """Is it an assertion, or would one go with it? `asserting`: functions that hold one; themselves they are found missing where they are used."""
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return False
    for node in ast.walk(statement):
        if isinstance(node, ast.Assert) or isinstance(node, ast.Call) and _name(node.func).startswith("assert"):
            return True
        if isinstance(node, ast.Name) and node.id in asserting:
            return True
        if isinstance(node, ast.Raise) and node.exc and _name(node.exc.func if isinstance(node.exc, ast.Call) else node.exc) == "AssertionError":
            return True
    return False


def _take_out(body: list[ast.stmt], at: int) -> None:
    body.pop(at)
    if not body:
        body.append(ast.Pass())


def _open_up(body: list[ast.stmt], at: int) -> None:
    """What stood in the `with` block stands without it."""
    body[at : at + 1] = body[at].body  # type: ignore[attr-defined]


def _rename(made: ast.AST, old: str) -> None:
    for part in ast.walk(made):
        if isinstance(part, ast.Attribute) and part.attr == old:
            part.attr = DTYPES[old]
            return


def _identity(made: ast.AST) -> None:
    made.func = ast.parse('__import__("torch").nn.Identity', mode="eval").body  # type: ignore[attr-defined]
    made.args, made.keywords = [], []  # type: ignore[attr-defined]


def _receiver(made: ast.AST) -> None:
    """`x` for `x.detach()`: the call becomes an expression in brackets, which does nothing."""
    receiver = made.func.value  # type: ignore[attr-defined]
    made.func, made.args, made.keywords = ast.parse("(lambda same: same)", mode="eval").body, [receiver], []  # type: ignore[attr-defined]


def _name(node: ast.expr) -> str:
    """The last part of a dotted name; "" for anything else."""
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _short(code: str) -> str:
    line = " ".join(code.split())
    return line if len(line) <= 60 else line[:59] + "…"
