"""What the compiled libraries of a release can print: TORCH_CHECK and its kin, with file, line and
function; of the wheels for macOS, and of those for Linux.

A check that fails calls one of a few functions: `torchCheckFail(function, file, line, message)`,
constructors of exceptions and warnings (`checks`). What it prints stands in the few instructions
before the call: they are followed along the ways that lead there, through registers and the stack
(`arm64`, `machine_state`, `string_calls`), and what is not a constant there is a hole, or is left
out. The libraries for ARM serve because each of their instructions is four bytes and their symbols
are all there. The condition of a check is not in a library, but where PyTorch prints it itself.
"""

from __future__ import annotations

import re
import struct
import sys
from array import array
from bisect import bisect_right
from collections.abc import Iterator

from . import arm64, checks, elf, mach_o, string_calls
from .demangle import demangle
from .library import Library, page_distance, signed
from .machine_state import State
from .template import Site

#: Instructions that are followed back from a call, ways that may lead to it, the most branches
#: taken on one of them, and the most that are followed to one place.
BACK, WAYS, BRANCHES, SOURCES = 200, 16, 3, 4
#: Instructions before a call through the global offset table among which its address is loaded.
NEAR = 24
#: The last byte of instructions that call: by address, and by register; and of those that branch.
_CALL, _CALLS = rb"[\x94-\x97]", rb"[\x94-\x97\xd6]"
_BRANCHES = rb"[\x14-\x17\x34-\x37\xb4-\xb7\x54]"

#: Straight runs of instructions that lead to a call, one after the other: from, to.
Way = list[tuple[int, int]]


def sites(data: bytes) -> tuple[list[tuple[str, Site]], set[bytes]]:
    """Every place of a library that prints a message: (file as in PyTorch's tree or "", site); line
    -1 where the file is not known. And its strings.

    Raises:
        ValueError: no library for ARM64, or not one that can be read.
    """
    try:
        library = elf.read(data) if data[:4] == b"\x7fELF" else mach_o.read(data)
    except (struct.error, IndexError, KeyError) as error:
        raise ValueError(f"a library that ends early, or lacks a part ({error})") from None
    places = [site for section in library.code for site in _Code(library, section).sites()]
    return places, library.table()


class _Code:
    """A section of instructions; an instruction is named by its number.

    Attributes:
        calls: instruction -> the function that it calls, of those that are sought.
        sources: instruction -> the branches that lead there, in functions that print.
    """

    def __init__(self, library: Library, section: tuple[int, int, int]) -> None:
        self.library = library
        self.base, size, offset = section
        end = offset + size // 4 * 4
        self.words = array("I")
        self.words.frombytes(library.data[offset:end])
        if sys.byteorder == "big":
            self.words.byteswap()
        self.offsets = {entry & 0xFFF for entry in library.entries}
        last_bytes = library.data[offset + 3 : end : 4]
        self.calls: dict[int, str] = {}
        for match in re.finditer(_CALLS if library.entries else _CALL, last_bytes):
            if name := self.called(match.start()):
                self.calls[match.start()] = name
        self.sources: dict[int, list[int]] = {}
        printing = {self.function(at) for at, name in self.calls.items() if _reader(name)}
        for first, last in sorted(printing):
            for match in re.finditer(_BRANCHES, last_bytes[first:last]):
                at = first + match.start()
                aim = arm64.branch(self.words[at])
                if aim is not None:
                    self.sources.setdefault(at + aim, []).append(at)

    def sites(self) -> Iterator[tuple[str, Site]]:
        for at, name in sorted(self.calls.items()):
            if read := _reader(name):
                yield from self.printed(at, read)

    def function(self, at: int) -> tuple[int, int]:
        """The instructions of the function that one is in: from, to."""
        starts = self.library.starts
        place = bisect_right(starts, self.base + 4 * at)
        first = starts[place - 1] if place else self.base
        end = starts[place] if place < len(starts) else self.base + 4 * len(self.words)
        return max(0, first - self.base) // 4, min(len(self.words), (end - self.base) // 4)

    def called(self, at: int) -> str:
        """The function that an instruction calls, if it is one that is sought; by its address, or
        as an entry of the global offset table that was loaded just before."""
        word = self.words[at]
        if word >> 26 == 0x25:  # bl
            aim = self.base + 4 * (at + signed(word & 0x3FFFFFF, 26))
            return self.library.functions.get(aim, "")
        if not arm64.calls_register(word):
            return ""
        register, entry = word >> 5 & 31, -1
        for before in range(at - 1, max(-1, at - NEAR), -1):
            word = self.words[before]
            if entry < 0 and word & 0xFFC0001F == 0xF9400000 | register:  # ldr
                register, entry = word >> 5 & 31, (word >> 10 & 0xFFF) * 8
                if entry not in self.offsets:
                    return ""
            elif entry >= 0 and word & 0x9F00001F == 0x90000000 | register:  # adrp
                page = (self.base + 4 * before & ~0xFFF) + (page_distance(word) << 12)
                return self.library.entries.get(page + entry, "")
            elif entry >= 0 and self.ends(before):
                return ""
        return ""

    def printed(self, call: int, read: checks.Read) -> Iterator[tuple[str, Site]]:
        """What a call prints on each way that leads to it, the shortest first: a way is followed
        back until the message is known."""
        left: list[tuple[int, Way]] = [(0, [(self.start(call), call)])]
        for _ in range(WAYS):
            if not left:
                return
            branches, way = left.pop(0)
            sites = [*read(self.reached(call, way))]
            known = any(site.text.replace(":int", "").strip("{} ") for _, site in sites)
            if branches == BRANCHES or known:
                yield from sites
                continue
            first = way[0][0]
            before = self.sources.get(first, [])[:SOURCES]
            if first and not self.ends(first - 1):
                before = [first - 1, *before]
            left += [(branches + 1, [(self.start(at), at + 1), *way]) for at in before]

    def start(self, at: int) -> int:
        """Where the straight run of instructions begins that ends before `at`: at a place to which
        others jump, or after one that goes elsewhere."""
        first = max(0, at - BACK)
        while at > first and at not in self.sources and not self.ends(at - 1):
            at -= 1
        return at

    def ends(self, at: int) -> bool:
        """Does the instruction never go on to the next?"""
        return arm64.goes_elsewhere(self.words[at]) or "Fail" in self.calls.get(at, "")

    def reached(self, call: int, way: Way) -> checks.Call:
        """A call as it is made on a way."""
        state = State()
        for start, end in way:
            for at in range(start, end):
                self.step(state, at)
        name = demangle(self.calls[call])
        return checks.Call(self.library, self.base + 4 * call, name, state)

    def step(self, state: State, at: int) -> None:
        word = self.words[at]
        if not arm64.is_call(word):
            arm64.step(state, word, self.base + 4 * at, self.library)
            return
        name = self.calls.get(at, "")
        if not name and arm64.calls_register(word):
            name = string_calls.symbol_at(state.registers.get(word >> 5 & 31))
        string_calls.run(state, name, self.library)


def _reader(name: str) -> checks.Read | None:
    return checks.reader(demangle(name))
