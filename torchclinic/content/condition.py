"""Conditions as they are written, in a snippet's header; find/condition.py reads their trees.

A condition is one expression of Python (`k % k2 == 0 and not paste("ComfyUI")`) about what the
paste holds:

    NAME                        a value that the wordings have read: beside numbers a number,
                                beside texts a text
    NAME[-1], NAME[1:], len(NAME), product(NAME[1:])
                                the same value as sizes: `3, 224, 224` or `8x864`
    bytes(NAME), 20 * MiB       "1.70 GiB" as a number; KiB, MiB, GiB, TiB
    count(NAME), kinds(NAME)    how often the paste gives this value, and how many different ones
    paste("text", ...)          does one of these texts stand in the paste?
    frames("text", ...)         ... in the frames of a traceback: files, functions, lines of code;
                                as whole words, so that "ema" is not found in `remaining`
    square(k / 6)               is it the square of a whole number?
    begins(NAME, "text", ...)   does the value begin with one of these?
    also("stem", ...)           was one of these symptoms found, too?
    read(NAME)                  was there such a value at all?
    live("word", ...)           where the paste holds what the program knew (run/live.py): does one
                                row say all of these? live.ROLE.KEY is a value of it
    1.5  "text"  + - * / %  == != < <= > >=  in [...]  not in [...]  and  or  not
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from ..find.condition import SIZES, Tree

_COMPARE = {
    **{ast.Eq: "==", ast.NotEq: "!=", ast.In: "in", ast.NotIn: "not in"},
    **{ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="},
}
_ARITHMETIC = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Mod: "%"}
_TEXTS = ("paste", "frames", "also", "live")
#: With this the values of what the program knew begin.
LIVE = "live."
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
    """The values of wordings that a condition reads."""
    if isinstance(tree, list) and tree:
        if tree[0] in ("hole", "sizes", "bytes", "count", "kinds", "read", "begins"):
            if not tree[1].startswith(LIVE):
                yield tree[1]
        else:
            for part in tree[1:]:
                yield from names(part)


def asks_program(tree: Any) -> bool:
    """Whether a condition asks what the program knew, which no text alone tells."""
    if not isinstance(tree, list) or not tree:
        return isinstance(tree, str) and tree.startswith(LIVE)
    return tree[0] == "live" or any(asks_program(part) for part in tree[1:])


def _boolean(node: ast.expr) -> Tree:
    if isinstance(node, ast.BoolOp):
        return ["and" if isinstance(node.op, ast.And) else "or", *map(_boolean, node.values)]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return ["not", _boolean(node.operand)]
    if isinstance(node, ast.Compare):
        sides = [node.left, *node.comparators]
        comparisons = [
            _comparison(_COMPARE.get(type(op), ""), left, right)
            for op, left, right in zip(node.ops, sides, sides[1:], strict=False)
        ]
        return comparisons[0] if len(comparisons) == 1 else ["and", *comparisons]
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
        f"`{ast.unparse(node)}` is neither true nor false; write a comparison, or paste(…), "
        "frames(…), begins(NAME, …), also(…), live(…), square(…) or read(NAME), joined by and, "
        "or, not"
    )


def _comparison(op: str, left: ast.expr, right: ast.expr) -> Tree:
    if not op:
        raise ValueError("`is` compares nothing here; write ==")
    if op in ("in", "not in"):
        if not isinstance(right, (ast.List, ast.Tuple)) or not right.elts:
            raise ValueError(f"behind `{op}` stands a list, as in [768, 1024]")
        tree = ["in", _single(left), *map(_literal, right.elts)]
        return tree if op == "in" else ["not", tree]
    sides = [_value(left), _value(right)]
    are_sizes = [isinstance(side, list) and side[0] == "slice" for side in sides]
    if any(are_sizes) and (not all(are_sizes) or op not in ("==", "!=")):
        raise ValueError("sizes are equal to sizes, or not: NAME[1:] == NAME[1:]")
    are_texts = [isinstance(side, list) and side[0] == "text" for side in sides]
    if op not in ("==", "!=") and any(are_texts):
        message = "a text is no larger or smaller than another"
        raise ValueError(f"{message}; behind `{op}` stands a number")
    return [op, *sides]


def _literal(node: ast.expr) -> Any:
    try:
        value = ast.literal_eval(node)
    except (ValueError, TypeError):
        value = None
    if isinstance(value, str):
        if not value.removesuffix("\n").isprintable():  # a line's end may end a text
            how = "a backslash is written twice, as in 'transformers\\\\trainer.py'"
            raise ValueError(f"`{ast.unparse(node)}` holds a control character; {how}")
        return ["text", value]
    # No bool, which is an int, too.
    if type(value) in (int, float) and abs(value) < 2**53:
        return value
    raise ValueError(f"`{ast.unparse(node)}` is neither a number nor a text in quotes")


def _literal_text(node: ast.expr) -> str:
    literal = _literal(node)
    if not isinstance(literal, list) or not literal[1].strip():
        raise ValueError(f"`{ast.unparse(node)}`: a text in quotes stands here")
    return str(literal[1])


def _hole(node: ast.expr) -> str:
    name = ast.unparse(node)
    if not isinstance(node, ast.Name) and not (
        isinstance(node, ast.Attribute) and name.startswith(LIVE)
    ):
        raise ValueError(f"`{name}`: the name of a value stands here")
    return name


def _value(node: ast.expr) -> Any:
    """What has a value: number, text or sizes."""
    if isinstance(node, ast.Name):
        return _UNITS.get(node.id, ["hole", node.id])
    if isinstance(node, ast.Attribute):
        return ["hole", _hole(node)]
    if isinstance(node, ast.Subscript):
        sizes = ["sizes", _hole(node.value)]
        if isinstance(node.slice, ast.Slice):
            if node.slice.step:
                raise ValueError("a step in a slice is not read")
            ends = (node.slice.lower, node.slice.upper)
            return ["slice", sizes, *(end and _whole(end) for end in ends)]
        return ["item", sizes, _whole(node.slice)]
    if isinstance(node, ast.BinOp) and type(node.op) in _ARITHMETIC:
        return [_ARITHMETIC[type(node.op)], _single(node.left), _single(node.right)]
    if isinstance(node, ast.Call) and len(node.args) == 1 and not node.keywords:
        name, argument = ast.unparse(node.func), node.args[0]
        if name in ("bytes", "count", "kinds"):
            return [name, _hole(argument)]
        if name in ("len", "product"):
            named = isinstance(argument, ast.Name | ast.Attribute)
            sizes = ["sizes", _hole(argument)] if named else _value(argument)
            if not isinstance(sizes, list) or sizes[0] not in ("sizes", "slice"):
                raise ValueError(f"`{ast.unparse(node)}`: sizes stand here, NAME or NAME[1:]")
            return [name, sizes]
    if isinstance(node, (ast.Constant, ast.UnaryOp)):
        return _literal(node)
    raise ValueError(
        f"`{ast.unparse(node)}` has no value here; there are NAME, NAME[n], len, product, bytes, "
        "count, kinds, numbers and texts in quotes"
    )


def _single(node: ast.expr) -> Any:
    value = _value(node)
    if isinstance(value, list) and value[0] == "slice":
        raise ValueError(f"`{ast.unparse(node)}`: one value stands here, not several sizes")
    return value


def _whole(node: ast.expr) -> int:
    number = _literal(node)
    if type(number) is not int or abs(number) > SIZES:
        raise ValueError(f"`{ast.unparse(node)}`: a whole number stands here, at most {SIZES}")
    return number
