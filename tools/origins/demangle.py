"""The C++ names of symbols, and the types that stand in them."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache


@cache
def demangle(symbol: str) -> str:
    """The C++ name of a symbol, by the standard library that is here; the symbol itself where it
    has none.

    Raises:
        OSError: no standard library of C++ is here.
    """
    mangled = symbol[1:] if symbol.startswith("__Z") else symbol
    name = _demangler()(mangled.encode(), None, None, ctypes.byref(ctypes.c_int()))
    # A few kilobytes are not freed.
    return ctypes.string_at(name).decode("utf-8", "replace") if name else symbol


@cache
def _demangler() -> Callable[..., int | None]:
    for name in ("libstdc++.so.6", "libc++.1.dylib", "libc++abi.so.1"):
        try:
            function = ctypes.CDLL(name)["__cxa_demangle"]
        except OSError:
            continue
        function.restype = ctypes.c_void_p
        return function
    raise OSError("no C++ library is here that can read symbols: install libstdc++")


def function_name(symbol: str) -> str:
    """Its name without the parameters."""
    return demangle(symbol).partition("(")[0]


def parameters(name: str) -> list[str]:
    """Types of the parameters of a demangled function."""
    end = len(name) - 1 if name.endswith(")") else name.rfind(")")
    depth, at = 0, end
    while at >= 0:  # its opening parenthesis
        depth += {")": 1, "(": -1}.get(name[at], 0)
        if not depth:
            break
        at -= 1
    return split(name[at + 1 : end])


def split(types: str) -> list[str]:
    """What stands between commas, brackets left alone."""
    parts, depth, start = [], 0, 0
    for at, letter in enumerate(types):
        depth += {"<": 1, "(": 1, "[": 1, ">": -1, ")": -1, "]": -1}.get(letter, 0)
        if letter == "," and not depth:
            parts.append(types[start:at].strip())
            start = at + 1
    last = types[start:].strip()
    return [*parts, last] if last else parts
