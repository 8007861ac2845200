"""Wrong versions of a fix, and of a tip's block: a proof that lets one pass proves nothing.

Four kinds, each from the code alone; of a tip's block, whose assertions are its proof, `without`
only (`shortened`):

    back      a hunk of the difference between break and fix, put back as it was in the break
    without   a statement, decorator, keyword or context manager taken out
    swap      a call or a value replaced by a neighbour: Identity for a norm, the other dim, another
              dtype, True for False
    raw       a method that changes a tensor left out: `x` for `x.detach()`

What cannot change what a program computes is left alone: imports, prints, docstrings, annotations,
assertions.
"""

from __future__ import annotations

import ast
import copy
import difflib
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial

#: Methods that a wrong fix may have forgotten.
_RAW = re.compile(
    "detach|clone|contiguous|float|double|half|bfloat16|long|cpu|cuda|to|item|flatten|(un)?squeeze"
    "|requires_grad_"
)
#: Calls in which a bare number is a dimension.
_DIMS = re.compile(
    "sum|mean|cat|stack|(log_)?softmax|argmax|argmin|(un)?squeeze|flatten|transpose|swapaxes|chunk"
    "|split|unbind"
)
DTYPES = {
    **{"float32": "float64", "float64": "float32", "float16": "bfloat16", "bfloat16": "float16"},
    **{"int64": "int32", "long": "int32", "int32": "int64"},
}
_NORM = re.compile(r"(Sync)?(Batch|Layer|Group|Instance|RMS|LocalResponse)Norm(\dd)?")

#: (name, what to do to the same node of a copy) for each way to spoil a node.
Spoilers = Iterator[tuple[str, Callable[[ast.AST], object]]]


@dataclass(frozen=True)
class Mutant:
    """A wrong version of a fix or block.

    Attributes:
        name: what was changed, in its own code; the same from run to run.
    """

    name: str
    source: str


def mutants(broken: str, fix: str) -> list[Mutant]:
    """Every wrong version, each once, in the order of the code.

    Args:
        broken: the source of the break.
    """
    return _named([*_hunks(broken, fix), *_spoilt(fix, _of_fix)], fix)


def shortened(block: str) -> list[Mutant]:
    """A tip's block without each of its statements, `with` heads and decorators, one at a time.

    Left alone besides what computes nothing: assertions, in whatever form (`raise AssertionError`,
    `torch.testing.assert_close`); loops and branches that hold one, and calls of the block's own
    functions that do, since it would go with them (what stands in them is taken out); what only
    shows or hides something, as a loop of prints and `warnings.simplefilter("ignore")` do; and
    `set_num_threads`, which steadies a clock and changes no result.
    """
    asserting = {
        node.name
        for node in ast.walk(ast.parse(block))
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        and any(_asserts(statement, set()) for statement in node.body)
    }

    def counts(statement: ast.stmt) -> bool:
        return not _shows(statement) and not _asserts(statement, asserting)

    return _named(_spoilt(block, lambda node: _statements(node, counts)), block)


def _named(versions: Iterable[tuple[str, str]], code: str) -> list[Mutant]:
    """Each version once, under a name of its own; none that is the same program as `code`."""
    by_shape: dict[str, Mutant] = {}
    original = ast.dump(ast.parse(code))
    names: set[str] = set()
    for first, source in versions:
        try:
            shape = ast.dump(ast.parse(source))
        except SyntaxError:
            continue
        if shape == original or shape in by_shape:
            continue
        number, name = 1, first
        while name in names:
            number += 1
            name = f"{first} ({number})"
        names.add(name)
        by_shape[shape] = Mutant(name, source)
    return list(by_shape.values())


# --- back


def _hunks(broken: str, fix: str) -> Iterator[tuple[str, str]]:
    """The fix with each hunk of the difference put back.

    Imports are no part of a hunk: a fix has its own, so that it can be copied, and a break relies
    on the set-up's. Nor is what only prints.
    """
    before, after = _telling(broken), _telling(fix)
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    for what, i1, i2, j1, j2 in matcher.get_opcodes():
        if what != "equal":
            changed = [text.strip() for text in [*after[j1:j2], *before[i1:i2]]]
            lines = [*_imports(fix), *after[:j1], *before[i1:i2], *after[j2:]]
            yield f"back: {_short(next(filter(None, changed), ''))}", "\n".join(lines)


def _imports(source: str) -> list[str]:
    return [
        ast.unparse(node)
        for node in ast.parse(source).body
        if isinstance(node, (ast.Import, ast.ImportFrom))
    ]


def _telling(source: str) -> list[str]:
    """Its lines without the top level's statements that compute nothing, and without empty ones."""
    left_out = {
        number
        for node in ast.parse(source).body
        if not _counts(node) and not isinstance(node, ast.Assert)
        for number in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }
    return [
        line
        for number, line in enumerate(source.splitlines(), 1)
        if line.strip() and number not in left_out
    ]


# --- without, swap, raw


def _spoilt(code: str, spoilers: Callable[[ast.AST], Spoilers]) -> Iterator[tuple[str, str]]:
    """The code with one place changed at a time, each in a fresh copy."""
    tree = ast.parse(code)
    for place, node in enumerate(list(ast.walk(tree))):
        for name, spoil in spoilers(node):
            changed = copy.deepcopy(tree)
            spoil(list(ast.walk(changed))[place])
            yield name, ast.unparse(ast.fix_missing_locations(changed))


def _of_fix(node: ast.AST) -> Spoilers:
    yield from _statements(node, _counts)
    if isinstance(node, ast.Call):
        yield from _calls(node)


def _statements(node: ast.AST, counts: Callable[[ast.stmt], bool]) -> Spoilers:
    """What of this node can be taken out: statements that count, `with` heads, decorators."""
    for field in ("body", "orelse", "finalbody"):
        body = getattr(node, field, None)
        for at, statement in enumerate(body if isinstance(body, list) else []):
            if counts(statement):
                name = f"without: {_short(ast.unparse(statement))}"
                yield name, partial(_take_out, field=field, at=at)
            # `with open(...) as file` cannot be left out, and says nothing where it is.
            if isinstance(statement, (ast.With, ast.AsyncWith)) and not any(
                item.optional_vars for item in statement.items
            ):
                heads = ", ".join(ast.unparse(item.context_expr) for item in statement.items)
                yield f"without: with {_short(heads)}", partial(_open_up, field=field, at=at)
    for at, decorator in enumerate(getattr(node, "decorator_list", [])):
        name = f"without: @{_short(ast.unparse(decorator))}"
        yield name, partial(_pop, field="decorator_list", at=at)


def _calls(node: ast.Call) -> Spoilers:
    called, code = _name(node.func), _short(ast.unparse(node))
    if called in ("print", "allclose", "assert_close"):
        return
    for at, keyword in enumerate(node.keywords):
        if keyword.arg:
            yield f"without: {keyword.arg}= in {code}", partial(_pop, field="keywords", at=at)
            if isinstance(keyword.value, ast.Constant):
                is_dim = keyword.arg in ("dim", "axis")
                for new, old in _neighbours(keyword.value, is_dim):
                    yield f"swap: {new}{old} in {code}", partial(_set_keyword, at=at, new=new)
    for at, argument in enumerate(node.args):
        for new, old in _neighbours(argument, bool(_DIMS.fullmatch(called))):
            yield f"swap: {new}{old} in {code}", partial(_set_argument, at=at, new=new)
    for part in [*node.args, *(keyword.value for keyword in node.keywords)]:
        if isinstance(part, ast.Attribute) and part.attr in DTYPES and _name(part.value) == "torch":
            yield f"swap: {DTYPES[part.attr]} in {code}", partial(_rename, old=part.attr)
    if _NORM.fullmatch(called):
        yield f"swap: Identity for {code}", _identity
    if _RAW.fullmatch(called) and isinstance(node.func, ast.Attribute):
        yield f"raw: {code}", _receiver


def _neighbours(value: ast.expr, is_dim: bool) -> Iterator[tuple[bool | int, str]]:
    """(new value, ` for old`) of a constant: the other truth value; the next dimension."""
    try:
        old = ast.literal_eval(value)
    except (ValueError, TypeError):
        return
    if isinstance(old, bool):
        yield not old, ""
    elif is_dim and isinstance(old, int):
        yield (old - 1 if old else 1), f" for {old}"


def _counts(statement: ast.stmt) -> bool:
    """Can it change what the program computes?"""
    idle = (ast.Import, ast.ImportFrom, ast.Pass, ast.Global, ast.Nonlocal, ast.Assert)
    if isinstance(statement, idle):
        return False
    value = statement.value if isinstance(statement, ast.Expr) else None
    prints = isinstance(value, ast.Call) and _name(value.func) == "print"
    return not prints and not isinstance(value, ast.Constant)


def _shows(statement: ast.stmt) -> bool:
    """Does it only print, hide warnings, or choose the number of threads, or compute nothing?"""
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        called, first = _name(statement.value.func), next(iter(statement.value.args), None)
        ignores = isinstance(first, ast.Constant) and first.value == "ignore"
        if ignores and called in ("simplefilter", "filterwarnings"):
            return True
        if called in ("set_num_threads", "setNumThreads"):
            return True
    if isinstance(statement, (ast.For, ast.If, ast.With)):
        return all(
            _shows(inner) and not isinstance(inner, ast.Assert)
            for inner in [*statement.body, *getattr(statement, "orelse", [])]
        )
    return not _counts(statement)


def _asserts(statement: ast.stmt, asserting: set[str]) -> bool:
    """Is it an assertion, or would one go with it?

    Args:
        asserting: functions that hold one; themselves they are missed where they are used.
    """
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return False
    for node in ast.walk(statement):
        if isinstance(node, ast.Assert) or isinstance(node, ast.Name) and node.id in asserting:
            return True
        if isinstance(node, ast.Call) and _name(node.func).startswith("assert"):
            return True
        if isinstance(node, ast.Raise) and node.exc:
            raised = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
            if _name(raised) == "AssertionError":
                return True
    return False


# --- what is done to a node of the copy


def _pop(node: ast.AST, field: str, at: int) -> None:
    getattr(node, field).pop(at)


def _take_out(node: ast.AST, field: str, at: int) -> None:
    body = getattr(node, field)
    body.pop(at)
    if not body:
        body.append(ast.Pass())


def _open_up(node: ast.AST, field: str, at: int) -> None:
    """What stood in the `with` block stands without it."""
    body = getattr(node, field)
    body[at : at + 1] = body[at].body


def _set_keyword(node: ast.AST, at: int, new: bool | int) -> None:
    assert isinstance(node, ast.Call)
    node.keywords[at].value = ast.Constant(new)


def _set_argument(node: ast.AST, at: int, new: bool | int) -> None:
    assert isinstance(node, ast.Call)
    node.args[at] = ast.Constant(new)


def _rename(node: ast.AST, old: str) -> None:
    for part in ast.walk(node):
        if isinstance(part, ast.Attribute) and part.attr == old:
            part.attr = DTYPES[old]
            return


def _identity(node: ast.AST) -> None:
    assert isinstance(node, ast.Call)
    node.func = ast.parse('__import__("torch").nn.Identity', mode="eval").body
    node.args, node.keywords = [], []


def _receiver(node: ast.AST) -> None:
    """`x` for `x.detach()`: the call becomes an expression in brackets, which does nothing."""
    assert isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    node.args, node.keywords = [node.func.value], []
    node.func = ast.parse("(lambda same: same)", mode="eval").body


def _name(node: ast.expr) -> str:
    """The last part of a dotted name; "" for anything else."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _short(code: str) -> str:
    line = " ".join(code.split())
    return line if len(line) <= 60 else line[:59] + "…"
