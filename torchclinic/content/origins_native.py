"""What the compiled libraries of a release can print: TORCH_CHECK and its kin, with file, line and function; of the wheels for macOS, and of those for Linux.

A check that fails calls one of a few functions: `torchCheckFail(function, file, line, message)`, constructors of exceptions and warnings. `c10::str(…)`, which
makes the message of literals and values, is a call of `_str_wrapper<types…>::call`, whose symbol holds the types. So what a check prints stands in the few instructions
before the call: they are followed along the ways that lead there, through registers and the stack, and what is not a constant there is a hole, or is left out.
The libraries for ARM serve because each of their instructions is four bytes and their symbols are all there. GCC writes out what Clang calls: there a message is
followed through the stream that it is written to. The condition of a check is not in a library, but where PyTorch prints it itself.
"""

from __future__ import annotations

import ctypes
import re
import sys
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from . import origins_library
from .origins_library import Library, of_literal, signed
from .origins_python import HOLE, INT, Piece, Site, percent, template

#: Instructions that are followed back from a call, ways that may lead to it, and the most branches taken on one of them.
BACK, WAYS, BRANCHES = 200, 16, 3
#: Instructions before a call through the global offset table among which its address is loaded.
NEAR = 24
#: Bytes that a callee may write where a pointer is handed to it.
REACH = 128
#: GNU's library: where in a stream its buffer lies, and where the buffer's text; and the functions that write to one: a text, a part of one, a whole number; all.
BUFFER, TEXT = 8, 80
WRITE_TEXT = "_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc"
WRITE_PART = ("_ZSt16__ostream_insertIc", "_ZNSo5writeEPKcl")
WRITE_NUMBER = tuple(f"_ZNSo{name}{kind}" for name in ("lsE", "9_M_insertI") for kind in "sijlmtxy")
WRITES = (WRITE_TEXT, *WRITE_PART, "_ZNSols", "_ZNSo9_M_insert", "_ZStls", "_ZN3c10ls", "_ZN2atls")
#: Bytes of a std::string.
STRING = 24
#: Endings of the files whose names a check prints, and what their paths begin with in PyTorch's tree.
SOURCES = (".cpp", ".cc", ".cxx", ".c", ".h", ".hpp", ".mm", ".cu", ".cuh")
TREE = re.compile(r"(?:^|/)((?:build/|third_party/)?(?:aten/src|c10|torch/csrc|torch/custom_class|torch/library|caffe2|third_party|build|functorch)[/_.].*)$")
INTEGERS = {f"{sign}{kind} const&" for sign in ("", "unsigned ") for kind in ("int", "long", "long long", "short")}

#: A value that is followed: a number or an address; a place on the stack ("s" from sp, "f" from the frame); an entry of the table of other libraries' symbols ("g") or what it points to ("d").
Value = int | tuple[str, Any]


#: What registers hold where a way begins: the stack, the frame, and, in those that calls leave alone, places that only they name.
AT_FIRST: dict[int, Value] = {31: ("s", 0), 29: ("f", 0)} | {number: (f"x{number}", 0) for number in range(19, 29)}


@dataclass
class _State:
    """Registers and stack on one way to a call."""

    registers: dict[int, Value] = field(default_factory=lambda: dict(AT_FIRST))
    stack: dict[tuple[str, int], Value] = field(default_factory=dict)
    made: dict[tuple[str, int], list[Piece]] = field(default_factory=dict)  # strings that were made there
    streams: dict[tuple[str, int], list[Piece]] = field(default_factory=dict)  # what was written so far to the streams that were made there
    begun: dict[tuple[str, int], list[Piece]] = field(default_factory=dict)  # where a string was begun, and what was written by then to the only stream


#: What a call prints, of the state in which it is made.
_Read = Callable[["_Reader", _State, int], Iterator[tuple[str, Site]]]


class _Reader:
    def __init__(self, library: Library, code: tuple[int, int, int]) -> None:
        self.library = library
        self.base, size, offset = code
        self.code = array("I")
        self.code.frombytes(library.data[offset : offset + size // 4 * 4])
        if sys.byteorder == "big":
            self.code.byteswap()
        top = library.data[offset + 3 : offset + size // 4 * 4 : 4]
        #: instruction -> the function that it calls, of those that are sought.
        self.calls: dict[int, str] = {}
        self.offsets = {entry & 0xFFF for entry in library.entries}
        for found in re.finditer(rb"[\x94-\x97\xd6]" if library.entries else rb"[\x94-\x97]", top):
            if name := self.called(found.start()):
                self.calls[found.start()] = name
        #: instruction -> the branches that lead there, in functions that print.
        self.sources: dict[int, list[int]] = {}
        for first, end in sorted({self.function(at) for at, name in self.calls.items() if _kind(demangle(name))}):
            for found in re.finditer(rb"[\x14-\x17\x34-\x37\xb4-\xb7\x54]", top[first:end]):
                at = first + found.start()
                aim = _branch(self.code[at])
                if aim is not None:
                    self.sources.setdefault(at + aim, []).append(at)

    def function(self, at: int) -> tuple[int, int]:
        """The instructions of the function that one is in: from, to."""
        place = bisect_right(self.library.starts, self.base + 4 * at)
        first = self.library.starts[place - 1] if place else self.base
        end = self.library.starts[place] if place < len(self.library.starts) else self.base + 4 * len(self.code)
        return max(0, first - self.base) // 4, min(len(self.code), (end - self.base) // 4)

    def called(self, at: int) -> str:
        """The function that an instruction calls, if it is one that is sought; by its address, or as an entry of the global offset table that was loaded just before."""
        word = self.code[at]
        if word >> 26 == 0x25:  # bl
            return self.library.functions.get(self.base + 4 * (at + signed(word & 0x3FFFFFF, 26)), "")
        if word & 0xFFFFFC1F != 0xD63F0000:  # blr
            return ""
        register, entry = word >> 5 & 31, -1
        for before in range(at - 1, max(-1, at - NEAR), -1):
            word = self.code[before]
            if entry < 0 and word & 0xFFC0001F == 0xF9400000 | register:  # ldr
                register, entry = word >> 5 & 31, (word >> 10 & 0xFFF) * 8
                if entry not in self.offsets:
                    return ""
            elif entry >= 0 and word & 0x9F00001F == 0x90000000 | register:  # adrp
                here = self.base + 4 * before
                return self.library.entries.get((here & ~0xFFF) + (signed((word >> 5 & 0x7FFFF) << 2 | word >> 29 & 3, 21) << 12) + entry, "")
            elif entry >= 0 and self.ends(before):
                return ""
        return ""

    def ways(self, call: int, read: _Read) -> Iterator[tuple[str, Site]]:
        """What a call prints on each way that leads to it, the shortest first: a way is followed back until the message is known."""
        left: list[tuple[int, list[tuple[int, int]]]] = [(0, [(self.start(call), call)])]
        for _ in range(WAYS):
            if not left:
                return
            depth, way = left.pop(0)
            found = list(read(self, self.run(way), call))
            start = way[0][0]
            if depth == BRANCHES or any(site.text.replace(":int", "").strip("{} ") for _, site in found):
                yield from found
                continue
            before = self.sources.get(start, [])[:4]
            if start and not self.ends(start - 1):
                before = [start - 1, *before]
            left += [(depth + 1, [(self.start(source), source + 1), *way]) for source in before]

    def start(self, at: int) -> int:
        """Where the straight run of instructions begins that ends before `at`: at a place to which others jump, or after one that goes elsewhere."""
        first = max(0, at - BACK)
        while at > first and at not in self.sources and not self.ends(at - 1):
            at -= 1
        return at

    def ends(self, at: int) -> bool:
        """Does the instruction never go on to the next?"""
        word = self.code[at]
        if word >> 26 == 0x05 or word & 0xFFFFFC1F in (0xD65F0000, 0xD61F0000) or word & 0xFFE0001F == 0xD4200000:
            return True
        return "Fail" in self.calls.get(at, "")

    def run(self, way: list[tuple[int, int]]) -> _State:
        state = _State()
        for start, end in way:
            for at in range(start, end):
                self.step(state, at)
        return state

    def step(self, state: _State, at: int) -> None:
        word = self.code[at]
        registers = state.registers
        to, frm = word & 31, word >> 5 & 31
        known = registers.get
        kind = word & 0xFF800000
        if word & 0x1F000000 == 0x10000000:  # adr, adrp
            distance = signed((word >> 5 & 0x7FFFF) << 2 | word >> 29 & 3, 21)
            here = self.base + 4 * at
            registers[to] = (here & ~0xFFF) + (distance << 12) if word >> 31 else here + distance
        elif kind in (0x91000000, 0xD1000000, 0x11000000, 0x51000000):  # add, sub
            amount = (word >> 10 & 0xFFF) << (12 if word >> 22 & 1 else 0)
            _set(registers, to, _moved(known(frm), amount if kind in (0x91000000, 0x11000000) else -amount))
        elif kind in (0xD2800000, 0x52800000):  # movz
            registers[to] = (word >> 5 & 0xFFFF) << (word >> 21 & 3) * 16
        elif kind in (0xF2800000, 0x72800000):  # movk
            old, shift = known(to), (word >> 21 & 3) * 16
            _set(registers, to, old & ~(0xFFFF << shift) | (word >> 5 & 0xFFFF) << shift if isinstance(old, int) else None)
        elif word & 0xFFE0FFE0 in (0xAA0003E0, 0x2A0003E0):  # mov
            other = word >> 16 & 31
            _set(registers, to, 0 if other == 31 else known(other))
        elif word & 0xFFC00000 in (0xF9000000, 0xB9000000):  # str
            width = 8 if word >> 30 == 3 else 4
            _store(state, _moved(known(frm), (word >> 10 & 0xFFF) * width), 0 if to == 31 else known(to))
        elif word & 0xFFE00C00 in (0xF8000000, 0xB8000000):  # stur
            _store(state, _moved(known(frm), signed(word >> 12 & 0x1FF, 9)), 0 if to == 31 else known(to))
        elif word & 0xFFC00000 == 0xA9000000:  # stp
            place = _moved(known(frm), signed(word >> 15 & 0x7F, 7) * 8)
            _store(state, place, 0 if to == 31 else known(to))
            _store(state, _moved(place, 8), 0 if word >> 10 & 31 == 31 else known(word >> 10 & 31))
        elif word & 0xFFC00000 == 0xF9400000:  # ldr
            place = _moved(known(frm), (word >> 10 & 0xFFF) * 8)
            _set(registers, to, self.loaded(state, place))
        elif word & 0xFFC00000 == 0xA9400000:  # ldp
            place = _moved(known(frm), signed(word >> 15 & 0x7F, 7) * 8)
            first, second = self.loaded(state, place), self.loaded(state, _moved(place, 8))
            _set(registers, to, first)
            _set(registers, word >> 10 & 31, second)
        elif word & 0xFFE00C00 == 0xF8400000:  # ldur
            _set(registers, to, self.loaded(state, _moved(known(frm), signed(word >> 12 & 0x1FF, 9))))
        elif word >> 26 == 0x25 or word & 0xFFFFFC1F == 0xD63F0000:  # bl, blr
            self.call(state, at)
        elif word & 0xFFC00000 in (0x3D800000, 0xAD000000, 0x3C800000, 0xAD800000):  # vectors: what stood there is gone
            step = 16
            offset = (word >> 10 & 0xFFF) * 16 if word & 0xFFC00000 == 0x3D800000 else signed(word >> 15 & 0x7F, 7) * 16
            if word & 0xFFC00000 == 0x3C800000:
                offset = signed(word >> 12 & 0x1FF, 9)
            elif word & 0xFFC00000 != 0x3D800000:
                step = 32
            _forget(state, _moved(known(frm), offset), step)
        elif _branch(word) is None:
            # Number 31 is the stack only where an address is reckoned: with a mask, or with a register that was made wider. Elsewhere it is nothing, as in `cmp`.
            if to != 31 or word & 0x7F800000 == 0x12000000 or word & 0x7FE00000 in (0x0B200000, 0x4B200000):
                registers.pop(to, None)
            if word & 0x3A000000 == 0x28000000:  # pairs
                registers.pop(word >> 10 & 31, None)
            if word & 0x3B200400 == 0x38000400 or word & 0x3A800000 == 0x28800000:  # with the address moved on
                by = signed(word >> 12 & 0x1FF, 9) if word & 0x3B200400 == 0x38000400 else signed(word >> 15 & 0x7F, 7) * 8
                _set(registers, frm, _moved(known(frm), by) if frm == 31 and word >> 30 & 2 else None)

    def loaded(self, state: _State, place: Value | None) -> Value | None:
        if isinstance(place, int):
            return ("g", self.library.imports[place]) if place in self.library.imports else self.library.constant(place)
        if place and place[0] == "g":
            return ("d", place[1])
        if place and place not in state.stack:  # the same until something else is stored there
            state.stack[place] = (f"[{place[0]}{place[1]}]", 0)
        return state.stack.get(place) if place else None  # type: ignore[arg-type]

    def call(self, state: _State, at: int) -> None:
        """After a call: a string that it makes, and what it may have changed."""
        name, given = self.calls.get(at, ""), state.registers.get
        if not name and self.code[at] & 0xFFFFFC1F == 0xD63F0000:
            function = given(self.code[at] >> 5 & 31)
            name = function[1] if isinstance(function, tuple) and function[0] == "g" else ""
        where, made, returned = given(8), None, None
        if _makes(name):
            made = self.pieces(state, name)
        elif of_literal(name):
            where, literal = given(0), self.library.literal(given(1))
            made = [literal] if literal is not None else []
        elif name.endswith("E3strEv"):  # of a stream, or of its buffer
            made = state.streams.get(given(0)) or state.streams.get(_moved(given(0), -BUFFER))  # type: ignore[arg-type]
        elif "9_M_assign" in name and (made := state.streams.get(_moved(given(1), -TEXT))):  # type: ignore[arg-type]
            where = given(0)
        elif "ostringstream" in name and name.endswith(("C1Ev", "C2Ev")) and isinstance(given(0), tuple):
            state.streams[given(0)] = []  # type: ignore[index]
        elif "9basic_ios" in name and name.endswith("E4initEPSt15basic_streambufIcS1_E") and isinstance(given(1), tuple):
            state.streams[_moved(given(1), -BUFFER)] = []  # type: ignore[index]
        else:
            for register in range(8):
                if (stream := given(register)) in state.streams:
                    state.streams[stream].append(HOLE if register else self.written(state, name))  # type: ignore[index]
                    returned = stream if not register and name.startswith(WRITES) else None
        if made is None:
            for register in range(9):
                _forget(state, given(register), REACH)
        else:
            _forget(state, where, STRING)
            if made and isinstance(where, tuple):
                state.made[where] = [*made]
        for register in range(19):
            state.registers.pop(register, None)
        state.registers.pop(30, None)
        _set(state.registers, 0, returned)

    def written(self, state: _State, name: str) -> Piece:
        """What a call writes to a stream."""
        text, size = self.library.literal(state.registers.get(1)), state.registers.get(2)
        if name.startswith(WRITE_TEXT):
            return HOLE if text is None else text
        if name.startswith(WRITE_PART):
            return HOLE if text is None or not isinstance(size, int) else text[:size]
        return INT if name.startswith(WRITE_NUMBER) else HOLE

    def pieces(self, state: _State, name: str) -> list[Piece]:
        """What a call of `c10::str` makes: its literals and values, in turn."""
        name = demangle(name)
        types = parameters(name)
        if "torchCheckMsgImpl" in name:
            first, literals = 1, [kind.startswith("char const (&)") for kind in types]  # the first is the message that a check has by default
        else:
            # A literal is given as a `char const*`, a name that the caller has as a `char const* const&`: the types in the brackets tell them apart.
            first, literals = 0, [kind == "char const*" for kind in _split(name, name.index("<") + 1, name.rindex(">::call"))]
        if len(types) != len(literals):
            return []
        found: list[Piece] = []
        for number, (kind, literal) in enumerate(zip(types, literals, strict=True)):
            given = state.registers.get(number) if number < 8 else state.stack.get(("s", 8 * (number - 8)))
            if literal and not first:
                given = state.stack.get(given) if isinstance(given, tuple) else None  # type: ignore[arg-type]
            text = self.library.literal(given) if literal else None
            if number >= first:
                found.append(text if text is not None else INT if kind in INTEGERS else HOLE)
        return found

    def sites(self) -> Iterator[tuple[str, Site]]:
        for at, name in sorted(self.calls.items()):
            read = _kind(demangle(name))
            if read:
                yield from self.ways(at, read)


def _makes(name: str) -> bool:
    """Is this symbol of a function that makes a string of its arguments?"""
    return "_str_wrapper" in name or "torchCheckMsgImpl" in name


def _branch(word: int) -> int | None:
    """By how many instructions a branch jumps; None of all else, and of calls."""
    if word >> 26 == 0x05:
        return signed(word & 0x3FFFFFF, 26)
    if word >> 24 == 0x54 or word & 0x7E000000 == 0x34000000:
        return signed(word >> 5 & 0x7FFFF, 19)
    if word & 0x7E000000 == 0x36000000:
        return signed(word >> 5 & 0x3FFF, 14)
    return None


def _moved(value: Value | None, by: int) -> Value | None:
    if isinstance(value, int):
        return value + by
    return (value[0], value[1] + by) if value and value[0] not in "gd" else value if value and not by else None


def _set(registers: dict[int, Value], number: int, value: Value | None) -> None:
    if value is None:
        registers.pop(number, None)
    else:
        registers[number] = value


def _store(state: _State, place: Value | None, value: Value | None) -> None:
    if isinstance(place, tuple) and place[0] not in "gd":
        state.made.pop(place, None)
        if value == _moved(place, 16) and len(state.streams) == 1:  # an empty string begins there
            state.begun[place] = [*next(iter(state.streams.values()))]
        if value is None:
            state.stack.pop(place, None)
        else:
            state.stack[place] = value


def _forget(state: _State, place: Value | None, size: int) -> None:
    if isinstance(place, tuple) and place[0] not in "gd":
        for kept in (state.stack, state.made):
            for slot in [slot for slot in kept if slot[0] == place[0] and place[1] <= slot[1] < place[1] + size]:
                del kept[slot]  # type: ignore[attr-defined]


@cache
def demangle(symbol: str) -> str:
    """The C++ name of a symbol, by the standard library that is here; the symbol itself where it has none."""
    function = _demangler()
    state = ctypes.c_int()
    made = function((symbol[1:] if symbol.startswith("__Z") else symbol).encode(), None, None, ctypes.byref(state))
    return ctypes.string_at(made).decode("utf-8", "replace") if made else symbol  # a few kilobytes are not freed


@cache
def _demangler() -> Any:
    for name in ("libstdc++.so.6", "libc++.1.dylib", "libc++abi.so.1"):
        try:
            function = ctypes.CDLL(name)["__cxa_demangle"]
        except OSError:
            continue
        function.restype = ctypes.c_void_p
        return function
    raise OSError("no C++ library is here that can read symbols: install libstdc++")


def parameters(name: str) -> list[str]:
    """Types of the parameters of a demangled function."""
    end = len(name) - 1 if name.endswith(")") else name.rfind(")")
    depth, at = 0, end
    while at >= 0:  # its opening parenthesis
        depth += {")": 1, "(": -1}.get(name[at], 0)
        if not depth:
            break
        at -= 1
    return _split(name, at + 1, end)


def _split(name: str, start: int, end: int) -> list[str]:
    """What stands between commas in a part of a name, brackets left alone."""
    found, depth = [], 0
    for place in range(start, end):
        depth += {"<": 1, "(": 1, "[": 1, ">": -1, ")": -1, "]": -1}.get(name[place], 0)
        if name[place] == "," and not depth:
            found.append(name[start:place].strip())
            start = place + 1
    return [*found, name[start:end].strip()] if name[start:end].strip() else found


def path(file: str) -> str:
    """A file as PyTorch's tree has it."""
    found = TREE.search(file.replace("\\", "/"))
    return found[1] if found else ""


def _kind(name: str) -> _Read | None:
    """How the arguments of a function are read, by its demangled name."""
    head = name.partition("(")[0]
    if head == "c10::detail::torchCheckFail":
        return _check
    if head == "c10::detail::torchInternalAssertFail":
        return _assertion
    if head == "c10::Warning::Warning":
        return _warning
    if "::" in head and "SourceLocation" in name and head.endswith("Error"):
        return _exception
    if name.endswith("(char const*, ...)") and head.startswith("torch::"):
        return _formatted
    if head.startswith("std::runtime_error"):
        return _runtime
    if head.startswith(("_PyErr_", "PyErr_")):
        return _python
    return None


def _message(reader: _Reader, state: _State, register: int) -> list[Piece]:
    """A message that is handed over as a literal, or as the place of a string; [] where neither is known."""
    given = state.registers.get(register)
    literal = reader.library.literal(given)
    if literal is not None:
        return [literal]
    if not isinstance(given, tuple):
        return []
    if made := state.made.get(given):  # type: ignore[arg-type]
        return made
    # GCC writes out what takes a stream's text: it is the string that was begun after all was written.
    begun = state.begun.get(given)  # type: ignore[arg-type]
    return begun if begun and len(state.streams) == 1 and begun in state.streams.values() else []


def _site(reader: _Reader, function: Any, file: Any, line: Any, pieces: list[Piece], kind: str) -> Iterator[tuple[str, Site]]:
    name, where = reader.library.literal(function), reader.library.literal(file)
    if name is not None and where and where.endswith(SOURCES) and isinstance(line, int) and 0 < line < 100_000 and pieces and path(where):
        yield path(where), Site(template(pieces), line, name, kind, "")


def _check(reader: _Reader, state: _State, at: int) -> Iterator[tuple[str, Site]]:
    given = state.registers.get
    yield from _site(reader, given(0), given(1), given(2), _message(reader, state, 3), "RuntimeError")


def _assertion(reader: _Reader, state: _State, at: int) -> Iterator[tuple[str, Site]]:
    given = state.registers.get
    printed = reader.library.literal(given(3))
    condition, mark, _ = (printed or "").partition(" INTERNAL ASSERT FAILED at ")
    if mark:
        pieces: list[Piece] = [f'{condition}{mark}"', HOLE, '":', INT, ", please report a bug to PyTorch. "]
        yield from _site(reader, given(0), given(1), given(2), [*pieces, *_message(reader, state, 4)], "RuntimeError")


def _location(reader: _Reader, state: _State, register: int) -> tuple[Any, Any, Any]:
    place = state.registers.get(register)
    return tuple(state.stack.get(_moved(place, offset)) for offset in (0, 8, 16)) if isinstance(place, tuple) else (None, None, None)  # type: ignore[return-value,arg-type]


def _warning(reader: _Reader, state: _State, at: int) -> Iterator[tuple[str, Site]]:
    which = state.registers.get(1)  # the variant: which of its types stands in the upper half
    kind = {0: "UserWarning", 1: "DeprecationWarning"}.get(which >> 32, "") if isinstance(which, int) else ""
    yield from _site(reader, *_location(reader, state, 2), _message(reader, state, 3), kind)


def _exception(reader: _Reader, state: _State, at: int) -> Iterator[tuple[str, Site]]:
    kind = demangle(reader.calls[at]).partition("(")[0].rpartition("::")[2]
    yield from _site(reader, *_location(reader, state, 1), _message(reader, state, 2), "" if kind == "Error" else kind)


def _formatted(reader: _Reader, state: _State, at: int) -> Iterator[tuple[str, Site]]:
    kind = demangle(reader.calls[at]).partition("(")[0].rpartition("::")[2]
    yield from _somewhere(reader, at, percent(_message(reader, state, 1)), kind)


def _runtime(reader: _Reader, state: _State, at: int) -> Iterator[tuple[str, Site]]:
    yield from _somewhere(reader, at, _message(reader, state, 1), "RuntimeError")


def _python(reader: _Reader, state: _State, at: int) -> Iterator[tuple[str, Site]]:
    kind = state.registers.get(0)
    named = kind[1].partition("PyExc_")[2] if isinstance(kind, tuple) and kind[0] == "d" else ""
    pieces = _message(reader, state, 1)
    yield from _somewhere(reader, at, percent(pieces) if "Format" in reader.calls[at] else pieces, named)


def _somewhere(reader: _Reader, at: int, pieces: list[Piece], kind: str) -> Iterator[tuple[str, Site]]:
    """A message whose file is not in the library: only the function that it is in."""
    if pieces:
        name = demangle(reader.library.symbol(reader.base + 4 * at)).partition("(")[0]
        yield "", Site(template(pieces), -1, "" if "<" in name or " " in name else name, kind, "")  # not what a template or a lambda is called


def sites(data: bytes) -> tuple[list[tuple[str, Site]], set[bytes]]:
    """Every place of a library that prints a message: (file as in PyTorch's tree or "", site); line -1 where the file is not known. And its strings.

    Raises:
        ValueError: no library for ARM64.
    """
    library = origins_library.load(data)
    return [site for code in library.code for site in _Reader(library, code).sites()], library.table()
