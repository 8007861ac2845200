"""Conditions as they are written, in a snippet's header; find/condition.py reads what becomes of them.

A condition is one expression of Python (`k % k2 == 0 and not paste("ComfyUI")`) about what the paste holds:

    NAME                        a value that the wordings have read: a number beside numbers, a text beside texts
    NAME[-1], NAME[1:], len(NAME), product(NAME[1:])    the same value as sizes: `3, 224, 224` or `8x864`
    bytes(NAME), 20 * MiB       "1.70 GiB" as a number; KiB, MiB, GiB, TiB
    count(NAME), kinds(NAME)    how often the paste gives this value, and how many different ones
    paste("text", ...)          does one of these texts stand in the paste?
    frames("text", ...)         ... in the frames of a traceback: files, functions, lines of code
    square(k / 6)               is it the square of a whole number?
    begins(NAME, "text", ...)   does the value begin with one of these?
    also("stem", ...)           was one of these symptoms found, too?
    read(NAME)                  was there such a value at all?
    1.5  "text"  + - * / %  == != < <= > >=  in [...]  not in [...]  and  or  not
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from ..find.condition import SIZES, Tree

_COMPARE = {ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.In: "in", ast.NotIn: "not in"}
_ARITHMETIC = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Mod: "%"}
_TEXTS = ("paste", "frames", "also")
_UNITS = {"KiB": 1024, "MiB": 1024**2, "GiB": 1024**3, "TiB": 1024**4}


def parse(text: str) -> Tree:
    """A condition as lists, ready for the index.

    Raises:
        ValueError: with what is wrong and how to write it.
    """
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except SyntaxError as error:
        raise ValueError(f"{error.msg}, at character {error.offset}") from None
    return _boolean(tree)


def names(tree: Any) -> Iterator[str]:
    """The values that a condition reads."""
    if isinstance(tree, list) and tree:
        if tree[0] in ("hole", "sizes", "bytes", "count", "kinds", "read", "begins"):
            yield tree[1]
        else:
            for part in tree[1:]:
                yield from names(part)


def _boolean(node: ast.expr) -> Tree:
    if isinstance(node, ast.BoolOp):
        return ["and" if isinstance(node.op, ast.And) else "or", *map(_boolean, node.values)]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return ["not", _boolean(node.operand)]
    if isinstance(node, ast.Compare):
        sides = [node.left, *node.comparators]
        made = [_comparison(_COMPARE.get(type(op), ""), one, other) for op, one, other in zip(node.ops, sides, sides[1:], strict=False)]
        return made[0] if len(made) == 1 else ["and", *made]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        name, arguments = node.func.id, node.args
        if name in _TEXTS and arguments:
            return [name, *map(_literal_text, arguments)]
        if name == "begins" and len(arguments) > 1:
            return [name, _hole(arguments[0]), *map(_literal_text, arguments[1:])]
        if name == "square" and len(arguments) == 1:
            return [name, _single(arguments[0])]
        if name == "read" and len(arguments) == 1:
            return [name, _hole(arguments[0])]
    raise ValueError(
        f"`{ast.unparse(node)}` is neither true nor false; write a comparison, or paste(…), frames(…), begins(NAME, …), also(…), square(…) or read(NAME), joined by and, or, not"
    )


def _comparison(op: str, one: ast.expr, other: ast.expr) -> Tree:
    if not op:
        raise ValueError("`is` compares nothing here; write ==")
    if op in ("in", "not in"):
        if not isinstance(other, (ast.List, ast.Tuple)) or not other.elts:
            raise ValueError(f"behind `{op}` stands a list, as in [768, 1024]")
        made = ["in", _single(one), *map(_literal, other.elts)]
        return made if op == "in" else ["not", made]
    sides = [_value(one), _value(other)]
    are_sizes = [isinstance(side, list) and side[0] == "slice" for side in sides]
    if any(are_sizes) and (not all(are_sizes) or op not in ("==", "!=")):
        raise ValueError("sizes are equal to sizes, or not: NAME[1:] == NAME[1:]")
    if op not in ("==", "!=") and any(isinstance(side, list) and side[0] == "text" for side in sides):
        raise ValueError(f"a text is no larger or smaller than another; behind `{op}` stands a number")
    return [op, *sides]


def _literal(node: ast.expr) -> Any:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant) and not isinstance(node.operand.value, str):
        return -_literal(node.operand)
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        if not node.value.removesuffix("\n").isprintable():  # a line's end may end a text
            raise ValueError(f"`{ast.unparse(node)}` holds a control character; a backslash is written twice, as in 'transformers\\\\trainer.py'")
        return ["text", node.value]
    if isinstance(node, ast.Constant) and type(node.value) in (int, float) and abs(node.value) < 2**53:
        return node.value
    raise ValueError(f"`{ast.unparse(node)}` is neither a number nor a text in quotes")


def _literal_text(node: ast.expr) -> str:
    made = _literal(node)
    if not isinstance(made, list) or not made[1].strip():
        raise ValueError(f"`{ast.unparse(node)}`: a text in quotes stands here")
    return made[1]


def _hole(node: ast.expr) -> str:
    if not isinstance(node, ast.Name):
        raise ValueError(f"`{ast.unparse(node)}`: the name of a value stands here")
    return node.id


def _value(node: ast.expr) -> Any:
    """What has a value: number, text or sizes."""
    if isinstance(node, ast.Name):
        return _UNITS.get(node.id, ["hole", node.id])
    if isinstance(node, ast.Subscript):
        sizes = ["sizes", _hole(node.value)]
        if isinstance(node.slice, ast.Slice):
            if node.slice.step:
                raise ValueError("a step in a slice is not read")
            return ["slice", sizes, *(None if end is None else _whole(end) for end in (node.slice.lower, node.slice.upper))]
        return ["item", sizes, _whole(node.slice)]
    if isinstance(node, ast.BinOp) and type(node.op) in _ARITHMETIC:
        return [_ARITHMETIC[type(node.op)], _single(node.left), _single(node.right)]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and len(node.args) == 1 and not node.keywords:
        name, argument = node.func.id, node.args[0]
        if name in ("bytes", "count", "kinds"):
            return [name, _hole(argument)]
        if name in ("len", "product"):
            sizes = ["sizes", argument.id] if isinstance(argument, ast.Name) else _value(argument)
            if not isinstance(sizes, list) or sizes[0] not in ("sizes", "slice"):
                raise ValueError(f"`{ast.unparse(node)}`: sizes stand here, NAME or NAME[1:]")
            return [name, sizes]
    if isinstance(node, (ast.Constant, ast.UnaryOp)):
        return _literal(node)
    raise ValueError(f"`{ast.unparse(node)}` has no value here; there are NAME, NAME[n], len, product, bytes, count, kinds, numbers and texts in quotes")


def _single(node: ast.expr) -> Any:
    made = _value(node)
    if isinstance(made, list) and made[0] == "slice":
        raise ValueError(f"`{ast.unparse(node)}`: one value stands here, not several sizes")
    return made


def _whole(node: ast.expr) -> int:
    made = _literal(node)
    if type(made) is not int or abs(made) > SIZES:
        raise ValueError(f"`{ast.unparse(node)}`: a whole number stands here, at most {SIZES}")
    return made
