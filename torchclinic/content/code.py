"""What a cell's Python says of itself: what it asserts, and which names it takes from elsewhere."""

from __future__ import annotations

import ast
import builtins
import copy
import functools
import io
import re
import tokenize
from collections.abc import Iterable

#: What every reader has under some name: a fix may use these without defining them.
READERS_NAMES = {
    *("model", "optimizer", "scheduler", "scaler", "loader", "dataset", "loss_fn", "criterion"),
    *("loss", "images", "labels", "x", "y", "batch", "device", "tokenizer"),
}


@functools.lru_cache(64)  # the cells of a snippet are asked about one after the other
def parsed(source: str) -> ast.Module:
    """The tree of a cell, not to be changed; empty where it does not parse (reported elsewhere)."""
    try:
        return ast.parse(source)
    except SyntaxError:
        return ast.Module([], [])


#: A check that must run where set-up keeps another Python, or a shell, holds under one of these
#: names what a reader runs, as text: that is shown, and the rest of the cell runs it there.
HANDED = {"PROGRAM": "python", "COMMAND": "console"}
#: What set-up defines with these starts, measures or stands for something: no reader has it.
_HARNESS = {
    *("subprocess", "Popen", "ctypes", "venv", "zipfile", "socket", "signal", "mock", "resource"),
    *("tempfile", "shutil", "multiprocessing", "mp", "start_processes", "perf_counter"),
}


def as_shown(source: str, setup: Iterable[str]) -> str:
    """A check as a reader takes it into a program of their own, which may be sound: without the
    assertions, which hold for the broken one, and with the imports that it takes from set-up."""
    if handed := handed_over(source):
        return handed[1]
    shown = _without_assertions(source)
    imports = imports_for(shown, setup)
    return "\n".join([*imports, *([""] if imports else []), shown])


def handed_over(source: str) -> tuple[str, str] | None:
    """The text that a check holds under a name of HANDED, below the cell's comments; and how it is
    coloured. None where it holds none."""
    for node in parsed(source).body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant):
            name, text = ast.unparse(node.targets[0]), node.value.value
            if name in HANDED and isinstance(text, str):
                tokens = tokenize.generate_tokens(io.StringIO(source).readline)
                said = [token.string for token in tokens if token.type == tokenize.COMMENT]
                return HANDED[name], "\n".join([*said, text.strip("\n")])
    return None


def strange_names(check: str, failing: str, setup: Iterable[str]) -> list[str]:
    """Names that a check, as it is shown, takes from set-up and no reader has: neither the failing
    program nor what it is made of uses them, or they start, measure or stand for something."""
    setup = list(setup)
    handed = handed_over(check)
    if handed and handed[0] != "python":
        return []
    loose = [name for name, _ in loose_names(as_shown(check, setup))]
    defined = [
        ({node.name}, _words(node), True)
        if isinstance(node, (ast.FunctionDef, ast.ClassDef))
        else (_bound(node), _words(node), False)
        for source in setup
        for node in parsed(source).body
        if loose and not isinstance(node, (ast.Import, ast.ImportFrom))
    ]
    known, harness = _words(parsed(failing)), set(_HARNESS)
    for _ in defined:
        for bound, words, is_function in defined:
            if words & (harness if is_function else _HARNESS):
                harness |= bound
            elif bound & known:
                known |= words
    return [name for name in loose if name not in known or name in harness]


def _without_assertions(source: str) -> str:
    """What a check prints tells the reader; one that prints nothing keeps its assertions."""
    blocks = [
        block
        for node in ast.walk(parsed(source))
        for _, block in ast.iter_fields(node)
        if isinstance(block, list) and any(isinstance(part, ast.stmt) for part in block)
    ]
    gone = {
        line
        for block in blocks
        if not all(isinstance(node, ast.Assert) for node in block)
        for node in block
        if isinstance(node, ast.Assert)
        for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }
    lines = [line for number, line in enumerate(source.split("\n"), 1) if number not in gone]
    return "\n".join(lines).rstrip("\n") if "print(" in "".join(lines) else source


def asserts(source: str) -> bool:
    """Does it hold something that can fail: an `assert`, a `raise`, or one of torch.testing's?"""
    return any(
        isinstance(node, (ast.Assert, ast.Raise))
        or (isinstance(node, ast.Attribute) and node.attr.startswith("assert"))
        or (isinstance(node, ast.Name) and node.id.startswith("assert"))
        for node in ast.walk(parsed(source))
    )


def loose_names(source: str) -> list[tuple[str, int]]:
    """Names that a piece of code reads and does not define, with the first line of each.

    Those of Python, and of a reader's own program (READERS_NAMES), are not among them.
    """
    tree = parsed(source)
    defined = {*dir(builtins), *READERS_NAMES, "__name__", "__file__"}
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            defined.add(node.name)
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            defined.add(node.id)
        elif isinstance(node, ast.arg):
            defined.add(node.arg)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            defined |= set(map(_imported, node.names))
        elif isinstance(node, ast.ExceptHandler) and node.name:
            defined.add(node.name)
    loose: dict[str, int] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id not in defined:
            loose[node.id] = min(node.lineno, loose.get(node.id, node.lineno))
    return sorted(loose.items(), key=lambda item: item[1])


#: Say nothing about what a fix does: every program has them.
_EVERYWHERE = {"torch", "nn", "F", "np", "os", "sys", *dir(builtins)}


def _words(tree: ast.AST) -> set[str]:
    """Names, attributes, and words of texts that a piece of code holds."""
    words: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            words.add(node.id)
        elif isinstance(node, ast.Attribute):
            words.add(node.attr)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            words.add(node.name)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            words |= set(map(_imported, node.names))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            words |= set(re.findall(r"\w+", node.value))
    return words - _EVERYWHERE


def _bound(statement: ast.stmt) -> set[str]:
    """Names that a statement sets or defines."""
    return _defined(ast.Module([statement], [])) | {
        node.id
        for node in ast.walk(statement)
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)
    }


def _defined(tree: ast.Module) -> set[str]:
    """Functions and classes that stand at the top."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return {node.name for node in tree.body if isinstance(node, kinds)}


def untouched(fix: str, proof: str, setup: Iterable[str]) -> bool:
    """Does a proof use nothing of its fix, neither itself nor through what set-up defines?"""
    known, fixed = _words(parsed(proof)), _words(parsed(fix))
    statements = [statement for source in setup for statement in _statements(source)]
    before = -1
    while before != len(known):
        before = len(known)
        for words, bound, acts in statements:
            if words & known and (acts or bound & known):
                known |= words
    return bool(fixed) and not fixed & known


@functools.lru_cache(256)
def _statements(source: str) -> list[tuple[set[str], set[str], bool]]:
    """Of each statement its words, the names that it binds, and whether it acts without one."""
    return [
        (_words(node), _bound(node), isinstance(node, (ast.Expr, ast.FunctionDef)))
        for node in parsed(source).body
    ]


def redefined(fix: str, proof: str) -> set[str]:
    """Functions and classes of a fix that its proof defines anew: it proves its own."""
    bound = set[str]().union(*map(_bound, parsed(proof).body))
    return _defined(parsed(fix)) & bound


def imports_for(source: str, setup: Iterable[str]) -> list[str]:
    """The imports of set-up whose names a piece of code uses and lacks, as they stand there."""
    lacking = {name for name, _ in loose_names(source)}
    lines = []
    for text in setup:
        for node in parsed(text).body:
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                shown = copy.copy(node)
                shown.names = [alias for alias in node.names if _imported(alias) in lacking]
                lines += [ast.unparse(shown)] if shown.names else []
    return list(dict.fromkeys(lines))


def _imported(alias: ast.alias) -> str:
    """The name that an import sets."""
    return (alias.asname or alias.name).partition(".")[0]
